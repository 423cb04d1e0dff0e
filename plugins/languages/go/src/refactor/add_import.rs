//! Adds an import to the existing import group, next to imports of the same kind (standard library or not).

use marquetry_code::{CodeDocument, NodeIndex, ParseContext, blocks::Statements, layout::Content, regions};
use marquetry_sdk::{
    Edit, FailureKind, Result, Rewrite, fail,
    items::sorted_index,
    paths::folder,
    refactor::{Argument, Place, RefactorInput, Refactoring, refactor_failure},
};

use crate::{
    imports::{Import, imports},
    kinds::{F, K, child, has_kind},
    packages::{local_name, outline_of, package_clause, package_files},
    table::{check_name, unquoted},
};

pub(super) const ADD_IMPORT: Refactoring<CodeDocument> = Refactoring {
    id: "add_import",
    title: "Add an import",
    place: Place::Document,
    arguments: &[
        Argument { name: "path", summary: "the import path, such as `net/http`", values: &[], required: true },
        Argument { name: "alias", summary: "the local name, `_` or `.`", values: &[], required: false },
    ],
    asks_exporters: false,
    apply,
};

fn apply(document: &CodeDocument, input: &RefactorInput) -> Result<Rewrite> {
    super::check_syntax(document)?;
    let Some(path) = input.argument("path") else {
        return Err(fail(FailureKind::InvalidArgument, "`add_import` needs `path`").hint("give the import path"));
    };
    let is_part =
        |part: &str| !part.is_empty() && !part.contains(|c: char| c.is_whitespace() || "\"`\\()'*<>?:|".contains(c));
    if !path.split('/').all(is_part) {
        return Err(fail(FailureKind::InvalidArgument, format!("`{path}` is not an import path"))
            .hint("write it without quotes: `net/http`"));
    }
    if let Some(alias) = input.argument("alias").filter(|alias| !matches!(*alias, "_" | ".")) {
        check_name(alias)?;
    }
    Ok(add(document, path, input.argument("alias"))?.into())
}

/// Edits that add the imports in `content` to a document.
///
/// # Errors
///
/// Fails if `content` has declarations other than imports, or if a name is already taken.
pub(crate) fn add_imports(document: &CodeDocument, content: &str) -> Result<Vec<Edit>> {
    if content.trim().is_empty() {
        return Err(marquetry_code::blocks::empty_content());
    }
    let parsed = Content::new(document.language(), document.path(), content, ParseContext::Items);
    let is_import =
        |node: &NodeIndex| has_kind(&parsed.arena, *node, K::Import) || has_kind(&parsed.arena, *node, K::ImportGroup);
    if !parsed.arena.errors.is_empty() || !parsed.statements().iter().all(is_import) {
        return Err(fail(FailureKind::InvalidArgument, "the content has code that is not an import")
            .hint("use `insert_before` or `insert_after` for other code"));
    }
    let arena = &parsed.arena;
    let nodes = arena.nodes().filter(|(_, node)| node.kind == K::Import.into());
    let wanted: Vec<(String, Option<String>)> = nodes
        .filter_map(|(node, _)| {
            let path = unquoted(arena.slice(arena.child(node, F::Path.into())?)).to_owned();
            Some((path, arena.child(node, F::Name.into()).map(|name| arena.slice(name).to_owned())))
        })
        .collect();
    let there = imports(document);
    let is_missing = |(path, alias): &&(String, Option<String>)| {
        !there
            .iter()
            .any(|import| import.path == *path && import.alias.as_ref().map(|(name, _)| name) == alias.as_ref())
    };
    let missing: Vec<&(String, Option<String>)> = wanted.iter().filter(is_missing).collect();
    match missing[..] {
        [] => Ok(Vec::new()),
        [(path, alias)] => add(document, path, alias.as_deref()),
        _ => {
            // Several imports are inserted in the order and form that they have in `content`.
            let region = regions::imports(document);
            region.insert(document, region.statements().end, &parsed)
        }
    }
}

/// Returns whether an import path is in the standard library.
pub(super) fn is_standard(path: &str) -> bool {
    !path.split('/').next().unwrap_or_default().contains('.')
}

fn add(document: &CodeDocument, path: &str, alias: Option<&str>) -> Result<Vec<Edit>> {
    let there = imports(document);
    let is_there =
        |import: &Import| import.path == path && import.alias.as_ref().map(|(name, _)| name.as_str()) == alias;
    if there.iter().any(is_there) {
        return Ok(Vec::new());
    }
    check_free(document, &there, path, alias)?;
    let spec = alias.map_or_else(|| format!("\"{path}\""), |alias| format!("{alias} \"{path}\""));
    insert(document, path, &[spec])
}

/// Edits that add imports of these paths. The caller has already checked that their names are free.
///
/// # Errors
///
/// Fails if the imports of the file cannot be edited.
pub(crate) fn add_paths(document: &CodeDocument, paths: &[&str]) -> Result<Vec<Edit>> {
    let Some(first) = paths.first() else { return Ok(Vec::new()) };
    insert(document, first, &paths.iter().map(|path| format!("\"{path}\"")).collect::<Vec<_>>())
}

/// Inserts imports at the position where an import of `path` belongs.
pub(super) fn insert(document: &CodeDocument, path: &str, specs: &[String]) -> Result<Vec<Edit>> {
    let arena = document.arena();
    let statements = regions::top_statements(document);
    let region = regions::imports(document);
    let group = statements[region.statements()].iter().find_map(|node| child(arena, *node, K::ImportSpecs));
    let content = |text: &str, context: ParseContext| Content::new(document.language(), document.path(), text, context);
    let Some(group) = group else {
        let text = specs.iter().map(|spec| format!("import {spec}")).collect::<Vec<_>>().join("\n");
        return region.insert(document, region.statements().end, &content(&text, ParseContext::Items));
    };
    let there: Vec<NodeIndex> = arena.children(group).collect();
    let path_of = |node: &NodeIndex| {
        arena.child(*node, F::Path.into()).map(|path| unquoted(arena.slice(path)).to_owned()).unwrap_or_default()
    };
    let paths: Vec<String> = there.iter().map(path_of).collect();
    let same: Vec<usize> = (0..paths.len()).filter(|index| is_standard(&paths[*index]) == is_standard(path)).collect();
    let index = match same.first() {
        Some(first) => first + sorted_index(same.iter().map(|index| paths[*index].as_str()), path),
        None if is_standard(path) => 0,
        None => paths.len(),
    };
    Statements::new(document, group)
        .insert(index.min(paths.len()), &content(&specs.join("\n"), ParseContext::Inside("IMPORT_SPECS")))
}

/// Refuses the import if the file or its package already uses its name for something else.
fn check_free(document: &CodeDocument, there: &[Import], path: &str, alias: Option<&str>) -> Result<()> {
    let new = Import {
        node: 0,
        path: path.to_owned(),
        span: marquetry_sdk::Span::at(0),
        alias: alias.map(|alias| (alias.to_owned(), marquetry_sdk::Span::at(0))),
    };
    let local = local_name(document.path(), &new);
    if matches!(local.as_str(), "_" | ".") {
        return Ok(());
    }
    let package = package_clause(document.arena()).unwrap_or_default();
    let is_declared = |file: &String| outline_of(file).declared.contains_key(&local);
    let is_taken = there.iter().any(|import| local_name(document.path(), import) == local)
        || package_files(folder(document.path()), &package).iter().any(is_declared);
    if is_taken {
        return Err(refactor_failure(format!("the file already has another `{local}`")).hint("give an `alias`"));
    }
    Ok(())
}
