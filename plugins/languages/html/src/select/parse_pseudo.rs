//! Parser for pseudo-classes and their arguments.

use super::ast::{self, Complex, Nth, Pseudo, Simple};
use super::parse::{Parsed, Parser, SelectorContext, SelectorError};

impl Parser<'_> {
    /// Parses a pseudo-class, or a pseudo-element that can be written with one colon.
    pub(super) fn pseudo_class(&mut self, place: SelectorContext) -> Parsed<(Simple, bool)> {
        self.cursor.bump();
        let written = self.cursor.identifier().ok_or_else(|| SelectorError::new("missing name after `:`"))?;
        let name = written.to_ascii_lowercase();
        if self.cursor.eat('(') {
            let test = self
                .function(&name, SelectorContext { nested: true, depth: place.depth + 1, relative: false, ..place })?;
            if !self.cursor.eat_closing(')') {
                return Err(self
                    .cursor
                    .peek()
                    .map_or_else(|| SelectorError::new("missing `)`"), |c| self.unexpected(c)));
            }
            return Ok((test, false));
        }
        if matches!(name.as_str(), "before" | "after" | "first-line" | "first-letter") {
            if place.nested {
                return Err(SelectorError::new(format!(
                    "the pseudo-element `:{name}` is not allowed in a pseudo-class"
                )));
            }
            return Ok((Simple::Pseudo(Pseudo::Never), true));
        }
        if let Some(pseudo) = ast::pseudo_class(&name) {
            return Ok((Simple::Pseudo(pseudo), false));
        }
        nth_shorthand(&name).map(|test| (test, false)).ok_or_else(|| unknown_pseudo_class(&name))
    }

    fn function(&mut self, name: &str, place: SelectorContext) -> Parsed<Simple> {
        Ok(match name {
            "is" | "where" | "-webkit-any" => Simple::Is(self.forgiving_list(place)?),
            "not" => Simple::Not(self.list(place)?),
            "has" if place.in_has => return Err(SelectorError::new("`:has()` cannot be nested in `:has()`")),
            "has" => Simple::Has(self.list(SelectorContext { relative: true, in_has: true, ..place })?),
            "nth-child" => self.nth(false, false, place)?,
            "nth-last-child" => self.nth(false, true, place)?,
            "nth-of-type" => self.nth(true, false, place)?,
            "nth-last-of-type" => self.nth(true, true, place)?,
            "lang" => Simple::Lang(self.languages()?),
            "dir" => {
                self.cursor.skip_blank();
                let direction =
                    self.cursor.identifier().ok_or_else(|| SelectorError::new("`:dir()` takes `ltr` or `rtl`"))?;
                Simple::Dir(match direction.to_ascii_lowercase().as_str() {
                    "ltr" => Some(true),
                    "rtl" => Some(false),
                    _ => None,
                })
            }
            "contains" => Simple::Contains(self.parse_contains_text()),
            "current" | "host" | "host-context" => {
                self.list(place)?;
                Simple::Pseudo(Pseudo::Never)
            }
            "state" | "active-view-transition-type" => {
                self.cursor.skip_item();
                Simple::Pseudo(Pseudo::Never)
            }
            _ => return Err(unknown_pseudo_class(name)),
        })
    }

    /// Reads the argument of `:contains()`: a string, or everything up to the parenthesis.
    fn parse_contains_text(&mut self) -> String {
        self.cursor.skip_blank();
        let start = self.cursor.at;
        if let Some(text) = self.cursor.string() {
            return text;
        }
        self.cursor.at = start;
        let rest = self.cursor.rest();
        let end = rest.find(')').unwrap_or(rest.len());
        self.cursor.at += end;
        rest[..end].trim().to_owned()
    }

    fn languages(&mut self) -> Parsed<Vec<String>> {
        let mut languages = Vec::new();
        loop {
            self.cursor.skip_blank();
            let language = match self.cursor.peek() {
                Some('"' | '\'') => self.cursor.string(),
                // An identifier cannot contain `*`, so that a range such as `*-CH` must be a string or escape the star.
                _ => self.cursor.identifier(),
            };
            languages.push(
                language
                    .ok_or_else(|| SelectorError::new("`:lang()` takes language tags such as `de` or `\"*-CH\"`"))?,
            );
            self.cursor.skip_blank();
            if !self.cursor.eat(',') {
                return Ok(languages);
            }
        }
    }

    fn nth(&mut self, of_type: bool, from_end: bool, place: SelectorContext) -> Parsed<Simple> {
        self.cursor.skip_blank();
        let (step, offset) = self.an_plus_b()?;
        let blank = self.cursor.skip_blank();
        let mut of: Option<Vec<Complex>> = None;
        if blank && !of_type && self.cursor.eat_word("of") {
            of = Some(self.list(place)?);
        }
        Ok(Simple::Nth(Nth { step, offset, of_type, from_end, of }))
    }

    fn an_plus_b(&mut self) -> Parsed<(i64, i64)> {
        let wrong = || SelectorError::new("expected a number, `even`, `odd` or a formula such as `2n+1`");
        if self.cursor.eat_word("even") {
            return Ok((2, 0));
        }
        if self.cursor.eat_word("odd") {
            return Ok((2, 1));
        }
        let sign = self.sign();
        let number = self.cursor.digits();
        if !matches!(self.cursor.peek(), Some('n' | 'N')) {
            let number = number.ok_or_else(wrong)?;
            return if self.cursor.at_identifier() { Err(wrong()) } else { Ok((0, sign.unwrap_or(1) * number)) };
        }
        self.cursor.bump();
        let step = sign.unwrap_or(1) * number.unwrap_or(1);
        let before = self.cursor.at;
        self.cursor.skip_blank();
        let Some(sign) = self.sign() else {
            self.cursor.at = before;
            return if self.cursor.at_identifier() || self.cursor.digits().is_some() {
                Err(wrong())
            } else {
                Ok((step, 0))
            };
        };
        self.cursor.skip_blank();
        let offset = self.cursor.digits().ok_or_else(wrong)?;
        if self.cursor.at_identifier() { Err(wrong()) } else { Ok((step, sign * offset)) }
    }

    fn sign(&mut self) -> Option<i64> {
        if self.cursor.eat('+') { Some(1) } else { self.cursor.eat('-').then_some(-1) }
    }
}

