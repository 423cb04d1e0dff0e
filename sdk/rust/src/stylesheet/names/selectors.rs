//! Classes and ids in selectors.

use std::ops::Range;

use super::{
    Names, SelectorEnd, WrittenName, between_quotes,
    tokens::{Token, Tokens},
};
use crate::{
    Usage,
    shared::{CSS_CLASS, CSS_ID, Certainty, Notation, PLACEHOLDER},
    stylesheet::{
        chars::{Dialect, unescape},
        words::{self, AttributeContent},
    },
};

/// Maximum number of selector ends that `&` in nested rules refers to.
const MOST_ENDS: usize = 32;

impl Names<'_> {
    /// Collects the classes and ids of a selector list. `around` are the selector ends that `&` refers to. Returns
    /// the ends of this list.
    pub fn selectors(&mut self, range: Range<usize>, around: &[SelectorEnd]) -> Vec<SelectorEnd> {
        let mut parts = self.tokens(range);
        let mut ends = Vec::new();
        // The end of the part of the current selector that was read.
        let mut last: Vec<SelectorEnd> = Vec::new();
        let mut scope = Scope::default();
        while let Some((part, at)) = parts.next() {
            match part {
                Token::Gap => continue,
                Token::Sign(sign @ (b'.' | b'#')) => {
                    let space = if sign == b'.' { CSS_CLASS } else { CSS_ID };
                    last = self.named(space, &mut parts, &scope).filter(|_| scope.depth == 0).into_iter().collect();
                    continue;
                }
                Token::Sign(b'%') if self.dialect == Dialect::Scss => {
                    last =
                        self.named(PLACEHOLDER, &mut parts, &scope).filter(|_| scope.depth == 0).into_iter().collect();
                    continue;
                }
                Token::Sign(b'&') => {
                    last = self.continued(&mut parts, around, &scope);
                    continue;
                }
                Token::Sign(b'[') => self.attribute(&mut parts),
                Token::Sign(b':') => self.pseudo(&mut parts, &mut scope),
                Token::Sign(b'(') => scope.open(),
                Token::Sign(b')') => scope.close(),
                Token::Sign(b',') if scope.depth == 0 => {
                    ends.append(&mut last);
                    scope.next_selector();
                }
                Token::Word if self.dialect == Dialect::Less && &self.text[at] == "when" => {
                    parts.at = parts.text.len();
                    continue;
                }
                _ => {}
            }
            last.clear();
        }
        ends.append(&mut last);
        ends.truncate(MOST_ENDS);
        ends
    }

    /// Collects the name after a `.`, `#` or `%`.
    fn named(&mut self, space: &'static str, parts: &mut Tokens<'_>, scope: &Scope) -> Option<SelectorEnd> {
        let space = self.namespace_of(space, scope.is_global());
        let written = self.read_name(parts)?;
        let end = SelectorEnd { namespace: space, name: written.name.clone() };
        let is_certain = written.certainty == Certainty::Certain;
        let usage = if is_certain && !scope.is_condition() { Usage::Declaration } else { Usage::Read };
        self.push(space, written, usage, Notation::Identifier);
        if let Some(mention) = self.found.last_mut() {
            mention.declares = is_certain;
        }
        is_certain.then_some(end)
    }

    /// Collects `&` and the text attached to it: in SCSS and LESS it continues the name at the end of the outer
    /// selector.
    fn continued(&mut self, parts: &mut Tokens<'_>, around: &[SelectorEnd], scope: &Scope) -> Vec<SelectorEnd> {
        let Some(suffix) = self.written_on(parts) else {
            return if scope.depth == 0 { around.to_vec() } else { Vec::new() };
        };
        let mut ends = Vec::new();
        for end in around {
            let name = end.name.clone() + &suffix.name;
            let certainty = match suffix.certainty {
                Certainty::Certain => Certainty::Continues(end.name.clone()),
                _ => Certainty::StartsWith,
            };
            if suffix.certainty == Certainty::Certain {
                ends.push(SelectorEnd { namespace: end.namespace, name: name.clone() });
            }
            let written = WrittenName { range: suffix.range.clone(), name, certainty };
            self.push(end.namespace, written, Usage::Declaration, Notation::Identifier);
        }
        ends
    }

    /// Reads the name characters directly after `&`. They need not be a valid identifier.
    fn written_on(&self, parts: &mut Tokens<'_>) -> Option<WrittenName> {
        let start = parts.at;
        let mut range = start..start;
        let mut is_whole = true;
        loop {
            let before = parts.at;
            match parts.next() {
                Some((Token::Word, word)) => range.end = word.end,
                Some((Token::Interpolation, computed)) => {
                    is_whole = false;
                    range.end = computed.end;
                }
                _ => {
                    parts.at = before;
                    break;
                }
            }
        }
        let written = &self.text[range.clone()];
        let is_type = self.dialect == Dialect::Css && !written.starts_with(['-', '_']);
        if range.is_empty() || is_type {
            return None;
        }
        let literal = if is_whole { written } else { written.split(['#', '@']).next().unwrap_or_default() };
        let certainty = if is_whole { Certainty::Certain } else { Certainty::StartsWith };
        Some(WrittenName { name: unescape(literal).into_owned(), range, certainty })
    }

    /// Collects the names in `:global(…)` and `:local` of CSS modules, and in conditions such as `:not(…)`, where names
    /// are only used.
    fn pseudo(&mut self, parts: &mut Tokens<'_>, scope: &mut Scope) {
        let mut ahead = parts.clone();
        let Some((Token::Word, range)) = ahead.next() else { return };
        let name = self.text[range].to_ascii_lowercase();
        let opens = ahead.is_at(b'(');
        parts.at = ahead.at;
        match name.as_str() {
            "global" | "local" if opens => {
                parts.at += 1;
                scope.open_as(name == "global", false);
            }
            "global" | "local" => scope.switch(name == "global"),
            "not" | "has" if opens => {
                parts.at += 1;
                scope.open_as(scope.is_global(), true);
            }
            _ => {}
        }
    }

    /// Collects the names in `[name=value]`. The position is after the opening bracket.
    fn attribute(&mut self, parts: &mut Tokens<'_>) {
        let mut name = String::new();
        let mut operator = None;
        while let Some((part, range)) = parts.next_significant() {
            match part {
                Token::Sign(b']') => return,
                Token::Sign(sign @ (b'~' | b'|' | b'^' | b'$' | b'*')) if parts.is_at(b'=') => {
                    parts.at += 1;
                    operator = Some(sign);
                }
                Token::Sign(b'=') => operator = Some(b'='),
                Token::Word if operator.is_none() => name = self.text[range].to_ascii_lowercase(),
                Token::Word | Token::Text => {
                    if let Some(operator) = operator.take() {
                        self.attribute_value(&name, operator, part, range);
                    }
                }
                _ => {}
            }
        }
    }

    fn attribute_value(&mut self, name: &str, operator: u8, part: Token, range: Range<usize>) {
        let (range, spelling) = match part {
            Token::Word => (range, Notation::Identifier),
            _ => {
                let Some(inner) = between_quotes(self.text, &range) else { return };
                (inner, Notation::CssString(char::from(self.text.as_bytes()[range.start])))
            }
        };
        let raw = &self.text[range.clone()];
        let Some(content) = words::content_of_attribute(name) else { return };
        let is_url = matches!(content, AttributeContent::Url);
        let space = self.namespace_of(if name == "class" { CSS_CLASS } else { CSS_ID }, false);
        let certainty = match operator {
            b'=' | b'~' if is_url => return self.fragment_of_string(raw, range, spelling),
            b'$' if is_url => return self.fragment_of_string(raw, range, spelling),
            _ if is_url => return,
            b'=' | b'~' => Certainty::Certain,
            b'^' | b'|' => Certainty::StartsWith,
            b'$' => Certainty::EndsWith,
            _ => Certainty::Contains,
        };
        if certainty != Certainty::Certain || raw.contains('\\') {
            let name = unescape(raw).into_owned();
            if !name.is_empty() && (certainty != Certainty::Certain || !name.contains(char::is_whitespace)) {
                self.push(space, WrittenName { range, name, certainty }, Usage::Read, spelling);
            }
            return;
        }
        for word in words::tokens(raw) {
            self.push_certain(space, range.start + word.start..range.start + word.end, Usage::Read, spelling);
        }
    }

    fn fragment_of_string(&mut self, raw: &str, range: Range<usize>, spelling: Notation) {
        if raw.starts_with('#') && raw.len() > 1 && !raw.contains('\\') {
            let space = self.namespace_of(CSS_ID, false);
            self.push_certain(space, range.start + 1..range.end, Usage::Read, spelling);
        }
    }
}

/// State within a selector: whether names are global, and whether they are only used as a condition.
#[derive(Debug, Default)]
struct Scope {
    depth: u32,
    is_global: bool,
    /// The state before each bracket that changed it, with the bracket's depth.
    before: Vec<(u32, bool, bool)>,
    is_condition: bool,
}

impl Scope {
    fn is_global(&self) -> bool {
        self.is_global
    }

    fn is_condition(&self) -> bool {
        self.is_condition
    }

    fn open(&mut self) {
        self.depth += 1;
    }

    fn open_as(&mut self, is_global: bool, is_condition: bool) {
        self.open();
        self.before.push((self.depth, self.is_global, self.is_condition));
        self.is_global = is_global;
        self.is_condition |= is_condition;
    }

    fn close(&mut self) {
        if let Some((_, is_global, is_condition)) = self.before.pop_if(|(depth, ..)| *depth == self.depth) {
            (self.is_global, self.is_condition) = (is_global, is_condition);
        }
        self.depth = self.depth.saturating_sub(1);
    }

    fn switch(&mut self, is_global: bool) {
        self.is_global = is_global;
    }

    fn next_selector(&mut self) {
        self.is_global = false;
    }
}
