//! Code for the templates of Svelte: components become JSX elements, blocks such as `{#each}` become blocks.

use std::ops::Range;

use super::markup::{closing_brace, is_name, read_tag, tag_name};
use super::patterns::{split_patterns, trim};
use super::writer::Writer;

/// An open block or element.
pub(super) struct Frame<'t> {
    /// Name of the element, or of the block with its `#`.
    pub(super) name: &'t str,
    pub(super) component: bool,
    pub(super) closing: &'static str,
    pub(super) scopes: usize,
}

/// Writes the code of a template, which consists of several parts around scripts and styles.
pub(super) fn write(writer: &mut Writer<'_>, parts: &[Range<usize>]) {
    let mut template = SvelteTemplate { writer, frames: Vec::new(), values: 0 };
    for part in parts {
        template.write(part.clone());
    }
    while let Some(frame) = template.frames.pop() {
        template.close_frame(&frame, None);
    }
}

pub(super) struct SvelteTemplate<'w, 't> {
    pub(super) writer: &'w mut Writer<'t>,
    pub(super) frames: Vec<Frame<'t>>,
    values: usize,
}

impl<'t> SvelteTemplate<'_, 't> {
    fn write(&mut self, part: Range<usize>) {
        let text = self.writer.source;
        let mut at = part.start;
        while let Some(next) = text[at..part.end].find(['<', '{']).map(|next| at + next) {
            let rest = &text[next..part.end];
            if rest.starts_with("<!--") {
                at = rest.find("-->").map_or(part.end, |end| next + end);
            } else if rest.starts_with("</") {
                self.close_tag(next + 2..part.end);
                at = next + 2;
            } else if rest.starts_with('{') {
                let Some(end) = closing_brace(rest) else { break };
                self.write_block(next + 1..next + end - 1);
                at = next + end;
            } else if rest[1..].starts_with(|c: char| c.is_ascii_alphabetic()) {
                let Some(tag) = read_tag(text, next..part.end, true) else { break };
                self.open_tag(&tag);
                at = tag.end;
            } else {
                at = next + 1;
            }
        }
    }

    /// Writes the code of `{ … }`.
    fn write_block(&mut self, inner: Range<usize>) {
        let text = self.writer.source;
        let code = &text[inner.clone()];
        if !code.starts_with(['#', ':', '@', '/']) {
            return self.writer.statement(inner);
        }
        let length = match code {
            _ if code.starts_with(":else if") => ":else if".len(),
            _ => code.find(|c: char| c.is_ascii_whitespace()).unwrap_or(code.len()),
        };
        let rest = trim(text, inner.start + length..inner.end);
        match &code[..length] {
            "#if" => self.open_block("#if", "if ", rest),
            ":else if" => self.continue_block("} else if ", rest),
            ":else" => self.continue_else(),
            "#key" => self.open_block("#key", "", rest),
            "#each" => self.open_each(rest),
            "#await" => self.open_await(rest),
            ":then" => self.continue_await(rest, "await $a"),
            ":catch" => self.continue_await(rest, "$a as any"),
            "#snippet" => self.open_snippet(rest),
            "@const" => self.write_constant(rest),
            "@html" | "@render" | "@attach" | "@debug" => self.writer.statement(rest),
            closing if closing.starts_with('/') => self.close_block(&closing[1..]),
            _ => self.writer.reject(inner),
        }
    }

    fn open_block(&mut self, name: &'static str, word: &str, condition: Range<usize>) {
        self.writer.raw(word);
        self.writer.value(condition);
        self.writer.raw(if word.is_empty() { ";{" } else { "{" });
        self.push(name, "}");
    }

    fn push(&mut self, name: &'t str, closing: &'static str) {
        self.writer.push_scope(Vec::new());
        self.frames.push(Frame { name, component: false, closing, scopes: 1 });
    }

    /// Adds names to the scope of the innermost block.
    fn declare(&mut self, names: Vec<String>) {
        self.writer.push_scope(names);
        if let Some(frame) = self.frames.last_mut() {
            frame.scopes += 1;
        }
    }

    /// Ends the innermost elements of a block that continues or ends.
    fn pop_elements(&mut self) {
        while self.frames.last().is_some_and(|frame| !frame.name.starts_with('#')) {
            if let Some(frame) = self.frames.pop() {
                self.close_frame(&frame, None);
            }
        }
    }

    fn continue_block(&mut self, word: &str, condition: Range<usize>) {
        self.pop_elements();
        if self.frames.last().is_some_and(|frame| frame.name == "#if") {
            self.writer.raw(word);
            self.writer.value(condition);
            self.writer.raw("{");
        }
    }

    fn continue_else(&mut self) {
        self.pop_elements();
        match self.frames.last().map(|frame| frame.name) {
            Some("#if") => self.writer.raw("} else {"),
            Some("#each") => {
                self.writer.raw("}{");
                self.end_scopes();
            }
            _ => {}
        }
    }

    /// Ends the scopes of the innermost block, which continues without its names.
    fn end_scopes(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            let count = std::mem::take(&mut frame.scopes);
            (0..count).for_each(|_| self.writer.pop_scope());
        }
    }

    fn close_block(&mut self, name: &str) {
        let is_own = |frame: &Frame<'_>| frame.name.strip_prefix('#') == Some(name);
        if !self.frames.iter().any(is_own) {
            return;
        }
        while let Some(frame) = self.frames.pop() {
            self.close_frame(&frame, None);
            if is_own(&frame) {
                return;
            }
        }
    }

    pub(super) fn close_frame(&mut self, frame: &Frame<'_>, tag: Option<Range<usize>>) {
        self.writer.raw(frame.closing);
        (0..frame.scopes).for_each(|_| self.writer.pop_scope());
        if let Some(place) = tag.filter(|_| frame.component) {
            self.writer.raw("<");
            self.writer.copy(place);
            self.writer.raw("/>;");
        }
    }

    /// Writes `{#each list as item, index (key)}`.
    fn open_each(&mut self, rest: Range<usize>) {
        let text = self.writer.source;
        let Some(split) = text[rest.clone()].rfind(" as ") else {
            return self.open_block("#each", "", rest);
        };
        let list = rest.start..rest.start + split;
        let declared = trim(text, rest.start + split + " as ".len()..rest.end);
        let key = key_of_each(text, declared.clone());
        let patterns = split_patterns(text, declared.start..key.as_ref().map_or(declared.end, |key| key.start));
        let names: Option<Vec<Vec<String>>> =
            patterns.iter().map(|pattern| self.writer.pattern_names(pattern.clone())).collect();
        let Some(names) = names.filter(|names| !names.is_empty()) else {
            self.writer.reject(declared);
            return self.open_block("#each", "", list);
        };
        self.values += 1;
        self.writer.raw(&format!("{{const $l{} = ", self.values));
        self.writer.value(list);
        self.writer.raw(";for (const ");
        self.writer.copy(patterns[0].clone());
        self.writer.raw(&format!(" of $l{}) {{", self.values));
        for index in &patterns[1..] {
            self.writer.raw("const ");
            self.writer.copy(index.clone());
            self.writer.raw(" = 0;");
        }
        self.push("#each", "}}");
        self.declare(names.into_iter().flatten().collect());
        if let Some(key) = key {
            self.writer.statement(key.start + 1..key.end - 1);
        }
    }

    fn open_await(&mut self, rest: Range<usize>) {
        let text = self.writer.source;
        let code = &text[rest.clone()];
        let words = [(" then", "await $a"), (" catch", "$a as any")];
        let split = words.iter().filter_map(|(word, value)| {
            let at = code.find(word)?;
            let after = &code[at + word.len()..];
            (after.is_empty() || after.starts_with(' ')).then_some((at, *word, *value))
        });
        let split = split.min_by_key(|(at, ..)| *at);
        self.writer.raw("{const $a = ");
        self.writer.value(rest.start..rest.start + split.map_or(code.len(), |(at, ..)| at));
        self.writer.raw(";{");
        self.push("#await", "}}");
        if let Some((at, word, value)) = split {
            self.declare_value(trim(text, rest.start + at + word.len()..rest.end), value);
        }
    }

    fn continue_await(&mut self, pattern: Range<usize>, value: &str) {
        self.pop_elements();
        if self.frames.last().is_some_and(|frame| frame.name == "#await") {
            self.writer.raw("}{");
            self.end_scopes();
            self.declare_value(pattern, value);
        }
    }

    fn declare_value(&mut self, pattern: Range<usize>, value: &str) {
        let Some(names) = self.writer.pattern_names(pattern.clone()).filter(|names| !names.is_empty()) else { return };
        self.writer.raw("const ");
        self.writer.copy(pattern);
        self.writer.raw(&format!(" = {value};"));
        self.declare(names);
    }

    /// Writes `{#snippet name(parameters)}`.
    fn open_snippet(&mut self, rest: Range<usize>) {
        let text = self.writer.source;
        let name = tag_name(text, rest.start, rest.end);
        let parameters = text[name.end..rest.end].find('(').and_then(|open| {
            let start = name.end + open + 1;
            text[start..rest.end].rfind(')').map(|length| start..start + length)
        });
        let names = parameters.clone().map_or(Some(Vec::new()), |parameters| self.writer.pattern_names(parameters));
        let (Some(names), true) = (names, is_name(&text[name.clone()])) else {
            self.writer.reject(rest);
            self.writer.raw("{");
            return self.push("#snippet", "}");
        };
        // A snippet in the body of a component is also a prop of it.
        if self.frames.last().is_some_and(|frame| frame.component) {
            self.writer.raw("<this.$unknown ");
            self.writer.copy(name.clone());
            self.writer.raw("/>;");
        }
        self.declare(vec![text[name.clone()].to_owned()]);
        self.writer.raw("function ");
        self.writer.copy(name);
        self.writer.raw("(");
        if let Some(parameters) = parameters {
            self.writer.copy(parameters);
        }
        self.writer.raw(") {");
        self.push("#snippet", "}");
        self.declare(names);
    }

    /// Writes `{@const pattern = value}`.
    fn write_constant(&mut self, rest: Range<usize>) {
        let text = self.writer.source;
        let code = &text[rest.clone()];
        let is_assignment =
            |at: &usize| !code[at + 1..].starts_with(['=', '>']) && !code[..*at].ends_with(['=', '!', '<', '>']);
        let Some(at) = code.match_indices('=').map(|(at, _)| at).find(is_assignment) else {
            return self.writer.reject(rest);
        };
        let pattern = trim(text, rest.start..rest.start + at);
        let value = trim(text, rest.start + at + 1..rest.end);
        let Some(names) = self.writer.pattern_names(pattern.clone()).filter(|names| !names.is_empty()) else {
            return self.writer.statement(value);
        };
        self.writer.raw("const ");
        self.writer.copy(pattern);
        self.writer.raw(" = ");
        self.writer.statement(value);
        self.declare(names);
    }
}

/// Returns the range of `(key)` at the end of `item, index (key)`.
fn key_of_each(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let code = &text[range.clone()];
    if !code.ends_with(')') {
        return None;
    }
    let mut depth = 0_usize;
    for (at, byte) in code.bytes().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(range.start + at..range.end);
                }
            }
            _ => {}
        }
    }
    None
}
