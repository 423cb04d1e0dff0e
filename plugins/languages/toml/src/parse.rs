//! Parses a text into its table and its errors.

use marquetry_sdk::{Diagnostic, Severity, Span, directives};
use toml_parser::{
    Expected, ParseError, Source,
    parser::{RecursionGuard, ValidateWhitespace, parse_document},
};

use crate::{
    build::{Builder, SemanticError},
    comments, fast_path, recover,
    table::{Id, Kind, NO_OFFSET, Table},
};

/// Maximum nesting of values.
const MAX_DEPTH: u32 = 128;
/// Maximum number of reported errors.
const MAX_DIAGNOSTICS: usize = 200;

/// Returns the table of a text, and its errors in text order.
pub(crate) fn parse(text: &str) -> (Table, Vec<Diagnostic>) {
    let quick = fast_path::parse(text, MAX_DEPTH as usize).map(|builder| (builder, Vec::new()));
    let is_quick = quick.is_some();
    let (builder, errors) = quick.unwrap_or_else(|| parse_with_errors(text));
    let Builder { mut table, semantic_errors: faults, is_ordered, .. } = builder;
    let problems = convert_errors(text, errors, faults);
    complete_table(text, &mut table, is_ordered);
    debug_assert!(
        !is_quick || equals_full_parse(text, &table, &problems),
        "the full parser gives another result than the fast path:\n{text}"
    );
    (table, problems)
}

/// Returns whether the full parser gives the same result as the fast path.
fn equals_full_parse(text: &str, table: &Table, problems: &[Diagnostic]) -> bool {
    let (Builder { table: mut other, semantic_errors: faults, .. }, errors) = parse_parts(text, &[]);
    let others = self::convert_errors(text, errors, faults);
    complete_table(text, &mut other, false);
    format!("{table:?} {problems:?}") == format!("{other:?} {others:?}")
}

/// Parses a text that may have errors.
fn parse_with_errors(text: &str) -> (Builder<'_>, OffsetErrors) {
    let (builder, errors) = parse_parts(text, &[]);
    let cuts = if errors.is_empty() { Vec::new() } else { recover::cuts(text) };
    if cuts.is_empty() { (builder, errors) } else { parse_parts(text, &cuts) }
}

/// Errors of the parser, each with the offset to which its positions are relative.
type OffsetErrors = Vec<(usize, ParseError)>;

/// Splits the text at these offsets, and parses the parts one after the other.
fn parse_parts<'t>(text: &'t str, cuts: &[usize]) -> (Builder<'t>, OffsetErrors) {
    let mut builder = Builder::new(text);
    let mut errors = Vec::new();
    let ends = cuts.iter().copied().chain([text.len()]);
    let mut from = 0;
    for end in ends {
        let source = Source::new(&text[from..end]);
        let tokens = source.lex().into_vec();
        builder.offset = from;
        let mut sink = |error: ParseError| {
            if errors.len() < MAX_DIAGNOSTICS {
                errors.push((from, error));
            }
        };
        let mut checked = ValidateWhitespace::new(&mut builder, source);
        parse_document(&tokens, &mut RecursionGuard::new(&mut checked, MAX_DEPTH), &mut sink);
        builder.end_part(end);
        from = end;
    }
    (builder, errors)
}

fn convert_errors(text: &str, errors: OffsetErrors, faults: Vec<SemanticError>) -> Vec<Diagnostic> {
    let error = |span, message| Diagnostic { severity: Severity::Error, span, message, code: None };
    let of_syntax = errors.into_iter().map(|(from, found)| {
        let place = found.unexpected().or(found.context()).unwrap_or_default();
        let start = char_boundary(text, place.start() + from);
        error(Span::new(start, char_boundary(text, place.end() + from).max(start)), error_message(&found))
    });
    let mut problems: Vec<Diagnostic> = of_syntax.collect();
    problems.extend(faults.into_iter().map(|fault| {
        let line = |at: usize| memchr::memchr_iter(b'\n', &text.as_bytes()[..at]).count() + 1;
        let other = fault.conflict_offset.map_or_else(String::new, |at| format!(" (line {})", line(at)));
        error(fault.span, format!("{}{other}", fault.message))
    }));
    problems.sort_by_key(|problem| problem.span.start);
    // The parser can report one mistake twice.
    problems.dedup_by_key(|problem| problem.span.start);
    problems
}

