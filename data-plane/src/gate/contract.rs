//! Check 2, contract: was this definition classified, and do the arguments fit it?

use contract::{Code, Fault, Refusal};

use super::{Asked, Said};
use crate::catalogue::Target;
use crate::catalogue::resolve::ToolTarget;

const CHECK: &str = "contract";

pub(super) fn check(asked: &Asked<'_, '_>) -> Said {
    let faults = match &asked.resolved.target {
        Target::Seat(verb) => verb.validator.faults(asked.arguments, ""),
        Target::Tool(target) => match classified(target) {
            Err(said) => return *said,
            Ok(version) => version.validator().faults(asked.arguments, "arguments"),
        },
    };
    if !faults.is_empty() {
        return Said::block(CHECK, "arguments", Refusal::of_input(faults));
    }
    if let Some(faults) = &asked.unbuilt {
        return Said::block(CHECK, "arguments", Refusal::of_input(faults.clone()));
    }
    if let Some(field) = &asked.placeholder {
        let mut refusal = Refusal::new(
            Code::PlaceholderArgument,
            format!("`{field}` holds a masked placeholder, which is not the value it stands for."),
            "Leave it out, or ask a person who may see the value.",
        );
        refusal.field = Some(field.clone());
        refusal.faults = vec![Fault::new(field, refusal.say.clone(), refusal.fix.clone())];
        return Said::block(CHECK, "placeholder", refusal);
    }
    Said::allow(CHECK, "The arguments fit the definition that was classified.")
}

fn classified(target: &ToolTarget) -> Result<&crate::catalogue::index::Version, Box<Said>> {
    let unclassified = || {
        Box::new(Said::block(
            CHECK,
            "unclassified",
            Refusal::new(
                Code::Unclassified,
                "No curator has said what this tool does.",
                "Ask a curator to classify it (`tool.classify`).",
            ),
        ))
    };
    let version = target.version.as_ref().ok_or_else(unclassified)?;
    if target.classification.is_none() {
        return Err(unclassified());
    }
    version.endpoint().map(|_| version.as_ref()).map_err(|why| {
        Box::new(Said::block(
            CHECK,
            "definition",
            Refusal::new(
                Code::Drifted,
                format!("This declaration cannot be called as it stands. {why}"),
                "Ask whoever manages the server to publish it anew.",
            ),
        ))
    })
}
