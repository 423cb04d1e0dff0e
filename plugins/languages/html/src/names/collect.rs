//! Collects names in attributes, styles and scripts that are visible to other files.

use std::{borrow::Cow, cell::OnceCell, collections::HashSet, ops::Range};

use marquetry_sdk::{
    ImportKey, Span, Usage,
    shared::{CSS_CLASS, CSS_ID, Certainty, Mention, Mentions, Spelling},
    stylesheet::{
        self,
        chars::{Dialect, ident_end, is_name},
        names::Names,
        words::{self, Held},
    },
    urls,
};

use super::templates;
use crate::{
    code::{Piece, Scanner},
    embedded,
    syntax::{Id, Name, Namespace, Tree, decode, tree::Attribute},
};

/// All names in a page.
pub(super) fn mentions(tree: &Tree) -> Mentions {
    let mut collector = Collector { tree, found: Vec::new(), maps: OnceCell::new() };
    for id in (0..tree.len()).filter(|id| !tree.get(*id).implied) {
        for attribute in tree.attributes(id) {
            if let Some(value) = attribute.value.filter(|value| !value.is_empty()) {
                collector.attribute(id, *attribute, value);
            }
        }
        if tree.get(id).name == Name::STYLE {
            collector.style(id);
        }
    }
    Mentions::new(collector.found)
}

/// Strings in scripts that contain the name as a word. Their use is unknown.
pub(super) fn in_scripts(tree: &Tree, name: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let scripts = (0..tree.len()).filter(|id| tree.get(*id).name == Name::SCRIPT);
    for script in scripts.filter(|id| embedded::language_of(tree, *id).is_some()) {
        let inner = tree.get(script).inner();
        let code = inner.of(&tree.text);
        if !code.contains(name) {
            continue;
        }
        let mut scanner = Scanner::new(code);
        while let Some((piece, range)) = scanner.next() {
            if matches!(piece, Piece::Text | Piece::Template) {
                let start = inner.range().start + range.start;
                found.extend(whole_words(&code[range], name).map(|at| Span::new(start + at, start + at + name.len())));
            }
        }
    }
    found
}

/// Offsets at which the name occurs as a whole word.
fn whole_words<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    let bytes = text.as_bytes();
    let alone = move |at: &usize| {
        let end = at + name.len();
        (*at == 0 || !is_name(bytes[at - 1])) && bytes.get(end).is_none_or(|byte| !is_name(*byte))
    };
    text.match_indices(name).map(|(at, _)| at).filter(alone)
}

/// Fragments of links that refer to an anchor in another file.
pub(super) fn links_to(tree: &Tree, key: &ImportKey) -> Vec<Span> {
    let mut found = Vec::new();
    let attributes = tree.attributes.iter().filter(|attribute| attribute.name.of(&tree.text).ends_with("href"));
    for value in attributes.filter_map(|attribute| attribute.value) {
        let raw = value.of(&tree.text).trim_ascii_end();
        let Some((path, fragment)) = raw.split_once('#') else { continue };
        let specifier = decode::attribute(urls::split(path).0.trim_ascii_start());
        if urls::decoded(fragment) == key.name && key.specifiers.iter().any(|known| *known == specifier) {
            let start = value.range().start + path.len() + 1;
            found.push(Span::new(start, start + fragment.len()));
        }
    }
    found
}

struct Collector<'t> {
    tree: &'t Tree,
    found: Vec<Mention>,
    /// Names of the image maps of the page, collected on first use.
    maps: OnceCell<HashSet<String>>,
}

/// A raw attribute value.
#[derive(Clone, Copy)]
struct Value<'t> {
    raw: &'t str,
    start: usize,
    spelling: Spelling,
}

impl Value<'_> {
    fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.start + range.start, self.start + range.end)
    }

    fn of(&self, range: &Range<usize>) -> Cow<'_, str> {
        decode::attribute(&self.raw[range.clone()])
    }

    fn trimmed(&self) -> Range<usize> {
        let start = self.raw.len() - self.raw.trim_ascii_start().len();
        start..start + self.raw.trim_ascii().len()
    }
}

