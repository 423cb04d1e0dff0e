//! Parser for the structure of a stylesheet: rules, at-rules, declarations and variables, with their positions.
//!
//! The parser accepts any text: everything between two semicolons or braces is one statement, and errors become
//! diagnostics. This module does not parse values and selectors.

use marquetry_sdk::Diagnostic;

use crate::{
    chars::{Dialect, ident_end, is_name, is_name_start, is_space, name_end},
    maps,
    scanner::{Scanner, TokenKind},
    tree::{Item, Kind, NONE},
};

/// Maximum nesting of blocks. Blocks that are nested deeper are skipped as text.
const MAX_DEPTH: usize = 256;

/// Returns the items of a text, and the diagnostics about its structure.
pub(crate) fn parse(text: &str, dialect: Dialect) -> (Vec<Item>, Vec<Diagnostic>) {
    let mut parser = Parser { scan: Scanner::new(text, dialect), items: Vec::new(), open: Vec::new(), lead: 0 };
    parser.run();
    (parser.items, parser.scan.diagnostics)
}

#[derive(Debug)]
struct Parser<'t> {
    scan: Scanner<'t>,
    items: Vec<Item>,
    /// Open blocks.
    open: Vec<u32>,
    /// Start of the white space before the next statement.
    lead: usize,
}

/// A statement up to its terminator.
#[derive(Debug, Clone, Copy)]
struct Statement {
    start: usize,
    /// The first colon outside brackets.
    colon: Option<usize>,
    /// End of the last token that is neither white space nor a comment.
    content_end: usize,
    /// The terminator and its offset.
    terminator: TokenKind,
    at: usize,
}

