//! Moves a declaration to another file, with the imports that it needs.
//!
//! The file that has the declaration asks the destination file to insert it, so one change edits both. If the
//! destination belongs to another package, see [`super::move_to_package`].

use marquetry_code::{
    Arena, CodeDocument, NodeIndex, ParseContext, TokenKind,
    blocks::{Statements, attached_comment},
    layout::Content,
    regions,
};
use marquetry_sdk::{
    Edit, Failure, FailureKind, Result, Rewrite, Span, fail,
    paths::{file_name, folder, join},
    refactor::{Argument, Place, RefactorInput, Refactoring, refactor_failure},
    workspace,
};

use super::{
    add_import::{insert, is_standard},
    move_to_package,
};
use crate::{
    imports::{Import, imports},
    kinds::{F, K, child, has_kind},
    links::remove_imports,
    memo,
    names::{Names, is_universal},
    packages::{local_name, package_clause},
};

pub(super) const MOVE_TO_FILE: Refactoring<crate::GoDocument> = Refactoring {
    id: "move_to_file",
    title: "Move to another file",
    place: Place::Selection,
    arguments: &[Argument {
        name: "destination",
        summary: "the path of the other file, from the root of the project; `./` starts at this file's folder",
        values: &[],
        required: true,
    }],
    asks_exporters: false,
    apply: |document, input| memo::call(|| apply(document, input)),
};

/// Suffixes of file names that restrict a file to some systems.
const SYSTEMS: [&str; 22] = [
    "aix", "android", "darwin", "freebsd", "illumos", "ios", "js", "linux", "netbsd", "openbsd", "plan9", "solaris",
    "wasip1", "windows", "386", "amd64", "arm", "arm64", "ppc64le", "riscv64", "s390x", "wasm",
];

fn refused(why: impl Into<String>, hint: &str) -> Failure {
    refactor_failure(why).hint(hint)
}

/// A declaration that moves: its node, and the keyword of its group.
pub(super) struct Moved {
    pub(super) node: NodeIndex,
    pub(super) group: Option<&'static str>,
}

fn apply(document: &CodeDocument, input: &RefactorInput) -> Result<Rewrite> {
    super::check_syntax(document)?;
    let Some(destination) = input.argument("destination") else {
        return Err(
            fail(FailureKind::InvalidArgument, "`move_to_file` needs `destination`").hint("give the path of a file")
        );
    };
    let path = destination_path(document, destination)?;
    let moved = declaration_at(document, input.at.span)?;
    check_movable(document, &moved)?;
    if folder(&path) != folder(document.path()) {
        return move_to_package::apply_move(document, moved, path);
    }
    let package = package_clause(document.arena()).unwrap_or_default();
    let is_new = workspace::stat(&path).is_none();
    if is_new || path.ends_with("_test.go") != document.path().ends_with("_test.go") {
        check_new_place(document, &path, is_new)?;
    }
    let moved = [moved];
    let (needed, unused) = needed_imports(document, &moved)?;
    let text = text_of(document, &moved[0]);
    let mut rewrite = Rewrite::from(removal(document, &moved, unused)?);
    if is_new {
        let specs: String = needed.iter().map(|spec| format!("import {spec}\n")).collect();
        let gap = if specs.is_empty() { "" } else { "\n" };
        rewrite.create(path, format!("package {package}\n\n{specs}{gap}{text}\n"));
    } else {
        let constraints = constraints(document).join("\n");
        rewrite.ask_file(path, [package, constraints, needed.join("\n"), text].join("\0"));
    }
    Ok(rewrite)
}

fn destination_path(document: &CodeDocument, destination: &str) -> Result<String> {
    let own = folder(document.path());
    let is_relative = destination.starts_with("./") || destination.starts_with("../");
    let path = if is_relative { join(own, destination) } else { join("", destination) };
    let invalid = |message: String, hint: &str| Err(fail(FailureKind::InvalidArgument, message).hint(hint));
    match path {
        Some(path) if !path.ends_with(".go") => {
            invalid(format!("`{destination}` is not a Go file"), "its name ends with `.go`")
        }
        Some(path) if path == document.path() => {
            invalid("the declaration is in this file".to_owned(), "name another file")
        }
        Some(path) => Ok(path),
        None => invalid(format!("`{destination}` is outside of the project"), "name a file of the project"),
    }
}

