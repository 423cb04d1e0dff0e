//! Refactors as a table: one line for each, and the SDK answers what the contract asks of them.
//!
//! ```
//! use marquetry_sdk::{Edit, Result, Rewrite, Span};
//! use marquetry_sdk::refactor::{Asked, Refactoring, Place, Argument};
//!
//! /// Write all of it in upper-case letters.
//! fn shout(text: &String, asked: &Asked) -> Result<Rewrite> {
//!     let span = asked.at.span;
//!     Ok(vec![Edit::new(span, span.of(text).to_uppercase())].into())
//! }
//!
//! static TABLE: [Refactoring<String>; 1] = [Refactoring {
//!     id: "shout",
//!     title: "Write in upper case",
//!     place: Place::Selection,
//!     arguments: &[],
//!     asks_exporters: false,
//!     apply: shout,
//! }];
//! # let asked = Asked::new(marquetry_sdk::Selection { span: Span::new(0, 2), caret: 0 }, []);
//! # assert_eq!((TABLE[0].apply)(&"ab".to_owned(), &asked)?.edits[0].text, "AB");
//! # Ok::<(), marquetry_sdk::Failure>(())
//! ```

use std::collections::BTreeMap;

pub use crate::RefactorPlace as Place;
use crate::{
    ArgumentHelp, Audience, Edit, Failure, FailureKind, LanguagePack, NewFile, Offer, Problem, Question, Refactor,
    Result, Rewrite, Selection, Severity, Span, fail,
};

/// It cannot be done here, for this reason.
pub fn refused(message: impl Into<String>) -> Failure {
    fail(FailureKind::RefactorFailed, message)
}

/// Refuse a document with syntax errors: where a text is broken, nothing says what belongs together.
///
/// # Errors
/// One of these is an error: the first is told.
pub fn check_sound<'p>(problems: impl IntoIterator<Item = &'p Problem>) -> Result<()> {
    match problems.into_iter().find(|problem| problem.severity == Severity::Error) {
        None => Ok(()),
        Some(problem) => Err(refused(format!("the file has syntax errors: {}", problem.message))
            .hint("mend them first")
            .at(problem.span)),
    }
}

/// A pack that has refactors.
pub trait Refactors: LanguagePack {
    /// All of them.
    fn table() -> &'static [Refactoring<Self::Document>];

    /// What a document answers to the question of another one, the file at `from`. The payload is what the pack wrote into
    /// [`Question::payload`].
    ///
    /// # Errors
    ///
    /// `RefactorFailed` where the change cannot be made here: then it is made nowhere.
    fn answer(_document: &Self::Document, _from: &str, _payload: &str) -> Result<Rewrite> {
        Err(Failure::unsupported("this pack asks no other documents"))
    }
}

/// One refactor.
#[derive(Debug, Clone, Copy)]
pub struct Refactoring<D> {
    /// What a caller asks for.
    pub id: &'static str,
    /// One line for people.
    pub title: &'static str,
    /// What it is asked for.
    pub place: Place,
    /// The arguments it takes.
    pub arguments: &'static [Argument],
    /// It calls [`workspace::exporters`](crate::workspace::exporters).
    pub asks_exporters: bool,
    /// Carry it out.
    pub apply: fn(&D, &Asked) -> Result<Rewrite>,
}

/// An argument that a refactor takes.
#[derive(Debug, Clone, Copy)]
pub struct Argument {
    /// Its name, as callers write it: `extractedName`.
    pub name: &'static str,
    /// One line on what it does.
    pub summary: &'static str,
    /// The values it may have; none: any.
    pub values: &'static [&'static str],
    /// Whether nothing can be done without it.
    pub required: bool,
}

/// What a caller asks of a refactor.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// Where.
    pub at: Selection,
    arguments: BTreeMap<String, String>,
}

impl Asked {
    /// A refactor at a place, with arguments.
    pub fn new(at: Selection, arguments: impl IntoIterator<Item = crate::Argument>) -> Asked {
        Asked { at, arguments: arguments.into_iter().map(|argument| (argument.name, argument.value)).collect() }
    }