impl Parser<'_> {
    fn run(&mut self) {
        let mut at = if self.scan.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        self.lead = at;
        loop {
            at = self.scan.skip_trivia(at);
            let rest = &self.scan.text[at..];
            at = match self.scan.byte(at) {
                None => break,
                Some(b';') => {
                    self.lead = at + 1;
                    at + 1
                }
                Some(b'}') => self.close_block(at),
                Some(b'<') if self.is_at_css_top_level() && rest.starts_with("<!--") => self.skip_text(at + 4),
                Some(b'-') if self.is_at_css_top_level() && rest.starts_with("-->") => self.skip_text(at + 3),
                Some(b'@') if self.is_at_rule(at) => self.at_rule(at),
                Some(_) => match self.custom_property(at) {
                    Some(end) => end,
                    None => self.statement(at),
                },
            };
        }
        self.close_all_blocks();
    }

    fn is_at_css_top_level(&self) -> bool {
        self.open.is_empty() && self.scan.dialect == Dialect::Css
    }

    /// Skips text that is not a statement.
    fn skip_text(&mut self, end: usize) -> usize {
        self.lead = end;
        end
    }

    /// Returns whether `@` starts an at-rule, not a LESS interpolation.
    fn is_at_rule(&self, at: usize) -> bool {
        self.scan.dialect != Dialect::Less || !matches!(self.scan.byte(at + 1), Some(b'{' | b'@'))
    }

    // --- blocks ---

    fn push_item(&mut self, kind: Kind, start: usize, head: usize) -> &mut Item {
        let offset = |at: usize| at as u32;
        self.items.push(Item {
            kind,
            block: false,
            has_body: false,
            parent: self.open.last().copied().unwrap_or(NONE),
            next: self.items.len() as u32 + 1,
            trivia_start: offset(self.lead),
            start: offset(start),
            head: offset(head),
            body_start: offset(head),
            body_end: offset(head),
            end: offset(head),
            end_with_semicolon: offset(head),
        });
        let last = self.items.len() - 1;
        &mut self.items[last]
    }

    /// Opens a block whose brace is at the offset.
    fn open_block(&mut self, kind: Kind, start: usize, head: usize, brace: usize) -> usize {
        let item = self.push_item(kind, start, head);
        item.block = true;
        item.has_body = true;
        item.body_start = brace as u32 + 1;
        self.open.push(self.items.len() as u32 - 1);
        if self.open.len() < MAX_DEPTH {
            return self.skip_text(brace + 1);
        }
        self.scan.report(brace..brace + 1, "blocks are nested too deeply");
        let end = self.scan.balanced_end(brace);
        let closed = end > brace + 1 && self.scan.byte(end - 1) == Some(b'}');
        self.skip_text(if closed { end - 1 } else { end })
    }

    fn close_block(&mut self, at: usize) -> usize {
        let Some(index) = self.open.pop() else {
            self.scan.report(at..at + 1, "unmatched `}`");
            return self.skip_text(at + 1);
        };
        let mut end = at + 1;
        let next = self.items.len() as u32;
        let item = &mut self.items[index as usize];
        item.body_end = at as u32;
        item.end = end as u32;
        item.next = next;
        if matches!(item.kind, Kind::Variable) {
            // A semicolon can follow a detached ruleset: `@detached: { … };`.
            if let (TokenKind::Semicolon, _, after) = self.scan.next_token(end) {
                end = after;
            }
        }
        self.items[index as usize].end_with_semicolon = end as u32;
        self.skip_text(end)
    }

    fn close_all_blocks(&mut self) {
        let Some(innermost) = self.open.last() else { return };
        let body = self.items[*innermost as usize].body_start;
        let last = self.items.iter().map(|item| item.end_with_semicolon).max().unwrap_or(0);
        // The unclosed blocks end before trailing white space. White space in an unclosed comment or string does not
        // count as trailing.
        let mut scan = Scanner::without_reports(self.scan.text, self.scan.dialect);
        let mut end = body.max(last) as usize;
        let mut at = end;
        while at < scan.text.len() {
            let (part, next) = scan.token_at(at);
            end = if part == TokenKind::Space { end } else { next };
            at = next;
        }
        while let Some(index) = self.open.pop() {
            let next = self.items.len() as u32;
            let item = &mut self.items[index as usize];
            let brace = item.body_start as usize - 1;
            let end = end.max(item.body_start as usize) as u32;
            (item.body_end, item.end, item.end_with_semicolon, item.next) = (end, end, end, next);
            self.scan.report(brace..brace + 1, "this block is not closed: missing `}`");
        }
    }

    // --- statements ---

    /// Reads tokens up to a semicolon, a brace or the end of the text.
    fn read_statement(&mut self, start: usize, from: usize) -> Statement {
        let mut statement = Statement { start, colon: None, content_end: from, terminator: TokenKind::End, at: from };
        loop {
            let (part, end) = self.scan.token_at(statement.at);
            match part {
                TokenKind::Semicolon | TokenKind::Open | TokenKind::Close | TokenKind::End => {
                    statement.terminator = part;
                    return statement;
                }
                TokenKind::Space | TokenKind::Comment => {}
                TokenKind::Stray => {
                    self.report_stray(statement.at);
                    statement.content_end = end;
                }
                _ => {
                    if part == TokenKind::Colon && statement.colon.is_none() {
                        statement.colon = Some(statement.at);
                    }
                    statement.content_end = end;
                }
            }
            statement.at = end;
        }
    }

    /// Parses `--name: value`. The value can be any text, even blocks.
    fn custom_property(&mut self, start: usize) -> Option<usize> {
        let text = self.scan.text;
        if !text[start..].starts_with("--") && !(self.is_in_css_function() && text[start..].starts_with(['r', 'R'])) {
            return None;
        }
        let name = start + crate::tree::at_name_len(&text[start..], self.scan.dialect);
        if !text[start..].starts_with("--") && !text[start..name].eq_ignore_ascii_case("result") {
            return None;
        }
        let colon = self.scan.skip_trivia(name);
        if self.scan.byte(colon) != Some(b':') || self.scan.byte(colon + 1) == Some(b':') {
            return None;
        }
        let (value, stop, at) = self.skip_balanced(colon + 1);
        self.push_item(Kind::Declaration, start, name);
        Some(self.finish_value(value, stop, at))
    }

    /// Returns whether the parent is a function of CSS, `@function --name()`. The value of its descriptor `result` can
    /// be any text.
    fn is_in_css_function(&self) -> bool {
        self.open.last().is_some_and(|parent| {
            let head = &self.scan.text[self.items[*parent as usize].head_range()];
            head.len() > 9
                && head.as_bytes()[..9].eq_ignore_ascii_case(b"@function")
                && head[9..].trim_ascii_start().starts_with("--")
        })
    }

    /// Skips text up to a semicolon outside of brackets. Returns the range of the text, the token that ends it, and the
    /// offset of this token.
    fn skip_balanced(&mut self, from: usize) -> (std::ops::Range<usize>, TokenKind, usize) {
        self.scan.line_comments = false;
        let mut at = from;
        let (mut first, mut last) = (None, from);
        let stop = loop {
            match self.scan.token_at(at) {
                (part @ (TokenKind::Semicolon | TokenKind::Close | TokenKind::End), _) => break part,
                (TokenKind::Space | TokenKind::Comment, end) => at = end,
                (part, end) => {
                    let end = if part == TokenKind::Open { self.scan.balanced_end(at) } else { end };
                    if part == TokenKind::Stray {
                        self.report_stray(at);
                    }
                    first = first.or(Some(at));
                    last = end;
                    at = end;
                }
            }
        };
        self.scan.line_comments = self.scan.dialect.line_comments();
        (first.unwrap_or(last)..last, stop, at)
    }

    fn report_stray(&mut self, at: usize) {
        let stray = self.scan.text.as_bytes()[at] as char;
        self.scan.report(at..at + 1, format!("unmatched `{stray}`"));
    }

    /// Sets the value of the last item and skips its semicolon.
    fn finish_value(&mut self, value: std::ops::Range<usize>, stop: TokenKind, at: usize) -> usize {
        let after = if stop == TokenKind::Semicolon { at + 1 } else { value.end };
        let count = self.items.len();
        let item = &mut self.items[count - 1];
        item.has_body = true;
        (item.body_start, item.body_end) = (value.start as u32, value.end as u32);
        (item.end, item.end_with_semicolon) = (value.end as u32, after as u32);
        self.skip_text(after.max(at))
    }

    /// Finishes a statement without a body.
    fn finish_without_body(&mut self, kind: Kind, statement: &Statement) -> usize {
        let after = if statement.terminator == TokenKind::Semicolon { statement.at + 1 } else { statement.content_end };
        self.push_item(kind, statement.start, statement.content_end).end_with_semicolon = after as u32;
        self.skip_text(after.max(statement.at))
    }

    fn statement(&mut self, start: usize) -> usize {
        let statement = self.read_statement(start, start);
        if statement.terminator == TokenKind::Open {
            return self.block(&statement);
        }
        let text = self.scan.text;
        let whole = &text[start..statement.content_end];
        match statement.colon {
            Some(colon) if self.scan.dialect == Dialect::Less && is_extend(&text[colon..statement.content_end]) => {
                self.finish_without_body(Kind::Extend, &statement)
            }
            Some(colon) => self.declaration(&statement, colon),
            None if self.scan.dialect == Dialect::Less && is_call(whole) => {
                self.finish_without_body(Kind::Call, &statement)
            }
            None => {
                let after = statement.at + usize::from(statement.terminator == TokenKind::Semicolon);
                if !whole.is_empty() {
                    let message = if self.open.is_empty() {
                        "expected a block in braces after this"
                    } else {
                        "expected `:` and a value after this"
                    };
                    self.scan.report(start..statement.content_end, message);
                }
                self.skip_text(after.max(start + 1))
            }
        }
    }

    fn declaration(&mut self, statement: &Statement, colon: usize) -> usize {
        let name = trim_end(self.scan.text, statement.start, colon, self.scan.dialect);
        let kind = if is_variable(&self.scan.text[statement.start..name]) { Kind::Variable } else { Kind::Declaration };
        let value = self.scan.skip_trivia(colon + 1).min(statement.content_end).max(colon + 1);
        let value = if statement.content_end == colon + 1 { colon + 1 } else { value };
        if name == statement.start {
            self.scan.report(colon..colon + 1, "expected a property name before `:`");
        } else if value == statement.content_end {
            self.scan.report(colon..colon + 1, "expected a value after `:`");
        }
        self.push_item(kind, statement.start, name);
        let index = self.items.len() - 1;
        let end = self.finish_value(value..statement.content_end, statement.terminator, statement.at);
        if kind == Kind::Variable && self.scan.dialect == Dialect::Scss {
            maps::parse_entries(&mut self.scan, &mut self.items, index);
        }
        end
    }

    /// Parses a statement that an opening brace ends: a rule, a mixin in LESS, or nested properties in SCSS.
    fn block(&mut self, statement: &Statement) -> usize {
        let Statement { start, content_end: last, at, .. } = *statement;
        let head = &self.scan.text[start..last];
        let kind = match self.scan.dialect {
            Dialect::Scss if self.is_nested_property(statement) => Kind::Declaration,
            Dialect::Less if is_mixin(head) => Kind::Mixin,
            _ if self.is_in_keyframes() => Kind::Keyframe,
            _ => Kind::Rule,
        };
        self.open_block(kind, start, last, at)
    }

    fn is_in_keyframes(&self) -> bool {
        self.open.last().is_some_and(|parent| {
            let item = &self.items[*parent as usize];
            let head = &self.scan.text[item.head_range()];
            let name = head.split(|c: char| c.is_ascii_whitespace()).next().unwrap_or_default();
            item.kind == Kind::AtRule
                && name.len() >= 9
                && name.is_char_boundary(name.len() - 9)
                && name[name.len() - 9..].eq_ignore_ascii_case("keyframes")
        })
    }

    /// Returns whether a statement before a brace is a property with nested properties: `font: { … }` or `font: bold {
    /// … }`. White space or the brace follows its colon; `a:hover { … }` is a rule.
    fn is_nested_property(&self, statement: &Statement) -> bool {
        let Some(colon) = statement.colon else { return false };
        let name = self.scan.text[statement.start..colon].trim_ascii_end();
        let follows = self.scan.byte(colon + 1).is_none_or(|byte| is_space(byte) || byte == b'{');
        follows
            && name.starts_with(|c: char| c == '-' || c == '#' || !c.is_ascii() || is_name_start(c as u8))
            && crate::tree::at_name_len(name, self.scan.dialect) == name.len()
    }

    fn at_rule(&mut self, start: usize) -> usize {
        let name = start + crate::tree::at_name_len(&self.scan.text[start..], self.scan.dialect);
        if name == start + 1 {
            self.scan.report(start..start + 1, "expected a name after `@`");
        }
        if self.scan.dialect == Dialect::Less
            && let Some(end) = self.less_variable(start, name)
        {
            return end;
        }
        let statement = self.read_statement(start, name);
        let kind = self.at_rule_kind(&self.scan.text[start + 1..name], &self.scan.text[name..statement.content_end]);
        if statement.terminator == TokenKind::Open {
            return self.open_block(kind, start, statement.content_end, statement.at);
        }
        self.finish_without_body(kind, &statement)
    }

    /// Parses `@name: value;` or `@name: { … }`. `@page :first { … }` is not a variable.
    fn less_variable(&mut self, start: usize, name: usize) -> Option<usize> {
        let colon = self.scan.skip_trivia(name);
        if self.scan.byte(colon) != Some(b':') {
            return None;
        }
        let value = self.scan.skip_trivia(colon + 1);
        if self.scan.byte(value) == Some(b'{') {
            let end = self.open_block(Kind::Variable, start, name, value);
            return Some(end);
        }
        let before = self.scan.diagnostics.len();
        let statement = self.read_statement(start, colon + 1);
        if statement.terminator == TokenKind::Open {
            self.scan.diagnostics.truncate(before); // the text will be read again, with the same diagnostics
            if self.scan.text[start..name].eq_ignore_ascii_case("@page") {
                return None;
            }
            let (value, stop, at) = self.skip_balanced(colon + 1);
            self.push_item(Kind::Variable, start, name);
            return Some(self.finish_value(value, stop, at));
        }
        let value = if statement.content_end == colon + 1 { colon + 1 } else { value };
        if value == statement.content_end {
            self.scan.report(colon..colon + 1, "expected a value after `:`");
        }
        self.push_item(Kind::Variable, start, name);
        Some(self.finish_value(value..statement.content_end, statement.terminator, statement.at))
    }

    fn at_rule_kind(&self, name: &str, prelude: &str) -> Kind {
        match (self.scan.dialect, name.to_ascii_lowercase().as_str()) {
            (Dialect::Less, "plugin") | (Dialect::Scss, "use" | "forward") | (_, "import") => Kind::Import,
            (Dialect::Scss, "mixin") => Kind::Mixin,
            (Dialect::Scss, "function") => Kind::Function,
            (Dialect::Scss, "include") => Kind::Include,
            (Dialect::Scss, "extend") => Kind::Extend,
            (Dialect::Less, _) if prelude.starts_with(['(', '[']) && is_lookup(prelude) => Kind::Call,
            _ => Kind::AtRule,
        }
    }
}

