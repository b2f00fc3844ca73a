//! What holds of the checks together, over the pure parts.

use super::{Ruling, Said, Verdict};

fn ruling(verdicts: &[Verdict]) -> Ruling {
    let said: Vec<Said> = verdicts
        .iter()
        .zip(["authority", "contract", "label", "policy", "reservation", "idempotency", "autonomy"])
        .map(|(verdict, check)| Said {
            check,
            verdict: *verdict,
            rule: "a_rule",
            say: String::new(),
            refusal: None,
        })
        .collect();
    let verdict = said
        .iter()
        .map(|said| said.verdict)
        .max_by_key(|verdict| super::weight(*verdict))
        .unwrap_or(Verdict::Allow);
    Ruling { verdict, said }
}

#[test]
fn the_earliest_of_the_worst_objections_is_the_one_reported() {
    use Verdict::{Allow, Approve, Block};
    let ruled = ruling(&[Allow, Allow, Approve, Allow, Block, Block, Approve]);
    assert_eq!(ruled.decisive().map(|said| said.check), Some("reservation"));
    let ruled = ruling(&[Allow, Allow, Approve, Allow, Allow, Allow, Approve]);
    assert_eq!(ruled.decisive().map(|said| said.check), Some("label"));
    assert!(ruling(&[Allow; 7]).decisive().is_none());
}
