//! Text of a printed type: composed, split into the members of a union, with the names in it.

use oxc_semantic::SymbolId;

/// A printed type, and the symbols that its names refer to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PrintedType {
    pub(crate) text: String,
    /// Offset and length of each name in the text, and its symbol. Names of the platform are not included.
    pub(crate) names: Vec<(usize, usize, NamedSymbol)>,
    /// True for a union, a function type or a similar type that needs parentheses in a larger type.
    pub(crate) is_compound: bool,
}

/// Symbol of a name in a type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NamedSymbol {
    /// A symbol that the open document declares or imports.
    InDocument(SymbolId),
    /// An export of another module, and the specifier that resolves to the module.
    Exported { specifier: String, name: String },
}

impl PrintedType {
    pub(crate) fn plain(text: &str) -> PrintedType {
        PrintedType { text: text.to_owned(), ..PrintedType::default() }
    }

    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(crate) fn append(&mut self, other: &PrintedType) {
        let shift = self.text.len();
        self.text.push_str(&other.text);
        self.names.extend(other.names.iter().map(|(at, length, named)| (at + shift, *length, named.clone())));
    }

    /// Returns the type in parentheses if it needs them before `[]`, `|` or `&`.
    pub(crate) fn parenthesized(&self) -> PrintedType {
        if !self.is_compound {
            return self.clone();
        }
        let mut enclosed = PrintedType::plain("(");
        enclosed.append(self);
        enclosed.push(")");
        enclosed
    }

    pub(crate) fn array(element: &PrintedType) -> PrintedType {
        let mut array = element.parenthesized();
        array.push("[]");
        array
    }

    /// Returns the union with another type.
    pub(crate) fn union_with(self, other: &PrintedType) -> PrintedType {
        if self.text == other.text {
            return self;
        }
        let mut either = self.as_member();
        let others = other.as_member();
        for range in others.member_ranges() {
            let member = others.slice(&range);
            if !either.members().contains(&member.text.as_str()) {
                either.push(" | ");
                either.append(&member);
                either.is_compound = true;
            }
        }
        either
    }

    /// Returns the type as a member of a union.
    fn as_member(&self) -> PrintedType {
        if self.members().len() > 1 { self.clone() } else { self.parenthesized() }
    }

    /// Returns the members of a union; the type itself if it is not a union.
    pub(crate) fn members(&self) -> Vec<&str> {
        self.member_ranges().into_iter().map(|range| &self.text[range]).collect()
    }

    fn member_ranges(&self) -> Vec<std::ops::Range<usize>> {
        let trimmed = |range: std::ops::Range<usize>| {
            let text = &self.text[range.clone()];
            let start = range.start + (text.len() - text.trim_start().len());
            start..start + text.trim().len()
        };
        let whole = || std::iter::once(0..self.text.len()).collect();
        let (mut found, mut depth, mut start) = (Vec::new(), 0_i32, 0);
        let (mut quote, mut before) = (None, ' ');
        for (at, char) in self.text.char_indices() {
            match (quote, char) {
                (Some(open), _) if char == open && before != '\\' => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'' | '`') => quote = Some(char),
                (None, '(' | '[' | '{' | '<') => depth += 1,
                (None, ')' | ']' | '}') => depth -= 1,
                // The return type of a function includes everything after the arrow.
                (None, '>') if before == '=' && depth == 0 => return whole(),
                (None, '>') if before == '=' => {}
                (None, '>') => depth -= 1,
                (None, '?') if depth == 0 => return whole(),
                (None, '|') if depth == 0 => {
                    found.push(trimmed(start..at));
                    start = at + 1;
                }
                _ => {}
            }
            before = char;
        }
        found.push(trimmed(start..self.text.len()));
        found.retain(|range| !range.is_empty());
        found
    }

    fn slice(&self, range: &std::ops::Range<usize>) -> PrintedType {
        let names = self.names.iter().filter(|(at, ..)| range.contains(at));
        PrintedType {
            text: self.text[range.clone()].to_owned(),
            names: names.map(|(at, length, named)| (at - range.start, *length, named.clone())).collect(),
            is_compound: false,
        }
    }

    /// Returns whether the type includes `null`, `undefined` or `void`.
    pub(crate) fn is_nullable(&self) -> bool {
        self.members().iter().any(|member| matches!(*member, "null" | "undefined" | "void"))
    }

    /// Removes parentheses around the whole type.
    fn without_parentheses(self) -> PrintedType {
        let mut depth = 0_i32;
        let last = self.text.len().saturating_sub(1);
        let closes_early = self.text.char_indices().any(|(at, char)| {
            depth += i32::from(char == '(') - i32::from(char == ')');
            depth == 0 && at < last
        });
        if !self.text.starts_with('(') || closes_early {
            return self;
        }
        let names = self.names.into_iter().map(|(at, length, named)| (at.saturating_sub(1), length, named)).collect();
        PrintedType { text: self.text[1..last].to_owned(), names, is_compound: true }
    }

    /// Removes members from a union, unless none would be left.
    pub(crate) fn without_members(&self, gone: impl Fn(&str) -> bool) -> PrintedType {
        let kept: Vec<_> = self.member_ranges().into_iter().filter(|range| !gone(&self.text[range.clone()])).collect();
        match kept.as_slice() {
            [] => self.clone(),
            [only] if *only == (0..self.text.len()) => self.clone(),
            [only] => self.slice(only).without_parentheses(),
            [first, others @ ..] => {
                let mut left = self.slice(first);
                for other in others {
                    left.push(" | ");
                    left.append(&self.slice(other));
                }
                left.is_compound = true;
                left
            }
        }
    }
}
