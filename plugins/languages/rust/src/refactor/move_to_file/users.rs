//! Answers of other files about an item that moves: the destination inserts it, and the files that use it change their
//! paths.

use marquetry_code::{Arena, CodeDocument, ParseContext, blocks::Statements, layout::Content};
use marquetry_sdk::{Edit, Result, Rewrite, Span, span::apply as applied};

use super::{TOP, crate_path, difference, refused, with_imports};
use crate::{
    kinds::{K, has_kind},
    modules::{Module, module_path, top_block},
    names::BindingKind,
    paths::Path,
    privacy,
    symbols::{Symbol, Uses},
    table::RUST,
    trees::{self, Changed},
};

/// Prefix of the question to the destination.
pub(in crate::refactor) const INSERTION: &str = "insert ";
/// Prefix of the question to files that use an item.
pub(in crate::refactor) const USERS: &str = "users ";

/// Inserts an item of another module at the end of this file.
///
/// # Errors
///
/// Fails if a name is taken.
pub(in crate::refactor) fn answer_insertion(document: &CodeDocument, payload: &str, from: &str) -> Result<Rewrite> {
    crate::refactor::check_syntax(document)?;
    let mut parts = payload.splitn(4, '\0');
    let mut next = || parts.next().unwrap_or_default();
    let (name, kind, imports, text) = (next(), next(), next(), next());
    let own = Symbol::new(document);
    let uses = own.uses(Module::of_file(from), name, |_| false);
    check_globs(document, &own, &uses, (name, kind == "trait"))?;
    let leaf = |path: &&Path| {
        path.inline.is_empty() && path.block.is_none() && path.import.is_some() && path.alias.is_none() && !path.is_glob
    };
    let leaves: Vec<&Path> = uses.qualified.iter().filter(|one| one.is_leaf).map(|one| one.path).filter(leaf).collect();
    check_name(&own, name, &leaves)?;
    let to = module_path(document.path()).map(|(_, names)| names).unwrap_or_default();
    let mut rewrite = rewritten(document, &own, &uses, &to, |path| !leaves.iter().any(|leaf| leaf.node == path.node))?;
    rewrite.edits.extend(trees::remove(document, leaves.iter().map(|leaf| leaf.node).collect())?);
    rewrite.edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let missing = missing_imports(document, &own, imports)?;
    let text_before = applied(document.text_str(), &rewrite.edits);
    let with_item = appended(document.path(), &text_before, text)?;
    let after = with_imports(document.path(), &with_item, &missing)?;
    rewrite.edits = vec![difference(document.text_str(), &after)];
    rewrite.unresolved = uncertain(&own, &uses, name);
    Ok(rewrite)
}

/// The text of a file with an item at its end.
fn appended(path: &str, text: &str, item: &str) -> Result<String> {
    let document = CodeDocument::open(&RUST, path, text.to_owned());
    let Some(block) = top_block(&document) else {
        let gap = if text.is_empty() || text.ends_with("\n\n") { "" } else { "\n" };
        return Ok(format!("{text}{gap}{item}\n"));
    };
    let arena = document.arena();
    let statements = Statements::new(&document, block);
    let content = Content::new(&RUST, path, item, ParseContext::Items);
    // By convention, the tests are at the end of a file.
    let last = arena.children(block).last().filter(|last| has_kind(arena, *last, K::MODULE));
    let tests = last.filter(|last| arena.slice(*last).contains("cfg(test)")).and_then(|last| statements.position(last));
    Ok(applied(text, &statements.insert(tests.unwrap_or(statements.len()), &content)?))
}

/// Refuses an item whose name the destination already has.
fn check_name(own: &Symbol<'_>, name: &str, leaves: &[&Path]) -> Result<()> {
    let taken = own
        .names
        .lookup(name, !0, TOP)
        .filter(|binding| !leaves.iter().any(|leaf| own.binding_of_leaf(leaf) == Some(*binding)));
    let at = match taken {
        Some(binding) => own.names.bound_at(binding).next(),
        None => own.names.unbound(name).next(),
    };
    match at {
        None => Ok(()),
        Some(place) => {
            Err(refused(format!("`{name}` has another meaning in the destination"), "rename one of the two first")
                .at(place.span))
        }
    }
}

/// The imports that the file does not have yet.
fn missing_imports(document: &CodeDocument, own: &Symbol<'_>, imports: &str) -> Result<Vec<String>> {
    let arena = document.arena();
    let to = module_path(document.path()).map(|(_, names)| names).unwrap_or_default();
    let mut missing = Vec::new();
    for import in imports.lines() {
        let path = import.trim_start_matches("use ").trim_end_matches(';');
        let (path, alias) = path.split_once(" as ").map_or((path, None), |(path, alias)| (path, Some(alias)));
        let (outer, last) = path.rsplit_once("::").unwrap_or(("", path));
        let local = alias.unwrap_or(last);
        if outer == crate_path(&to) && alias.is_none() {
            continue;
        }
        let Some(binding) = own.names.lookup(local, !0, TOP).filter(|_| local != "*" && local != "_") else {
            let has_it = top_block(document)
                .into_iter()
                .flat_map(|block| arena.children(block))
                .any(|item| arena.slice(item) == import);
            if !has_it {
                missing.push(import.to_owned());
            }
            continue;
        };
        let known = &own.names.bindings[binding];
        let leaf = own.paths.paths.iter().find(|leaf| own.binding_of_leaf(leaf) == Some(binding));
        let is_same = known.kind == BindingKind::Import && leaf.is_some_and(|leaf| is_same_path(own, leaf, path, &to));
        if !is_same {
            let at = own.names.bound_at(binding).next().map_or(Span::at(0), |place| place.span);
            return Err(refused(
                format!("the destination already has another `{local}`"),
                "rename one of the two first",
            )
            .at(at));
        }
    }
    Ok(missing)
}

