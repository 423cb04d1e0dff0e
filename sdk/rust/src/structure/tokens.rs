//! Compares tokens with tokens of a pattern, and finds the matches of metavariables in them.

use super::metavariables::{Chunk, Metavariable};
use super::tree::{Item, Letters, Token, Tree};

/// The match of a metavariable in a token: its start and end in the text of the token.
pub(super) type TokenMatch = (Metavariable, usize, usize);

/// Returns whether two tokens are equal.
pub(super) fn is_same_token(wanted: &str, there: &str, letters: Letters) -> bool {
    match letters {
        Letters::Exact | Letters::Text => wanted == there,
        Letters::AnyCase => wanted.eq_ignore_ascii_case(there),
        Letters::Prose => wanted.split_whitespace().eq(there.split_whitespace()),
    }
}

/// The matches of the metavariables, if the text matches the chunks.
pub(super) fn match_chunks(
    chunks: &[Chunk],
    text: &str,
    letters: Letters,
    steps: &mut usize,
) -> Option<Vec<TokenMatch>> {
    // A single metavariable matches the whole text.
    if let [Chunk::Metavariable(metavariable)] = chunks {
        return Some(vec![(*metavariable, 0, text.len())]);
    }
    let mut found = Vec::new();
    match_from(chunks, text, 0, letters, steps, &mut found).then_some(found)
}

fn match_from(
    chunks: &[Chunk],
    text: &str,
    at: usize,
    letters: Letters,
    steps: &mut usize,
    found: &mut Vec<TokenMatch>,
) -> bool {
    *steps += 1;
    let Some((first, rest)) = chunks.split_first() else { return at == text.len() };
    match first {
        Chunk::Text(wanted) => {
            literal_end(wanted, text, at, letters).is_some_and(|end| match_from(rest, text, end, letters, steps, found))
        }
        Chunk::Metavariable(metavariable) => {
            let ends = possible_ends(text, at, letters, *metavariable);
            let known = found.len();
            // In a name, a metavariable matches as much as possible. In a text, it matches as little as possible.
            let mut attempt = |end: usize| {
                found.push((*metavariable, at, end));
                let fits = match_from(rest, text, end, letters, steps, found);
                if !fits {
                    found.truncate(known);
                }
                fits
            };
            match letters {
                Letters::Exact | Letters::AnyCase => ends.into_iter().rev().any(&mut attempt),
                Letters::Text | Letters::Prose => ends.into_iter().any(&mut attempt),
            }
        }
    }
}

/// The offsets at which a metavariable that starts here may end.
fn possible_ends(text: &str, at: usize, letters: Letters, metavariable: Metavariable) -> Vec<usize> {
    let of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '\\');
    let may = |c: char| matches!(letters, Letters::Text | Letters::Prose) || of_name(c);
    let rest = &text[at..];
    let behind = rest.char_indices().take_while(|(_, c)| may(*c)).map(|(offset, c)| at + offset + c.len_utf8());
    metavariable.is_list.then_some(at).into_iter().chain(behind).collect()
}

/// The end of the literal text if it is at this offset; otherwise `None`.
fn literal_end(wanted: &str, text: &str, at: usize, letters: Letters) -> Option<usize> {
    let rest = &text[at..];
    match letters {
        Letters::Exact | Letters::Text => rest.starts_with(wanted).then_some(at + wanted.len()),
        Letters::AnyCase => {
            let own = rest.get(..wanted.len())?;
            own.eq_ignore_ascii_case(wanted).then_some(at + wanted.len())
        }
        Letters::Prose => {
            let (mut wanted, mut rest) = (wanted, rest);
            while let Some(letter) = wanted.chars().next() {
                let (spaces, others) = (wanted.trim_start(), rest.trim_start());
                if letter.is_whitespace() {
                    (rest.len() != others.len()).then_some(())?;
                    (wanted, rest) = (spaces, others);
                } else {
                    (wanted, rest) = (&wanted[letter.len_utf8()..], rest.strip_prefix(letter)?);
                }
            }
            Some(text.len() - rest.len())
        }
    }
}

/// Appends the normalized text of document items: equal items have equal text.
pub(super) fn normalized_text(tree: &Tree<&str>, items: &[Item<&str>], out: &mut String) {
    for item in items {
        match item {
            Item::Token(token) => push_token(token, out),
            Item::Child(child) => {
                out.push('\u{1}');
                normalized_text(tree, tree.items(*child), out);
                out.push('\u{2}');
            }
            Item::Extra(_) => {}
        }
    }
}

/// Appends one normalized token, without its quotes.
fn push_token(token: &Token<&str>, out: &mut String) {
    if !out.is_empty() && !out.ends_with(['\u{1}', '\u{2}']) {
        out.push('\u{3}');
    }
    match token.letters {
        Letters::Exact | Letters::Text => out.push_str(token.text),
        Letters::AnyCase => out.extend(token.text.chars().map(|c| c.to_ascii_lowercase())),
        Letters::Prose => {
            for (index, word) in token.text.split_whitespace().enumerate() {
                out.push_str(if index > 0 { " " } else { "" });
                out.push_str(word);
            }
        }
    }
}

/// Removes the node delimiters if there is only one token, so that it is equal to the same token at any other nesting
/// depth.
pub(super) fn without_delimiters(text: &str) -> &str {
    let inner = text.trim_matches(['\u{1}', '\u{2}']);
    if inner.contains(['\u{1}', '\u{2}', '\u{3}']) { text } else { inner }
}
