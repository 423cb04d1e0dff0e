//! Selector parser, as for `querySelectorAll`.

use super::ast::{AttributeTest, Combinator, Comparison, Complex, Compound, Prefix, Pseudo, Simple, is_pseudo_element};
use super::cursor::Cursor;

/// Parse error of a selector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SelectorError {
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    pub(crate) candidates: Vec<String>,
}

pub(super) type Parsed<T> = Result<T, SelectorError>;

impl SelectorError {
    pub(super) fn new(message: impl Into<String>) -> SelectorError {
        SelectorError { message: message.into(), hint: None, candidates: Vec::new() }
    }

    pub(super) fn with_hint(mut self, hint: impl Into<String>) -> SelectorError {
        self.hint = Some(hint.into());
        self
    }
}

/// Maximum nesting of selectors.
const MAX_NESTING: usize = 24;

/// Context of a selector. It determines which forms of selectors are allowed.
#[derive(Debug, Clone, Copy)]
pub(super) struct SelectorContext {
    /// True in `:has()`, whose selectors are relative.
    pub(super) relative: bool,
    /// True anywhere inside `:has()`, which cannot be nested.
    pub(super) in_has: bool,
    /// True inside a pseudo-class, where pseudo-elements are not allowed.
    pub(super) nested: bool,
    pub(super) depth: usize,
}

/// Parser state.
#[derive(Debug)]
pub(super) struct Parser<'s> {
    pub(super) cursor: Cursor<'s>,
    /// Declared namespace prefixes.
    prefixes: &'s [&'s str],
}

/// Parses a list of selectors. `prefixes` are the namespace prefixes that the document declares.
pub(crate) fn parse(text: &str, prefixes: &[&str]) -> Result<Vec<Complex>, SelectorError> {
    let mut parser = Parser { cursor: Cursor::new(text), prefixes };
    let place = SelectorContext { relative: false, in_has: false, nested: false, depth: 0 };
    let list = parser.list(place)?;
    match parser.cursor.peek() {
        None => Ok(list),
        Some(c) => Err(parser.unexpected(c)),
    }
}

