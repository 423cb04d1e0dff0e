//! Names in the examples of doc comments, which are compiled as tests.

use marquetry_code::TokenKind;
use marquetry_sdk::Span;

use super::Symbol;

/// Words after the opening fence of an example in Rust.
const RUST_FENCES: [&str; 6] = ["compile_fail", "ignore", "no_run", "rust", "should_panic", "standalone_crate"];

/// The code block that contains a line of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block {
    Outside,
    Rust,
    Other,
}

impl Block {
    /// The block after a line with a fence. `info` is the text after the fence.
    fn after_fence(self, info: &str) -> Block {
        let is_rust = |word: &str| word.is_empty() || RUST_FENCES.contains(&word) || word.starts_with("edition");
        match self {
            Block::Outside if info.split([',', ' ']).all(|word| is_rust(word.trim())) => Block::Rust,
            Block::Outside => Block::Other,
            Block::Rust | Block::Other => Block::Outside,
        }
    }
}

impl Symbol<'_> {
    /// The words in the examples of doc comments that equal a name.
    pub(crate) fn words_in_examples(&self, name: &str) -> Vec<Span> {
        let text = self.document.text_str();
        let (mut found, mut block, mut end) = (Vec::new(), Block::Outside, 0);
        for token in self.document.arena().tokens.iter().filter(|token| token.kind == TokenKind::Comment) {
            let (start, comment) = (token.span.range().start, token.span.slice(text));
            let is_doc = ["///", "//!", "/**", "/*!"].iter().any(|sign| comment.starts_with(sign));
            let between = &text[end..start];
            if !is_doc || !between.trim().is_empty() || between.matches('\n').count() > 1 {
                block = Block::Outside;
            }
            end = token.span.range().end;
            let mut at = start;
            for line in comment.split_inclusive('\n').filter(|_| is_doc) {
                let code = line.trim_start().trim_start_matches(['/', '!', '*']).trim();
                if let Some(info) = code.strip_prefix("```").or_else(|| code.strip_prefix("~~~")) {
                    block = block.after_fence(info.trim_start_matches(['`', '~']));
                } else if block == Block::Rust {
                    found.extend(words(line, name).map(|own| Span::new(at + own, at + own + name.len())));
                }
                at += line.len();
            }
        }
        found
    }
}

/// The offsets of a word in a text.
fn words<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let found = text.match_indices(name).map(|(at, _)| at);
    found.filter(move |at| !text[..*at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part))
}
