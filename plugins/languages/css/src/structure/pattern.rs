//! Parses a pattern. It consists of statements, or of a part of a value.

use marquetry_sdk::{
    FailureKind, Result, fail,
    structure::{Builder, Item, Metavariable, Metavariables, Pattern, Reading, Tree as Shape, invalid_pattern},
};

use super::{kind, statements, values::ValueWriter};
use crate::{
    chars::Dialect,
    check,
    scanner::{Scanner, TokenKind},
    tree::{Kind, Tree, at_name_len},
};

const HINT: &str = "a pattern is a rule, an at-rule, declarations, or part of a value, in CSS syntax: `$NAME` matches \
                    one node or part of a name, `$$$NAME` any number of nodes; `$_` and `$$$` do the same without \
                    a name";
/// Example patterns for error messages.
const EXAMPLES: [&str; 5] =
    ["color: $VALUE", ".button { $$$REST }", ".btn-$KIND { $$$ }", "@media $QUERY { $$$BODY }", "rgba($$$RGB, $ALPHA)"];
/// Maximum length of a pattern.
const MAX_PATTERN_LEN: usize = 100_000;

/// Parses a pattern in this dialect.
pub(super) fn parse_pattern(pattern: &str, dialect: Dialect) -> Result<Pattern> {
    if pattern.trim().is_empty() {
        return Err(invalid_pattern("it is empty", HINT, &EXAMPLES));
    }
    if pattern.len() > MAX_PATTERN_LEN {
        return Err(fail(FailureKind::LimitExceeded, format!("a pattern has at most {MAX_PATTERN_LEN} bytes")));
    }
    let mut metavariables = Metavariables::default();
    let text = metavariables.encode(pattern)?;
    let with_end = pattern.trim_end().ends_with(';');
    let (mut readings, mut wrong) = (Vec::new(), None);
    match parse_statements(&text, dialect, with_end) {
        Ok(reading) => readings.push(reading),
        Err(why) => wrong = Some(why),
    }
    readings.extend(parse_value(&text, dialect));
    match wrong {
        Some(why) if readings.is_empty() => Err(invalid_pattern(&metavariables.decode(&why), HINT, &EXAMPLES)),
        _ => Pattern::new(readings, metavariables),
    }
}

/// Parses the pattern as statements. Fails with the message of the first diagnostic.
fn parse_statements(text: &str, dialect: Dialect, with_end: bool) -> std::result::Result<Reading, String> {
    let sheet = Tree::new(complete_statements(text), dialect);
    if let Some(problem) = sheet.diagnostics.first() {
        return Err(problem.message.clone());
    }
    for item in &sheet.items {
        let (head, name) = (sheet.head(item), sheet.name(item));
        if item.kind == Kind::Rule
            && let Some(why) = check::not_a_selector(head, dialect)
        {
            return Err(format!("`{head}` is not a selector: {why}"));
        }
        if item.kind == Kind::Declaration && at_name_len(name, dialect) != name.len() {
            return Err(format!("`{name}` is not a property name"));
        }
    }
    let tree = statements::statement_tree(&sheet);
    let roots: Vec<u32> = tree.children(0).collect();
    let reading = Reading::new(&tree, roots.clone(), with_end);
    let is_declaration = |root: &u32| matches!(tree.node(*root).kind, kind::DECLARATION | kind::CALL);
    let is_vague = roots.iter().all(|root| tree.node(*root).metavariable.is_some() || is_declaration(root))
        && roots.iter().any(is_declaration)
        && !reading.has_content();
    match roots.is_empty() || is_vague {
        true => Err("it contains only metavariables".to_owned()),
        false => Ok(reading),
    }
}

/// Writes each metavariable that stands for a whole statement as an at-rule (`@$NAME;`), so that the parser reads it as
/// a statement.
fn complete_statements(text: &str) -> String {
    let (mut out, mut at) = (String::with_capacity(text.len() + 8), 0);
    while let Some((start, end, metavariable)) = Metavariable::find_first(&text[at..]) {
        let (word, after) = (&text[at + start..at + end], text[at + end..].trim_start());
        out += &text[at..at + start];
        let before = out.trim_end();
        let inside = before.ends_with(['{', '}', ';']);
        let ends = after.is_empty() || after.starts_with(['}', ';']);
        let goes_on = metavariable.is_list && inside && !after.starts_with(['{', ':', ',']);
        if (before.is_empty() || inside) && (ends || goes_on) {
            out.push('@');
            out += word;
            out += if after.starts_with(';') { "" } else { ";" };
        } else {
            out += word;
        }
        at += end;
    }
    out += &text[at..];
    out
}

/// Parses the pattern as a value or part of a value.
fn parse_value(text: &str, dialect: Dialect) -> Option<Reading> {
    let mut scan = Scanner::new(text, dialect);
    let mut at = 0;
    loop {
        let (part, end) = scan.token_at(at);
        match part {
            TokenKind::End => break,
            TokenKind::Colon | TokenKind::Semicolon | TokenKind::Open | TokenKind::Close | TokenKind::Stray => {
                return None;
            }
            TokenKind::Other
                if matches!(scan.byte(at), Some(b'=' | b'<' | b'>' | b'&' | b'|' | b'?' | b'^' | b'!')) =>
            {
                return None;
            }
            _ => at = end,
        }
    }
    if !scan.diagnostics.is_empty() {
        return None;
    }
    let mut builder = Builder::new(text, kind::BODY);
    ValueWriter::new(&mut scan, &mut builder, false).list(0, text.len(), false);
    let tree = builder.finish();
    let list = tree.children(0).next()?;
    let only = |node: u32| match tree.items(node) {
        [Item::Child(child)] => Some(*child),
        _ => None,
    };
    let root = only(list).map_or(list, |sequence| only(sequence).unwrap_or(sequence));
    let reading = Reading::new(&tree, vec![root], false);
    (reading.has_content() || is_metavariable(&tree, root)).then_some(reading)
}

fn is_metavariable(tree: &Shape<&str>, node: u32) -> bool {
    tree.node(node).metavariable.is_some()
}