impl<'t> Collector<'t> {
    fn push(&mut self, space: &'static str, name: &str, span: Span, what: (Usage, Spelling, Certainty)) {
        let (usage, spelling, certainty) = what;
        let declares = usage == Usage::Declaration;
        self.found.push(Mention { space, name: name.to_owned(), span, usage, declares, spelling, certainty });
    }

    fn attribute(&mut self, id: Id, attribute: Attribute, at: Span) {
        let tree = self.tree;
        let start = at.range().start;
        let quote = tree.text[..start].chars().next_back().filter(|c| matches!(c, '"' | '\''));
        let value = Value { raw: at.of(&tree.text), start, spelling: Spelling::Attribute(quote) };
        let name = attribute.name.of(&tree.text);
        let lower = if tree.xml { Cow::Borrowed(name) } else { Cow::Owned(name.to_ascii_lowercase()) };
        match words::held_by(&lower) {
            Some(Held::Classes) => self.tokens(value, CSS_CLASS, true),
            Some(Held::Id) => self.one(value, CSS_ID, Usage::Declaration),
            Some(Held::Ids) => self.tokens(value, CSS_ID, false),
            Some(Held::Url) => self.url(value),
            Some(Held::Map) => self.map(value),
            None if lower == "name" && tree.is(id, Name::A) => self.one(value, CSS_ID, Usage::Declaration),
            None if lower == "style" => self.css(value, |names, end| names.sheet(0..end)),
            None if tree.get(id).namespace == Namespace::SVG && value.raw.contains("url(") => {
                self.css(value, |names, end| names.value("", 0..end));
            }
            None => self.other(value, &lower),
        }
    }

    /// Adds white-space-separated names. Template placeholders are skipped.
    fn tokens(&mut self, value: Value<'_>, space: &'static str, declares: bool) {
        let holes = templates::holes(value.raw);
        let mut ahead = holes.iter().peekable();
        for token in words::tokens(value.raw) {
            while ahead.next_if(|hole| hole.end <= token.start).is_some() {}
            let Some(hole) = ahead.peek().filter(|hole| hole.start < token.end) else {
                self.token(value, space, token, declares);
                continue;
            };
            // `btn-{{size}}` is a name with this prefix.
            let (head, tail) = (token.start..hole.start.max(token.start), hole.end.min(token.end)..token.end);
            let (part, certainty) = match (head.is_empty(), tail.is_empty()) {
                (false, _) => (head, Certainty::StartsWith),
                (true, false) if hole.start >= token.start => (tail, Certainty::EndsWith),
                _ => continue,
            };
            let span = value.span(part.clone());
            self.push(space, &value.of(&part), span, (Usage::Read, value.spelling, certainty));
        }
        for hole in holes {
            self.spelled(value, space, hole);
        }
    }

    fn token(&mut self, value: Value<'_>, space: &'static str, token: Range<usize>, declares: bool) {
        let name = value.of(&token);
        if name.contains(char::is_whitespace) {
            return; // the reference is white space
        }
        let span = value.span(token.clone());
        self.push(space, &name, span, (Usage::Read, value.spelling, Certainty::Certain));
        if let Some(mention) = self.found.last_mut() {
            mention.declares = declares;
        }
    }

    /// Adds the words of an expression, which may be names.
    fn spelled(&mut self, value: Value<'_>, space: &'static str, range: Range<usize>) {
        let bytes = value.raw.as_bytes();
        let mut at = range.start;
        while at < range.end {
            let length = bytes[at..range.end].iter().take_while(|byte| is_name(**byte)).count();
            if length > 0 {
                let word = at..at + length;
                let span = value.span(word.clone());
                self.push(space, &value.raw[word], span, (Usage::InString, value.spelling, Certainty::Spelled));
            }
            at += length + 1;
        }
    }

    /// Adds a single name.
    fn one(&mut self, value: Value<'_>, space: &'static str, usage: Usage) {
        let range = value.trimmed();
        if range.len() == value.raw.len() && templates::holes(value.raw).is_empty() {
            let name = value.of(&range);
            if !name.contains(char::is_whitespace) {
                let span = value.span(range.clone());
                self.push(space, &name, span, (usage, value.spelling, Certainty::Certain));
            }
        } else {
            self.tokens(value, space, usage == Usage::Declaration);
        }
    }