impl Parser<'_> {
    pub(super) fn unexpected(&self, c: char) -> SelectorError {
        SelectorError::new(format!("unexpected `{c}` at character {}", self.cursor.at + 1))
    }

    fn unexpected_here(&self) -> SelectorError {
        self.cursor.peek().map_or_else(|| SelectorError::new("unexpected end of the selector"), |c| self.unexpected(c))
    }

    /// Parses selectors that are separated by commas, up to a closing parenthesis or the end of the text.
    pub(super) fn list(&mut self, place: SelectorContext) -> Parsed<Vec<Complex>> {
        if place.depth > MAX_NESTING {
            return Err(SelectorError::new("the selector is nested too deeply"));
        }
        let mut list = vec![self.complex(place)?];
        while self.cursor.eat(',') {
            list.push(self.complex(place)?);
        }
        Ok(list)
    }

    /// Parses a list like [`Self::list`], but skips invalid selectors.
    pub(super) fn forgiving_list(&mut self, place: SelectorContext) -> Parsed<Vec<Complex>> {
        if place.depth > MAX_NESTING {
            return Err(SelectorError::new("the selector is nested too deeply"));
        }
        let mut list = Vec::new();
        loop {
            let start = self.cursor.at;
            let found = self.complex(place);
            if found.is_err() || !matches!(self.cursor.peek(), None | Some(',' | ')')) {
                self.cursor.at = start;
                self.cursor.skip_item();
            } else {
                list.extend(found);
            }
            if !self.cursor.eat(',') {
                return Ok(list);
            }
        }
    }

    fn complex(&mut self, place: SelectorContext) -> Parsed<Complex> {
        self.cursor.skip_blank();
        let mut leading = None;
        if place.relative {
            leading = Some(self.combinator().unwrap_or(Combinator::Descendant));
            self.cursor.skip_blank();
        }
        let (first, mut ended) = self.compound(place)?;
        let mut rest = Vec::new();
        loop {
            let blank = self.cursor.skip_blank();
            let combinator = match self.combinator() {
                Some(combinator) => combinator,
                None if matches!(self.cursor.peek(), None | Some(',' | ')')) => break,
                None if blank => Combinator::Descendant,
                None => return Err(self.unexpected_here()),
            };
            if ended {
                return Err(SelectorError::new("nothing can follow a pseudo-element"));
            }
            self.cursor.skip_blank();
            let (compound, ends) = self.compound(place)?;
            ended = ends;
            rest.push((combinator, compound));
        }
        Ok(Complex { leading, first, rest })
    }

    fn combinator(&mut self) -> Option<Combinator> {
        let combinator = match self.cursor.peek()? {
            '>' => Combinator::Child,
            '+' => Combinator::Next,
            '~' => Combinator::Later,
            _ => return None,
        };
        self.cursor.bump();
        Some(combinator)
    }

    /// Parses a compound selector; returns also whether it ends in a pseudo-element.
    fn compound(&mut self, place: SelectorContext) -> Parsed<(Compound, bool)> {
        let mut tests = Vec::new();
        tests.extend(self.type_selector()?);
        let mut ended = false;
        while let Some(c) = self.cursor.peek() {
            // After a pseudo-element, only pseudo-classes can follow, such as `::before:hover`.
            if ended && c != ':' {
                break;
            }
            match c {
                '#' => {
                    self.cursor.bump();
                    let id = self.cursor.identifier().ok_or_else(|| SelectorError::new("missing id after `#`"))?;
                    tests.push(Simple::Id(id));
                }
                '.' => {
                    self.cursor.bump();
                    let class =
                        self.cursor.identifier().ok_or_else(|| SelectorError::new("missing class after `.`"))?;
                    tests.push(Simple::Class(class));
                }
                '[' => tests.push(Simple::Attribute(self.attribute()?)),
                '&' => {
                    self.cursor.bump();
                    tests.push(Simple::Pseudo(Pseudo::Root));
                }
                ':' if self.cursor.rest().starts_with("::") => {
                    tests.push(self.pseudo_element(place)?);
                    ended = true;
                }
                ':' => {
                    let (test, element) = self.pseudo_class(place)?;
                    tests.push(test);
                    ended |= element;
                }
                _ => break,
            }
        }
        if tests.is_empty() { Err(self.unexpected_here()) } else { Ok((Compound { tests }, ended)) }
    }

    fn pseudo_element(&mut self, place: SelectorContext) -> Parsed<Simple> {
        self.cursor.at += 2;
        let name = self.cursor.identifier().ok_or_else(|| SelectorError::new("missing name after `::`"))?;
        if !is_pseudo_element(&name.to_ascii_lowercase()) {
            return Err(SelectorError::new(format!("unknown pseudo-element `::{name}`")));
        }
        if place.nested {
            return Err(SelectorError::new(format!("the pseudo-element `::{name}` is not allowed in a pseudo-class")));
        }
        if self.cursor.eat('(') {
            self.cursor.skip_item();
            if !self.cursor.eat_closing(')') {
                return Err(self.unexpected_here());
            }
        }
        Ok(Simple::Pseudo(Pseudo::Never))
    }

    fn type_selector(&mut self) -> Parsed<Option<Simple>> {
        let start = self.cursor.at;
        let name = self.name_or_star();
        if self.cursor.peek() != Some('|') {
            return Ok(name.map(|name| Simple::Type(Prefix::Any, name)));
        }
        self.cursor.bump();
        let Some(local) = self.name_or_star() else {
            self.cursor.at = start;
            return Err(self.unexpected_here());
        };
        Ok(Some(Simple::Type(self.resolve_prefix(name)?, local)))
    }

    /// Reads a name or `*`. Returns `Some(None)` for `*`, and `None` if neither is at the current position.
    fn name_or_star(&mut self) -> Option<Option<String>> {
        if self.cursor.eat('*') {
            return Some(None);
        }
        self.cursor.identifier().map(Some)
    }

    fn resolve_prefix(&self, name: Option<Option<String>>) -> Parsed<Prefix> {
        match name {
            None => Ok(Prefix::None),
            Some(None) => Ok(Prefix::Any),
            Some(Some(prefix)) if self.prefixes.contains(&prefix.as_str()) => Ok(Prefix::Named(prefix)),
            Some(Some(prefix)) => {
                let mistake = SelectorError::new(format!("the namespace prefix `{prefix}` is not declared"));
                Err(mistake.with_hint(format!(
                    "write `*|name` for a name in any namespace, or escape the `|`: `{prefix}\\|name`"
                )))
            }
        }
    }

    fn attribute(&mut self) -> Parsed<AttributeTest> {
        self.cursor.bump();
        self.cursor.skip_blank();
        let first = self.name_or_star();
        let rest = self.cursor.rest();
        let (prefix, name) = if rest.starts_with('|') && !rest.starts_with("|=") {
            self.cursor.bump();
            let name = self.cursor.identifier().ok_or_else(|| self.unexpected_here())?;
            (self.resolve_prefix(first)?, name)
        } else {
            let name = first.flatten().ok_or_else(|| SelectorError::new("missing attribute name after `[`"))?;
            (Prefix::None, name)
        };
        if self.cursor.eat_closing(']') {
            return Ok(AttributeTest { prefix, name, value: None, case: None });
        }
        let comparison = self.comparison()?;
        self.cursor.skip_blank();
        let quoted = matches!(self.cursor.peek(), Some('"' | '\''));
        let value = if quoted { self.cursor.string() } else { self.cursor.identifier() };
        let value = value.ok_or_else(|| {
            let mistake = SelectorError::new(format!("the value of `[{name}]` is missing or not quoted"));
            mistake.with_hint("a value that is not an identifier needs quotes: `[href=\"/a\"]`")
        })?;
        self.cursor.skip_blank();
        let case = match self.cursor.identifier().map(|flag| flag.to_ascii_lowercase()).as_deref() {
            None => None,
            Some("i") => Some(false),
            Some("s") => Some(true),
            Some(flag) => {
                return Err(SelectorError::new(format!("unknown attribute flag `{flag}`")).with_hint("use `i` or `s`"));
            }
        };
        if !self.cursor.eat_closing(']') {
            return Err(self.unexpected_here());
        }
        Ok(AttributeTest { prefix, name, value: Some((comparison, value)), case })
    }

    fn comparison(&mut self) -> Parsed<Comparison> {
        let comparison = match self.cursor.peek() {
            Some('=') => {
                self.cursor.bump();
                return Ok(Comparison::Equal);
            }
            Some('~') => Comparison::Includes,
            Some('|') => Comparison::DashMatch,
            Some('^') => Comparison::StartsWith,
            Some('$') => Comparison::EndsWith,
            Some('*') => Comparison::Contains,
            _ => return Err(self.unexpected_here()),
        };
        self.cursor.bump();
        if self.cursor.eat('=') { Ok(comparison) } else { Err(self.unexpected_here()) }
    }
}
