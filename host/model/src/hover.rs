//! Hover information, diagnostics beyond syntax, and manifests, as packs report them.

use crate::{
    Span,
    pack::{PackDiagnostic, SharedName},
};

/// A location in the workspace: a path and an offset.
pub type FileLocation = (String, usize);

/// Hover information for a location.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HoverInfo {
    /// The name; for something without a name, its value.
    pub name: String,
    /// The kind, in the terms of the format: `function`, `property` …
    pub kind: String,
    /// The range that the information is about.
    pub span: Span,
    /// Its declared or inferred type.
    pub r#type: Option<String>,
    /// Its declaration, as code.
    pub code: Option<String>,
    /// Documentation from its comment or schema.
    pub documentation: Option<String>,
    /// Further notes, most important first.
    pub notes: Vec<Note>,
    /// The location of its declaration, possibly in another file.
    pub declaration: Option<FileLocation>,
}

/// A note of hover information.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Note {
    /// The label: `overridden by`, `default` …
    pub label: String,
    /// The text.
    pub text: String,
    /// The location that it refers to.
    pub location: Option<FileLocation>,
}

/// A symbol related to the requested one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelatedSymbol {
    /// The name.
    pub name: String,
    /// The range of the mention.
    pub span: Span,
    /// Its address, if it is in this file.
    pub address: Option<String>,
    /// The specifier that it is imported from.
    pub specifier: Option<String>,
    /// The location of its declaration.
    pub declared: Option<FileLocation>,
}

/// The areas that are checked for diagnostics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckArea {
    /// The syntax of the document.
    Syntax,
    /// The destinations of links.
    Links,
    /// The names that are used.
    Names,
}

impl CheckArea {
    /// All areas.
    pub const ALL: [CheckArea; 3] = [CheckArea::Syntax, CheckArea::Links, CheckArea::Names];

    /// The name used on the wire.
    pub fn name(self) -> &'static str {
        match self {
            CheckArea::Syntax => "syntax",
            CheckArea::Links => "links",
            CheckArea::Names => "names",
        }
    }
}

/// A condition on the workspace. A pack cannot check it, because the pack sees a single document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// No file declares this global name, and no file of another pack contains it.
    DeclaredNowhere(SharedName),
    /// Some file exports this name.
    Exported(String),
}

/// A diagnostic beyond syntax.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SemanticDiagnostic {
    /// The area that was checked.
    pub area: CheckArea,
    /// The diagnostic.
    pub diagnostic: PackDiagnostic,
    /// Conditions on the workspace. The diagnostic is reported only if all of them hold.
    pub conditions: Vec<Condition>,
    /// A refactoring that fixes the diagnostic.
    pub fix: Option<QuickFix>,
}

/// A quick fix: a refactoring, requested at the span of the diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuickFix {
    /// The id of the refactoring.
    pub refactor: String,
    /// Its arguments.
    pub arguments: Vec<(String, String)>,
}

/// The diagnostics of a pack beyond syntax, and the areas that it checked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SemanticDiagnostics {
    /// The areas that were checked.
    pub checked: Vec<CheckArea>,
    /// The diagnostics.
    pub diagnostics: Vec<SemanticDiagnostic>,
}

/// All diagnostics of a file from its pack.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inspection {
    /// The syntax diagnostics.
    pub syntax: Vec<PackDiagnostic>,
    /// The diagnostics beyond syntax.
    pub semantic: SemanticDiagnostics,
}

/// The contents of a project manifest, such as `package.json`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Manifest {
    /// The name of the project.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// The program that reads the file, such as `npm`.
    pub manager: Option<String>,
    /// The scripts: names and commands.
    pub scripts: Vec<(String, String)>,
    /// Glob patterns of the folders of the workspace's members.
    pub workspaces: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_named_in_order() {
        assert_eq!(CheckArea::ALL.map(CheckArea::name), ["syntax", "links", "names"]);
        assert!(CheckArea::ALL.is_sorted());
    }
}
