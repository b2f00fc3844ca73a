//! A light English stemmer: one stem for the forms of a word that name the same thing.
//!
//! Lighter than Porter2 (whose step names are used below) on purpose: an index of tools must keep
//! `customer` apart from `custom` and `author` from `authorize`, so no agent or adjective ending is
//! removed. Verbs and the nouns made of them (`create`, `creation`; `notify`, `notification`) share
//! a stem. Only words of lower-case ASCII letters change; every other word is its own stem.

/// Longest word that is looked at, in bytes.
const LONGEST: usize = 32;

/// Words whose form the rules below get wrong, and the form to go on with.
const IRREGULAR: &[(&str, &str)] = &[
    ("ids", "id"),
    ("apis", "api"),
    ("bought", "buy"),
    ("built", "build"),
    ("chose", "choose"),
    ("chosen", "choose"),
    ("children", "child"),
    ("drawn", "draw"),
    ("found", "find"),
    ("gave", "give"),
    ("given", "give"),
    ("got", "get"),
    ("held", "hold"),
    ("kept", "keep"),
    ("lost", "lose"),
    ("made", "make"),
    ("paid", "pay"),
    ("people", "person"),
    ("ran", "run"),
    ("said", "say"),
    ("saw", "see"),
    ("seen", "see"),
    ("sent", "send"),
    ("shown", "show"),
    ("sold", "sell"),
    ("spent", "spend"),
    ("taken", "take"),
    ("told", "tell"),
    ("took", "take"),
    ("went", "go"),
    ("written", "write"),
    ("wrote", "write"),
    ("monthly", "month"),
    ("weekly", "week"),
    ("yearly", "year"),
    ("hourly", "hour"),
    ("daily", "day"),
    ("quarterly", "quarter"),
    ("approval", "approve"),
    ("removal", "remove"),
    ("renewal", "renew"),
    ("withdrawal", "withdraw"),
    ("registration", "register"),
    ("subscription", "subscribe"),
    ("shipment", "ship"),
    ("payment", "pay"),
    ("reminder", "remind"),
    ("sender", "send"),
];

/// Words that look inflected and are not.
const WHOLE: &[&str] = &[
    "alias",
    "always",
    "analysis",
    "atlas",
    "basis",
    "building",
    "canvas",
    "during",
    "embed",
    "evening",
    "meeting",
    "morning",
    "news",
    "nothing",
    "redis",
    "setting",
    "something",
    "various",
];

/// The stem of a word that [`super::split::words`] gave.
pub(super) fn stem(word: &str) -> String {
    let plain = (3..=LONGEST).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_lowercase());
    if !plain {
        return word.to_owned();
    }
    if let Some((_, regular)) = IRREGULAR.iter().find(|(form, _)| *form == word) {
        return finish((*regular).to_owned());
    }
    if WHOLE.contains(&word) {
        return word.to_owned();
    }
    let mut stem = word.to_owned();
    singular(&mut stem);
    if let Some((_, regular)) = IRREGULAR.iter().find(|(form, _)| *form == stem) {
        return finish((*regular).to_owned());
    }
    if WHOLE.contains(&stem.as_str()) {
        return stem;
    }
    base_verb(&mut stem);
    verb_of_noun(&mut stem);
    finish(stem)
}

/// Removes an ending if at least `keep` letters stay; says whether it did.
fn cut(word: &mut String, ending: &str, keep: usize) -> bool {
    let long_enough = word.len() >= ending.len() + keep;
    if long_enough && word.ends_with(ending) {
        word.truncate(word.len() - ending.len());
        return true;
    }
    false
}

const fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u')
}

fn has_vowel(word: &str) -> bool {
    word.bytes().any(|letter| is_vowel(letter) || letter == b'y')
}

/// Step 1a: plurals.
fn singular(word: &mut String) {
    if word.len() < 4 || ["ss", "us", "is"].iter().any(|ending| word.ends_with(ending)) {
        return;
    }
    if cut(word, "ies", 2) {
        word.push('y');
    } else if ["sses", "xes", "ches", "shes"].iter().any(|ending| word.ends_with(ending)) {
        cut(word, "es", 2);
    } else {
        cut(word, "s", 3);
    }
}

/// Step 1b: `-ed` and `-ing`, only where a vowel is left before them.
fn base_verb(word: &mut String) {
    if word.ends_with("eed") {
        return;
    }
    let mut bare = word.clone();
    if !(cut(&mut bare, "ing", 2) || cut(&mut bare, "ed", 2)) || !has_vowel(&bare) {
        return;
    }
    match bare.as_bytes() {
        // shipping, planned: the doubled letter goes; billing, added, missing keep it.
        [.., a, b] if bare.len() > 3 && a == b && !is_vowel(*b) && !b"lsz".contains(b) => {
            bare.pop();
        }
        // used, noted, filing: a short syllable had an `e`.
        [first, last] if is_vowel(*first) && !is_vowel(*last) => bare.push('e'),
        [first, middle, last]
            if !is_vowel(*first)
                && is_vowel(*middle)
                && !is_vowel(*last)
                && !b"wxy".contains(last) =>
        {
            bare.push('e');
        }
        _ => {}
    }
    *word = bare;
}

