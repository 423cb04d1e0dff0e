//! Reads a pattern: consecutive elements, or one attribute.

use marquetry_sdk::{
    FailureKind, Result, fail,
    structure::{Metavariable, Metavariables, Pattern, Reading, Tree as Shape, invalid_pattern},
};

use super::{elements, kind};
use crate::parse;

const HINT: &str = "a pattern is one element with its end tag or `/>`, several consecutive elements, or one attribute \
                    with its value; `$NAME` matches one node, or a part of a name or text, `$$$NAME` any number of \
                    nodes; `$_` and `$$$` match without capturing";
/// Example patterns for error messages.
const EXAMPLES: [&str; 3] = [
    "<PackageReference Include=\"$NAME\" Version=\"$VERSION\" $$$ />",
    "<dependency>$$$ <version>$VERSION</version> $$$</dependency>",
    "xlink:href=\"$TO\"",
];
/// Maximum length of a pattern.
const MAX_LENGTH: usize = 100_000;

type ReadResult<T> = std::result::Result<T, String>;

/// Parses a pattern.
pub(super) fn parse_pattern(pattern: &str) -> Result<Pattern> {
    let pattern = pattern.trim();
    if pattern.is_empty() {
        return Err(invalid_pattern("it is empty", HINT, &EXAMPLES));
    }
    if pattern.len() > MAX_LENGTH {
        return Err(fail(FailureKind::LimitExceeded, format!("a pattern has at most {MAX_LENGTH} bytes")));
    }
    let mut metavariables = Metavariables::default();
    let written = metavariables.encode(pattern)?;
    let reading = if pattern.starts_with('<') { parse_elements(&written) } else { parse_attribute(&written) };
    let reading = reading.map_err(|why| invalid_pattern(&metavariables.decode(&why), HINT, &EXAMPLES))?;
    Pattern::new(vec![reading], metavariables)
}

fn parse_elements(written: &str) -> ReadResult<Reading> {
    parse_reading(written, |tree| {
        let roots: Vec<u32> = tree.children(0).collect();
        match roots.iter().any(|root| tree.node(*root).kind == kind::TEXT && tree.node(*root).metavariable.is_none()) {
            true => Err("a pattern cannot have text between elements".to_owned()),
            false => Ok(Reading::new(tree, roots, true)),
        }
    })
}

fn parse_attribute(written: &str) -> ReadResult<Reading> {
    if Metavariable::parse(written).is_some() {
        return parse_reading(&format!("<x>{written}</x>"), |tree| {
            let content = tree.children(0).next().and_then(|element| tree.children(element).nth(1));
            Ok(Reading::new(tree, content.map(|content| tree.children(content).collect()).unwrap_or_default(), true))
        });
    }
    let none = || "it is neither an element nor one attribute with its value".to_owned();
    if !written.contains('=') {
        return Err(none());
    }
    let read = parse_reading(&format!("<x {written} />"), |tree| {
        let list = tree.children(0).next().and_then(|element| tree.children(element).next());
        let given: Vec<u32> = list.map(|list| tree.children(list).collect()).unwrap_or_default();
        match given[..] {
            [only] if tree.node(only).metavariable.is_none() && tree.children(0).count() == 1 => {
                let reading = Reading::new(tree, vec![only], true);
                if reading.has_content() { Ok(reading) } else { Err("it has only metavariables".to_owned()) }
            }
            _ => Err(none()),
        }
    });
    read.map_err(|why| if why == "it has only metavariables" { why } else { none() })
}

fn parse_reading(written: &str, read: impl FnOnce(&Shape<&str>) -> ReadResult<Reading>) -> ReadResult<Reading> {
    let (text, bare) = make_well_formed(written);
    let nodes = parse::parse_fragment(&text);
    if let Some(problem) = nodes.problems.first() {
        return Err(problem.message.clone());
    }
    read(&elements::build_tree(&text, &nodes, &bare))
}

/// Makes a pattern well-formed: gives a value to metavariables that are used as attributes, and quotes to those that
/// are used as values. Also returns the offsets of the values that got quotes.
fn make_well_formed(written: &str) -> (String, Vec<usize>) {
    let (mut out, mut bare, mut at) = (String::with_capacity(written.len() + 16), Vec::new(), 0);
    let (mut in_tag, mut quote) = (false, None);
    while let Some(letter) = written[at..].chars().next() {
        let metavariable = Metavariable::find_first(&written[at..]).filter(|(start, ..)| *start == 0);
        match (metavariable, quote, in_tag) {
            (Some((_, len, _)), None, true) => {
                let word = &written[at..at + len];
                let starts = out.ends_with(|c: char| c.is_ascii_whitespace());
                let after = &written[at + len..];
                let ends = after.starts_with(|c: char| c.is_ascii_whitespace() || c == '/' || c == '>');
                if out.trim_end().ends_with('=') && ends {
                    out.push('"');
                    bare.push(out.len());
                    out += word;
                    out.push('"');
                } else {
                    out += word;
                    out += if starts && ends && !after.trim_start().starts_with('=') { "=\"\"" } else { "" };
                }
                at += len;
                continue;
            }
            (Some((_, len, _)), ..) => {
                out += &written[at..at + len];
                at += len;
                continue;
            }
            _ => {}
        }
        match (quote, letter) {
            (Some(open), _) => quote = (open != letter).then_some(open),
            (None, '"' | '\'') if in_tag => quote = Some(letter),
            (None, '<') => in_tag = true,
            (None, '>') => in_tag = false,
            _ => {}
        }
        out.push(letter);
        at += letter.len_utf8();
    }
    (out, bare)
}