/// Returns whether a name is that of a variable: `$name` or `namespace.$name`.
pub(crate) fn is_variable(name: &str) -> bool {
    let own = name.strip_prefix('$').or_else(|| {
        let (namespace, own) = name.split_once(".$")?;
        namespace.bytes().all(is_name).then_some(own)
    });
    own.is_some_and(|own| !own.is_empty() && own.bytes().all(|byte| is_name(byte) || byte == b'\\'))
}

/// Returns whether the text consists only of brackets: `()` or `[key][key]`.
fn is_lookup(rest: &str) -> bool {
    let mut scan = Scanner::without_reports(rest, Dialect::Less);
    let mut at = 0;
    loop {
        match scan.next_token(at) {
            (TokenKind::Group, _, end) => at = end,
            (TokenKind::End, _, _) => return true,
            _ => return false,
        }
    }
}

/// Returns whether the text contains `:extend(…)`.
fn is_extend(from_colon: &str) -> bool {
    from_colon.match_indices(":extend(").next().is_some()
}

/// Returns whether a statement in LESS is a call: `.mixin;`, `#ns.mixin() !important;` or `each(…);`.
fn is_call(statement: &str) -> bool {
    match statement.as_bytes() {
        [b'.' | b'#', next, ..] => is_name(*next) || matches!(next, b'\\' | b'@'),
        _ => ident_end(statement, 0).is_some_and(|end| {
            let rest = statement[end..].trim_ascii_start();
            rest.starts_with('(') && is_lookup(rest)
        }),
    }
}

/// Returns whether the head is that of a mixin in LESS: `.name(…)`, with or without a guard.
fn is_mixin(head: &str) -> bool {
    if !head.starts_with(['.', '#']) {
        return false;
    }
    let name = name_end(head, 1); // in LESS, the name can start with a digit
    if name == 1 {
        return false;
    }
    let mut scan = Scanner::without_reports(head, Dialect::Less);
    match scan.next_token(name) {
        (TokenKind::Group, start, end) if head.as_bytes()[start] == b'(' => match scan.next_token(end) {
            (TokenKind::End, _, _) => true,
            (TokenKind::Word, from, to) => head[from..to].eq_ignore_ascii_case("when"),
            (TokenKind::Other, from, _) => head.as_bytes()[from] == b'!',
            _ => false,
        },
        _ => false,
    }
}

/// Returns the end of the range without trailing white space and comments.
fn trim_end(text: &str, start: usize, end: usize, dialect: Dialect) -> usize {
    let mut scan = Scanner::without_reports(text, dialect);
    let (mut at, mut last) = (start, start);
    while at < end {
        let (part, next) = scan.token_at(at);
        if !matches!(part, TokenKind::Space | TokenKind::Comment) {
            last = next;
        }
        at = next;
    }
    last
}
