//! Owns how an [`Answer`] becomes the result of a tool. Invariant: the text block holds the same
//! JSON as the structured content, and is what REST would answer.

use contract::Answer;
use rmcp::model::{CallToolResult, ContentBlock};

/// The result that an answer is sent as.
///
/// Done and held are results with structured content. Refused and unavailable are marked as errors
/// and have text alone, since some clients hold structured content against a tool's output schema
/// even then.
pub fn answer_of(answer: &Answer) -> CallToolResult {
    let body = answer.body();
    if answer.is_error() {
        CallToolResult::error(vec![ContentBlock::text(body.to_string())])
    } else {
        CallToolResult::structured(body)
    }
}