/// Returns whether an import of the file refers to a path that is written in another module.
fn is_same_path(own: &Symbol<'_>, leaf: &Path, path: &str, to: &[String]) -> bool {
    let written = leaf.segments.iter().map(|segment| &*segment.name).collect::<Vec<_>>().join("::");
    let absolute = own.paths.normal(leaf).map(|normal| match normal.up {
        None => crate_path(&normal.names),
        Some(up) => crate_path(&[&to[..to.len().saturating_sub(up)], &normal.names[..]].concat()),
    });
    written == path.trim_start_matches("::") || absolute.as_deref() == Some(path)
}

/// Changes the paths of a file to an item that moves.
///
/// # Errors
///
/// Fails if the file gets the item by a glob import that other files use, or cannot see the destination.
pub(in crate::refactor) fn answer_user(document: &CodeDocument, payload: &str) -> Result<Rewrite> {
    let mut parts = payload.splitn(4, '\0');
    let mut next = || parts.next().unwrap_or_default();
    let (name, from, file, kind) = (next(), next(), next(), next());
    if document.path() == file || document.path() == from {
        return Ok(Rewrite::default());
    }
    let own = Symbol::new(document);
    let uses = own.uses(Module::of_file(from), name, |_| false);
    check_globs(document, &own, &uses, (name, kind == "trait"))?;
    let to = module_path(file).map(|(_, names)| names).unwrap_or_default();
    if let Some(first) = uses.qualified.first() {
        let place = module_path(document.path()).unwrap_or_default();
        if let Some(reason) = privacy::check_new_place(file, &place, &[]) {
            return Err(refused(reason, "make the module visible first").at(first.span));
        }
    }
    let is_here = module_path(document.path()).map(|(root, _)| root) == module_path(file).map(|(root, _)| root);
    if !is_here && !uses.qualified.is_empty() {
        return Err(refused(
            "another crate of the workspace uses the item",
            "re-export the item from its old module first",
        )
        .at(uses.qualified[0].span));
    }
    let mut rewrite = rewritten(document, &own, &uses, &to, |_| true)?;
    rewrite.unresolved = uncertain(&own, &uses, name);
    Ok(rewrite)
}

/// Words in macros and comments that may refer to the item.
fn uncertain(own: &Symbol<'_>, uses: &Uses<'_>, name: &str) -> Vec<Span> {
    let mut found = own.words(uses, name, &[]);
    found.extend(own.paths_in_comments(name));
    found.sort_by_key(|span| span.start);
    found.dedup();
    found
}

/// Refuses a file that gets the item by a glob import.
fn check_globs(
    document: &CodeDocument,
    own: &Symbol<'_>,
    uses: &Uses<'_>,
    (name, is_trait): (&str, bool),
) -> Result<()> {
    for (glob, shown) in &uses.globs {
        // Code can call the methods of a trait without its name.
        let is_used = shown == name && (is_trait || own.free(glob, name).next().is_some());
        if is_used || is_reexport(document.arena(), glob) {
            let why = format!("{} imports `{name}` by `*`", document.path());
            return Err(refused(why, "import the name without `*` first").at(glob.span()));
        }
    }
    Ok(())
}

fn is_reexport(arena: &Arena, glob: &Path) -> bool {
    crate::symbols::is_visible(arena, glob)
}

/// The edits of the paths that refer to the item.
fn rewritten(
    document: &CodeDocument,
    own: &Symbol<'_>,
    uses: &Uses<'_>,
    to: &[String],
    is_changed: impl Fn(&Path) -> bool,
) -> Result<Rewrite> {
    let mut rewrite = Rewrite::default();
    let place = module_path(document.path()).map(|(_, names)| names);
    let mut leaves: Vec<Changed<'_>> = Vec::new();
    for one in uses.qualified.iter().filter(|one| is_changed(one.path)) {
        let Some(count) = one.path.segments.iter().position(|segment| segment.span == one.span) else { continue };
        let is_bare = !matches!(&*one.path.segments[0].name, "crate" | "self" | "super");
        let below = place.as_ref().and_then(|place| to.strip_prefix(&place[..])).filter(|rest| !rest.is_empty());
        let start: Vec<String> = match below.filter(|_| is_bare && one.path.inline.is_empty()) {
            Some(rest) => rest.to_vec(),
            None => std::iter::once("crate".to_owned()).chain(to.iter().cloned()).collect(),
        };
        if one.path.import.is_some() {
            leaves.push(Changed { path: one.path, count, start });
            continue;
        }
        if count == 0 {
            continue;
        }
        let span = Span { start: one.path.segments[0].span.start, end: one.path.segments[count - 1].span.end };
        rewrite.edits.push(Edit::new(span, start.join("::")));
    }
    for run in leaves.chunk_by(|one, other| one.path.import == other.path.import) {
        let Some(import) = run[0].path.import else { continue };
        let all: Vec<&Path> = own.paths.paths.iter().filter(|path| path.import == Some(import)).collect();
        rewrite.edits.extend(trees::change(document, import, &all, run)?);
    }
    rewrite.edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    Ok(rewrite)
}
