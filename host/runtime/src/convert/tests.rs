//! Tests of valid and invalid answers about a text of seven bytes.

use super::*;

// The paths are explicit, because other test crates include this file too.
#[path = "tests/bounds.rs"]
mod bounds;
#[path = "tests/descriptions.rs"]
mod descriptions;
#[path = "tests/document.rs"]
mod document;
#[path = "tests/names.rs"]
mod names;
#[path = "tests/patterns.rs"]
mod patterns;

/// `é` is two bytes long, so 2 is not a character boundary.
const TEXT: &str = "aé\nbcd";

fn checked() -> AnswerValidator<'static> {
    AnswerValidator::new("p", TEXT)
}

fn span(start: u32, end: u32) -> wit::Span {
    wit::Span { start, end }
}

fn node(address: &str, start: u32, end: u32) -> wit::Node {
    wit::Node {
        id: 7,
        parent: None,
        kind: "k".to_owned(),
        name: "n".to_owned(),
        address: address.to_owned(),
        span: span(start, end),
        selection: span(start, start),
        body: None,
        doc: None,
        level: Some(2),
        value: None,
    }
}

/// Returns the error message. Checks that the error names the plugin and says that the plugin has a bug.
#[track_caller]
fn refused<T: std::fmt::Debug>(answer: Result<T>) -> String {
    let error = answer.expect_err("refused");
    assert_eq!(error.kind(), Kind::PluginFailed);
    let content = error.content();
    assert_eq!(content.hint.as_deref(), Some("this is a bug in the plugin; report it to its author"));
    let message = content.message.strip_prefix("plugin `p` returned ");
    message.unwrap_or_else(|| panic!("{}", content.message)).to_owned()
}

fn edit(start: u32, end: u32, text: &str) -> wit::Edit {
    wit::Edit { span: span(start, end), text: text.to_owned() }
}

fn place(path: &str) -> wit::FileLocation {
    wit::FileLocation { path: path.to_owned(), offset: 3 }
}