fn char_boundary(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn error_message(error: &ParseError) -> String {
    let expected = error.expected().unwrap_or_default().iter().filter_map(|expected| match expected {
        Expected::Literal("\n") => Some("a line break".to_owned()),
        Expected::Literal(text) => Some(format!("`{text}`")),
        Expected::Description(what) => Some((*what).to_owned()),
        _ => None,
    });
    let expected: Vec<String> = expected.collect();
    let description = error.description().trim_end_matches('.');
    if expected.is_empty() {
        return description.to_owned();
    }
    format!("{description}, expected {}", expected.join(" or "))
}

/// Completes the table: sets the ends of sections and the spans of tables, and sorts the values in tree order.
fn complete_table(text: &str, table: &mut Table, is_ordered: bool) {
    end_sections(text, table);
    set_table_spans(table);
    if !is_ordered {
        sort_in_tree_order(table);
    }
    set_content_ends(table);
    let owners = table.sections.iter().enumerate().skip(1).map(|(index, section)| (section.node, index as u32));
    table.table_sections = owners.collect();
    table.table_sections.sort_unstable();
    table.nodes.shrink_to_fit();
    debug_assert_eq!(table.nodes[0].kind, Kind::Root);
}

/// Sets the end of each value's contents. It does so in one pass, because there can be many values.
fn set_content_ends(table: &mut Table) {
    for id in (0..table.nodes.len()).rev() {
        let last = table.nodes[id].subtree_end as usize;
        let behind = if table.nodes[id].count == 0 { id as Id + 1 } else { table.nodes[last].subtree_end };
        let node = &mut table.nodes[id];
        node.subtree_end = behind;
        if node.start == NO_OFFSET {
            (node.start, node.end) = (node.entry_start, node.entry_start);
        }
        if node.kind.is_sectioned() {
            node.entry_start = node.start;
        }
    }
}

/// Sets the ends of sections. A section ends after its last entry and the comments directly below that entry. Comments
/// directly above the next header belong to that header. Comments between blank lines belong to no section.
fn end_sections(text: &str, table: &mut Table) {
    for index in 0..table.sections.len() {
        let last = table.entries_of(index).next_back().map_or(0, |entry| table.entries[entry].end);
        let section = &table.sections[index];
        let from = section.header_end.max(last) as usize;
        let limit = table.sections.get(index + 1).map_or(text.len(), |next| {
            let start = next.start as usize;
            // Most headers have no `#` above them, so check for one first.
            let between = text.as_bytes().get(from..start).unwrap_or_default();
            let doc = if between.contains(&b'#') { comments::attached_comments(text, from, start) } else { None };
            doc.map_or(start, |doc| doc.range().start)
        });
        let rest = &text[from..limit.max(from)];
        let is_filled = |line: &&str| !line.trim().is_empty() && !directives::is_about_region(line.trim_start());
        let below = rest.split_inclusive('\n').skip(1).take_while(is_filled).map(str::len).sum::<usize>();
        let first = rest.split_inclusive('\n').next().unwrap_or_default().len();
        let rest = rest[..first + below].trim_end_matches([' ', '\t', '\r', '\n']);
        table.sections[index].end = (from + rest.len()) as u32;
    }
}

/// Sets the span of a table that consists of sections. It starts at the first section, and contains the sections that
/// follow without sections of other tables between.
fn set_table_spans(table: &mut Table) {
    for index in 1..table.sections.len() {
        let section = table.sections[index];
        let mut at = section.node;
        while at != 0 {
            let node = &mut table.nodes[at as usize];
            let is_next = node.start == NO_OFFSET || node.last_adjacent + 1 == index as u32;
            if node.kind.is_sectioned() && is_next {
                node.start = node.start.min(section.start);
                (node.end, node.last_adjacent) = (section.end, index as u32);
            }
            at = node.parent;
        }
    }
}

/// Renumbers the values in tree order. They were added in text order, and a table may be continued after other tables.
fn sort_in_tree_order(table: &mut Table) {
    let count = table.nodes.len();
    let mut sizes = vec![1_u32; count];
    for id in (1..count).rev() {
        let own = sizes[id];
        sizes[table.nodes[id].parent as usize] += own;
    }
    let mut numbers: Vec<Id> = vec![0; count];
    let mut next: Vec<Id> = vec![1; count];
    for id in 1..count {
        let parent = table.nodes[id].parent as usize;
        numbers[id] = next[parent];
        next[parent] += sizes[id];
        next[id] = numbers[id] + 1;
    }
    for node in &mut table.nodes {
        node.parent = numbers[node.parent as usize];
        node.subtree_end = numbers[node.subtree_end as usize];
    }
    table.entries.iter_mut().for_each(|entry| entry.node = numbers[entry.node as usize]);
    table.sections.iter_mut().for_each(|section| section.node = numbers[section.node as usize]);
    let mut ordered = table.nodes.clone();
    for (id, node) in table.nodes.iter().enumerate() {
        ordered[numbers[id] as usize] = *node;
    }
    table.nodes = ordered;
}
