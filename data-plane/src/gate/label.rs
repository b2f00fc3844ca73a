//! Check 3, label: must what this run has read reach what this call would do? A read from a foreign
//! host is a way out too. Never ends in a silent allow.

use contract::verbs::tool::OnLabel;
use contract::{Code, Effect, Label, Labels, Refusal};
use tenancy::view;

use super::{Asked, Said};
use crate::catalogue::Target;

const CHECK: &str = "label";

pub(super) fn check(asked: &Asked<'_, '_>) -> Said {
    let labels = asked.labels();
    if labels.is_empty() || super::harmless(asked) {
        return Said::allow(CHECK, "The run holds no label that stands in the way.");
    }
    if labels.has(Label::Untrusted) && asked.resolved.effect != Effect::Read {
        return tainted(asked);
    }
    if let Some(said) = outward(asked, labels) {
        return said;
    }
    Said::allow(CHECK, format!("The run holds {labels}; this call may be made all the same."))
}

fn tainted(asked: &Asked<'_, '_>) -> Said {
    let effect = asked.resolved.effect.as_str();
    let say = format!("The run has read untrusted content, and this tool's effect is `{effect}`.");
    let tool_blocks = match &asked.resolved.target {
        Target::Tool(tool) => {
            tool.classification.as_ref().is_some_and(|judged| judged.on_tainted == OnLabel::Block)
        }
        Target::Seat(_) => false,
    };
    let identity = asked.caller().view().settings().tainted_writes;
    if tool_blocks || identity == view::OnLabel::Block {
        return Said::block(
            CHECK,
            "tainted_write",
            Refusal::new(
                Code::BlockedByLabel,
                say,
                "Do it from a run that has read nothing untrusted; `run.get` says what brought the label.",
            ),
        );
    }
    released_or(asked, "tainted_write", say)
}

/// Personal or confidential content must not leave the platform by a tool that is not cleared for
/// it, unless nothing but declared clean values goes out.
fn outward(asked: &Asked<'_, '_>, labels: Labels) -> Option<Said> {
    let Target::Tool(tool) = &asked.resolved.target else { return None };
    let cleared = tool.classification.as_ref().map_or(Labels::NONE, |judged| judged.cleared);
    let kept: Labels = [Label::Personal, Label::Confidential]
        .into_iter()
        .filter(|label| labels.has(*label) && !cleared.has(*label))
        .collect();
    if kept.is_empty() || asked.run.all_clean(asked.arguments) {
        return None;
    }
    let say = format!(
        "The run holds {kept} content, and this tool, which reaches outside, is not cleared for it."
    );
    if asked.caller().view().settings().outward_labelled == view::OnLabel::Block {
        return Some(Said::block(
            CHECK,
            "outward",
            Refusal::new(
                Code::BlockedByLabel,
                say,
                "Send only values that the tool they came from declares clean, or ask a curator to clear this tool.",
            ),
        ));
    }
    Some(released_or(asked, "outward", say))
}

fn released_or(asked: &Asked<'_, '_>, rule: &'static str, say: String) -> Said {
    if asked.released {
        Said::allow(CHECK, format!("{say} A person released this call."))
    } else {
        Said::approve(CHECK, rule, say)
    }
}
