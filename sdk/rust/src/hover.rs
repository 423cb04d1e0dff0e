//! Hover information, navigation and diagnostics beyond syntax.

use crate::{
    Area, Argument, Diagnostic, FileLocation, Fix, HoverInfo, LanguagePack, Manifest, Note, RelatedSymbol,
    SemanticDiagnostic, SemanticDiagnostics, Span,
};

/// A pack with hover information, navigation and diagnostics. The WIT interface `hover` describes each function;
/// each of them is optional.
///
/// # Examples
///
/// ```
/// # marquetry_sdk::__example_pack!(Notes);
/// use marquetry_sdk::{Hover, HoverInfo, LanguagePack};
///
/// impl Hover for Notes {
///     fn hover(page: &Page, offset: u32) -> Option<HoverInfo> {
///         let line = page.lines().into_iter().find(|line| line.touches(offset as usize))?;
///         let (key, value) = line.slice(&page.text).split_once('=')?;
///         Some(HoverInfo::plain(key, "setting", line).note("value", value))
///     }
/// }
///
/// let page = Notes::open("a.note", "host=a\nport=80\n".to_owned(), "{}");
/// let info = Notes::hover(&page, 8).expect("a setting");
/// assert_eq!((info.name.as_str(), info.notes[0].text.as_str()), ("port", "80"));
/// assert_eq!(Notes::read_manifest(&page), None);
/// ```
pub trait Hover: LanguagePack {
    /// File names of project manifests.
    const MANIFESTS: &'static [&'static str] = &[];

    /// Hover information for an offset.
    fn hover(_document: &Self::Document, _offset: u32) -> Option<HoverInfo> {
        None
    }
    /// Definition of the type at an offset.
    fn type_definitions(_document: &Self::Document, _offset: u32) -> Vec<FileLocation> {
        Vec::new()
    }
    /// Calls inside the node with this address. `None` if the format has no calls.
    fn calls(_document: &Self::Document, _address: &str) -> Option<Vec<RelatedSymbol>> {
        None
    }
    /// Types that the node extends or implements. `None` if the format has no such types.
    fn supertypes(_document: &Self::Document, _address: &str) -> Option<Vec<RelatedSymbol>> {
        None
    }
    /// Types that satisfy the node although they do not name it, as in languages with structural interfaces, each with
    /// the span of the node's name. A type that only possibly satisfies it has no `declared`. `None` if types name their
    /// supertypes: the host then searches for these names.
    fn subtypes(_document: &Self::Document, _address: &str) -> Option<Vec<RelatedSymbol>> {
        None
    }
    /// Diagnostics beyond syntax. Report only what is certain.
    fn check(_document: &Self::Document) -> SemanticDiagnostics {
        SemanticDiagnostics { checked: Vec::new(), diagnostics: Vec::new() }
    }
    /// Parses one of the [`MANIFESTS`](Hover::MANIFESTS).
    fn read_manifest(_document: &Self::Document) -> Option<Manifest> {
        None
    }
}

impl HoverInfo {
    /// Hover information with only the name, kind and span.
    pub fn plain(name: &str, kind: &str, span: Span) -> HoverInfo {
        let (name, kind) = (name.to_owned(), kind.to_owned());
        HoverInfo { name, kind, span, type_: None, code: None, documentation: None, notes: Vec::new(), declared: None }
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, label: &str, text: impl Into<String>) -> HoverInfo {
        self.notes.push(Note { label: label.to_owned(), text: text.into(), location: None });
        self
    }
}

impl SemanticDiagnostic {
    /// A finding that does not depend on other files.
    pub fn certain(area: Area, diagnostic: Diagnostic) -> SemanticDiagnostic {
        SemanticDiagnostic { area, diagnostic, only_if: Vec::new(), fix: None }
    }

    /// Adds the refactoring that fixes the finding.
    #[must_use]
    pub fn fixed_by(mut self, refactor: &str, arguments: &[(&str, &str)]) -> SemanticDiagnostic {
        let argument = |(name, value): &(&str, &str)| Argument { name: (*name).to_owned(), value: (*value).to_owned() };
        self.fix = Some(Fix { refactor: refactor.to_owned(), arguments: arguments.iter().map(argument).collect() });
        self
    }
}
