//! Names that all files share, whatever their format: their spaces, how a new one must look, and what a pack answers about
//! the places in a document that have one.
//!
//! A pack finds the [`Mention`]s of a document; facts, references and renames follow from them.
//!
//! ```
//! use marquetry_sdk::{Span, Usage, shared::{CSS_CLASS, Mention, Mentions, Spelling}};
//!
//! // <p class="btn btn-xl">
//! let mention = |name: &str, at| Mention::certain(CSS_CLASS, name, Span::new(at, at + name.len()), Usage::Read, Spelling::Plain);
//! let mentions = Mentions::new(vec![mention("btn", 10), mention("btn-xl", 14)]);
//! let change = mentions.rename(CSS_CLASS, "btn", "button")?;
//! assert_eq!(change.edits, [marquetry_sdk::Edit::new(Span::new(10, 13), "button")]);
//! # Ok::<(), marquetry_sdk::Failure>(())
//! ```

use std::collections::BTreeMap;

use crate::{
    Edit, Failure, FailureKind, InterfaceFacts, Occurrence, Renaming, Resolution, Result, SharedName, Span, Usage,
    fail, stylesheet::chars, urls,
};

/// Classes of elements, without the dot.
pub const CSS_CLASS: &str = "css-class";
/// Ids of elements, without the `#`.
pub const CSS_ID: &str = "css-id";
/// Custom properties of CSS, with their dashes.
pub const CUSTOM_PROPERTY: &str = "custom-property";
/// Animations of `@keyframes`.
pub const KEYFRAMES: &str = "keyframes";
/// Placeholders of Sass, without the `%`.
pub const PLACEHOLDER: &str = "placeholder";

/// A place in a document that has a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Mention {
    /// What the name is a name of. A pack may have spaces of its own here, for names that only its files know.
    pub space: &'static str,
    /// The name as all files mean it: escapes resolved, without the sign that a format puts before it.
    pub name: String,
    /// What a rename replaces.
    pub span: Span,
    /// What the place does with it.
    pub usage: Usage,
    /// Whether the name is there because of this place.
    pub declares: bool,
    /// How a name is written at this place.
    pub spelling: Spelling,
    /// How certain it is that the name is meant.
    pub certainty: Certainty,
}

/// How a name is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// As it is.
    Plain,
    /// As an identifier of CSS.
    Identifier,
    /// Between these quotes in CSS.
    CssString(char),
    /// In the value of an attribute of markup, between these quotes or without.
    Attribute(Option<char>),
    /// Behind the `#` of a URL.
    Fragment,
}

/// How certain it is that a place has the name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Certainty {
    /// It has.
    Certain,
    /// It is spelled like it.
    Spelled,
    /// Names that start like this one are meant.
    StartsWith,
    /// Names that end like this one.
    EndsWith,
    /// Names with this one in them.
    Contains,
    /// It has a name that continues another one: the span is what is written behind that.
    Continues(String),
}

impl Mention {
    /// A place that has the name for certain, and uses it.
    pub fn certain(space: &'static str, name: &str, span: Span, usage: Usage, spelling: Spelling) -> Mention {
        let declares = usage == Usage::Declaration;
        let certainty = Certainty::Certain;
        Mention { space, name: name.to_owned(), span, usage, declares, spelling, certainty }
    }

    /// Whether the document has the name because of this place.
    fn has_name(&self) -> bool {
        matches!(self.certainty, Certainty::Certain | Certainty::Continues(_))
    }

    fn may_mean(&self, name: &str) -> bool {
        match self.certainty {
            Certainty::Certain | Certainty::Spelled | Certainty::Continues(_) => self.name == name,
            Certainty::StartsWith => name.starts_with(&self.name),
            Certainty::EndsWith => name.ends_with(&self.name),
            Certainty::Contains => name.contains(&self.name),
        }
    }
}

impl Spelling {
    /// A name as it is written here.
    pub fn spelled(self, name: &str) -> String {
        match self {
            Spelling::Plain => name.to_owned(),
            Spelling::Identifier => chars::identifier(name),
            Spelling::CssString(quote) => chars::string(name, quote),
            Spelling::Attribute(quote) => attribute(name, quote),
            Spelling::Fragment => urls::encoded(name, |c| c.is_ascii_whitespace() || "\"'()<>&%`\\".contains(c)),
        }
    }
}

/// A text in the value of an attribute, with references for what cannot stand there.
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

