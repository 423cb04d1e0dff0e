//! Measures nesting depth before a text is parsed, to protect the parser's stack.
//!
//! The parser, the scope analysis and every tree walk recurse once per level of nesting. A WebAssembly component has a
//! stack of fixed size and cannot ask how much of it is left; when it overflows, the instance and all its documents are
//! lost. None of the parser's options bounds its recursion. So this pass runs first, and a text that might overflow the
//! stack is never parsed.
//!
//! The pass is not a parser. It adds up the stack cost of the recursion at the deepest position, and it may only err by
//! overestimating. To keep real code far below the limit, it understands the language well enough to distinguish
//! nesting from sequence: strings, comments, templates and regular expressions hide brackets; brackets, tags and type
//! arguments nest until they are closed; operators of one expression nest in each other until the expression ends, at a
//! comma, a semicolon or a line that cannot continue it.
//!
//! The costs are measured: for each kind of nesting, the largest stack use per level of the parser, of the analysis and
//! of our walks. The tests check both directions: texts of each kind that must be refused, and real code that must
//! pass.

/// Maximum stack use in bytes, as measured on an optimized native build. It is well below the stack size of a
/// component.
const STACK_LIMIT: u32 = 640 * 1024;

// Bytes of stack per level of each kind of nesting, rounded up.
/// `(`, `[`, `{`, `${`
const BRACKET_COST: u32 = 1700;
/// `<a>`, `A<B>`
const TAG_COST: u32 = 1300;
/// `=`, `?`, `:`, and the heads of statements.
const HEAVY_COST: u32 = 700;
/// `typeof`, `new`, `as`, `=>` …
const WORD_COST: u32 = 400;
/// Other operators, and calls that follow each other.
const LIGHT_COST: u32 = 90;

/// Keywords that begin a statement and never continue one.
const STATEMENT_KEYWORDS: [&[u8]; 12] = [
    b"function",
    b"class",
    b"const",
    b"let",
    b"var",
    b"import",
    b"export",
    b"return",
    b"throw",
    b"try",
    b"switch",
    b"if",
];

/// The length of `instanceof`.
const LONGEST_KEYWORD: usize = 10;

/// One open bracket.
#[derive(Default)]
struct Level {
    /// The closing bracket; a backtick for `${` in a template, 0 for the file itself.
    close: u8,
    /// True if the bracket belongs to the head of an `if`, `for`, `while` or `with`.
    is_head: bool,
    /// Cost of the operators since the last end of an expression.
    chain: u32,
    /// Number of open `<`, which commas and semicolons do not close.
    tags: u32,
}

/// Kind of the token before the current one.
#[derive(Clone, Copy, PartialEq)]
enum PreviousToken {
    Operand,
    Operator,
    /// A keyword that takes an operand: `typeof`, `else`, `extends`.
    Prefix,
    /// The head of a statement, which contains the next statement.
    Head,
}

struct Scan<'t> {
    bytes: &'t [u8],
    at: usize,
    jsx: bool,
    previous: PreviousToken,
    last_word: &'t [u8],
    new_line: bool,
    /// The previous token is a semicolon: only `else` and `while` continue after it.
    after_semicolon: bool,
    levels: Vec<Level>,
    total: u32,
}

/// Returns the offset at which the text is nested too deeply to be parsed, if there is one.
pub(crate) fn too_deep(text: &str, jsx: bool) -> Option<usize> {
    let mut scan = Scan::new(text, jsx);
    while scan.at < scan.bytes.len() {
        scan.token();
        if scan.total > STACK_LIMIT {
            return Some(scan.at.min(text.len()));
        }
    }
    None
}

/// Returns the bracket that closes the innermost bracket still open at the end of the text.
pub(crate) fn innermost_open(text: &str, jsx: bool) -> Option<char> {
    let mut scan = Scan::new(text, jsx);
    while scan.at < scan.bytes.len() {
        scan.token();
    }
    match scan.levels.last()?.close {
        0 => None,
        b'`' => Some('}'),
        close => Some(close.into()),
    }
}

