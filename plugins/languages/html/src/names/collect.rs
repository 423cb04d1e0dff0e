//! Collects names in attributes, styles and scripts that are visible to other files.

use std::{borrow::Cow, cell::OnceCell, collections::HashSet, ops::Range};

use marquetry_sdk::{
    ImportKey, Span, Usage,
    shared::{CSS_CLASS, CSS_ID, Certainty, Mention, Mentions, Notation},
    stylesheet::{
        self,
        chars::{Dialect, ident_end, is_name},
        names::Names,
        words::{self, AttributeContent},
    },
    urls,
};

use super::templates;
use crate::{
    embedded,
    js_lexer::{JsLexer, JsToken},
    syntax::{Id, Name, Namespace, Tree, decode, tree::Attribute},
};

/// All names in a page.
pub(super) fn collect_mentions(tree: &Tree) -> Mentions {
    let mut collector = Collector { tree, found: Vec::new(), maps: OnceCell::new() };
    for id in (0..tree.element_count()).filter(|id| !tree.element(*id).implied) {
        for attribute in tree.attributes(id) {
            if let Some(value) = attribute.value.filter(|value| !value.is_empty()) {
                collector.collect_attribute(id, *attribute, value);
            }
        }
        if tree.element(id).name == Name::STYLE {
            collector.read_style_element(id);
        }
    }
    Mentions::new(collector.found)
}