/// What a name of the space is called in messages.
pub fn kind_of(space: &str) -> &str {
    match space {
        CSS_CLASS => "class",
        CSS_ID => "id",
        CUSTOM_PROPERTY => "custom property",
        KEYFRAMES => "animation",
        other => other,
    }
}

/// Words that no animation can be called.
const NO_ANIMATION: [&str; 7] = ["none", "initial", "inherit", "unset", "revert", "revert-layer", "default"];

/// Whether a name can be given to a thing of the space, in every format that has such.
///
/// # Errors
///
/// `InvalidArgument`, with the name that was probably meant.
pub fn check_new_name(space: &str, name: &str) -> Result<()> {
    let kind = kind_of(space);
    let wrong = |why: &str| fail(FailureKind::InvalidArgument, format!("`{name}` is not a name for this {kind}: {why}"));
    if name.is_empty() {
        return Err(wrong("it is empty"));
    }
    if name.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(wrong("it has white space in it").hint("one name at a time, without spaces"));
    }
    if name.contains('\\') {
        return Err(wrong("it is escaped")
            .hint("write the name as it is meant: each format gets the escapes that it needs")
            .candidates([chars::unescape(name).into_owned()]));
    }
    if name.contains(['{', '}', '<', '`']) {
        return Err(wrong("templates and markup read `{`, `}`, `<` and backticks as something else")
            .hint("leave these characters out"));
    }
    match space {
        CSS_CLASS | CSS_ID | PLACEHOLDER if name.starts_with(['.', '#', '%']) => {
            Err(wrong("the sign before it belongs to selectors")
                .hint("leave the sign out")
                .candidates([name[1..].to_owned()].into_iter().filter(|rest| !rest.is_empty())))
        }
        CUSTOM_PROPERTY if !name.starts_with("--") || name.len() == 2 => {
            let own = name.trim_start_matches('-');
            Err(wrong("custom properties begin with two dashes")
                .hint("write the dashes too")
                .candidates((!own.is_empty()).then(|| format!("--{own}"))))
        }
        CUSTOM_PROPERTY | KEYFRAMES if name.contains(['"', '\'', '&']) => {
            Err(wrong("it has quotes in it").hint("leave `\"`, `'` and `&` out"))
        }
        KEYFRAMES if NO_ANIMATION.iter().any(|word| name.eq_ignore_ascii_case(word)) => {
            Err(wrong("CSS has another meaning for this word").hint("choose another name"))
        }
        _ => Ok(()),
    }
}

/// What a rename does to one document.
#[derive(Debug, Default, PartialEq)]
pub struct Change {
    /// In order.
    pub edits: Vec<Edit>,
    /// Places that may mean the name, but are not proved to.
    pub unresolved: Vec<Span>,
}

/// All places of a document that have names, in order.
#[derive(Debug, Default, PartialEq)]
pub struct Mentions(Vec<Mention>);

impl Mentions {
    /// From the places in any order.
    pub fn new(mut mentions: Vec<Mention>) -> Mentions {
        mentions.sort_by_key(|mention| (mention.span.start, mention.span.end));
        Mentions(mentions)
    }

    /// All of them.
    pub fn all(&self) -> &[Mention] {
        &self.0
    }

    /// The names that files share, as facts of the document.
    pub fn facts(&self, is_shared: impl Fn(&str) -> bool) -> InterfaceFacts {
        let mut declared: BTreeMap<(&str, &str), bool> = BTreeMap::new();
        for mention in self.0.iter().filter(|mention| mention.has_name() && is_shared(mention.space)) {
            *declared.entry((mention.space, &mention.name)).or_default() |= mention.declares;
        }
        let names = |wanted: bool| {
            let those = declared.iter().filter(move |(_, declares)| **declares == wanted);
            those
                .map(|((space, name), _)| SharedName { space: (*space).to_owned(), name: (*name).to_owned() })
                .collect()
        };
        InterfaceFacts { exports: Vec::new(), imports: Vec::new(), shared: names(true), free: names(false) }
    }

