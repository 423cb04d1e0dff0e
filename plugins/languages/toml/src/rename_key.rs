//! Renames a key at every place of the file that writes it: headers, dotted keys and entries. Its uses elsewhere are
//! unknown, so no other text is changed.

use marquetry_jsonpath::push_string;
use marquetry_sdk::{
    Document, Edit, Failure, FailureKind, FindResult, InterfaceFacts, Query, RenameResult, Resolution, Result, Span,
    Subject, Symbols, Target, TargetKind, fail, shared, span::apply,
};

use crate::{
    Toml,
    document::TomlDocument,
    parse, scalar,
    source::Source,
    table::{Id, Kind},
};

impl Symbols for Toml {
    fn facts(_document: &TomlDocument) -> InterfaceFacts {
        InterfaceFacts { exports: Vec::new(), imports: Vec::new(), shared: Vec::new(), free: Vec::new() }
    }

    fn resolve_symbol(document: &TomlDocument, subject: Subject) -> Result<Resolution> {
        if let Some(name) = name_elsewhere(&subject) {
            return Ok(shared::empty_resolution(name));
        }
        if let Subject::Address(address) = &subject {
            value_at_address(document, address)?;
        }
        Err(no_name_error())
    }

    fn rename(document: &TomlDocument, subject: Subject, new_name: &str) -> Result<RenameResult> {
        if let Some(name) = name_elsewhere(&subject) {
            return Ok(shared::empty_renaming(name));
        }
        let source = document.source();
        let key = match &subject {
            Subject::Address(address) => Some(value_at_address(document, address)?),
            Subject::At(offset) => {
                let holds = |(_, span): &(Id, Span)| span.touches(*offset as usize);
                key_parts(source).into_iter().find(holds).map(|(id, _)| id)
            }
            _ => None,
        };
        rename_edits(source, key.filter(|key| source.table.key(*key).is_some()).ok_or_else(no_name_error)?, new_name)
    }
}

/// The name of something in another file: of code that the file contains the name of, or of a file that it links to. The
/// keys of the file do not refer to it.
fn name_elsewhere(subject: &Subject) -> Option<&str> {
    match subject {
        Subject::Declared(key) => Some(&key.name),
        Subject::Imported(key) => Some(&key.name),
        Subject::ImportedDefault(key) => Some(&key.called),
        Subject::Exported(name) => Some(name),
        Subject::Shared(_) | Subject::At(_) | Subject::Address(_) => None,
    }
}

fn no_name_error() -> Failure {
    fail(FailureKind::TargetNotFound, "no key is written there").hint("name a key, such as `$.package.version`")
}

/// Returns the value at an address.
fn value_at_address(document: &TomlDocument, address: &str) -> Result<Id> {
    let target = Target { kind: TargetKind::Path, value: address.to_owned() };
    match document.find(&Query { target, limit: 1, values: false })? {
        FindResult::Nodes(nodes) if !nodes.nodes.is_empty() => Ok(nodes.nodes[0].id),
        _ => Err(Failure::not_found("value", address, [])),
    }
}

fn rename_edits(source: Source<'_>, key: Id, new_name: &str) -> Result<RenameResult> {
    let siblings = || source.table.children(source.table.node(key).parent).filter(|other| *other != key);
    let name_of = |id: Id| source.table.key(id).map(|key| source.key_name(key)).unwrap_or_default();
    let old = name_of(key).into_owned();
    let parts: Vec<Span> = key_parts(source).into_iter().filter(|(id, _)| *id == key).map(|(_, span)| span).collect();
    if let Some(taken) = siblings().find(|other| name_of(*other) == new_name) {
        let at = source.table.key(taken).map_or(source.span(taken), |(start, end)| Span { start, end });
        let message = format!("the table already has a key `{new_name}`");
        return Err(fail(FailureKind::RefactorFailed, message).hint("choose another name").at(at));
    }
    if siblings().any(|other| name_of(other) == old) {
        let message = format!("the key `{old}` is repeated, and only one of them counts");
        return Err(fail(FailureKind::RefactorFailed, message)
            .hint("remove the duplicates first")
            .at(source.span(key)));
    }
    let mut renaming = shared::empty_renaming(&old);
    if old != new_name {
        let edit = |span: &Span| Edit::new(*span, format_key(span.slice(source.text), new_name));
        renaming.edits = parts.iter().map(edit).collect();
        if !is_only_renamed(source, key, &renaming.edits, new_name) {
            return Err(fail(FailureKind::RefactorFailed, format!("`{new_name}` cannot be written as a key here"))
                .hint("choose another name, or correct the syntax errors of the file first"));
        }
    }
    Ok(renaming)
}

