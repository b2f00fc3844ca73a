//! Owns what came back: which of the four answers it is, told by shape alone. Invariant: an answer of
//! a later service, with words this build does not know, still has its exit code and is shown.

use contract::render::cli::{human, visible};
use contract::verb::Declare as _;
use contract::verbs::token::Whoami;
use contract::{Answer, Code, Refusal, Verb};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{environment, output};

/// One of the four answers.
#[derive(Debug)]
pub(crate) struct Reply {
    /// The body as it came.
    text: String,
    /// The exit code of its shape.
    exit: u8,
    /// What it says; `None` if it holds words that this build does not know.
    answer: Option<Answer>,
}

impl Reply {
    /// The answer in a body, or `None` if it has the shape of none.
    pub(crate) fn read(text: String) -> Option<Self> {
        let body: Value = serde_json::from_str(&text).ok()?;
        let (exit, answer) = if let Some(refusal) = body.get("refusal") {
            (2, read(refusal).map(|refusal| Answer::Refused(Box::new(refusal))))
        } else if let Some(unavailable) = body.get("unavailable") {
            (3, read(unavailable).map(Answer::Unavailable))
        } else if let Some(held) = body.get("held") {
            (4, read(held).map(Answer::Held))
        } else if body.get("result").is_some() {
            (0, read(&body).map(Answer::Done))
        } else {
            return None;
        };
        Some(Self { text, exit, answer })
    }

    /// What was asked for, if it was done.
    pub(crate) fn result<T: DeserializeOwned>(&self) -> Option<T> {
        match &self.answer {
            Some(Answer::Done(envelope)) => read(&envelope.result),
            _ => None,
        }
    }

    /// Changes a refusal, as it is shown to people; JSON stays as it came.
    pub(crate) fn mend(&mut self, mend: impl FnOnce(&mut Refusal)) {
        if let Some(Answer::Refused(refusal)) = &mut self.answer {
            mend(refusal);
        }
    }

    /// Prints it: JSON as it came, or for people, what was not done to standard error. People are
    /// told which server it was, `whence`, where that explains the answer. Answers the exit code.
    pub(crate) fn show(&self, verb: &Verb, as_json: bool, whence: &str) -> u8 {
        if as_json {
            output::line(&self.text);
            return self.exit;
        }
        let text = match &self.answer {
            Some(answer) => words(verb, answer, whence),
            None => unknown(&self.text),
        };
        if matches!(self.exit, 0 | 4) {
            output::out(&text);
        } else {
            output::err(&text);
        }
        self.exit
    }
}

fn read<T: DeserializeOwned>(value: &Value) -> Option<T> {
    T::deserialize(value).ok()
}

/// An answer for people.
fn words(verb: &Verb, answer: &Answer, whence: &str) -> String {
    let width = environment::width();
    let elsewhere = match answer {
        Answer::Refused(refusal) => refusal.code == Code::Unauthenticated,
        Answer::Unavailable(_) => true,
        Answer::Done(_) | Answer::Held(_) => false,
    };
    if elsewhere {
        return format!("{}  server: {}\n", human(verb, answer, width), visible(whence));
    }
    let Answer::Done(envelope) = answer else { return human(verb, answer, width) };
    let mut envelope = envelope.clone();
    if verb.name == Whoami::NAME
        && let Value::Object(fields) = &mut envelope.result
    {
        fields.insert("server".to_owned(), whence.into());
    }
    human(verb, &Answer::Done(envelope), width)
}

/// An answer of a later service, for people.
fn unknown(text: &str) -> String {
    let pretty = serde_json::from_str::<Value>(text)
        .and_then(|body| serde_json::to_string_pretty(&body))
        .unwrap_or_else(|_| text.to_owned());
    let mut out: String = pretty.lines().map(|line| visible(line) + "\n").collect();
    out.push_str("The service is newer than this command: update it to see this in words.\n");
    out
}

#[cfg(test)]
mod tests {
    use contract::{Code, Envelope, Refusal, Registry};
    use serde_json::json;

    use super::*;

    #[test]
    fn the_four_answers_are_told_apart_by_shape() {
        let held = json!({ "held": {
            "approval": Registry::get().verb("approval.get").expect("a verb")
                .example_input["approval"],
            "why": "it writes", "expires": "2026-11-30T12:00:00Z",
        } });
        let bodies = [
            Answer::from(Envelope::of(json!({ "refusal": "in the result" }))).body(),
            Answer::from(Refusal::new(Code::NotFound, "a", "b")).body(),
            Answer::unavailable("worker", 500).body(),
            held,
        ];
        for (body, exit) in bodies.into_iter().zip([0, 2, 3, 4]) {
            let reply = Reply::read(body.to_string()).expect("an answer");
            let answer = reply.answer.expect("known");
            assert_eq!((reply.exit, answer.exit_code()), (exit, exit), "{body}");
        }
    }

    #[test]
    fn a_word_of_a_later_service_keeps_its_exit_code() {
        let body = json!({ "refusal": { "code": "not_yet_thought_of", "say": "a", "fix": "b" } });
        let reply = Reply::read(body.to_string()).expect("an answer");
        assert!(reply.exit == 2 && reply.answer.is_none());
    }

    #[test]
    fn what_is_none_of_the_four_is_no_answer() {
        for text in ["", "<html>", "[]", "{}", "{\"error\":\"no\"}", "\"refusal\""] {
            assert!(Reply::read(text.to_owned()).is_none(), "{text}");
        }
    }
}
