//! Expressions in the templates of Vue and Svelte. Each is written as a statement at its own place into the text that is
//! parsed, so that its names are references like those of the script.
//!
//! Names that the template declares itself (`v-for`, `v-slot`, `{#each}`, parameters of functions) could hide those of the
//! script. An expression that has such a name is left out, and its names are found as words.

use std::collections::HashSet;
use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_parser::Parser;
use oxc_span::SourceType;

use crate::syntax::depth;

/// An expression, with the range around it in which its statement is written.
#[derive(Debug, PartialEq)]
struct Code {
    /// The code with its delimiters.
    place: Range<usize>,
    code: Range<usize>,
    /// True for statements, as in `@click="a(); b()"`.
    is_body: bool,
}

/// The code of a template.
#[derive(Debug, Default)]
struct Template {
    found: Vec<Code>,
    /// Names that the template declares.
    declared: HashSet<String>,
}

/// Writes the expressions of a Vue template into the bytes of a blank text of the same length.
pub(super) fn write_vue(text: &str, part: Range<usize>, grammar: SourceType, read: &mut [u8]) {
    let mut template = Template::default();
    template.find_vue(text, part);
    template.write(text, grammar, read);
}

/// Writes the expressions of a Svelte template into the bytes of a blank text of the same length.
pub(super) fn write_svelte(text: &str, part: Range<usize>, grammar: SourceType, read: &mut [u8]) {
    let mut template = Template::default();
    template.find_svelte(text, part);
    template.write(text, grammar, read);
}

impl Template {
    fn add(&mut self, place: Range<usize>, code: Range<usize>, is_body: bool) {
        self.found.push(Code { place, code, is_body });
    }

    fn declare(&mut self, pattern: &str) {
        self.declared.extend(words(pattern).map(str::to_owned));
    }

    fn find_vue(&mut self, text: &str, part: Range<usize>) {
        let mut at = part.start;
        while let Some(next) = text[at..part.end].find(['<', '{']).map(|next| at + next) {
            let rest = &text[next..part.end];
            if rest.starts_with("<!--") {
                at = rest.find("-->").map_or(part.end, |end| next + end);
            } else if rest.starts_with("{{") {
                let Some(end) = rest.find("}}") else { break };
                self.add(next..next + end + 2, next + 2..next + end, false);
                at = next + end + 2;
            } else if rest.starts_with('<') && rest[1..].starts_with(|c: char| c.is_ascii_alphabetic()) {
                at = self.find_vue_tag(text, next..part.end);
            } else {
                at = next + 1;
            }
        }
    }

    /// Finds the code of a tag. Returns the offset after it.
    fn find_vue_tag(&mut self, text: &str, tag: Range<usize>) -> usize {
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        let name_end = text[tag.start + 1..tag.end].find(|c| !is_name(c)).map_or(tag.end, |end| tag.start + 1 + end);
        let is_component = text[tag.start + 1..].starts_with(|c: char| c.is_ascii_uppercase());
        if is_component && name_end < tag.end && !text[name_end..].starts_with('-') {
            self.add(tag.start..name_end + 1, tag.start + 1..name_end, false);
        }
        let mut at = name_end;
        loop {
            at += text[at..tag.end].len() - text[at..tag.end].trim_start_matches(['/', ' ', '\t', '\r', '\n']).len();
            let rest = &text[at..tag.end];
            if rest.is_empty() || rest.starts_with('>') {
                return at;
            }
            let name =
                &rest[..rest.find(|c: char| c.is_ascii_whitespace() || matches!(c, '=' | '>')).unwrap_or(rest.len())];
            at += name.len().max(1);
            if !text[at..tag.end].starts_with('=') {
                // `:value` is short for `:value="value"`.
                continue;
            }
            let Some(quote) = text[at + 1..tag.end].chars().next().filter(|c| matches!(c, '"' | '\'')) else {
                continue;
            };
            let start = at + 2;
            let Some(end) = text[start..tag.end].find(quote).map(|end| start + end) else { return tag.end };
            self.add_attribute(text, name, start..end);
            at = end + 1;
        }
    }

    fn add_attribute(&mut self, text: &str, name: &str, value: Range<usize>) {
        let place = value.start - 2..value.end + 1;
        if name == "v-for" {
            let code = &text[value.clone()];
            let Some((at, length)) =
                [" in ", " of "].iter().filter_map(|word| Some((code.find(word)?, word.len()))).min()
            else {
                return;
            };
            self.declare(&code[..at]);
            let from = value.start + at + length;
            self.add(from - 2..place.end, from..value.end, false);
        } else if name.starts_with('#') || name.starts_with("v-slot") || name == "slot-scope" {
            self.declare(&text[value]);
        } else if name.starts_with('@') || name.starts_with("v-on") {
            self.add(place, value, true);
        } else if name.starts_with(':') || name.starts_with("v-") {
            self.add(place, value, false);
        }
    }