    /// Adds `#id`, alone or after the path of a page.
    fn url(&mut self, value: Value<'_>) {
        let range = value.trimmed();
        let raw = &value.raw[range.clone()];
        // The `#` of a character reference is not part of the URL.
        let hash = raw.char_indices().find(|(at, c)| *c == '#' && !raw[..*at].ends_with('&')).map(|(at, _)| at);
        let Some(hash) = hash.filter(|hash| hash + 1 < raw.len()) else { return };
        let path = urls::split(&raw[..hash]).0;
        if urls::is_remote(raw) || !templates::holes(raw).is_empty() || raw[hash + 1..].starts_with(":~:") {
            return;
        }
        let span = value.span(range.start + hash + 1..range.end);
        let decoded = decode::attribute(&raw[hash + 1..]);
        let name = urls::decoded(&decoded);
        let certainty = if is_page(path) { Certainty::Certain } else { Certainty::Spelled };
        self.push(CSS_ID, &name, span, (Usage::Read, Spelling::Fragment, certainty));
    }

    /// Adds the name in `usemap`; it can be an id only if no map has this name.
    fn map(&mut self, value: Value<'_>) {
        let tree = self.tree;
        let range = value.trimmed();
        let Some(name) = value.raw[range.clone()].strip_prefix('#').filter(|name| !name.is_empty()) else { return };
        let maps = self.maps.get_or_init(|| {
            let maps = (0..tree.len()).filter(|id| tree.name(*id) == "map");
            maps.filter_map(|id| tree.value(id, "name").map(Cow::into_owned)).collect()
        });
        if !maps.contains(name) {
            let span = value.span(range.start + 1..range.end);
            self.push(CSS_ID, name, span, (Usage::Read, value.spelling, Certainty::Certain));
        }
    }

    /// Reads CSS in an attribute.
    fn css(&mut self, value: Value<'_>, read: impl FnOnce(&mut Names<'_>, usize)) {
        if !templates::holes(value.raw).is_empty() {
            return;
        }
        let plain = stylesheet::plain_markup(value.raw);
        let mut names = Names::new(&plain, Dialect::Css);
        read(&mut names, plain.len());
        let start = value.start as u32;
        self.found.extend(names.found.into_iter().map(|mut mention| {
            mention.span = Span { start: mention.span.start + start, end: mention.span.end + start };
            mention
        }));
    }

    /// Reads the content of a `style`. In preprocessor languages, nested rules are skipped.
    fn style(&mut self, id: Id) {
        let tree = self.tree;
        let dialect = match embedded::language_of(tree, id) {
            Some("css") => Dialect::Css,
            Some("scss") => Dialect::Scss,
            Some("less") => Dialect::Less,
            _ => return,
        };
        let mut names = Names::new(&tree.text, dialect);
        names.sheet(tree.get(id).inner().range());
        if dialect != Dialect::Css {
            for mention in names.found.iter_mut().filter(|mention| mention.certainty == Certainty::Certain) {
                mention.certainty = Certainty::Spelled;
            }
        }
        self.found.append(&mut names.found);
    }

    /// Framework attributes: classes in expressions, selectors for scripts.
    fn other(&mut self, value: Value<'_>, name: &str) {
        if name.contains("class") {
            return self.spelled(value, CSS_CLASS, 0..value.raw.len());
        }
        let range = value.trimmed();
        let raw = &value.raw[range.clone()];
        let space = match raw.as_bytes().first() {
            Some(b'#') => CSS_ID,
            Some(b'.') => CSS_CLASS,
            _ => return,
        };
        if ident_end(raw, 1) == Some(raw.len()) {
            let span = value.span(range.start + 1..range.end);
            self.push(space, &raw[1..], span, (Usage::InString, value.spelling, Certainty::Spelled));
        }
    }
}

/// Returns whether a path is empty or refers to a page.
fn is_page(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
    path.is_empty() || matches!(extension.as_str(), "html" | "htm" | "xhtml" | "xht")
}
