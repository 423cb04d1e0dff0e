//! Names that files of any format in a workspace share, such as CSS classes. This module has their namespaces, the
//! rules for new names, and the references and renames within one document.
//!
//! A pack collects the [`Mention`]s of a document; facts, references and renames are derived from them.
//!
//! ```
//! use marquetry_sdk::{Span, Usage, shared::{CSS_CLASS, Mention, Mentions, Notation}};
//!
//! // <p class="btn btn-xl">
//! let span = |name: &str, at| Span::new(at, at + name.len());
//! let mention = |name, at| Mention::certain(CSS_CLASS, name, span(name, at), Usage::Read, Notation::Plain);
//! let mentions = Mentions::new(vec![mention("btn", 10), mention("btn-xl", 14)]);
//! let change = mentions.rename(CSS_CLASS, "btn", "button")?;
//! assert_eq!(change.edits, [marquetry_sdk::Edit::new(Span::new(10, 13), "button")]);
//! # Ok::<(), marquetry_sdk::Failure>(())
//! ```

use std::collections::BTreeMap;

use crate::{
    Edit, Failure, FailureKind, InterfaceFacts, Occurrence, RenameResult, Resolution, Result, SharedName, Span, Usage,
    fail, stylesheet::chars, urls,
};

/// Namespace of element classes, without the dot.
pub const CSS_CLASS: &str = "css-class";
/// Namespace of element ids, without the `#`.
pub const CSS_ID: &str = "css-id";
/// Namespace of CSS custom properties, with their dashes.
pub const CUSTOM_PROPERTY: &str = "custom-property";
/// Namespace of `@keyframes` animations.
pub const KEYFRAMES: &str = "keyframes";
/// Namespace of Sass placeholders, without the `%`.
pub const PLACEHOLDER: &str = "placeholder";

/// An occurrence of a name in a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Mention {
    /// The namespace of the name. A pack may use private namespaces for names that only its files share.
    pub namespace: &'static str,
    /// The name in the form that all formats share: with escapes decoded, and without a sign such as `.` or `#` that a
    /// format puts before it.
    pub name: String,
    /// The range that a rename replaces.
    pub span: Span,
    /// The kind of use.
    pub usage: Usage,
    /// True if this occurrence declares the name.
    pub declares: bool,
    /// The notation of the name in this occurrence.
    pub notation: Notation,
    /// The certainty that the occurrence refers to the name.
    pub certainty: Certainty,
}

/// The notation of a name in one occurrence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notation {
    /// Verbatim.
    Plain,
    /// As a CSS identifier.
    Identifier,
    /// In a CSS string with these quotes.
    CssString(char),
    /// In an attribute value of markup, with these quotes or unquoted.
    Attribute(Option<char>),
    /// After the `#` of a URL.
    Fragment,
}

/// The certainty that an occurrence refers to a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Certainty {
    /// The occurrence refers to the name.
    Certain,
    /// The occurrence has the text of the name, but may mean something else.
    SameText,
    /// The occurrence may refer to any name that starts with this text.
    StartsWith,
    /// The occurrence may refer to any name that ends with this text.
    EndsWith,
    /// The occurrence may refer to any name that contains this text.
    Contains,
    /// The name is this other name with a suffix, written as `&-suffix` in a nested rule; the span is only the suffix.
    Continues(String),
}

impl Mention {
    /// An occurrence that certainly refers to the name.
    pub fn certain(namespace: &'static str, name: &str, span: Span, usage: Usage, notation: Notation) -> Mention {
        let declares = usage == Usage::Declaration;
        let certainty = Certainty::Certain;
        Mention { namespace, name: name.to_owned(), span, usage, declares, notation, certainty }
    }

    /// Returns whether this occurrence proves that the document contains the name.
    fn has_name(&self) -> bool {
        matches!(self.certainty, Certainty::Certain | Certainty::Continues(_))
    }

    fn may_refer_to(&self, name: &str) -> bool {
        match self.certainty {
            Certainty::Certain | Certainty::SameText | Certainty::Continues(_) => self.name == name,
            Certainty::StartsWith => name.starts_with(&self.name),
            Certainty::EndsWith => name.ends_with(&self.name),
            Certainty::Contains => name.contains(&self.name),
        }
    }
}

impl Notation {
    /// The name in this notation.
    pub fn encode(self, name: &str) -> String {
        match self {
            Notation::Plain => name.to_owned(),
            Notation::Identifier => chars::escape_identifier(name),
            Notation::CssString(quote) => chars::escape_string(name, quote),
            Notation::Attribute(quote) => attribute(name, quote),
            Notation::Fragment => urls::encode(name, |c| c.is_ascii_whitespace() || "\"'()<>&%`\\".contains(c)),
        }
    }
}