    /// The name that stands at an offset, or right behind the sign there.
    ///
    /// # Errors
    ///
    /// `TargetNotFound` where there is none.
    pub fn at(&self, offset: u32) -> Result<&Mention> {
        let reach = self.0.partition_point(|mention| mention.span.start <= offset + 1);
        let nearest = self.0[..reach].iter().rev().take(4);
        let touching = |sign: u32| {
            nearest.clone().find(move |mention| {
                mention.has_name() && mention.span.start <= offset + sign && offset <= mention.span.end
            })
        };
        touching(0).or_else(|| touching(1)).ok_or_else(|| {
            fail(FailureKind::TargetNotFound, "no name stands here that can be followed")
                .hint("point at the name of a class, an id, a custom property or an animation")
                .at(Span { start: offset, end: offset })
        })
    }

    /// The places that have a name or may have it.
    pub fn of<'m>(&'m self, space: &'m str, name: &'m str) -> impl Iterator<Item = &'m Mention> {
        self.0.iter().filter(move |mention| mention.space == space && mention.may_mean(name))
    }

    /// The names of a space that the document has, each once.
    pub fn names(&self, space: &str) -> Vec<&str> {
        let mut names: Vec<&str> =
            self.0.iter().filter(|m| m.space == space && m.has_name()).map(|m| &*m.name).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Rename in this document: every place that has the name for certain.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` for what is no name; `RefactorFailed` where the new name is taken here, or other names continue
    /// the old one.
    pub fn rename(&self, space: &str, name: &str, new_name: &str) -> Result<Change> {
        check_new_name(space, new_name)?;
        let mut change = Change::default();
        if name == new_name {
            return Ok(change);
        }
        for mention in self.of(space, name) {
            match mention.certainty {
                Certainty::Certain => change.edits.push(Edit::new(mention.span, mention.spelling.spelled(new_name))),
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
        let kind = kind_of(space);
        let taken = self.0.iter().find(|m| m.space == space && m.has_name() && m.name == new_name);
        if let Some(taken) = taken {
            return Err(fail(FailureKind::RefactorFailed, format!("the file has the {kind} `{new_name}` already"))
                .hint("choose another name: the two could not be distinguished afterwards")
                .at(taken.span));
        }
        let continues = |mention: &&Mention| {
            mention.space == space && matches!(&mention.certainty, Certainty::Continues(base) if base == name)
        };
        let Some(first) = self.0.iter().find(continues) else { return Ok(()) };
        let mut built: Vec<String> = self.0.iter().filter(continues).map(|mention| mention.name.clone()).collect();
        built.sort();
        built.dedup();
        let message = format!("nested rules continue the {kind} `{name}`: `{}` would be renamed with it", first.name);
        Err(fail(FailureKind::RefactorFailed, message)
            .hint("write the names behind `&` out as selectors of their own first")
            .candidates(built)
            .at(first.span))
    }

    /// What a document answers to the question for a name that all files share.
    pub fn resolution(&self, space: &str, name: &str, address: Option<String>) -> Resolution {
        let occurrence = |mention: &Mention| Occurrence {
            span: mention.span,
            usage: mention.usage,
            certain: mention.certainty == Certainty::Certain,
        };
        let occurrences: Vec<Occurrence> = self.of(space, name).map(occurrence).collect();
        let unsure = occurrences.iter().filter(|occurrence| !occurrence.certain).count();
        Resolution {
            kind: kind_of(space).to_owned(),
            address,
            occurrences,
            incomplete: (unsure > 0).then(|| format!("{unsure} places may mean this name or not")),
            shared: Some(space.to_owned()),
            ..found_nowhere(name)
        }
    }

    /// The same for a rename.
    ///
    /// # Errors
    ///
    /// As of [`rename`](Mentions::rename).
    pub fn renaming(&self, space: &str, name: &str, new_name: &str) -> Result<Renaming> {
        let Change { edits, unresolved } = self.rename(space, name, new_name)?;
        Ok(Renaming { edits, unresolved, shared: Some(space.to_owned()), ..renamed_nowhere(name) })
    }
}

/// The answer of a document that has nothing to do with a name.
pub fn found_nowhere(name: &str) -> Resolution {
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

/// The same to a rename.
pub fn renamed_nowhere(name: &str) -> Renaming {
    Renaming {
        edits: Vec::new(),
        exported: Vec::new(),
        unresolved: Vec::new(),
        elsewhere: None,
        declared: None,
        shared: None,
        name: name.to_owned(),
    }
}

/// The failure of a space that the pack knows nothing of.
pub fn unknown_space(space: &str) -> Failure {
    fail(FailureKind::TargetNotFound, format!("files of this format have no `{space}` names"))
}
