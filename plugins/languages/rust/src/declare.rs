//! Moves `mod` items to other files, and checks whether their names are taken there.

use marquetry_code::{CodeDocument, NodeIndex, blocks::Statements, layout::Content};
use marquetry_sdk::{
    Edit, Failure, FailureKind, Result, Rewrite, Span, fail,
    items::{are_sorted, sorted_index},
};

use crate::{
    kinds::{F, K, child, has_kind},
    links::is_module,
    modules::{self, Declaration, modules_around, plain},
    paths::Paths,
    table::{RUST, check_name},
};

/// Prefix of the question whether a document can declare a module of this name.
const NAME: &str = "name ";

/// The question whether a document can declare a module of this name. The answer is a failure if it cannot.
pub(crate) fn name_question(path: &str, name: &str) -> (String, String) {
    (path.to_owned(), format!("{NAME}{name}"))
}

/// Answers a question of another document: checks that the name of a module is free, or declares a module.
///
/// # Errors
///
/// Fails if the name is a keyword, or if it is taken.
pub(crate) fn answer(document: &CodeDocument, payload: &str) -> Result<Rewrite> {
    let Some(name) = payload.strip_prefix(NAME) else { return declare(document, payload) };
    if check_name(name).is_err() {
        let message = format!("`{name}` is a keyword, and cannot be the name of a module");
        return Err(fail(FailureKind::RefactorFailed, message)
            .hint("move the file to another name")
            .candidates([format!("{name}_")]));
    }
    match taken(document, name, &Paths::new(document.arena()), |_| true) {
        Some(at) => Err(already_taken(name, at)),
        None => Ok(Rewrite::default()),
    }
}

fn already_taken(name: &str, at: Span) -> Failure {
    fail(FailureKind::RefactorFailed, format!("the file already declares a module or type `{name}`"))
        .hint("move the file to another name")
        .at(at)
}

/// The span of the item that already uses a name in the file's top-level module: a module or a type. `stays` returns
/// whether a `mod` item remains.
pub(crate) fn taken(
    document: &CodeDocument,
    name: &str,
    paths: &Paths,
    stays: impl Fn(&&Declaration) -> bool,
) -> Option<Span> {
    let arena = document.arena();
    let mut declared = paths.declarations.iter().filter(|declaration| declaration.names == [plain(name)]);
    if let Some(declaration) = declared.find(stays) {
        return Some(arena.node(declaration.node).span);
    }
    let is_type = |node: NodeIndex| {
        [K::STRUCT, K::ENUM, K::UNION, K::TRAIT, K::TYPE_ALIAS].into_iter().any(|kind| has_kind(arena, node, kind))
    };
    let is_named = |node: NodeIndex| {
        arena.child(node, F::Name.into()).is_some_and(|own| plain(arena.slice(own)) == plain(name))
            && has_kind(arena, arena.node(node).parent, K::ITEM_LIST)
            && modules_around(arena, node).is_empty()
    };
    let mut types = arena.nodes().map(|(node, _)| node).filter(|node| is_type(*node) && is_named(*node));
    types.next().map(|node| arena.node(node).span)
}

/// The positions at which imports in the file's top-level module bind a name.
pub(crate) fn imports_of(paths: &Paths, name: &str) -> Vec<Span> {
    let imports =
        paths.paths.iter().filter(|path| path.import.is_some() && path.block.is_none() && path.inline.is_empty());
    let local = imports.filter_map(|path| path.local());
    local.filter(|local| plain(&local.name) == plain(name)).map(|local| local.span).collect()
}

/// Declares a module that another document declared before the moves.
///
/// # Errors
///
/// Fails with `RefactorFailed` if the document has a module of this name.
fn declare(document: &CodeDocument, item: &str) -> Result<Rewrite> {
    let arena = document.arena();
    let content = Content::new(&RUST, document.path(), item, marquetry_code::ParseContext::File);
    let name_of = |arena: &marquetry_code::Arena, node: NodeIndex| {
        arena.child(node, F::Name.into()).map(|name| arena.slice(name).to_owned()).unwrap_or_default()
    };
    let new = content.statements().first().map(|node| name_of(&content.arena, *node)).unwrap_or_default();
    let Some(block) = modules::top_block(document) else {
        let text = document.text_str();
        let gap = if text.is_empty() || text.ends_with("\n\n") { "" } else { "\n" };
        return Ok(Rewrite::from(vec![Edit::insert(text.len(), format!("{gap}{item}\n"))]));
    };
    let statements = Statements::new(document, block);
    let all: Vec<NodeIndex> = arena.children(block).filter(|node| is_module(document, *node)).collect();
    let paths = Paths::new(arena);
    if let Some(at) = taken(document, &new, &paths, |_| true) {
        return Err(already_taken(&new, at));
    }
    let files: Vec<NodeIndex> = all.into_iter().filter(|node| child(arena, *node, K::ITEM_LIST).is_none()).collect();
    let names: Vec<String> = files.iter().map(|node| name_of(arena, *node)).collect();
    let position = |node: Option<&NodeIndex>| node.and_then(|node| statements.position(*node));
    let is_sorted = names.is_sorted() || are_sorted(&names);
    let index = if is_sorted { sorted_index(names.iter().map(String::as_str), &new) } else { names.len() };
    let imports = arena.children(block).filter(|node| has_kind(arena, *node, K::USE)).last();
    // Macros of a module with `macro_use` are visible only in the modules after it.
    let has_macros = |node: &&NodeIndex| {
        let attributes = arena.children(**node).filter(|node| has_kind(arena, *node, K::ATTR));
        attributes.into_iter().any(|attribute| arena.slice(attribute).contains("macro_use"))
    };
    let first = position(files.iter().rfind(has_macros)).map_or(0, |last| last + 1);
    let at = match (position(files.get(index)), position(files.last())) {
        (Some(next), _) => next,
        (None, Some(last)) => last + 1,
        (None, None) => position(imports.as_ref()).map_or(statements.leading(), |last| last + 1),
    };
    let edits = statements.insert(at.max(first), &content)?;
    Ok(Rewrite { edits, unresolved: imports_of(&paths, &new), ..Rewrite::default() })
}
