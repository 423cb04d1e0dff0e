//! Shared names in stylesheets: definitions and uses of classes, ids, custom properties and animations. The caller
//! tracks the nesting of rules, except in plain CSS (see [`Names::stylesheet`]).

mod selectors;
mod tokens;

use std::ops::Range;

use self::tokens::{Token, Tokens};
use super::{
    chars::{Dialect, ident_end, is_name, name_end, unescape},
    words,
};
use crate::{
    Usage,
    shared::{CSS_CLASS, CSS_ID, CUSTOM_PROPERTY, Certainty, KEYFRAMES, Mention, Notation, PLACEHOLDER},
};

/// The class or id at the end of a selector, which `&-suffix` continues in nested rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectorEnd {
    namespace: &'static str,
    name: String,
}

/// Collects the mentions of names.
#[derive(Debug)]
pub struct Names<'t> {
    text: &'t str,
    dialect: Dialect,
    /// The mentions that were found, unsorted.
    pub found: Vec<Mention>,
    /// The private namespace of the classes, ids and animations of a CSS module, which only the file and its
    /// importers know. `None` for other stylesheets.
    pub private_namespace: Option<&'static str>,
}

/// A name as written, which may be partly computed.
struct WrittenName {
    range: Range<usize>,
    name: String,
    certainty: Certainty,
}

impl<'t> Names<'t> {
    /// Creates a collector for a text in one of the dialects.
    pub fn new(text: &'t str, dialect: Dialect) -> Names<'t> {
        Names { text, dialect, found: Vec::new(), private_namespace: None }
    }

    fn tokens(&self, range: Range<usize>) -> Tokens<'t> {
        Tokens { text: &self.text[..range.end], at: range.start, dialect: self.dialect }
    }

