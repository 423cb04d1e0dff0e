//! Sorts the imports at the top of a module, and merges statements that import from the same module.
//!
//! Groups that blank lines or other statements separate remain separate. In each group, `import` comes before `from`.

use marquetry_code::{CodeDocument, NodeIndex, regions};
use marquetry_sdk::{
    Edit, Result, Rewrite, Span, lines,
    refactor::{Place, RefactorInput, Refactoring},
};

use crate::imports::{self, Import};

pub(super) const ORGANIZE_IMPORTS: Refactoring<CodeDocument> = Refactoring {
    id: "organize_imports",
    title: "Sort and merge imports",
    place: Place::Document,
    arguments: &[],
    asks_exporters: false,
    apply,
};

/// Maximum width of a statement on one line. A longer statement has one name on each line.
const MAX_WIDTH: usize = 88;

/// An import statement, or several merged ones.
struct Statement {
    module: String,
    /// The names with their aliases; `None` for a statement whose code is not changed.
    names: Option<Vec<String>>,
    is_from: bool,
    /// The original code with its comments.
    written: String,
    is_long: bool,
}

fn apply(document: &CodeDocument, _input: &RefactorInput) -> Result<Rewrite> {
    super::check_syntax(document)?;
    let all = imports::imports(document);
    let mut edits = Vec::new();
    for group in groups(document) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let span = Span { start: whole(document, *first).start, end: whole(document, *last).end };
        let statements = group.iter().map(|statement| read(document, *statement, &all)).collect();
        let new = written(document, merged(statements));
        if new != span.slice(document.text_str()) {
            edits.push(Edit::new(span, new));
        }
    }
    Ok(edits.into())
}

/// The statements of the import region in groups. The statements of a group are on consecutive lines.
fn groups(document: &CodeDocument) -> Vec<Vec<NodeIndex>> {
    let (arena, text) = (document.arena(), document.text_str());
    let statements = regions::top_statements(document);
    let mut groups: Vec<Vec<NodeIndex>> = Vec::new();
    let mut end: Option<u32> = None;
    for statement in &statements[regions::imports(document).statements()] {
        let is_import = document.language().is_one_of(arena, *statement, document.language().imports);
        let own = whole(document, *statement);
        let has_line = lines::starts_line(text, own.range().start) && lines::ends_line(text, own.range().end);
        if !is_import || !has_line || is_future(document, *statement) {
            end = None;
            continue;
        }
        let is_next = end.is_some_and(|end| {
            let gap = &text[end as usize..own.range().start];
            gap.trim().is_empty() && gap.matches('\n').count() == 1
        });
        match groups.last_mut().filter(|_| is_next) {
            Some(group) => group.push(*statement),
            None => groups.push(vec![*statement]),
        }
        end = Some(own.end);
    }
    groups
}

/// Returns whether an import must remain first: it imports from `__future__`.
fn is_future(document: &CodeDocument, statement: NodeIndex) -> bool {
    document.arena().slice(statement).contains("__future__")
}

/// The span of a statement and its comments.
fn whole(document: &CodeDocument, statement: NodeIndex) -> Span {
    let span = document.arena().node(statement).span;
    let above = marquetry_code::blocks::attached_comment(document, span.range().start);
    let end = document.end_of_line_tail(span.range().end) as u32;
    Span { start: above.map_or(span.start, |above| above.start), end }
}

fn read(document: &CodeDocument, statement: NodeIndex, all: &[Import]) -> Statement {
    let arena = document.arena();
    let own: Vec<&Import> = all.iter().filter(|import| import.statement == statement).collect();
    let span = whole(document, statement);
    let written = span.slice(&arena.text).to_owned();
    let is_plain = span == arena.node(statement).span && !written.contains('#') && !written.contains('\\');
    let name = |import: &&Import| arena.slice(import.alias).split_whitespace().collect::<Vec<_>>().join(" ");
    let is_from = own.first().is_some_and(|import| import.name.is_some());
    Statement {
        module: own.first().map(|import| import.module.clone()).unwrap_or_default(),
        names: (is_plain && !own.is_empty()).then(|| own.iter().map(name).collect()),
        is_from,
        is_long: written.contains('\n'),
        written,
    }
}

/// Sorts statements, and merges those without comments that import from the same module.
fn merged(statements: Vec<Statement>) -> Vec<Statement> {
    let mut merged: Vec<Statement> = Vec::new();
    for statement in statements {
        let same = |other: &&mut Statement| {
            other.is_from
                && statement.is_from
                && other.module == statement.module
                && is_list(other)
                && is_list(&statement)
        };
        let Some(other) = merged.iter_mut().find(same) else {
            merged.push(statement);
            continue;
        };
        if let (Some(names), Some(new)) = (&mut other.names, statement.names) {
            names.extend(new);
            other.is_long |= statement.is_long;
        }
    }
    for names in
        merged.iter_mut().filter(|statement| statement.is_from).filter_map(|statement| statement.names.as_mut())
    {
        names.sort_by_key(|name| name_order(name));
        names.dedup();
    }
    merged.sort_by_key(|statement| (statement.is_from, statement.module.to_lowercase(), statement.module.clone()));
    merged.dedup_by(|one, other| one.written == other.written);
    merged
}

fn is_list(statement: &Statement) -> bool {
    statement.names.as_ref().is_some_and(|names| names.iter().all(|name| name != "*"))
}

/// The sort key of a name: constants, then classes, then other names.
fn name_order(name: &str) -> (usize, String) {
    let has = |test: fn(char) -> bool| name.split(' ').next().unwrap_or_default().contains(test);
    let class = match (has(char::is_uppercase), has(char::is_lowercase)) {
        (true, false) => 0,
        (true, true) if name.starts_with(char::is_uppercase) => 1,
        _ => 2,
    };
    (class, name.to_owned())
}

fn written(document: &CodeDocument, statements: Vec<Statement>) -> String {
    let write = |statement: Statement| match statement.names {
        Some(names) if statement.is_from => {
            let line = format!("from {} import {}", statement.module, names.join(", "));
            if line.len() <= MAX_WIDTH && !statement.is_long {
                return line;
            }
            let unit = document.unit();
            let names: String = names.iter().map(|name| format!("{unit}{name},\n")).collect();
            format!("from {} import (\n{names})", statement.module)
        }
        _ => statement.written,
    };
    statements.into_iter().map(write).collect::<Vec<_>>().join("\n")
}
