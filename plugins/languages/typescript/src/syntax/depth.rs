//! How deep a text may be nested, told before it is parsed.
//!
//! The parser, the scope analysis and every walk over a tree call themselves for each level of nesting. A component of
//! WebAssembly has a stack of fixed size and no way to ask how much of it is left; when it overflows, the instance and
//! all documents in it are lost. None of the parser's options bounds its recursion. So this pass comes first, and a text
//! that might overflow is never given to the parser.
//!
//! It is no parser, and needs not be one: it sums up what the recursion costs at the deepest place, and it may only be
//! wrong by counting too much. To keep real code far below the bound all the same, it knows as much of the language as
//! decides what is nested and what merely follows: strings, comments, templates and regular expressions hide brackets;
//! brackets, tags and type arguments nest until they are closed; operators of one expression nest in each other until the
//! expression ends, at a comma, a semicolon or a line that cannot go on with it.
//!
//! The costs are measured: for each kind of nesting, the greatest stack per level of the parser, of the analysis and of
//! our walks. The tests hold both sides, texts of each kind that must be refused and real code that must pass.

/// What recursion may need, in bytes of stack as measured on an optimised native build: well below the stack that a
/// component has.
const LIMIT: u32 = 640 * 1024;

// Bytes of stack for one level of each kind, rounded up.
/// `(`, `[`, `{`, `${`
const BRACKET: u32 = 1700;
/// `<a>`, `A<B>`
const TAG: u32 = 1300;
/// `=`, `?`, `:`, and the heads of statements.
const HEAVY: u32 = 700;
/// `typeof`, `new`, `as`, `=>` …
const WORD: u32 = 400;
/// Other operators, and calls that follow each other.
const LIGHT: u32 = 90;

/// Words that begin a statement, and never continue one.
const STATEMENTS: [&[u8]; 12] = [
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
    /// What closes it; a backtick for `${` in a template, nothing for the file itself.
    close: u8,
    /// It is the head of an `if`, `for`, `while` or `with`.
    head: bool,
    /// Cost of the operators since the last place where an expression ended.
    chain: u32,
    /// Open `<`, which commas and semicolons do not end.
    tags: u32,
}

/// What stands before the current token.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    Operand,
    Operator,
    /// A keyword that takes what follows: `typeof`, `else`, `extends`.
    Prefix,
    /// The head of a statement, which holds the next one.
    Head,
}

struct Scan<'t> {
    bytes: &'t [u8],
    at: usize,
    jsx: bool,
    before: Before,
    last_word: &'t [u8],
    new_line: bool,
    /// A semicolon came before: only `else` and `while` go on from there.
    ended: bool,
    levels: Vec<Level>,
    total: u32,
}

/// The offset at which the text is nested too deeply to be parsed, if there is one.
pub(crate) fn too_deep(text: &str, jsx: bool) -> Option<usize> {
    let mut scan = Scan::of(text, jsx);
    while scan.at < scan.bytes.len() {
        scan.token();
        if scan.total > LIMIT {
            return Some(scan.at.min(text.len()));
        }
    }
    None
}