    fn find_svelte(&mut self, text: &str, part: Range<usize>) {
        let mut at = part.start;
        while let Some(next) = text[at..part.end].find(['<', '{']).map(|next| at + next) {
            let rest = &text[next..part.end];
            if rest.starts_with("<!--") {
                at = rest.find("-->").map_or(part.end, |end| next + end);
                continue;
            }
            if let Some(tag) = rest.strip_prefix('<') {
                let name = tag.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')));
                if let Some(length) = name.filter(|_| tag.starts_with(|c: char| c.is_ascii_uppercase())) {
                    self.add(next..next + length + 2, next + 1..next + 1 + length, false);
                }
                at = next + 1;
                continue;
            }
            let Some(end) = closing_brace(rest) else { break };
            self.add_svelte_block(text, next..next + end);
            at = next + end;
        }
    }

    /// Adds the code of `{ … }`.
    fn add_svelte_block(&mut self, text: &str, place: Range<usize>) {
        let inner = place.start + 1..place.end - 1;
        let code = &text[inner.clone()];
        let Some(keyword) =
            code.starts_with(['#', ':', '@', '/']).then(|| code.split_ascii_whitespace().next()).flatten()
        else {
            return self.add(place, inner, false);
        };
        let head = match code {
            _ if code.starts_with(":else if ") => ":else if",
            _ => keyword,
        };
        let from = inner.start + head.len() + 1;
        if from >= inner.end {
            return;
        }
        let code = &text[from..inner.end];
        let until = match head {
            "#if" | "#key" | ":else if" | "@html" | "@render" | "@attach" => inner.end,
            "#each" => {
                let Some(end) = code.find(" as ") else { return self.add(from - 1..place.end, from..inner.end, false) };
                self.declare(&code[end..]);
                from + end
            }
            "#await" => match [" then ", " catch "].iter().filter_map(|word| code.find(word)).min() {
                Some(end) => {
                    self.declare(&code[end..]);
                    from + end
                }
                None => inner.end,
            },
            _ => return self.declare(code),
        };
        self.add(from - 1..until + 1, from..until, false);
    }

    fn write(self, text: &str, grammar: SourceType, read: &mut [u8]) {
        let is_hidden = |code: &str| words(code).any(|word| self.declared.contains(word));
        for Code { place, code, is_body } in &self.found {
            let inner = &text[code.clone()];
            let is_enclosed = code.start - place.start > 1;
            let declares = || {
                let first = words(inner).next().unwrap_or_default();
                inner.trim_start().starts_with('{') || matches!(first, "function" | "class" | "let" | "async")
            };
            if is_hidden(inner) || !is_enclosed && declares() || !is_plain(inner, *is_body, grammar) {
                continue;
            }
            read[code.clone()].copy_from_slice(inner.as_bytes());
            let before = &mut read[place.start..code.start];
            match (before.len(), is_body) {
                (2.., true) => before[..2].copy_from_slice(b";{"),
                (2.., false) => before[..2].copy_from_slice(b";("),
                _ => before[0] = b';',
            }
            let after = &mut read[code.end..place.end];
            after[0] = match (is_enclosed, is_body) {
                (true, true) => b'}',
                (true, false) => b')',
                (false, _) => b';',
            };
            if let Some(last) = after.get_mut(1) {
                *last = b';';
            }
        }
    }
}

/// Returns the length of the text up to the brace that closes the first one.
fn closing_brace(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'' | b'`') => quote = Some(byte),
            (None, b'{') => depth += 1,
            (None, b'}') => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$'))).filter(|word| !word.is_empty())
}

/// Returns whether code is a valid expression, or valid statements.
fn is_plain(code: &str, is_body: bool, grammar: SourceType) -> bool {
    // A comment would hide the end of the statement.
    if code.trim().is_empty() || code.contains("//") {
        return false;
    }
    let framed = if is_body { format!("async () => {{{code}\n}}") } else { format!("async () => ({code}\n)") };
    if depth::too_deep(&framed, grammar.is_jsx()).is_some() {
        return false;
    }
    let arena = Allocator::default();
    let parsed = Parser::new(&arena, &framed, grammar).parse();
    !parsed.fatal_error && parsed.diagnostics.is_empty()
}