pub(super) fn declaration_at(document: &CodeDocument, selected: Span) -> Result<Moved> {
    let arena = document.arena();
    let at = arena.innermost(selected.trimmed(&arena.text));
    let kinds = [K::Func, K::Method, K::Type, K::Const, K::Var];
    let is_declaration = |node: &NodeIndex| kinds.iter().any(|kind| has_kind(arena, *node, *kind));
    let groups = [(K::ConstSpecs, "const"), (K::VarSpecs, "var"), (K::TypeSpecs, "type")];
    let found = arena.ancestors(at).filter(is_declaration).find_map(|node| {
        let parent = arena.node(node).parent;
        let group = groups.iter().find(|(kind, _)| has_kind(arena, parent, *kind)).map(|(_, keyword)| *keyword);
        let outer = if group.is_some() { arena.node(arena.node(parent).parent).parent } else { parent };
        has_kind(arena, outer, K::File).then_some(Moved { node, group })
    });
    found.ok_or_else(|| {
        refused(
            "the position is not in a top-level declaration",
            "give the position of a function, method, type, constant or variable",
        )
        .at(selected)
    })
}

/// Refuses declarations whose meaning depends on their position.
pub(super) fn check_movable(document: &CodeDocument, moved: &Moved) -> Result<()> {
    let arena = document.arena();
    let span = arena.node(moved.node).span;
    let failure = |why: &str, hint: &str| Err(refused(why, hint).at(span));
    let is = |kind: K| has_kind(arena, moved.node, kind);
    let parts = || arena.descendants(moved.node);
    let name = arena.child(moved.node, F::Name.into()).map_or("", |name| arena.slice(name));
    if is(K::Func) && name == "init" {
        return failure("the order of `init` functions depends on their files", "move the code that it calls");
    }
    if is(K::Var) && parts().any(|part| has_kind(arena, part, K::Call)) {
        return failure(
            "variables are initialized in the order of the files, and this one calls a function",
            "assign its value in a function first",
        );
    }
    if is(K::Const) && moved.group.is_some() {
        let has_iota = parts().any(|part| has_kind(arena, part, K::NameRef) && arena.slice(part) == "iota");
        let next = arena.children(arena.node(moved.node).parent).find(|other| *other > moved.node);
        let has_value = |node: NodeIndex| arena.child(node, F::Body.into()).is_some();
        if has_iota
            || !has_value(moved.node)
            || next.is_some_and(|next| !has_value(next))
            || uses_iota_after(document, moved)
        {
            return failure(
                "the value of a constant depends on its place in the group",
                "write the value of each constant first",
            );
        }
    }
    let doc = attached_comment(document, span.range().start).map_or("", |doc| doc.slice(&arena.text));
    if doc.lines().any(|line| line.starts_with("//go:") || line.starts_with("//export ")) {
        return failure(
            "a comment above the declaration is for a tool, which may depend on the file",
            "move it by hand",
        );
    }
    Ok(())
}

/// Returns whether a later constant of the group uses `iota`.
fn uses_iota_after(document: &CodeDocument, moved: &Moved) -> bool {
    let arena = document.arena();
    let after = arena.children(arena.node(moved.node).parent).filter(|other| *other > moved.node);
    let mut parts = after.flat_map(|other| arena.descendants(other));
    parts.any(|part| has_kind(arena, part, K::NameRef) && arena.slice(part) == "iota")
}

/// The build constraints of a file: comments at its start, and suffixes of its name.
pub(super) fn constraints(document: &CodeDocument) -> Vec<String> {
    let tokens = document.arena().tokens.iter().take_while(|token| token.kind != TokenKind::Word);
    let comments = tokens.map(|token| token.span.slice(document.text_str()));
    let lines = comments.filter(|line| line.starts_with("//go:build ") || line.starts_with("// +build "));
    lines.map(str::to_owned).chain(name_constraints(document.path())).collect()
}

fn name_constraints(path: &str) -> Vec<String> {
    let stem = file_name(path).trim_end_matches(".go").trim_end_matches("_test");
    let ends = stem.split('_').skip(1).filter(|part| SYSTEMS.contains(part));
    ends.map(str::to_owned).collect()
}