/// What closes the innermost bracket that is open at the end of a text.
pub(crate) fn innermost_open(text: &str, jsx: bool) -> Option<char> {
    let mut scan = Scan::of(text, jsx);
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
    fn of(text: &'t str, jsx: bool) -> Scan<'t> {
        Scan {
            bytes: text.as_bytes(),
            at: 0,
            jsx,
            before: Before::Operator,
            last_word: b"",
            new_line: false,
            ended: false,
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

    /// A line break ends a statement for certain where an operand stands before it and what follows continues nothing.
    fn end_line(&mut self, starts_anew: bool, starts_after_semicolon: bool) {
        let line_ended = std::mem::take(&mut self.new_line) && starts_anew && self.before == Before::Operand;
        let ended = std::mem::take(&mut self.ended) && starts_after_semicolon;
        if line_ended || ended {
            self.end_chain();
        }
    }

    fn end_chain(&mut self) {
        let chain = std::mem::take(&mut self.level().chain);
        self.total -= chain;
    }

    fn add(&mut self, cost: u32) {
        self.level().chain += cost;
        self.total += cost;
        self.before = Before::Operator;
    }

    fn open(&mut self, close: u8) {
        let head = close == b')' && matches!(self.last_word, b"if" | b"for" | b"while" | b"with" | b"await");
        self.levels.push(Level { close, head, ..Level::default() });
        self.total += BRACKET;
        self.before = Before::Operator;
        self.last_word = b"";
    }

    /// A closing bracket: whatever was opened since its partner goes with it. Without a partner it is no bracket.
    fn close(&mut self, byte: u8) {
        let is_brace = |close: u8| matches!(close, b'}' | b'`');
        let partner = self.levels.iter().rposition(|level| is_brace(level.close) || level.close == byte);
        let Some(partner) = partner.filter(|at| {
            let close = self.levels[*at].close;
            close == byte || (byte == b'}' && close == b'`')
        }) else {
            self.before = Before::Operand;
            return;
        };
        let closed = self.levels[partner].close;
        self.before = if self.levels[partner].head { Before::Head } else { Before::Operand };
        for level in self.levels.drain(partner..) {
            self.total -= BRACKET + level.chain + level.tags * TAG;
        }
        if closed == b'`' {
            self.template();
        } else if byte != b'}' {
            // A call, an index or an array type may follow upon another.
            let level = self.level();
            level.chain += LIGHT;
            self.total += LIGHT;
        }
    }

    fn untag(&mut self) {
        let level = self.level();
        if level.tags > 0 {
            level.tags -= 1;
            self.total -= TAG;
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
                self.ended = true;
                self.before = Before::Operator;
            }
            b',' => {
                self.end_chain();
                self.before = Before::Operator;
            }
            b'"' | b'\'' => self.string(byte),
            b'`' => self.template(),
            b'<' => self.less(),
            b'>' => self.greater(),
            b'/' if self.before != Before::Operand && !(self.jsx && self.peek(0) == b'>') => self.regex(),
            b'=' if self.jsx && matches!(self.peek(0), b'"' | b'\'' | b'{' | b'<') => self.before = Before::Operator,
            b'=' if self.bytes.get(self.at.wrapping_sub(2)) == Some(&b'=') => self.add(LIGHT),
            b'=' | b'?' | b':' | b'@' => self.add(HEAVY),
            b'!' | b'~' | b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'.' => self.add(LIGHT),
            _ => {}
        }
        self.last_word = b"";
    }

    fn less(&mut self) {
        let next = self.peek(0);
        if next == b'/' && self.jsx {
            self.untag();
            self.end_chain();
        } else if next.is_ascii_alphabetic()
            || next >= 0x80
            || matches!(next, b'_' | b'$' | b'>' | b'{' | b'<' | b'(' | b'[')
        {
            self.level().tags += 1;
            self.total += TAG;
            if !self.jsx {
                self.add(WORD);
            }
        } else {
            self.add(LIGHT);
        }
        self.before = Before::Operator;
    }

    fn greater(&mut self) {
        match self.at.checked_sub(2).map(|before| self.bytes[before]) {
            Some(b'=') => self.add(WORD),
            Some(b'/') if self.jsx => self.untag(),
            // Type arguments end here; the opening tag of an element does not end the element.
            _ if !self.jsx || self.peek(0) == b'(' || !self.ends_opening_tag() => self.untag(),
            _ => {}
        }
        self.before = if self.jsx { Before::Operator } else { Before::Operand };
    }

    /// Whether the `>` just read ends an opening tag: its `<` stands where an expression can start.
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

    /// Whether a `}` stands before the current token, outside of JSX. A statement that begins there ends the one before: within one
    /// expression, no operand follows another.
    fn follows_block(&mut self) -> bool {
        let before = self.bytes[..self.at].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
        before == Some(&b'}') && self.before == Before::Operand && self.level().tags == 0
    }

    fn word(&mut self) {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().take_while(|byte| is_word(**byte)).count();
        let word = &rest[..length];
        if STATEMENTS.contains(&word) && self.follows_block() {
            self.end_chain();
        }
        self.at += length;
        // Most words are names: longer than any keyword, or with a letter that none starts with.
        if length > LONGEST_KEYWORD || !word[0].is_ascii_lowercase() {
            self.end_line(true, true);
            self.before = Before::Operand;
            self.last_word = word;
            return;
        }
        if self.new_line || self.ended {
            let continues =
                matches!(word, b"else" | b"as" | b"satisfies" | b"in" | b"of" | b"instanceof" | b"extends" | b"is");
            self.end_line(!continues, !matches!(word, b"else" | b"while"));
        }
        match word {
            b"case" | b"default" => self.end_chain(),
            b"typeof" | b"void" | b"delete" | b"await" | b"yield" | b"as" | b"satisfies" | b"in" | b"of"
            | b"instanceof" | b"new" | b"is" | b"asserts" => self.add(WORD),
            b"else" | b"for" | b"while" | b"with" | b"do" | b"if" | b"keyof" | b"unique" | b"readonly" | b"infer"
            | b"extends" | b"async" => self.add(HEAVY),
            _ => {
                self.before = Before::Operand;
                self.last_word = word;
                return;
            }
        }
        self.before = Before::Prefix;
        self.last_word = word;
    }

    fn line_comment(&mut self) {
        let rest = &self.bytes[self.at..];
        let length = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        self.hidden(self.at, self.at + length);
    }

    fn block_comment(&mut self) {
        let inner = &self.bytes[self.at + 2..];
        let length = memchr::memmem::find(inner, b"*/").map_or(inner.len(), |end| end + 2);
        self.hidden(self.at, self.at + 2 + length);
    }

    fn string(&mut self, quote: u8) {
        let start = self.at;
        let mut at = start;
        while at < self.bytes.len() {
            match self.bytes[at] {
                b'\\' => at += 1,
                b'\n' | b'\r' => {
                    // In the text of an element an apostrophe is no quote.
                    self.at = if self.jsx { start } else { at };
                    self.before = Before::Operand;
                    return;
                }
                byte if byte == quote => {
                    self.hidden(start, at + 1);
                    self.before = Before::Operand;
                    return;
                }
                _ => {}
            }
            at += 1;
        }
        self.at = if self.jsx { start } else { self.bytes.len() };
    }

    /// Pass over what is a string or a comment, unless it is the text of an element: then its tags count.
    fn hidden(&mut self, from: usize, to: usize) {
        let to = to.min(self.bytes.len());
        self.at = from;
        while self.jsx
            && let Some(found) = memchr::memchr3(b'<', b'/', b'>', &self.bytes[self.at..to])
        {
            self.at += found + 1;
            let next = self.peek(0);
            match self.bytes[self.at - 1] {
                b'<' if next == b'/' => self.untag(),
                b'<' if next.is_ascii_alphabetic() || next == b'>' => {
                    self.level().tags += 1;
                    self.total += TAG;
                }
                b'/' if next == b'>' => self.untag(),
                b'>' if self.at > 1 && !matches!(self.bytes[self.at - 2], b'/' | b'=') && !self.ends_opening_tag() => {
                    self.untag();
                }
                _ => {}
            }
        }
        self.at = to;
    }

    /// The text of a template, up to its end or its next expression.
    fn template(&mut self) {
        while self.at < self.bytes.len() {
            match self.bytes[self.at] {
                b'\\' => self.at += 1,
                b'`' => {
                    self.at += 1;
                    self.before = Before::Operand;
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

    /// A regular expression on this line; a division where it has no end there.
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
                    // Groups recurse too; count those that may be open at once.
                    self.total += groups * BRACKET / 2;
                    self.level().chain += groups * BRACKET / 2;
                    self.at = at + 1;
                    self.before = Before::Operand;
                    return;
                }
                _ => {}
            }
            at += 1;
        }
        self.add(LIGHT);
    }
}

/// Asked of every byte of a text: a table is faster than the question.
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