    /// The value of an argument: a string as it is, anything else as JSON text.
    pub fn argument(&self, name: &str) -> Option<&str> {
        self.arguments.get(name).map(String::as_str)
    }

    /// Whether an argument is `true`.
    pub fn is(&self, name: &str) -> bool {
        self.argument(name) == Some("true")
    }
}

impl Selection {
    /// A stretch of text.
    pub fn of(span: Span) -> Selection {
        Selection { span, caret: span.start }
    }

    /// A place between two characters.
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
    /// Put a question to the documents that import one of these exports.
    pub fn ask_importers(&mut self, exports: impl IntoIterator<Item = String>, payload: impl Into<String>) {
        let audience = Audience::Importers(exports.into_iter().collect());
        self.ask.push(Question { audience, payload: payload.into() });
    }

    /// Put a question to one file.
    pub fn ask_file(&mut self, path: impl Into<String>, payload: impl Into<String>) {
        self.ask.push(Question { audience: Audience::File(path.into()), payload: payload.into() });
    }

    /// Make a file.
    pub fn create(&mut self, path: impl Into<String>, text: impl Into<String>) {
        self.create.push(NewFile { path: path.into(), text: text.into() });
    }
}

/// All refactors of a pack.
pub fn refactors<P: Refactors>() -> Vec<Refactor> {
    P::table().iter().map(described).collect()
}

fn described<D>(refactoring: &Refactoring<D>) -> Refactor {
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

/// Which refactors apply at a place: those that can be carried out there, but for the arguments that they cannot do without.
pub fn offers<P: Refactors>(document: &P::Document, at: Selection) -> Vec<Offer> {
    let offer = |refactoring: &Refactoring<P::Document>| {
        let tried = (refactoring.apply)(document, &Asked::new(at, []));
        let needs = refactoring.arguments.iter().any(|argument| argument.required);
        let is_of_arguments = |failure: &Failure| needs && failure.kind == FailureKind::InvalidArgument;
        // Who exports a name is known only while a refactor is carried out: what is not found now may be found then.
        let is_of_index = |failure: &Failure| refactoring.asks_exporters && failure.kind == FailureKind::TargetNotFound;
        let unavailable = tried.err().filter(|failure| !is_of_arguments(failure) && !is_of_index(failure));
        Offer { id: refactoring.id.to_owned(), unavailable }
    };
    P::table().iter().map(offer).collect()
}

/// Carry out one refactor.
///
/// # Errors
///
/// `Unsupported` for one that the pack does not have, `InvalidArgument` for arguments that it does not take or lacks, and
/// what the refactor itself refuses.
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
    (refactoring.apply)(document, &Asked::new(at, arguments))
}

/// Refuse arguments that are not taken, values that are none, and what is missing.
fn check<D>(refactoring: &Refactoring<D>, given: &[crate::Argument]) -> Result<()> {
    let (id, taken) = (refactoring.id, refactoring.arguments);
    let invalid = |message: String| fail(FailureKind::InvalidArgument, message);
    for argument in given {
        let Some(known) = taken.iter().find(|known| known.name == argument.name) else {
            let failure = invalid(format!("`{id}` takes no `{}`", argument.name));
            return Err(failure.candidates(taken.iter().map(|known| known.name.to_owned())));
        };
        if !known.values.is_empty() && !known.values.contains(&argument.value.as_str()) {
            let failure = invalid(format!("no `{}` is `{}`", argument.name, argument.value));
            return Err(failure.candidates(known.values.iter().map(|value| (*value).to_owned())));
        }
    }
    let is_missing = |known: &&Argument| known.required && given.iter().all(|argument| argument.name != known.name);
    match taken.iter().find(is_missing) {
        Some(missing) => Err(invalid(format!("`{id}` needs `{}`", missing.name)).hint(missing.summary)),
        None => Ok(()),
    }
}
