//! Refactorings as a table: a pack lists them, and the SDK implements the functions of the WIT interface.
//!
//! ```
//! use marquetry_sdk::{Edit, Result, Rewrite, Span};
//! use marquetry_sdk::refactor::{Argument, Place, RefactorInput, Refactoring};
//!
//! /// Converts the selection to upper case.
//! fn shout(text: &String, input: &RefactorInput) -> Result<Rewrite> {
//!     let span = input.at.span;
//!     Ok(vec![Edit::new(span, span.slice(text).to_uppercase())].into())
//! }
//!
//! static TABLE: [Refactoring<String>; 1] = [Refactoring {
//!     id: "shout",
//!     title: "Convert to upper case",
//!     place: Place::Selection,
//!     arguments: &[],
//!     asks_exporters: false,
//!     apply: shout,
//! }];
//! # let input = RefactorInput::new(marquetry_sdk::Selection { span: Span::new(0, 2), caret: 0 }, []);
//! # assert_eq!((TABLE[0].apply)(&"ab".to_owned(), &input)?.edits[0].text, "AB");
//! # Ok::<(), marquetry_sdk::Failure>(())
//! ```

use std::collections::BTreeMap;

pub use crate::RefactorPlace as Place;
use crate::{
    ArgumentHelp, Audience, Context, Diagnostic, Edit, Failure, FailureKind, LanguagePack, NewFile, Offer, Question,
    Refactor, Result, Rewrite, Selection, Severity, Span, fail,
};

/// Creates the failure of a refactoring that cannot be applied, with the reason.
pub fn refactor_failure(message: impl Into<String>) -> Failure {
    fail(FailureKind::RefactorFailed, message)
}

/// Refuses a document with syntax errors, because its structure is uncertain.
///
/// # Errors
///
/// Fails with `RefactorFailed` and the message of the first error in `diagnostics`.
pub fn check_no_syntax_errors<'p>(problems: impl IntoIterator<Item = &'p Diagnostic>) -> Result<()> {
    match problems.into_iter().find(|problem| problem.severity == Severity::Error) {
        None => Ok(()),
        Some(problem) => Err(refactor_failure(format!("the file has syntax errors: {}", problem.message))
            .hint("fix them first")
            .at(problem.span)),
    }
}

/// A pack with refactorings.
///
/// # Examples
///
/// ```
/// # marquetry_sdk::__example_pack!(Notes);
/// use marquetry_sdk::{
///     Edit, LanguagePack, Result, Rewrite, Selection, Span,
///     refactor::{self, Place, RefactorInput, Refactoring, Refactors},
///     span::apply,
/// };
///
/// fn shout(page: &Page, input: &RefactorInput) -> Result<Rewrite> {
///     let span = input.at.span;
///     Ok(vec![Edit::new(span, span.slice(&page.text).to_uppercase())].into())
/// }
///
/// static TABLE: [Refactoring<Page>; 1] = [Refactoring {
///     id: "shout",
///     title: "Convert to upper case",
///     place: Place::Selection,
///     arguments: &[],
///     asks_exporters: false,
///     apply: shout,
/// }];
///
/// impl Refactors for Notes {
///     fn table() -> &'static [Refactoring<Page>] {
///         &TABLE
///     }
/// }
///
/// let page = Notes::open("a.note", "host=a\n".to_owned(), "{}");
/// let at = Selection::from_span(Span::new(5, 6));
/// let rewrite = refactor::apply::<Notes>(&page, "shout", at, Vec::new())?;
/// assert_eq!(apply(&page.text, &rewrite.edits), "host=A\n");
/// assert_eq!(refactor::apply::<Notes>(&page, "shuot", at, Vec::new()).unwrap_err().candidates, ["shout"]);
/// # Ok::<(), marquetry_sdk::Failure>(())
/// ```
pub trait Refactors: LanguagePack {
    /// All refactorings of the pack.
    fn table() -> &'static [Refactoring<Self::Document>];