fn check_new_place(document: &CodeDocument, path: &str, is_new: bool) -> Result<()> {
    let hint = "choose a file that is compiled with this one";
    if path.ends_with("_test.go") != document.path().ends_with("_test.go") {
        return Err(refused("only one of the two files is a test", hint));
    }
    if is_new && name_constraints(path) != constraints(document) {
        return Err(refused("the two files are not compiled for the same systems", hint));
    }
    Ok(())
}

/// The imports that the declarations need, as code, and the imports that the file no longer needs without the
/// declarations.
pub(super) fn needed_imports(document: &CodeDocument, moved: &[Moved]) -> Result<(Vec<String>, Vec<NodeIndex>)> {
    let arena = document.arena();
    let names = Names::new(arena);
    let is_moved = |span: Span| moved.iter().any(|one| arena.node(one.node).span.contains(span));
    let (mut needed, mut unused) = (Vec::new(), Vec::new());
    for import in imports(document) {
        let local = local_name(document.path(), &import);
        if local == "." {
            return Err(refused("the file has a dot import", "write the name of the package where they are used")
                .at(import.span));
        }
        let is_import = |binding: Option<usize>| {
            binding.is_none_or(|own| names.bindings[own].kind == crate::names::BindingKind::Import)
        };
        let uses = names.places.iter().filter(|place| {
            arena.slice(place.node) == local && is_import(place.binding) && arena.node(place.node).parent != import.node
        });
        let (inside, outside): (Vec<_>, Vec<_>) = uses.partition(|place| is_moved(place.span));
        if inside.is_empty() {
            continue;
        }
        if import.path == "C" {
            return Err(refused("the declaration uses C code in a comment above `import \"C\"`", "move it by hand"));
        }
        needed.push(spec_of(&import));
        // The name of a package from outside of the workspace may differ from its path.
        let is_certain = import.alias.is_some() || is_standard(&import.path) || outside.is_empty();
        if outside.is_empty() && is_certain {
            unused.push(import.node);
        }
    }
    Ok((needed, unused))
}

pub(super) fn spec_of(import: &Import) -> String {
    match &import.alias {
        Some((alias, _)) => format!("{alias} \"{}\"", import.path),
        None => format!("\"{}\"", import.path),
    }
}

/// The code of the declaration with its comments, outside of its group.
pub(super) fn text_of(document: &CodeDocument, moved: &Moved) -> String {
    let text = document.text_str();
    let span = document.arena().node(moved.node).span;
    let doc = attached_comment(document, span.range().start);
    let comment = doc.map(|doc| {
        let lines = doc.slice(text).lines().map(str::trim_start);
        lines.map(|line| format!("{line}\n")).collect::<String>()
    });
    let rest = text[span.range().end..].lines().next().unwrap_or_default();
    let beside = if rest.trim_start().starts_with("//") { rest.trim_end() } else { "" };
    let keyword = moved.group.map_or_else(String::new, |keyword| format!("{keyword} "));
    let own = span.slice(text);
    // The lines of a group are indented one more level. Raw strings must not be changed.
    let is_raw =
        document.arena().literals.iter().any(|literal| span.contains(*literal) && literal.slice(text).contains('\n'));
    let own = match moved.group {
        Some(_) if !is_raw => own.replace("\n\t", "\n"),
        _ => own.to_owned(),
    };
    format!("{}{keyword}{own}{beside}", comment.unwrap_or_default())
}

pub(super) fn removal(document: &CodeDocument, moved: &[Moved], unused: Vec<NodeIndex>) -> Result<Vec<Edit>> {
    let arena = document.arena();
    let mut edits = Vec::new();
    let mut places: Vec<(NodeIndex, NodeIndex)> = moved.iter().map(|one| removed_statement(arena, one)).collect();
    places.sort_unstable();
    for run in places.chunk_by(|one, other| one.0 == other.0) {
        let statements = Statements::new(document, run[0].0);
        let positions: Option<Vec<usize>> = run.iter().map(|(_, node)| statements.position(*node)).collect();
        let positions = positions
            .ok_or_else(|| refused("the declaration shares its statement with others", "separate them first"))?;
        edits.extend(statements.delete(&positions)?);
    }
    edits.extend(remove_imports(document, unused)?);
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    // The declaration may directly follow an import that is removed, too. Both edits then remove the lines between the
    // two.
    edits.dedup_by(|next, known| {
        let overlap = next.text.is_empty() && known.text.is_empty() && next.span.start <= known.span.end;
        if overlap {
            known.span.end = known.span.end.max(next.span.end);
        }
        overlap
    });
    Ok(edits)
}