/// Escapes a text for an attribute value.
fn attribute(text: &str, quote: Option<char>) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let follows = text[at + c.len_utf8()..].chars().next();
        match c {
            '&' if follows.is_some_and(|next| next.is_ascii_alphanumeric() || next == '#') => out.push_str("&amp;"),
            '"' if quote != Some('\'') => out.push_str("&quot;"),
            '\'' if quote != Some('"') => out.push_str("&#39;"),
            '<' => out.push_str("&lt;"),
            '>' if quote.is_none() => out.push_str("&gt;"),
            '=' if quote.is_none() => out.push_str("&#61;"),
            _ => out.push(c),
        }
    }
    out
}

/// The term for a name of this namespace in messages.
pub fn name_kind(space: &str) -> &str {
    match space {
        CSS_CLASS => "class",
        CSS_ID => "id",
        CUSTOM_PROPERTY => "custom property",
        KEYFRAMES => "animation",
        other => other,
    }
}

/// Keywords that are not allowed as animation names.
const RESERVED_ANIMATIONS: [&str; 7] = ["none", "initial", "inherit", "unset", "revert", "revert-layer", "default"];

/// Checks that a name is valid in this namespace in every format that uses it.
///
/// # Errors
///
/// Fails with `InvalidArgument` and the name that was probably meant.
pub fn check_new_name(space: &str, name: &str) -> Result<()> {
    let kind = name_kind(space);
    let wrong =
        |why: &str| fail(FailureKind::InvalidArgument, format!("`{name}` is not a valid name for this {kind}: {why}"));
    if name.is_empty() {
        return Err(wrong("it is empty"));
    }
    if name.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(wrong("it contains white space").hint("give one name, without spaces"));
    }
    if name.contains('\\') {
        return Err(wrong("it is escaped")
            .hint("write the name without escapes: each format gets the escapes that it needs")
            .candidates([chars::unescape(name).into_owned()]));
    }
    if name.contains(['{', '}', '<', '`']) {
        return Err(wrong("`{`, `}`, `<` and backticks have another meaning in templates and markup")
            .hint("leave these characters out"));
    }
    match space {
        CSS_CLASS | CSS_ID | PLACEHOLDER if name.starts_with(['.', '#', '%']) => {
            Err(wrong("the sign before the name is selector syntax")
                .hint("leave out the sign")
                .candidates([name[1..].to_owned()].into_iter().filter(|rest| !rest.is_empty())))
        }
        CUSTOM_PROPERTY if !name.starts_with("--") || name.len() == 2 => {
            let own = name.trim_start_matches('-');
            Err(wrong("custom properties begin with two dashes")
                .hint("include the dashes")
                .candidates((!own.is_empty()).then(|| format!("--{own}"))))
        }
        CUSTOM_PROPERTY | KEYFRAMES if name.contains(['"', '\'', '&']) => {
            Err(wrong("it contains quotes").hint("leave `\"`, `'` and `&` out"))
        }
        KEYFRAMES if RESERVED_ANIMATIONS.iter().any(|word| name.eq_ignore_ascii_case(word)) => {
            Err(wrong("this word is a keyword in CSS").hint("choose another name"))
        }
        _ => Ok(()),
    }
}

/// The result of a rename in one document.
#[derive(Debug, Default, PartialEq)]
pub struct Change {
    /// The edits, in order.
    pub edits: Vec<Edit>,
    /// Places that may refer to the name but are not proven to.
    pub unresolved: Vec<Span>,
}

/// All mentions in a document, in order.
#[derive(Debug, Default, PartialEq)]
pub struct Mentions(Vec<Mention>);

impl Mentions {
    /// Sorts the mentions.
    pub fn new(mut mentions: Vec<Mention>) -> Mentions {
        mentions.sort_by_key(|mention| (mention.span.start, mention.span.end));
        Mentions(mentions)
    }

    /// All mentions.
    pub fn mentions(&self) -> &[Mention] {
        &self.0
    }

    /// The shared names, as facts of the document.
    pub fn facts(&self, is_shared: impl Fn(&str) -> bool) -> InterfaceFacts {
        let mut declared: BTreeMap<(&str, &str), bool> = BTreeMap::new();
        for mention in self.0.iter().filter(|mention| mention.has_name() && is_shared(mention.namespace)) {
            *declared.entry((mention.namespace, &mention.name)).or_default() |= mention.declares;
        }
        let names = |wanted: bool| {
            let those = declared.iter().filter(move |(_, declares)| **declares == wanted);
            those
                .map(|((space, name), _)| SharedName { namespace: (*space).to_owned(), name: (*name).to_owned() })
                .collect()
        };
        InterfaceFacts { exports: Vec::new(), imports: Vec::new(), shared: names(true), free: names(false) }
    }

    /// The mention at an offset, or else the mention that starts after the sign at the offset, such as the `.` before a
    /// class.
    ///
    /// # Errors
    ///
    /// Fails with `TargetNotFound` if nothing is found.
    pub fn at(&self, offset: u32) -> Result<&Mention> {
        let reach = self.0.partition_point(|mention| mention.span.start <= offset + 1);
        let nearest = self.0[..reach].iter().rev().take(4);
        let touching = |sign: u32| {
            nearest.clone().find(move |mention| {
                mention.has_name() && mention.span.start <= offset + sign && offset <= mention.span.end
            })
        };
        touching(0).or_else(|| touching(1)).ok_or_else(|| {
            fail(FailureKind::TargetNotFound, "no name at this position can be resolved")
                .hint("give the position of a class, an id, a custom property or an animation")
                .at(Span { start: offset, end: offset })
        })
    }