impl<'t> Scan<'t> {
    fn new(text: &'t str, jsx: bool) -> Scan<'t> {
        Scan {
            bytes: text.as_bytes(),
            at: 0,
            jsx,
            previous: PreviousToken::Operator,
            last_word: b"",
            new_line: false,
            after_semicolon: false,
            levels: vec![Level::default()],
            total: 0,
        }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn level(&mut self) -> &mut Level {
        if self.levels.is_empty() {
            self.levels.push(Level::default());
        }
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }

    fn token(&mut self) {
        let byte = self.bytes[self.at];
        match byte {
            b'\n' | b'\r' => {
                self.new_line = true;
                self.at += 1;
            }
            b' ' | b'\t' => {
                let blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
                self.at += self.bytes[self.at..].iter().take_while(blank).count();
            }
            b'/' if self.peek(1) == b'/' => self.line_comment(),
            b'/' if self.peek(1) == b'*' => self.block_comment(),
            byte if is_word(byte) => self.word(),
            _ => {
                self.end_line(matches!(byte, b'}' | b'@' | b'#' | b'"' | b'\''), true);
                self.punctuation(byte);
            }
        }
    }

    /// Ends the chain if a line break or a semicolon certainly ended the statement. A line break does if it follows an
    /// operand and the current token does not continue the expression.
    fn end_line(&mut self, starts_anew: bool, starts_after_semicolon: bool) {
        let line_ended = std::mem::take(&mut self.new_line) && starts_anew && self.previous == PreviousToken::Operand;
        let ended = std::mem::take(&mut self.after_semicolon) && starts_after_semicolon;
        if line_ended || ended {
            self.end_chain();
        }
    }

    fn end_chain(&mut self) {
        let chain = std::mem::take(&mut self.level().chain);
        self.total -= chain;
    }

    fn add_cost(&mut self, cost: u32) {
        self.level().chain += cost;
        self.total += cost;
        self.previous = PreviousToken::Operator;
    }

    fn open(&mut self, close: u8) {
        let head = close == b')' && matches!(self.last_word, b"if" | b"for" | b"while" | b"with" | b"await");
        self.levels.push(Level { close, is_head: head, ..Level::default() });
        self.total += BRACKET_COST;
        self.previous = PreviousToken::Operator;
        self.last_word = b"";
    }

    /// Handles a closing bracket: closes its partner and everything opened since then. Without a partner, it does not
    /// count as a bracket.
    fn close(&mut self, byte: u8) {
        let is_brace = |close: u8| matches!(close, b'}' | b'`');
        let partner = self.levels.iter().rposition(|level| is_brace(level.close) || level.close == byte);
        let Some(partner) = partner.filter(|at| {
            let close = self.levels[*at].close;
            close == byte || (byte == b'}' && close == b'`')
        }) else {
            self.previous = PreviousToken::Operand;
            return;
        };
        let closed = self.levels[partner].close;
        self.previous = if self.levels[partner].is_head { PreviousToken::Head } else { PreviousToken::Operand };
        for level in self.levels.drain(partner..) {
            self.total -= BRACKET_COST + level.chain + level.tags * TAG_COST;
        }
        if closed == b'`' {
            self.template();
        } else if byte != b'}' {
            // A call, an index or an array type can follow another one.
            let level = self.level();
            level.chain += LIGHT_COST;
            self.total += LIGHT_COST;
        }
    }

    fn close_tags(&mut self) {
        let level = self.level();
        if level.tags > 0 {
            level.tags -= 1;
            self.total -= TAG_COST;
        }
    }

    fn punctuation(&mut self, byte: u8) {
        self.at += 1;
        match byte {
            b'(' => self.open(b')'),
            b'[' => self.open(b']'),
            b'{' => self.open(b'}'),
            b')' | b']' | b'}' => self.close(byte),
            b';' => {
                self.after_semicolon = true;
                self.previous = PreviousToken::Operator;
            }
            b',' => {
                self.end_chain();
                self.previous = PreviousToken::Operator;
            }
            b'"' | b'\'' => self.string(byte),
            b'`' => self.template(),
            b'<' => self.less_than(),
            b'>' => self.greater_than(),
            b'/' if self.previous != PreviousToken::Operand && !(self.jsx && self.peek(0) == b'>') => self.regex(),
            b'=' if self.jsx && matches!(self.peek(0), b'"' | b'\'' | b'{' | b'<') => {
                self.previous = PreviousToken::Operator
            }
            b'=' if self.bytes.get(self.at.wrapping_sub(2)) == Some(&b'=') => self.add_cost(LIGHT_COST),
            b'=' | b'?' | b':' | b'@' => self.add_cost(HEAVY_COST),
            b'!' | b'~' | b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'.' => self.add_cost(LIGHT_COST),
            _ => {}
        }
        self.last_word = b"";
    }

    fn less_than(&mut self) {
        let next = self.peek(0);
        if next == b'/' && self.jsx {
            self.close_tags();
            self.end_chain();
        } else if next.is_ascii_alphabetic()
            || next >= 0x80
            || matches!(next, b'_' | b'$' | b'>' | b'{' | b'<' | b'(' | b'[')
        {
            self.level().tags += 1;
            self.total += TAG_COST;
            if !self.jsx {
                self.add_cost(WORD_COST);
            }
        } else {
            self.add_cost(LIGHT_COST);
        }
        self.previous = PreviousToken::Operator;
    }

    fn greater_than(&mut self) {
        match self.at.checked_sub(2).map(|before| self.bytes[before]) {
            Some(b'=') => self.add_cost(WORD_COST),
            Some(b'/') if self.jsx => self.close_tags(),
            // This `>` closes type arguments. The `>` of an opening tag does not close the element.
            _ if !self.jsx || self.peek(0) == b'(' || !self.ends_opening_tag() => self.close_tags(),
            _ => {}
        }
        self.previous = if self.jsx { PreviousToken::Operator } else { PreviousToken::Operand };
    }

    /// Returns whether the `>` just read ends an opening tag, that is, whether its `<` is where an expression can
    /// start.
    fn ends_opening_tag(&self) -> bool {
        let end = self.at - 1;
        let (mut depth, mut angles) = (0, 0);
        for index in (end.saturating_sub(400)..end).rev() {
            match self.bytes[index] {
                b'}' | b')' => depth += 1,
                b'{' | b'(' if depth > 0 => depth -= 1,
                _ if depth > 0 => {}
                b'>' if index > 0 && self.bytes[index - 1] != b'=' => angles += 1,
                b'<' if angles > 0 => angles -= 1,
                b'<' => {
                    let before = index.checked_sub(1).map(|before| self.bytes[before]);
                    return !before.is_some_and(|byte| is_word(byte) || byte == b'.');
                }
                b';' => return true,
                _ => {}
            }
        }
        true
    }

    /// Returns whether the current token follows a `}`, outside of JSX. A statement keyword here ends the previous
    /// statement: within one expression, an operand never follows another.
    fn follows_block(&mut self) -> bool {
        let before = self.bytes[..self.at].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
        before == Some(&b'}') && self.previous == PreviousToken::Operand && self.level().tags == 0
    }

    fn word(&mut self) {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().take_while(|byte| is_word(**byte)).count();
        let word = &rest[..length];
        if STATEMENT_KEYWORDS.contains(&word) && self.follows_block() {
            self.end_chain();
        }
        self.at += length;
        // Most words are names: longer than any keyword, or not starting with a lower-case letter.
        if length > LONGEST_KEYWORD || !word[0].is_ascii_lowercase() {
            self.end_line(true, true);
            self.previous = PreviousToken::Operand;
            self.last_word = word;
            return;
        }
        if self.new_line || self.after_semicolon {
            let continues =
                matches!(word, b"else" | b"as" | b"satisfies" | b"in" | b"of" | b"instanceof" | b"extends" | b"is");
            self.end_line(!continues, !matches!(word, b"else" | b"while"));
        }
        match word {
            b"case" | b"default" => self.end_chain(),
            b"typeof" | b"void" | b"delete" | b"await" | b"yield" | b"as" | b"satisfies" | b"in" | b"of"
            | b"instanceof" | b"new" | b"is" | b"asserts" => self.add_cost(WORD_COST),
            b"else" | b"for" | b"while" | b"with" | b"do" | b"if" | b"keyof" | b"unique" | b"readonly" | b"infer"
            | b"extends" | b"async" => self.add_cost(HEAVY_COST),
            _ => {
                self.previous = PreviousToken::Operand;
                self.last_word = word;
                return;
            }
        }
        self.previous = PreviousToken::Prefix;
        self.last_word = word;
    }

    fn line_comment(&mut self) {
        let rest = &self.bytes[self.at..];
        let length = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        self.skip_text(self.at, self.at + length);
    }

    fn block_comment(&mut self) {
        let inner = &self.bytes[self.at + 2..];
        let length = memchr::memmem::find(inner, b"*/").map_or(inner.len(), |end| end + 2);
        self.skip_text(self.at, self.at + 2 + length);
    }

    fn string(&mut self, quote: u8) {
        let start = self.at;
        let mut at = start;
        while at < self.bytes.len() {
            match self.bytes[at] {
                b'\\' => at += 1,
                b'\n' | b'\r' => {
                    // In the text of an element, an apostrophe is not a quote.
                    self.at = if self.jsx { start } else { at };
                    self.previous = PreviousToken::Operand;
                    return;
                }
                byte if byte == quote => {
                    self.skip_text(start, at + 1);
                    self.previous = PreviousToken::Operand;
                    return;
                }
                _ => {}
            }
            at += 1;
        }
        self.at = if self.jsx { start } else { self.bytes.len() };
    }

    /// Skips a string or a comment. With JSX it may be the text of an element, so its tags are counted.
    fn skip_text(&mut self, from: usize, to: usize) {
        let to = to.min(self.bytes.len());
        self.at = from;
        while self.jsx
            && let Some(found) = memchr::memchr3(b'<', b'/', b'>', &self.bytes[self.at..to])
        {
            self.at += found + 1;
            let next = self.peek(0);
            match self.bytes[self.at - 1] {
                b'<' if next == b'/' => self.close_tags(),
                b'<' if next.is_ascii_alphabetic() || next == b'>' => {
                    self.level().tags += 1;
                    self.total += TAG_COST;
                }
                b'/' if next == b'>' => self.close_tags(),
                b'>' if self.at > 1 && !matches!(self.bytes[self.at - 2], b'/' | b'=') && !self.ends_opening_tag() => {
                    self.close_tags();
                }
                _ => {}
            }
        }
        self.at = to;
    }

    /// Reads the text of a template up to its end or its next expression.
    fn template(&mut self) {
        while self.at < self.bytes.len() {
            match self.bytes[self.at] {
                b'\\' => self.at += 1,
                b'`' => {
                    self.at += 1;
                    self.previous = PreviousToken::Operand;
                    return;
                }
                b'$' if self.peek(1) == b'{' => {
                    self.at += 2;
                    return self.open(b'`');
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Reads a regular expression; treats the `/` as a division if no other `/` follows on the line.
    fn regex(&mut self) {
        let mut class = false;
        let mut at = self.at;
        let mut groups = 0;
        while at < self.bytes.len() {
            match self.bytes[at] {
                b'\\' => at += 1,
                b'\n' | b'\r' => break,
                b'[' => class = true,
                b']' => class = false,
                b'(' if !class => groups += 1,
                b'/' if !class => {
                    // Groups recurse too: count all of them, since they may be open at the same time.
                    self.total += groups * BRACKET_COST / 2;
                    self.level().chain += groups * BRACKET_COST / 2;
                    self.at = at + 1;
                    self.previous = PreviousToken::Operand;
                    return;
                }
                _ => {}
            }
            at += 1;
        }
        self.add_cost(LIGHT_COST);
    }
}

/// Lookup table, because this is checked for every byte of a text.
static WORD_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let it = byte as u8;
        table[byte] = it.is_ascii_alphanumeric() || matches!(it, b'_' | b'$') || it >= 0x80;
        byte += 1;
    }
    table
};

fn is_word(byte: u8) -> bool {
    WORD_BYTES[byte as usize]
}
