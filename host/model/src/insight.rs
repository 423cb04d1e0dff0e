//! What a pack tells a reader of a place, and what it finds wrong beyond syntax.

use crate::{
    Span,
    pack::{Problem, SharedName},
};

/// A place in a file of the workspace: its path and an offset.
pub type FilePlace = (String, usize);

/// What stands at a place.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Card {
    /// The name, or the value where there is none.
    pub name: String,
    /// The field's own word.
    pub kind: String,
    /// What was pointed at.
    pub span: Span,
    /// Its type as it is written, or as it can be told.
    pub r#type: Option<String>,
    /// How it is declared, as code.
    pub code: Option<String>,
    /// What its comment or its schema says.
    pub documentation: Option<String>,
    /// What else there is to know, best first.
    pub notes: Vec<Note>,
    /// Where it is declared, which may be another file.
    pub declared: Option<FilePlace>,
}

/// One more thing to know.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Note {
    /// `overridden by`, `default` …
    pub label: String,
    /// What it is.
    pub text: String,
    /// Where that stands.
    pub place: Option<FilePlace>,
}

/// A name that stands in some relation to the one asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// The name.
    pub name: String,
    /// Where.
    pub span: Span,
    /// Its address in this file.
    pub address: Option<String>,
    /// The specifier it comes from.
    pub from: Option<String>,
    /// Where it is declared.
    pub declared: Option<FilePlace>,
}

/// What is looked at for problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Area {
    /// That the text is well formed.
    Syntax,
    /// That links lead somewhere.
    Links,
    /// That names mean something.
    Names,
}

impl Area {
    /// All of them.
    pub const ALL: [Area; 3] = [Area::Syntax, Area::Links, Area::Names];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Area::Syntax => "syntax",
            Area::Links => "links",
            Area::Names => "names",
        }
    }
}

/// What a document alone cannot tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// No file declares this name for all, and no file of another pack has it in its text.
    DeclaredNowhere(SharedName),
    /// Some file exports this name.
    Exported(String),
}

/// A problem beyond syntax.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What was looked at.
    pub area: Area,
    /// What is wrong.
    pub problem: Problem,
    /// It is wrong only if all of these hold.
    pub only_if: Vec<Condition>,
    /// What mends it.
    pub fix: Option<Fix>,
}

/// A refactor that mends a problem, asked for at the problem's span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// Its name.
    pub refactor: String,
    /// What it is given.
    pub arguments: Vec<(String, String)>,
}

/// What a pack looked at beyond syntax, and what is wrong there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Findings {
    /// What it looked at.
    pub checked: Vec<Area>,
    /// What is wrong.
    pub list: Vec<Finding>,
}

/// All that is wrong with a file, as far as its pack tells.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inspection {
    /// With its syntax.
    pub problems: Vec<Problem>,
    /// Beyond that.
    pub beyond: Findings,
}

/// What a file says of how a project is built.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Manifest {
    /// What the project is called.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// The program that reads the file.
    pub manager: Option<String>,
    /// What can be run: names and commands.
    pub scripts: Vec<(String, String)>,
    /// Patterns of the folders of its parts.
    pub workspaces: Vec<String>,
}