    /// Answers a question that the file at `from` asked. `payload` is the [`Question::payload`] that the pack wrote for
    /// that file.
    ///
    /// # Errors
    ///
    /// Fails with `RefactorFailed` if this document cannot be changed accordingly; the whole refactoring is then
    /// cancelled.
    fn answer(_document: &Self::Document, _from: &str, _payload: &str) -> Result<Rewrite> {
        Err(Failure::unsupported("the refactors of this pack do not involve other documents"))
    }
}

/// A refactoring.
#[derive(Debug, Clone, Copy)]
pub struct Refactoring<D> {
    /// The identifier that callers use.
    pub id: &'static str,
    /// One line for display.
    pub title: &'static str,
    /// The kind of place that the refactoring applies to.
    pub place: Place,
    /// The arguments that the refactoring accepts.
    pub arguments: &'static [Argument],
    /// True if the refactoring calls [`workspace::exporters`](crate::workspace::exporters).
    pub asks_exporters: bool,
    /// The function that runs the refactoring.
    pub apply: fn(&D, &RefactorInput) -> Result<Rewrite>,
}

/// An argument of a refactoring.
#[derive(Debug, Clone, Copy)]
pub struct Argument {
    /// The name that callers use: `extractedName`.
    pub name: &'static str,
    /// One line about the effect of the argument.
    pub summary: &'static str,
    /// The allowed values; empty if any value is allowed.
    pub values: &'static [&'static str],
    /// True if the argument is required.
    pub required: bool,
}

/// The input of a refactoring.
#[derive(Debug, Clone, PartialEq)]
pub struct RefactorInput {
    /// The selection that the refactoring applies to.
    pub at: Selection,
    arguments: BTreeMap<String, String>,
}

impl RefactorInput {
    /// Creates the input from a selection and arguments.
    pub fn new(at: Selection, arguments: impl IntoIterator<Item = crate::Argument>) -> RefactorInput {
        RefactorInput { at, arguments: arguments.into_iter().map(|argument| (argument.name, argument.value)).collect() }
    }

    /// The value of an argument: a string as it is, any other value as JSON.
    pub fn argument(&self, name: &str) -> Option<&str> {
        self.arguments.get(name).map(String::as_str)
    }

    /// Returns whether an argument is `true`.
    pub fn is_true(&self, name: &str) -> bool {
        self.argument(name) == Some("true")
    }
}

impl Context {
    /// The context of a file, with empty settings.
    pub fn for_path(path: impl Into<String>) -> Context {
        Context { path: path.into(), settings: "{}".to_owned() }
    }
}

impl Selection {
    /// Selects a range of text.
    pub fn from_span(span: Span) -> Selection {
        Selection { span, caret: span.start }
    }

    /// An empty selection at an offset.
    pub fn caret(at: u32) -> Selection {
        Selection { span: Span { start: at, end: at }, caret: at }
    }
}

impl From<Vec<Edit>> for Rewrite {
    fn from(edits: Vec<Edit>) -> Rewrite {
        Rewrite { edits, ..Rewrite::default() }
    }
}

#[expect(clippy::derivable_impls, reason = "the type is generated from the contract")]
impl Default for Rewrite {
    fn default() -> Rewrite {
        Rewrite {
            edits: Vec::new(),
            ask: Vec::new(),
            create: Vec::new(),
            unresolved: Vec::new(),
            incomplete: None,
            name_at: None,
        }
    }
}

impl Rewrite {
    /// Asks a question of the documents that import one of these exports.
    pub fn ask_importers(&mut self, exports: impl IntoIterator<Item = String>, payload: impl Into<String>) {
        let audience = Audience::Importers(exports.into_iter().collect());
        self.ask.push(Question { audience, payload: payload.into() });
    }

    /// Asks a question of one file.
    pub fn ask_file(&mut self, path: impl Into<String>, payload: impl Into<String>) {
        self.ask.push(Question { audience: Audience::File(path.into()), payload: payload.into() });
    }

    /// Asks a question of the documents of the project whose text contains one of these texts.
    pub fn ask_containing(&mut self, texts: impl IntoIterator<Item = String>, payload: impl Into<String>) {
        let audience = Audience::Containing(texts.into_iter().collect());
        self.ask.push(Question { audience, payload: payload.into() });
    }