/// Returns the positions of the name in strings of scripts, as a whole word. It is unknown whether the script uses them
/// as this name.
pub(super) fn strings_in_scripts(tree: &Tree, name: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let scripts = (0..tree.element_count()).filter(|id| tree.element(*id).name == Name::SCRIPT);
    for script in scripts.filter(|id| embedded::code_language(tree, *id).is_some()) {
        let inner = tree.element(script).inner();
        let code = inner.slice(&tree.text);
        if !code.contains(name) {
            continue;
        }
        let mut scanner = JsLexer::new(code);
        while let Some((piece, range)) = scanner.next() {
            if matches!(piece, JsToken::Text | JsToken::Template) {
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
pub(super) fn link_fragments(tree: &Tree, key: &ImportKey) -> Vec<Span> {
    let mut found = Vec::new();
    let attributes = tree.attributes.iter().filter(|attribute| attribute.name.slice(&tree.text).ends_with("href"));
    for value in attributes.filter_map(|attribute| attribute.value) {
        let raw = value.slice(&tree.text).trim_ascii_end();
        let Some((path, fragment)) = raw.split_once('#') else { continue };
        let specifier = decode::attribute(urls::split(path).0.trim_ascii_start());
        if urls::decode(fragment) == key.name && key.specifiers.iter().any(|known| *known == specifier) {
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
    spelling: Notation,
}

impl Value<'_> {
    fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.start + range.start, self.start + range.end)
    }

    fn decoded(&self, range: &Range<usize>) -> Cow<'_, str> {
        decode::attribute(&self.raw[range.clone()])
    }

    fn trimmed(&self) -> Range<usize> {
        let start = self.raw.len() - self.raw.trim_ascii_start().len();
        start..start + self.raw.trim_ascii().len()
    }
}

impl<'t> Collector<'t> {
    fn add_mention(&mut self, space: &'static str, name: &str, span: Span, what: (Usage, Notation, Certainty)) {
        let (usage, spelling, certainty) = what;
        let declares = usage == Usage::Declaration;
        self.found.push(Mention {
            namespace: space,
            name: name.to_owned(),
            span,
            usage,
            declares,
            notation: spelling,
            certainty,
        });
    }

    fn collect_attribute(&mut self, id: Id, attribute: Attribute, at: Span) {
        let tree = self.tree;
        let start = at.range().start;
        let quote = tree.text[..start].chars().next_back().filter(|c| matches!(c, '"' | '\''));
        let value = Value { raw: at.slice(&tree.text), start, spelling: Notation::Attribute(quote) };
        let name = attribute.name.slice(&tree.text);
        let lower =
            if tree.dialect.has_exact_names() { Cow::Borrowed(name) } else { Cow::Owned(name.to_ascii_lowercase()) };
        match words::content_of_attribute(&lower) {
            Some(AttributeContent::Classes) => self.add_tokens(value, CSS_CLASS, true),
            Some(AttributeContent::Id) => self.add_name(value, CSS_ID, Usage::Declaration),
            Some(AttributeContent::Ids) => self.add_tokens(value, CSS_ID, false),
            Some(AttributeContent::Url) => self.add_url_fragment(value),
            Some(AttributeContent::Map) => self.add_usemap(value),
            None if lower == "name" && tree.is_html_element(id, Name::A) => {
                self.add_name(value, CSS_ID, Usage::Declaration)
            }
            None if lower == "style" => self.read_css(value, |names, end| names.stylesheet(0..end)),
            None if tree.element(id).namespace == Namespace::SVG && value.raw.contains("url(") => {
                self.read_css(value, |names, end| names.value("", 0..end));
            }
            None => self.collect_other_attribute(value, &lower),
        }
    }

    /// Adds the names in a list separated by white space. The words in template placeholders are added as possible
    /// names.
    fn add_tokens(&mut self, value: Value<'_>, space: &'static str, declares: bool) {
        let holes = templates::placeholders(value.raw);
        let mut ahead = holes.iter().peekable();
        for token in words::tokens(value.raw) {
            while ahead.next_if(|hole| hole.end <= token.start).is_some() {}
            let Some(hole) = ahead.peek().filter(|hole| hole.start < token.end) else {
                self.add_token(value, space, token, declares);
                continue;
            };
            // `btn-{{size}}` stands for any name that starts with `btn-`, and `{{size}}-btn` for any name that ends
            // with `-btn`.
            let (head, tail) = (token.start..hole.start.max(token.start), hole.end.min(token.end)..token.end);
            let (part, certainty) = match (head.is_empty(), tail.is_empty()) {
                (false, _) => (head, Certainty::StartsWith),
                (true, false) if hole.start >= token.start => (tail, Certainty::EndsWith),
                _ => continue,
            };
            let span = value.span(part.clone());
            self.add_mention(space, &value.decoded(&part), span, (Usage::Read, value.spelling, certainty));
        }
        for hole in holes {
            self.add_possible_names(value, space, hole);
        }
    }

    fn add_token(&mut self, value: Value<'_>, space: &'static str, token: Range<usize>, declares: bool) {
        let name = value.decoded(&token);
        if name.contains(char::is_whitespace) {
            return; // a character reference in the token decodes to white space, so it is not a single name
        }
        let span = value.span(token.clone());
        self.add_mention(space, &name, span, (Usage::Read, value.spelling, Certainty::Certain));
        if let Some(mention) = self.found.last_mut() {
            mention.declares = declares;
        }
    }

    /// Adds all words in a range as possible names, because it contains an expression.
    fn add_possible_names(&mut self, value: Value<'_>, space: &'static str, range: Range<usize>) {
        let bytes = value.raw.as_bytes();
        let mut at = range.start;
        while at < range.end {
            let length = bytes[at..range.end].iter().take_while(|byte| is_name(**byte)).count();
            if length > 0 {
                let word = at..at + length;
                let span = value.span(word.clone());
                self.add_mention(space, &value.raw[word], span, (Usage::InString, value.spelling, Certainty::SameText));
            }
            at += length + 1;
        }
    }

    /// Adds a single name.
    fn add_name(&mut self, value: Value<'_>, space: &'static str, usage: Usage) {
        let range = value.trimmed();
        if range.len() == value.raw.len() && templates::placeholders(value.raw).is_empty() {
            let name = value.decoded(&range);
            if !name.contains(char::is_whitespace) {
                let span = value.span(range.clone());
                self.add_mention(space, &name, span, (usage, value.spelling, Certainty::Certain));
            }
        } else {
            self.add_tokens(value, space, usage == Usage::Declaration);
        }
    }

    /// Adds the id in the fragment of a URL, such as `#id` or `page.html#id`.
    fn add_url_fragment(&mut self, value: Value<'_>) {
        let range = value.trimmed();
        let raw = &value.raw[range.clone()];
        // The `#` of a character reference is not part of the URL.
        let hash = raw.char_indices().find(|(at, c)| *c == '#' && !raw[..*at].ends_with('&')).map(|(at, _)| at);
        let Some(hash) = hash.filter(|hash| hash + 1 < raw.len()) else { return };
        let path = urls::split(&raw[..hash]).0;
        if urls::is_remote(raw) || !templates::placeholders(raw).is_empty() || raw[hash + 1..].starts_with(":~:") {
            return;
        }
        let span = value.span(range.start + hash + 1..range.end);
        let decoded = decode::attribute(&raw[hash + 1..]);
        let name = urls::decode(&decoded);
        let certainty = if is_page(path) { Certainty::Certain } else { Certainty::SameText };
        self.add_mention(CSS_ID, &name, span, (Usage::Read, Notation::Fragment, certainty));
    }

    /// Adds the name in `usemap`. It refers to the `name` of a `map` element; it is an id only if no map has this name.
    fn add_usemap(&mut self, value: Value<'_>) {
        let tree = self.tree;
        let range = value.trimmed();
        let Some(name) = value.raw[range.clone()].strip_prefix('#').filter(|name| !name.is_empty()) else { return };
        let maps = self.maps.get_or_init(|| {
            let maps = (0..tree.element_count()).filter(|id| tree.name(*id) == "map");
            maps.filter_map(|id| tree.attribute_value(id, "name").map(Cow::into_owned)).collect()
        });
        if !maps.contains(name) {
            let span = value.span(range.start + 1..range.end);
            self.add_mention(CSS_ID, name, span, (Usage::Read, value.spelling, Certainty::Certain));
        }
    }

    /// Adds the names in CSS that is the value of an attribute.
    fn read_css(&mut self, value: Value<'_>, read: impl FnOnce(&mut Names<'_>, usize)) {
        if !templates::placeholders(value.raw).is_empty() {
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

    /// Adds the names in a `style` element. In SCSS and LESS, the names are uncertain, because the content is read as
    /// if it were CSS.
    fn read_style_element(&mut self, id: Id) {
        let tree = self.tree;
        let dialect = match embedded::code_language(tree, id) {
            Some("css") => Dialect::Css,
            Some("scss") => Dialect::Scss,
            Some("less") => Dialect::Less,
            _ => return,
        };
        let mut names = Names::new(&tree.text, dialect);
        names.stylesheet(tree.element(id).inner().range());
        if dialect != Dialect::Css {
            for mention in names.found.iter_mut().filter(|mention| mention.certainty == Certainty::Certain) {
                mention.certainty = Certainty::SameText;
            }
        }
        self.found.append(&mut names.found);
    }

    /// Adds the possible names in an attribute that HTML does not define. In attributes of frameworks whose name
    /// contains `class`, each word may be a class; in other attributes, a whole value such as `#id` or `.class` may be
    /// a selector for a script.
    fn collect_other_attribute(&mut self, value: Value<'_>, name: &str) {
        if name.contains("class") {
            return self.add_possible_names(value, CSS_CLASS, 0..value.raw.len());
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
            self.add_mention(space, &raw[1..], span, (Usage::InString, value.spelling, Certainty::SameText));
        }
    }
}

/// Returns whether a path is empty or refers to a page.
fn is_page(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
    path.is_empty() || matches!(extension.as_str(), "html" | "htm" | "xhtml" | "xht")
}