/// The list from which a declaration is removed, and the node that is removed: the whole group if the declaration is
/// its only member.
fn removed_statement(arena: &Arena, moved: &Moved) -> (NodeIndex, NodeIndex) {
    let block = arena.node(moved.node).parent;
    if moved.group.is_none() || arena.children(block).count() > 1 {
        return (block, moved.node);
    }
    let group = arena.node(block).parent;
    (arena.node(group).parent, group)
}

/// Inserts a declaration of another file of the package at the end of this file.
///
/// # Errors
///
/// Fails if the files belong to different packages, or if the name of an import is taken.
pub(super) fn answer(document: &CodeDocument, payload: &str) -> Result<Rewrite> {
    super::check_syntax(document)?;
    let mut parts = payload.splitn(4, '\0');
    let mut next = || parts.next().unwrap_or_default();
    let (package, constrained, needed, text) = (next(), next(), next(), next());
    let own = package_clause(document.arena()).unwrap_or_default();
    if own != package {
        return Err(refused(
            format!("the file belongs to the package `{own}`, the declaration to `{package}`"),
            "choose a file of the same package",
        ));
    }
    if constraints(document).join("\n") != constrained {
        return Err(refused(
            "the two files are not compiled for the same systems",
            "choose a file that is compiled with the other one",
        ));
    }
    insert_declaration(document, needed, text).map(Rewrite::from)
}

/// The edits that insert a declaration at the end of a file, with the imports that it needs.
///
/// # Errors
///
/// Fails if the name of an import is taken.
pub(super) fn insert_declaration(document: &CodeDocument, needed: &str, text: &str) -> Result<Vec<Edit>> {
    let there = imports(document);
    if let Some(import) = there.iter().find(|import| {
        let local = local_name(document.path(), import);
        is_universal(&local) && text.contains(&local)
    }) {
        return Err(refused("the name of an import is also a predeclared identifier", "give the import another name")
            .at(import.span));
    }
    let missing = missing_imports(document, &there, needed)?;
    if regions::top_statements(document).len() <= 1 {
        let imports: String = missing.iter().map(|spec| format!("import {spec}\n")).collect();
        let gap = if imports.is_empty() { "" } else { "\n" };
        let end = if document.text_str().ends_with('\n') { "" } else { "\n" };
        let insertion = format!("{end}\n{imports}{gap}{text}\n");
        return Ok(vec![Edit::insert(document.text_str().len(), insertion)]);
    }
    let file = child(document.arena(), 0, K::File).unwrap_or(0);
    let statements = Statements::new(document, file);
    let content = Content::new(document.language(), document.path(), text, ParseContext::Items);
    let mut edits = statements.insert(statements.len(), &content)?;
    if !missing.is_empty() {
        edits.extend(insert(document, &missing)?);
    }
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    Ok(edits)
}

/// The imports that the file does not have yet.
fn missing_imports(document: &CodeDocument, there: &[Import], needed: &str) -> Result<Vec<String>> {
    let mut missing = Vec::new();
    for spec in needed.lines() {
        let (alias, path) = spec.split_once('"').unwrap_or(("", spec));
        let (alias, path) = (alias.trim(), path.trim_end_matches('"'));
        let wanted = Import {
            node: 0,
            path: path.to_owned(),
            span: Span::at(0),
            alias: (!alias.is_empty()).then(|| (alias.to_owned(), Span::at(0))),
        };
        let local = local_name(document.path(), &wanted);
        match there.iter().find(|import| local_name(document.path(), import) == local) {
            Some(known) if known.path == path => {}
            Some(known) => {
                return Err(refused(
                    format!("the file already has another `{local}`"),
                    "give one of the imports another name",
                )
                .at(known.span));
            }
            None => missing.push(spec.to_owned()),
        }
    }
    Ok(missing)
}