    /// Creates a file.
    pub fn create(&mut self, path: impl Into<String>, text: impl Into<String>) {
        self.create.push(NewFile { path: path.into(), text: text.into() });
    }
}

/// Describes all refactorings of a pack.
pub fn refactors<P: Refactors>() -> Vec<Refactor> {
    P::table().iter().map(describe).collect()
}

fn describe<D>(refactoring: &Refactoring<D>) -> Refactor {
    let argument = |argument: &Argument| ArgumentHelp {
        name: argument.name.to_owned(),
        summary: argument.summary.to_owned(),
        values: argument.values.iter().map(|value| (*value).to_owned()).collect(),
        required: argument.required,
    };
    Refactor {
        id: refactoring.id.to_owned(),
        title: refactoring.title.to_owned(),
        place: refactoring.place,
        arguments: refactoring.arguments.iter().map(argument).collect(),
        asks_exporters: refactoring.asks_exporters,
    }
}

/// Determines which refactorings apply at a selection by trying each one. A refactoring that fails only because an
/// argument is missing still counts as applicable.
pub fn offers<P: Refactors>(document: &P::Document, at: Selection) -> Vec<Offer> {
    let offer = |refactoring: &Refactoring<P::Document>| {
        let tried = (refactoring.apply)(document, &RefactorInput::new(at, []));
        let takes_any = !refactoring.arguments.is_empty();
        let is_of_arguments = |failure: &Failure| takes_any && failure.kind == FailureKind::InvalidArgument;
        // While refactorings are tried, `workspace::exporters` returns nothing. A target that is not found now may be
        // found when the refactoring runs.
        let is_of_index = |failure: &Failure| refactoring.asks_exporters && failure.kind == FailureKind::TargetNotFound;
        let unavailable = tried.err().filter(|failure| !is_of_arguments(failure) && !is_of_index(failure));
        Offer { id: refactoring.id.to_owned(), unavailable }
    };
    P::table().iter().map(offer).collect()
}

/// Runs a refactoring.
///
/// # Errors
///
/// Fails with `Unsupported` if the pack does not have the refactoring, with `InvalidArgument` if an argument is
/// unknown, invalid or missing, and with any failure of the refactoring itself.
pub fn apply<P: Refactors>(
    document: &P::Document,
    id: &str,
    at: Selection,
    arguments: Vec<crate::Argument>,
) -> Result<Rewrite> {
    let Some(refactoring) = P::table().iter().find(|refactoring| refactoring.id == id) else {
        let failure = Failure::unsupported(format!("no refactor `{id}` for files of this format"));
        return Err(failure.candidates(P::table().iter().map(|refactoring| refactoring.id.to_owned())));
    };
    check(refactoring, &arguments)?;
    (refactoring.apply)(document, &RefactorInput::new(at, arguments))
}

/// Refuses unknown arguments, invalid values, and missing required arguments.
fn check<D>(refactoring: &Refactoring<D>, given: &[crate::Argument]) -> Result<()> {
    let (id, taken) = (refactoring.id, refactoring.arguments);
    let invalid = |message: String| fail(FailureKind::InvalidArgument, message);
    for argument in given {
        let Some(known) = taken.iter().find(|known| known.name == argument.name) else {
            let failure = invalid(format!("`{id}` has no argument `{}`", argument.name));
            return Err(failure.candidates(taken.iter().map(|known| known.name.to_owned())));
        };
        if !known.values.is_empty() && !known.values.contains(&argument.value.as_str()) {
            let failure = invalid(format!("`{}` is not a valid `{}`", argument.value, argument.name));
            return Err(failure.candidates(known.values.iter().map(|value| (*value).to_owned())));
        }
    }
    let is_missing = |known: &&Argument| known.required && given.iter().all(|argument| argument.name != known.name);
    match taken.iter().find(is_missing) {
        Some(missing) => Err(invalid(format!("`{id}` needs `{}`", missing.name)).hint(missing.summary)),
        None => Ok(()),
    }
}