    /// The namespace of a class, an id or an animation.
    fn namespace_of(&self, space: &'static str, is_global: bool) -> &'static str {
        self.private_namespace
            .filter(|_| !is_global && space != CUSTOM_PROPERTY && space != PLACEHOLDER)
            .unwrap_or(space)
    }

    fn push(&mut self, space: &'static str, written: WrittenName, usage: Usage, spelling: Notation) {
        let WrittenName { range, name, certainty } = written;
        let declares = usage == Usage::Declaration;
        self.found.push(Mention {
            namespace: space,
            name,
            span: range.into(),
            usage,
            declares,
            notation: spelling,
            certainty,
        });
    }

    fn push_certain(&mut self, space: &'static str, range: Range<usize>, usage: Usage, spelling: Notation) {
        let name = unescape(&self.text[range.clone()]).into_owned();
        self.push(space, WrittenName { range, name, certainty: Certainty::Certain }, usage, spelling);
    }

    /// The name at the current position: adjacent words and interpolations.
    fn read_name(&self, parts: &mut Tokens<'_>) -> Option<WrittenName> {
        let start = parts.at;
        let mut literals: Vec<Range<usize>> = Vec::new();
        let mut computed = Vec::new();
        loop {
            let before = parts.at;
            match parts.next() {
                Some((Token::Word, range)) => literals.push(range),
                Some((Token::Interpolation, range)) => computed.push(range),
                _ => {
                    parts.at = before;
                    break;
                }
            }
        }
        let range = start..parts.at;
        let of = |range: &Range<usize>| unescape(&self.text[range.clone()]).into_owned();
        let (name, certainty) = match (literals.first(), literals.last(), computed.first()) {
            (Some(only), _, None) => (of(only), Certainty::Certain),
            (Some(first), ..) if first.start == start => (of(first), Certainty::StartsWith),
            (_, Some(last), _) if last.end == range.end => (of(last), Certainty::EndsWith),
            (Some(inner), ..) => (of(inner), Certainty::Contains),
            _ => return None,
        };
        let is_name = certainty != Certainty::Certain || ident_end(parts.text, start) == Some(range.end);
        is_name.then_some(WrittenName { range, name, certainty })
    }

    // --- declarations and at-rules ---

    /// Collects the property name of a declaration, if it is a custom property.
    pub fn property(&mut self, range: Range<usize>) {
        if !self.text[range.clone()].starts_with("--") {
            return;
        }
        // `--` followed by an interpolation can be any name.
        if let Some(written) = self.read_name(&mut self.tokens(range)).filter(|written| written.name != "--") {
            self.push(CUSTOM_PROPERTY, written, Usage::Declaration, Notation::Identifier);
        }
    }

    /// Collects the names in the value of a property. `property` is empty for other text that is not a selector.
    pub fn value(&mut self, property: &str, range: Range<usize>) {
        let own = words::without_vendor(property);
        let takes_animation = own.eq_ignore_ascii_case("animation") || own.eq_ignore_ascii_case("animation-name");
        let takes_properties =
            ["transition", "transition-property", "will-change"].iter().any(|known| own.eq_ignore_ascii_case(known));
        let mut parts = self.tokens(range);
        // For each open bracket, whether its first argument is the name of a custom property.
        let mut brackets: Vec<bool> = Vec::new();
        let mut first = false;
        let mut dashed = None;
        while let Some((part, range)) = parts.next() {
            let opens = parts.is_at(b'(');
            let is_first = std::mem::take(&mut first);
            match part {
                Token::Gap => first = is_first,
                Token::Word if opens => {
                    let called = &self.text[range.clone()];
                    parts.at += 1;
                    if called.eq_ignore_ascii_case("url") || called.eq_ignore_ascii_case("src") {
                        self.url(&mut parts);
                        continue;
                    }
                    let asks = ["var", "style", "inherit"].iter().any(|known| called.eq_ignore_ascii_case(known));
                    brackets.push(asks);
                    first = asks;
                }
                Token::Sign(b'(') => {
                    let asks = brackets.last() == Some(&true);
                    brackets.push(asks);
                    first = asks;
                }
                Token::Sign(b')') => drop(brackets.pop()),
                Token::Word if self.text[range.clone()].starts_with("--") => {
                    if is_first || (takes_properties && brackets.is_empty()) {
                        dashed = Some(range.end);
                        parts.at = range.start;
                        self.dashed(&mut parts);
                    }
                }
                Token::Word if takes_animation && brackets.is_empty() && dashed != Some(range.start) => {
                    self.animation(range, Notation::Identifier);
                }
                Token::Text => self.text_in_value(&range, takes_animation && brackets.is_empty()),
                _ => {}
            }
        }
    }

    fn dashed(&mut self, parts: &mut Tokens<'_>) {
        let before = parts.at;
        match self.read_name(parts) {
            Some(written) => self.push(CUSTOM_PROPERTY, written, Usage::Read, Notation::Identifier),
            None => {
                parts.at = before;
                parts.next();
            }
        }
    }

    fn animation(&mut self, range: Range<usize>, spelling: Notation) {
        let word = &self.text[range.clone()];
        let is_sigil =
            range.start > 0 && matches!(self.text.as_bytes()[range.start - 1], b'$' | b'@' | b'.' | b'%' | b'}');
        let goes_on = self.text[range.end..].starts_with(['#', '@', '.']);
        let is_plain = ident_end(word, 0) == Some(word.len()) && !words::is_animation_keyword(word);
        if is_plain && !is_sigil && !goes_on {
            let space = self.namespace_of(KEYFRAMES, false);
            self.push_certain(space, range, Usage::Read, spelling);
        }
    }

    fn text_in_value(&mut self, range: &Range<usize>, takes_animation: bool) {
        let Some(inner) = between_quotes(self.text, range) else { return };
        let raw = &self.text[inner.clone()];
        let spelling = Notation::CssString(char::from(self.text.as_bytes()[range.start]));
        if takes_animation && !raw.is_empty() && !raw.contains(['#', '@']) {
            self.push_certain(self.namespace_of(KEYFRAMES, false), inner, Usage::Read, spelling);
        } else if raw.starts_with("--") && ident_end(raw, 0) == Some(raw.len()) {
            let written =
                WrittenName { name: unescape(raw).into_owned(), range: inner, certainty: Certainty::SameText };
            self.push(CUSTOM_PROPERTY, written, Usage::InString, spelling);
        }
    }

    /// Collects the id of `url(#id)`. The position is after the opening bracket, and moves after the closing one.
    fn url(&mut self, parts: &mut Tokens<'_>) {
        let rest = &parts.text[parts.at..];
        let start = parts.at + rest.len() - rest.trim_ascii_start().len();
        let quote = parts.byte(start).filter(|byte| matches!(byte, b'"' | b'\''));
        let inner = match quote {
            Some(quote) => {
                let end = parts.string_end(start, quote);
                parts.at = end;
                between_quotes(self.text, &(start..end)).unwrap_or(end..end)
            }
            None => {
                let end = memchr::memchr2(b')', b'}', &parts.text.as_bytes()[start..]);
                let end = end.map_or(parts.text.len(), |end| start + end);
                parts.at = end;
                start..start + self.text[start..end].trim_ascii_end().len()
            }
        };
        while parts.at < parts.text.len() && !parts.is_at(b')') && quote.is_some() {
            if parts.next().is_none() {
                break;
            }
        }
        parts.at = (parts.at + usize::from(parts.is_at(b')'))).min(parts.text.len());
        let raw = &self.text[inner.clone()];
        if raw.len() > 1 && raw.starts_with('#') && !raw.contains(['\\', '{', ' ', '(']) {
            let name = crate::urls::decode(&raw[1..]).into_owned();
            let written = WrittenName { name, range: inner.start + 1..inner.end, certainty: Certainty::Certain };
            // An id in a URL refers to an element of the page, so it is never in the private namespace of a CSS module.
            self.push(CSS_ID, written, Usage::Read, Notation::Fragment);
        }
    }

    /// Collects the names after the name of an at-rule. `around` are the selector ends that `&` refers to. Returns
    /// the ends of the selectors in the at-rule, if it has selectors.
    pub fn prelude(&mut self, name: &str, range: Range<usize>, around: &[SelectorEnd]) -> Option<Vec<SelectorEnd>> {
        let name = name.strip_prefix('@').unwrap_or(name);
        match words::without_vendor(name).to_ascii_lowercase().as_str() {
            "keyframes" => self.keyframes(range),
            "property" => self.property(trimmed(self.text, range)),
            "at-root" if self.text[range.clone()].trim_ascii_start().starts_with('(') => {}
            "at-root" | "nest" => return Some(self.selectors(range, around)),
            "scope" | "custom-selector" | "extend" => drop(self.selectors(range, &[])),
            "supports" => {
                self.selectors_in_calls(range.clone());
                self.value("", range);
            }
            "apply" => self.applied_classes(range),
            "utility" => {
                let word = trimmed(self.text, range);
                if ident_end(self.text, word.start) == Some(word.end) {
                    self.push_certain(
                        self.namespace_of(CSS_CLASS, false),
                        word,
                        Usage::Declaration,
                        Notation::Identifier,
                    );
                }
            }
            "charset" | "namespace" | "import" | "layer" => {}
            _ => self.value("", range),
        }
        None
    }

    fn keyframes(&mut self, range: Range<usize>) {
        let mut parts = self.tokens(range);
        let space = self.namespace_of(KEYFRAMES, false);
        match parts.next_significant() {
            Some((Token::Text, range)) => {
                let spelling = Notation::CssString(char::from(self.text.as_bytes()[range.start]));
                if let Some(inner) = between_quotes(self.text, &range).filter(|inner| !inner.is_empty()) {
                    self.push_certain(space, inner, Usage::Declaration, spelling);
                }
            }
            Some((Token::Word | Token::Interpolation, range)) => {
                parts.at = range.start;
                if let Some(written) = self.read_name(&mut parts) {
                    self.push(space, written, Usage::Declaration, Notation::Identifier);
                }
            }
            _ => {}
        }
    }

    /// Collects the names in `selector(…)` of `@supports`.
    fn selectors_in_calls(&mut self, range: Range<usize>) {
        let mut parts = self.tokens(range);
        while let Some((part, range)) = parts.next() {
            if part != Token::Word || !self.text[range].eq_ignore_ascii_case("selector") || !parts.is_at(b'(') {
                continue;
            }
            let open = parts.at;
            let mut depth = 0_u32;
            while let Some((part, _)) = parts.next() {
                match part {
                    Token::Sign(b'(') => depth += 1,
                    Token::Sign(b')') => depth = depth.saturating_sub(1),
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
            }
            self.selectors(open + 1..parts.at.max(open + 1), &[]);
        }
    }

    /// Collects the classes that `@apply` uses. Names that start with a sign are left out.
    fn applied_classes(&mut self, range: Range<usize>) {
        let raw = &self.text[range.clone()];
        for word in words::tokens(raw) {
            let own = &raw[word.clone()];
            if own.starts_with(['!', '-', '.', '('])
                || !own.bytes().all(|byte| is_name(byte) || b":/[]%".contains(&byte))
            {
                continue;
            }
            let at = range.start + word.start..range.start + word.end;
            let name = own.rsplit(':').next().unwrap_or(own).to_owned();
            let certainty = if name.len() == own.len() { Certainty::Certain } else { Certainty::SameText };
            let written = WrittenName { range: at, name, certainty };
            self.push(self.namespace_of(CSS_CLASS, false), written, Usage::Read, Notation::Plain);
        }
    }

    // --- whole sheets ---

    /// Collects the names of a whole stylesheet in plain CSS: rules, at-rules and declarations, at any nesting.
    pub fn stylesheet(&mut self, range: Range<usize>) {
        let mut parts = self.tokens(range);
        let mut start = parts.at;
        let mut depth = 0_u32;
        let mut colon = None;
        let mut in_property = false;
        loop {
            let Some((part, at)) = parts.next() else {
                self.declaration(start..parts.at, colon);
                return;
            };
            if part == Token::Gap && start == at.start {
                start = at.end;
                continue;
            }
            if start == at.start {
                in_property = part == Token::Word && self.text[at.clone()].starts_with("--");
            }
            match part {
                Token::Sign(b'(' | b'[') => depth += 1,
                Token::Sign(b')' | b']') => depth = depth.saturating_sub(1),
                Token::Sign(b'{') if in_property && colon.is_some() => depth += 1,
                Token::Sign(b'}') if in_property && depth > 0 => depth -= 1,
                Token::Sign(b':') if depth == 0 && colon.is_none() => colon = Some(at.start),
                Token::Sign(sign @ (b';' | b'{' | b'}')) if depth == 0 || sign == b'}' => {
                    match sign {
                        b'{' => self.head(start..at.start),
                        _ => self.declaration(start..at.start, colon),
                    }
                    (start, colon, depth, in_property) = (at.end, None, 0, false);
                }
                _ => {}
            }
        }
    }

    fn head(&mut self, range: Range<usize>) {
        match self.at_rule(&range) {
            Some((name, prelude)) => drop(self.prelude(name, prelude, &[])),
            None => drop(self.selectors(range, &[])),
        }
    }

    fn at_rule(&self, range: &Range<usize>) -> Option<(&'t str, Range<usize>)> {
        let text = self.text;
        let own = text[range.clone()].strip_prefix('@')?;
        let name = name_end(own, 0);
        Some((&own[..name], range.start + 1 + name..range.end))
    }

    fn declaration(&mut self, range: Range<usize>, colon: Option<usize>) {
        if let Some((name, prelude)) = self.at_rule(&range) {
            self.prelude(name, prelude, &[]);
        } else if let Some(colon) = colon.filter(|colon| range.contains(colon)) {
            let name = trimmed(self.text, range.start..colon);
            self.property(name.clone());
            let text = self.text;
            self.value(&text[name], colon + 1..range.end);
        }
    }
}

/// The range between the quotes of a string that is closed.
fn between_quotes(text: &str, range: &Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    (range.len() >= 2 && bytes[range.end - 1] == bytes[range.start]).then(|| range.start + 1..range.end - 1)
}

/// The range without white space at both ends.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let raw = &text[range.clone()];
    let start = range.start + raw.len() - raw.trim_ascii_start().len();
    start..start + raw.trim_ascii().len()
}

#[cfg(test)]
mod tests;