fn nth_shorthand(name: &str) -> Option<Simple> {
    let (of_type, first, last) = match name {
        "first-child" => (false, true, false),
        "last-child" => (false, false, true),
        "only-child" => (false, true, true),
        "first-of-type" => (true, true, false),
        "last-of-type" => (true, false, true),
        "only-of-type" => (true, true, true),
        _ => return None,
    };
    let nth = |from_end| Simple::Nth(Nth { step: 0, offset: 1, of_type, from_end, of: None });
    if first && last {
        // Combine both conditions to one test.
        let compound = ast::Compound { tests: vec![nth(false), nth(true)] };
        return Some(Simple::Is(vec![Complex { leading: None, first: compound, rest: Vec::new() }]));
    }
    Some(nth(last))
}

fn unknown_pseudo_class(name: &str) -> SelectorError {
    let mut mistake = SelectorError::new(format!("unknown pseudo-class `:{name}`"));
    mistake.candidates = marquetry_sdk::nearest(name, ast::pseudo_class_names());
    mistake.with_hint(match name {
        "first" | "last" | "eq" | "even" | "odd" | "gt" | "lt" | "nth" => {
            "count with `:nth-child()` or `:nth-of-type()`"
        }
        "text" | "has-text" | "icontains" => "find text with `:contains(\"…\")`",
        "visible" | "hidden" => "visibility is not known from the markup; select by attributes or classes",
        "parent" => "write `:not(:empty)`",
        "matches" | "any" | "-moz-any" => "write `:is()`",
        _ => "use a standard pseudo-class",
    })
}
