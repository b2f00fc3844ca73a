//! Owns the writing of HTML. Invariant: what is not written in this source is escaped: markup is
//! `&'static str`, and everything else goes through [`Html::text`].

/// A page that is being written.
#[derive(Debug)]
pub(super) struct Html(String);

impl Html {
    /// Nothing yet.
    pub(super) const fn new() -> Self {
        Self(String::new())
    }

    /// Markup of ours.
    pub(super) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// A text, as the content of an element or of a quoted attribute.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                c => self.0.push(c),
            }
        }
        self
    }

    /// A text in which what stands between backticks is code.
    pub(super) fn words(&mut self, text: &str) -> &mut Self {
        for (at, part) in text.split('`').enumerate() {
            if at % 2 == 1 {
                self.raw("<code>").text(part).raw("</code>");
            } else {
                self.text(part);
            }
        }
        self
    }

    /// The page.
    pub(super) fn done(self) -> String {
        self.0
    }
}
