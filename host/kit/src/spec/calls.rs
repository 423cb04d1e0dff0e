//! The calls of a spec: a line with the call, and the content below it.

use std::{fmt::Write as _, sync::Arc};

use marquetry_model::{
    EditSet, Error, Result,
    pack::{
        Destination, EditOptions, FindResult, Form, Node, Operation, Position, Query, Subject, Target, TargetKind, View,
    },
    ports::{Document, Pack},
};

/// The names of all calls.
const CALLS: [&str; 9] =
    ["outline", "diagnostics", "find", "read", "edit", "insert_missing", "links", "unlink", "rename"];
/// The operations of `edit`.
const OPERATIONS: [&str; 9] = [
    "replace",
    "replace_body",
    "insert_before",
    "insert_after",
    "insert_into",
    "insert_first",
    "insert_sorted",
    "wrap",
    "delete",
];
/// Separates the texts that `wrap` puts before and after.
const WRAP_SEPARATOR: &str = "~~~\n";

/// Makes a call on a document and formats the answer.
///
/// # Errors
/// Fails if the pack refuses the call, or the call is unknown.
pub(super) fn run_call(pack: &Arc<dyn Pack>, (path, text): (&str, &str), call: &str) -> Result<String> {
    let (line, content) = call.split_once('\n').unwrap_or((call, ""));
    let (name, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
    let text: Arc<str> = Arc::from(text);
    let mut document = Arc::clone(pack).open(path, &text)?;
    let document = document.as_mut();
    match name {
        "outline" => Ok(format_outline(&document.outline()?)),
        "diagnostics" => format_diagnostics(document, &text),
        "find" => Ok(find_nodes(document, pack, rest)?
            .iter()
            .map(|node| format!("{} @{}\n", node.kind, node.address))
            .collect()),
        "read" => read_nodes(document, pack, rest, &text),
        "edit" => {
            let (operation, target) = rest.split_once(' ').unwrap_or((rest, ""));
            let nodes: Vec<u32> = find_nodes(document, pack, target)?.iter().map(|node| node.id).collect();
            let operation = parse_operation(operation, content)?;
            Ok(document.edit(&nodes, &operation, EditOptions::default())?.apply(&text))
        }
        "insert_missing" => Ok(document.insert_missing(&parse_target(pack, rest), without_end(content))?.apply(&text)),
        "links" => format_links(document, pack, path),
        "unlink" => {
            let links = document.links()?;
            let named = links.iter().position(|link| link.specifier == rest);
            let index = named.ok_or_else(|| {
                Error::argument(format!("no link `{rest}`")).candidates(links.iter().map(|link| link.specifier.clone()))
            })?;
            Ok(document.remove_links(&[u32::try_from(index).unwrap_or(u32::MAX)])?.edits.apply(&text))
        }
        "rename" => text_after_rename(document, rest, &text),
        _ => Err(Error::argument(format!("no call `{name}`")).candidates(CALLS.map(str::to_owned))),
    }
}

/// Formats an error as the answer of a spec.
pub(super) fn format_error(error: &Error) -> String {
    let content = error.content();
    let mut out = format!("{}: {}\n", error.kind().name(), content.message);
    if !content.candidates.is_empty() {
        _ = writeln!(out, "candidates: {}", content.candidates.join(", "));
    }
    if let Some(hint) = &content.hint {
        _ = writeln!(out, "hint: {hint}");
    }
    out
}

/// Formats nodes as indented lines `kind name @address`.
fn format_outline(nodes: &[Node]) -> String {
    let mut out = String::new();
    for node in nodes {
        let above = |node: &Node| node.parent.and_then(|parent| nodes.get(parent as usize));
        let depth = std::iter::successors(above(node), |node| above(node)).count();
        _ = writeln!(out, "{}{} {} @{}", "  ".repeat(depth), node.kind, node.name, node.address);
    }
    out
}

/// Formats diagnostics as `line:column message`, with columns in bytes, both from 1.
fn format_diagnostics(document: &mut dyn Document, text: &str) -> Result<String> {
    let mut out = String::new();
    for problem in document.diagnostics()? {
        let before = &text[..problem.span.start];
        let line = before.matches('\n').count() + 1;
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
        _ = writeln!(out, "{line}:{column} {}", problem.message);
    }
    Ok(out)
}

/// Parses a target: `kind:value`, or only a value for the pack's first kind.
fn parse_target(pack: &Arc<dyn Pack>, address: &str) -> Target {
    let named = address.split_once(':').and_then(|(kind, value)| {
        let kind = TargetKind::ALL.into_iter().find(|known| known.name() == kind)?;
        Some(Target { kind, value: value.to_owned() })
    });
    let first = pack.description().targets.first().map_or(TargetKind::Lines, |target| target.kind);
    named.unwrap_or(Target { kind: first, value: address.to_owned() })
}

fn find_nodes(document: &mut dyn Document, pack: &Arc<dyn Pack>, address: &str) -> Result<Vec<Node>> {
    match document.find(&Query { target: parse_target(pack, address), limit: usize::MAX, values: false })? {
        FindResult::Nodes(nodes, _) => Ok(nodes),
        FindResult::Scalar(_) => Ok(Vec::new()),
    }
}

/// Returns the full view of each node.
fn read_nodes(document: &mut dyn Document, pack: &Arc<dyn Pack>, address: &str, text: &str) -> Result<String> {
    let mut out = String::new();
    for node in find_nodes(document, pack, address)? {
        let shown = match document.view(node.id, Form::Full)? {
            View::Span(span) => span.slice(text).to_owned(),
            View::Text(text) => text,
        };
        _ = writeln!(out, "{}", shown.strip_suffix('\n').unwrap_or(&shown));
    }
    Ok(out)
}

fn parse_operation(name: &str, content: &str) -> Result<Operation> {
    let owned = || without_end(content).to_owned();
    Ok(match name {
        "replace" => Operation::Replace(owned()),
        "replace_body" => Operation::ReplaceBody(owned()),
        "insert_before" => Operation::InsertBefore(owned()),
        "insert_after" => Operation::InsertAfter(owned()),
        "insert_into" => Operation::InsertInto(owned(), Position::Last),
        "insert_first" => Operation::InsertInto(owned(), Position::First),
        "insert_sorted" => Operation::InsertInto(owned(), Position::Sorted),
        "wrap" => {
            let (before, after) = content.split_once(WRAP_SEPARATOR).unwrap_or((content, ""));
            Operation::Wrap { before: without_end(before).to_owned(), after: without_end(after).to_owned() }
        }
        "delete" => Operation::Delete,
        _ => {
            return Err(Error::argument(format!("no operation `{name}`")).candidates(OPERATIONS.map(str::to_owned)));
        }
    })
}

fn without_end(content: &str) -> &str {
    content.strip_suffix('\n').unwrap_or(content)
}

/// Formats links as `kind specifier -> destination`.
fn format_links(document: &mut dyn Document, pack: &Arc<dyn Pack>, path: &str) -> Result<String> {
    let links = document.links()?;
    let requests: Vec<(String, String)> =
        links.iter().map(|link| (link.kind.clone(), link.specifier.clone())).collect();
    let mut out = String::new();
    for (link, destination) in links.iter().zip(pack.resolve(path, &requests)?) {
        let resolved = match destination {
            Destination::Inside { path, suffix } => format!("{path}{suffix}"),
            Destination::External => "elsewhere".to_owned(),
            Destination::Missing(path) => format!("{path}, which does not exist"),
            Destination::Unknown(why) => format!("unknown: {why}"),
        };
        _ = writeln!(out, "{} {} -> {resolved}", link.kind, link.specifier);
    }
    Ok(out)
}

/// Returns the text after a rename, `rename ADDRESS NEW`.
fn text_after_rename(document: &mut dyn Document, argument: &str, text: &str) -> Result<String> {
    let (address, new) = argument.rsplit_once(' ').ok_or_else(|| {
        Error::argument("`rename` takes an address and the new name").hint("write `rename port host`")
    })?;
    let renamed = document.rename(&Subject::Address(address.to_owned()), new)?;
    let edits: EditSet = renamed.edits;
    Ok(edits.apply(text))
}