/// Returns the new key in the quotes of the old one. A bare key gets quotes only if the new name needs them.
fn format_key(old: &str, new_name: &str) -> String {
    if !old.starts_with(['"', '\'']) && scalar::is_bare(new_name) {
        return new_name.to_owned();
    }
    let is_literal = old.starts_with('\'') && !new_name.contains(|c: char| c == '\'' || c.is_control());
    if is_literal {
        return format!("'{new_name}'");
    }
    let mut quoted = String::new();
    push_string(&mut quoted, new_name);
    quoted
}

/// Returns whether the edits change the name of the key and nothing else.
fn is_only_renamed(source: Source<'_>, key: Id, edits: &[Edit], name: &str) -> bool {
    let text = apply(source.text, edits);
    let (table, problems) = parse::parse(&text);
    let after = Source { text: &text, table: &table };
    let name_of = |source: Source<'_>, id: Id| source.table.key(id).map(|key| source.key_name(key).into_owned());
    let is_same = |id: Id| {
        let (old, new) = (source.table.node(id), table.node(id));
        let is_named = if id == key {
            name_of(after, id).as_deref() == Some(name)
        } else {
            name_of(source, id) == name_of(after, id)
        };
        is_named && old.kind == new.kind && old.parent == new.parent
    };
    !edits.is_empty()
        && problems.len() == parse::parse(source.text).1.len()
        && table.len() == source.table.len()
        && (0..table.len()).all(is_same)
}

/// Returns every part of a key or of a header, with the value that it names, in text order.
fn key_parts(source: Source<'_>) -> Vec<(Id, Span)> {
    let table = source.table;
    let mut parts = Vec::new();
    for section in &table.sections[1..] {
        let header = Span { start: section.start, end: section.header_end };
        let inside = header.slice(source.text).trim_matches(['[', ']']);
        let start = section.start as usize + header.slice(source.text).find(inside).unwrap_or(0);
        let mut named = Vec::new();
        let mut at = section.node;
        while at != 0 {
            named.extend(table.key(at).map(|_| at));
            at = table.node(at).parent;
        }
        add_parts(&mut parts, &named, inside, start);
    }
    for id in 1..table.len() {
        let node = table.node(id);
        let is_written = !node.kind.is_sectioned() && node.kind != Kind::DottedTable;
        let Some((_, end)) = table.key(id).filter(|_| is_written) else { continue };
        let mut named = vec![id];
        while table.kind(table.node(named[named.len() - 1]).parent) == Kind::DottedTable {
            named.push(table.node(named[named.len() - 1]).parent);
        }
        let key = Span { start: node.entry_start, end };
        add_parts(&mut parts, &named, key.slice(source.text), node.entry_start as usize);
    }
    parts.sort_by_key(|(_, span)| span.start);
    parts
}

/// Adds the parts of a dotted key that starts at the offset. `named` has the values that they name, innermost first.
fn add_parts(parts: &mut Vec<(Id, Span)>, named: &[Id], key: &str, start: usize) {
    let spans = split_key(key);
    for (id, (from, to)) in named.iter().zip(spans.iter().rev()) {
        parts.push((*id, Span::new(start + from, start + to)));
    }
}

/// The ranges of the parts of a dotted key, without blanks around them.
fn split_key(key: &str) -> Vec<(usize, usize)> {
    let (mut spans, mut at) = (Vec::new(), 0);
    while at < key.len() {
        let rest = &key[at..];
        let length = match rest.chars().next() {
            Some('.' | ' ' | '\t') => {
                at += 1;
                continue;
            }
            Some(quote @ ('"' | '\'')) => quoted_length(rest, quote),
            _ => rest.find(['.', ' ', '\t']).unwrap_or(rest.len()),
        };
        spans.push((at, at + length));
        at += length;
    }
    spans
}

/// The length of a quoted key at the start of the text.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if quote == '"' => is_escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use marquetry_sdk::{DeclaredKey, ImportKey, Subject, Symbols, testing};

    use crate::Toml;

    #[test]
    fn keys_are_not_uses_of_names_in_other_files() {
        let bench = testing::open::<Toml>("Cargo.toml", "[package]\nname = \"app\"\n");
        let declared = DeclaredKey { name: "name".to_owned(), locations: Vec::new(), forms: Vec::new() };
        let imported = ImportKey { specifiers: vec!["src/main.rs".to_owned()], name: "name".to_owned() };
        for subject in [Subject::Declared(declared), Subject::Imported(imported), Subject::Exported("name".to_owned())]
        {
            let found = Toml::resolve_symbol(bench.document(), subject.clone()).expect("an answer");
            assert!(found.occurrences.is_empty() && found.name == "name", "{subject:?}");
            let renamed = Toml::rename(bench.document(), subject, "title").expect("an answer");
            assert!(renamed.edits.is_empty() && renamed.unresolved.is_empty());
        }
        Toml::rename(bench.document(), Subject::At(0), "title").expect_err("no key");
    }
}