/// Parts of steps 2 to 4: the verb that a noun was made of.
fn verb_of_noun(word: &mut String) {
    if cut(word, "ification", 3) {
        word.push_str("ify");
        return;
    }
    if ["isation", "ise", "is"].iter().any(|ending| cut(word, ending, 4)) {
        word.push_str("ize"); // British spelling; `is` is what `-ed` and `-ing` left.
        return;
    }
    // `ate` and what `-ed` and `-ing` left of it.
    if ["ation", "ate", "at"].iter().any(|ending| cut(word, ending, 5)) {
        return;
    }
    if word.ends_with("tion") || word.ends_with("sion") {
        cut(word, "ion", 5);
    } else {
        cut(word, "ment", 6);
    }
}

/// Steps 1c and 5: the last letter in the form in which all forms share it.
fn finish(mut word: String) -> String {
    if word.len() > 5 && word.ends_with("ll") {
        word.pop(); // cancelled, canceled; enrolment, enroll
    } else if !word.ends_with("ee") {
        cut(&mut word, "e", 4);
    }
    if let [.., before, b'y'] = word.as_bytes()
        && !is_vowel(*before)
        && word.len() > 2
    {
        word.pop();
        word.push('i');
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn same(forms: &[&str]) {
        for form in forms {
            assert_eq!(stem(form), stem(forms[0]), "{form} and {}", forms[0]);
        }
    }

    #[test]
    fn forms_of_a_word_share_a_stem() {
        same(&["invoice", "invoices", "invoiced", "invoicing"]);
        same(&["query", "queries", "queried", "querying"]);
        same(&["branch", "branches"]);
        same(&["box", "boxes"]);
        same(&["status", "statuses"]);
        same(&["address", "addresses"]);
        same(&["ship", "shipping", "shipped", "shipment", "shipments"]);
        same(&["cancel", "cancelled", "canceled", "cancelling", "cancellation", "cancels"]);
        same(&["file", "files", "filed", "filing"]);
        same(&["use", "used", "using", "uses"]);
        same(&["add", "added", "adding", "adds"]);
        same(&["pay", "pays", "paid", "paying", "payment", "payments"]);
        same(&["bill", "bills", "billing"]);
        same(&["setting", "settings"]);
        same(&["move", "moved", "moving"]);
        same(&["employee", "employees"]);
    }

    #[test]
    fn nouns_made_of_verbs_share_a_stem() {
        same(&["create", "created", "creating", "creation"]);
        same(&["delete", "deleted", "deleting", "deletion"]);
        same(&["notify", "notified", "notifies", "notification", "notifications"]);
        same(&["validate", "validated", "validating", "validation"]);
        same(&["translate", "translated", "translation"]);
        same(&["authorize", "authorise", "authorized", "authorization", "authorisation"]);
        same(&["configure", "configured", "configuration"]);
        same(&["subscribe", "subscribed", "subscription", "subscriptions"]);
        same(&["deploy", "deployed", "deployment"]);
        same(&["manage", "managed", "management"]);
        same(&["approve", "approval", "approved"]);
    }

    #[test]
    fn words_that_name_different_things_keep_apart() {
        for (one, other) in [
            ("customer", "custom"),
            ("author", "authorize"),
            ("general", "generate"),
            ("organization", "organ"),
            ("policy", "police"),
            ("document", "docu"),
            ("user", "use"),
            ("order", "ord"),
            ("setting", "set"),
            ("station", "state"),
            ("meeting", "meet"),
            ("number", "numb"),
            ("string", "str"),
            ("access", "acces"),
            ("shipping", "shop"),
        ] {
            assert_ne!(stem(one), stem(other), "{one} and {other}");
        }
    }

    #[test]
    fn other_words_are_their_own_stems() {
        for word in ["sms", "k8s", "dns", "é", "請求", "id", "news", "bus", "feed"] {
            assert_eq!(stem(word), word);
        }
    }

    proptest! {
        #[test]
        fn never_empty_never_much_longer(word in "[a-z]{1,40}|\\PC{1,8}") {
            let stem = stem(&word);
            prop_assert!(!stem.is_empty());
            prop_assert!(stem.len() <= word.len() + 2);
        }

        #[test]
        fn a_regular_plural_has_the_stem_of_its_singular(word in "[bcdfgklmnprt]{1,2}[aeou][a-z]{0,4}[bdgklmnpr]") {
            prop_assert_eq!(stem(&format!("{word}s")), stem(&word));
        }
    }
}