    /// The mentions that refer to a name or may refer to it.
    pub fn referring_to<'m>(&'m self, space: &'m str, name: &'m str) -> impl Iterator<Item = &'m Mention> {
        self.0.iter().filter(move |mention| mention.namespace == space && mention.may_refer_to(name))
    }

    /// The names of a namespace that the document contains, without duplicates.
    pub fn names(&self, space: &str) -> Vec<&str> {
        let mut names: Vec<&str> =
            self.0.iter().filter(|m| m.namespace == space && m.has_name()).map(|m| &*m.name).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Renames every mention in this document that certainly refers to the name.
    ///
    /// # Errors
    ///
    /// Fails with `InvalidArgument` if the new name is not valid, and with `RefactorFailed` if the document already
    /// contains the new name or has names that continue the old one.
    pub fn rename(&self, space: &str, name: &str, new_name: &str) -> Result<Change> {
        check_new_name(space, new_name)?;
        let mut change = Change::default();
        if name == new_name {
            return Ok(change);
        }
        for mention in self.referring_to(space, name) {
            match mention.certainty {
                Certainty::Certain => change.edits.push(Edit::new(mention.span, mention.notation.encode(new_name))),
                _ => change.unresolved.push(mention.span),
            }
        }
        change.edits.dedup_by_key(|edit| edit.span);
        if !change.edits.is_empty() {
            self.check_conflicts(space, name, new_name)?;
        }
        Ok(change)
    }

    fn check_conflicts(&self, space: &str, name: &str, new_name: &str) -> Result<()> {
        let kind = name_kind(space);
        let taken = self.0.iter().find(|m| m.namespace == space && m.has_name() && m.name == new_name);
        if let Some(taken) = taken {
            return Err(fail(FailureKind::RefactorFailed, format!("the file already has the {kind} `{new_name}`"))
                .hint("choose another name: the two could not be distinguished afterwards")
                .at(taken.span));
        }
        let continues = |mention: &&Mention| {
            mention.namespace == space && matches!(&mention.certainty, Certainty::Continues(base) if base == name)
        };
        let Some(first) = self.0.iter().find(continues) else { return Ok(()) };
        let mut built: Vec<String> = self.0.iter().filter(continues).map(|mention| mention.name.clone()).collect();
        built.sort();
        built.dedup();
        let message = format!("nested rules continue the {kind} `{name}`: `{}` would be renamed with it", first.name);
        Err(fail(FailureKind::RefactorFailed, message)
            .hint("first write the names after `&` as separate selectors")
            .candidates(built)
            .at(first.span))
    }

    /// The references of this document to a shared name.
    pub fn resolution(&self, space: &str, name: &str, address: Option<String>) -> Resolution {
        let occurrence = |mention: &Mention| Occurrence {
            span: mention.span,
            usage: mention.usage,
            certain: mention.certainty == Certainty::Certain,
        };
        let occurrences: Vec<Occurrence> = self.referring_to(space, name).map(occurrence).collect();
        let unsure = occurrences.iter().filter(|occurrence| !occurrence.certain).count();
        Resolution {
            kind: name_kind(space).to_owned(),
            address,
            occurrences,
            incomplete: (unsure > 0).then(|| format!("{unsure} occurrences may or may not refer to this name")),
            shared: Some(space.to_owned()),
            ..empty_resolution(name)
        }
    }

    /// The rename of a shared name in this document.
    ///
    /// # Errors
    ///
    /// Fails like [`rename`](Mentions::rename).
    pub fn renaming(&self, space: &str, name: &str, new_name: &str) -> Result<RenameResult> {
        let Change { edits, unresolved } = self.rename(space, name, new_name)?;
        Ok(RenameResult { edits, unresolved, shared: Some(space.to_owned()), ..empty_renaming(name) })
    }
}

/// The result for a document without references to the name.
pub fn empty_resolution(name: &str) -> Resolution {
    Resolution {
        name: name.to_owned(),
        kind: "name".to_owned(),
        address: None,
        occurrences: Vec::new(),
        exported_as: Vec::new(),
        origin: None,
        incomplete: None,
        declared: None,
        shared: None,
        elsewhere: None,
    }
}

/// The result of a rename in a document without references to the name.
pub fn empty_renaming(name: &str) -> RenameResult {
    RenameResult {
        edits: Vec::new(),
        exported: Vec::new(),
        unresolved: Vec::new(),
        elsewhere: None,
        declared: None,
        shared: None,
        file: None,
        name: name.to_owned(),
    }
}

/// The failure for a namespace that the pack does not know.
pub fn unknown_namespace(space: &str) -> Failure {
    fail(FailureKind::TargetNotFound, format!("files of this format have no `{space}` names"))
}
