//! The file that gets the declaration.

use marquetry_code::{
    CodeDocument, NodeIndex, ParseContext, ScopeKind, blocks::Statements, layout::Content, regions::top_statements,
    scopes::FILE_SCOPE,
};
use marquetry_sdk::{Result, Rewrite, refactor::refactor_failure, span::apply, workspace};

use super::{
    check_circle, circles, difference, importers,
    plan::{self, Plan},
    refused,
};
use crate::{
    imports::{self, Import},
    lower::{F, K},
    modules::{self, Found},
    refactor::add_imports,
    table,
};

/// The imports of a moved declaration as code.
#[derive(Default)]
struct NeededImports {
    /// Imports that the module executes.
    plain: Vec<String>,
    /// Imports for type checkers.
    types: Vec<String>,
}

/// Refuses a move after which two modules import each other while they are loaded.
pub(super) fn check_circles(plan: &Plan, origin: &CodeDocument) -> Result<Option<String>> {
    let start = executed_files(plan, origin);
    let unknown =
        if plan.is_used { check_circle(start, &plan.source, (&plan.source, &plan.destination))? } else { None };
    let back = if plan.left.is_empty() {
        None
    } else {
        // The file no longer executes the imports that only the declaration needed.
        let all = imports::imports(origin);
        let is_removed =
            |import: &&Import| import.local.as_ref().is_some_and(|local| plan.removed_imports.contains(local));
        let start = circles::executed(origin, all.iter().filter(|import| !is_removed(import)));
        check_circle(start, &plan.destination, (&plan.destination, &plan.source))?
    };
    Ok(unknown.or(back))
}

/// The files that the destination executes when it is imported.
pub(super) fn executed_files(plan: &Plan, origin: &CodeDocument) -> Vec<String> {
    let mut files = circles::executed(origin, plan.needed.iter());
    files.retain(|path| *path != plan.destination);
    if let Ok(text) = workspace::read(&plan.destination) {
        let document = CodeDocument::open(&table::PYTHON, &plan.destination, text);
        let all = imports::imports(&document);
        // The import of the declaration itself is removed.
        let is_other = |import: &&Import| {
            import.name.as_deref() != Some(&plan.name)
                || circles::file_of(&document, import).as_deref() != Some(&plan.source)
        };
        files.extend(circles::executed(&document, all.iter().filter(is_other)));
    }
    if !plan.left.is_empty() {
        files.push(plan.source.clone());
    }
    files
}

impl NeededImports {
    /// The imports that `there`, the text of the destination, does not have yet.
    fn new(plan: &Plan, origin: &CodeDocument, there: Option<&CodeDocument>) -> Result<NeededImports> {
        let mut needed = NeededImports::default();
        for import in &plan.needed {
            let Some(code) = statement(plan, origin, import)? else { continue };
            if let Some(there) = there
                && has_import(origin, import, there)?
            {
                continue;
            }
            if import.is_type_only { needed.types.push(code) } else { needed.plain.push(code) }
        }
        let left: Vec<&str> =
            plan.left.iter().map(String::as_str).filter(|name| !has_left(plan, name, there)).collect();
        if !left.is_empty() {
            let style = there.unwrap_or(origin);
            let is_relative = imports::imports(style).iter().any(|import| import.module.starts_with('.'));
            let module = plan::name_between(&plan.destination, &plan.source, is_relative).ok_or_else(|| {
                refused(
                    format!("{} cannot import {}", plan.destination, plan.source),
                    "choose a file whose path is the name of a module",
                )
            })?;
            needed.plain.push(format!("from {module} import {}", left.join(", ")));
        }
        if !needed.types.is_empty() {
            needed.plain.push("from typing import TYPE_CHECKING".to_owned());
        }
        Ok(needed)
    }

    fn type_block(&self) -> String {
        self.types.iter().fold("if TYPE_CHECKING:".to_owned(), |block, line| format!("{block}\n    {line}"))
    }
}

/// The code of an import in the destination. `None` if the destination declares the name.
fn statement(plan: &Plan, origin: &CodeDocument, import: &Import) -> Result<Option<String>> {
    let span = import.name_span;
    let local = import.local.clone().unwrap_or_default();
    if circles::file_of(origin, import).as_deref() == Some(&plan.destination) {
        let is_name = crate::origins::module_of_import(origin, import).is_none();
        return match &import.name {
            Some(name) if *name == local && is_name => Ok(None),
            _ => Err(refused(
                "the declaration uses the destination as a module, or under another name",
                "import the name itself without `as` first",
            )
            .at(span)),
        };
    }
    let Some(module) = module_text(plan, origin, import) else {
        return Err(refused(
            format!("{} cannot import `{}`", plan.destination, import.module),
            "choose another destination",
        )
        .at(span));
    };
    let alias = |name: &str| if import.is_aliased { format!("{name} as {local}") } else { name.to_owned() };
    Ok(Some(match &import.name {
        Some(name) => format!("from {module} import {}", alias(name)),
        None => format!("import {}", alias(&module)),
    }))
}

/// The name of an imported module, as the destination imports it.
fn module_text(plan: &Plan, origin: &CodeDocument, import: &Import) -> Option<String> {
    let module = &import.module;
    let is_relative = module.starts_with('.');
    let (from, to) = (origin.path(), &plan.destination);
    let is_near = marquetry_sdk::paths::folder(from) == marquetry_sdk::paths::folder(to);
    match modules::resolve(from, module) {
        _ if is_near => Some(module.clone()),
        Found::Inside(found) if is_relative => modules::module_name(to, &found, true),
        Found::Inside(found) => match modules::resolve(to, module) {
            Found::Inside(same) if same.path == found.path => Some(module.clone()),
            _ => plan::name_between(to, &found.path, false),
        },
        Found::Missing(_) | Found::External => (!is_relative).then(|| module.clone()),
    }
}

/// Returns whether the destination has the same import.
fn has_import(origin: &CodeDocument, import: &Import, there: &CodeDocument) -> Result<bool> {
    let file = circles::file_of(origin, import);
    let same_file = |other: &Import| match (&file, circles::file_of(there, other)) {
        (None, None) => import.module == other.module,
        (Some(one), Some(other)) => *one == other,
        _ => false,
    };
    let all = imports::imports(there);
    let is_same = |other: &&Import| {
        other.is_global && other.name == import.name && other.local == import.local && same_file(other)
    };
    let found: Vec<&Import> = all.iter().filter(is_same).collect();
    match found.first() {
        None => Ok(false),
        Some(_) if import.is_type_only || found.iter().any(|other| !other.is_type_only) => Ok(true),
        Some(other) => Err(refused(
            "the declaration needs an import that the file has only for type checkers",
            "move the import out of `if TYPE_CHECKING`",
        )
        .at(other.name_span)),
    }
}

/// Returns whether the destination already imports a name from the file of the declaration.
fn has_left(plan: &Plan, name: &str, there: Option<&CodeDocument>) -> bool {
    let Some(there) = there else { return false };
    imports::imports(there).iter().any(|import| {
        import.is_global
            && !import.is_type_only
            && import.name.as_deref() == Some(name)
            && import.local.as_deref() == Some(name)
            && circles::file_of(there, import).as_deref() == Some(&plan.source)
    })
}

/// The directives for the compiler: `from __future__ import annotations`.
fn directives(document: &CodeDocument) -> Vec<String> {
    let all = imports::imports(document).into_iter().filter(|import| import.module == "__future__");
    all.filter_map(|import| import.name).collect()
}

/// The text of a new destination.
pub(super) fn new_text(plan: &Plan, origin: &CodeDocument) -> Result<String> {
    let needed = NeededImports::new(plan, origin, None)?;
    let directives: String = directives(origin).iter().map(|name| format!("from __future__ import {name}\n")).collect();
    let mut plain = needed.plain.clone();
    plain.dedup();
    let mut blocks = vec![directives, plain.iter().map(|line| format!("{line}\n")).collect::<String>()];
    if !needed.types.is_empty() {
        blocks.push(needed.type_block() + "\n");
    }
    blocks.retain(|block| !block.is_empty());
    let gap = if blocks.is_empty() { "" } else { "\n\n" };
    Ok(format!("{}{gap}{}\n", blocks.join("\n"), plan.text(origin)))
}

/// Inserts the declaration into an existing file.
pub(super) fn insert(plan: &Plan, origin: &CodeDocument, document: &CodeDocument) -> Result<Rewrite> {
    let unknown = check_circles(plan, origin)?;
    check_directives(plan, origin, document)?;
    let open = |text: String| CodeDocument::open(&table::PYTHON, document.path(), text);
    let without = open(importers::without_imports(plan, document)?);
    check_names(plan, &without)?;
    let needed = NeededImports::new(plan, origin, Some(&without))?;
    let mut current = without;
    if !needed.plain.is_empty() {
        let edits = add_imports(&current, &needed.plain.join("\n"))?;
        current = open(apply(current.text_str(), &edits));
    }
    if !needed.types.is_empty() {
        current = open(with_types(&current, &needed)?);
    }
    let top = top_statements(&current);
    let text = plan.text(origin);
    let after = match top.first() {
        None => format!("{}{text}\n", current.text_str()),
        Some(first) => {
            let block = Statements::new(&current, current.arena().node(*first).parent);
            let is_guard = |node: NodeIndex| {
                let test = current.arena().child(node, F::Test.into());
                test.is_some_and(|test| current.arena().slice(test).contains("__name__"))
            };
            let end = top.iter().rposition(|node| !is_guard(*node)).map_or(0, |last| last + 1);
            let content = Content::new(current.language(), current.path(), &text, ParseContext::File);
            apply(current.text_str(), &block.insert(end, &content)?)
        }
    };
    let result = open(after);
    if !result.arena().errors.is_empty() {
        return Err(refactor_failure("the declaration cannot be inserted at the end of the file")
            .hint("insert it with `insert_after`"));
    }
    let mut rewrite = Rewrite::from(difference(document.text_str(), result.text_str()));
    rewrite.incomplete = unknown;
    Ok(rewrite)
}

/// Refuses a file without a directive that changes the meaning of the annotations of the declaration.
fn check_directives(plan: &Plan, origin: &CodeDocument, document: &CodeDocument) -> Result<()> {
    let arena = origin.arena();
    let is_annotation = |node: &NodeIndex| {
        let field = arena.node(*node).field;
        field == F::Annotation.into() || field == F::Returns.into()
    };
    let there = directives(document);
    let missing = directives(origin).into_iter().find(|name| !there.contains(name));
    match missing.filter(|name| name != "annotations" || arena.descendants(plan.node).any(|node| is_annotation(&node)))
    {
        Some(name) => Err(refused(
            format!("{} lacks `from __future__ import {name}`", document.path()),
            "add this import there first",
        )),
        None => Ok(()),
    }
}

/// Refuses a file in which the declaration, or a name that it uses, has another meaning.
fn check_names(plan: &Plan, document: &CodeDocument) -> Result<()> {
    let names = document.names();
    let own = names.places.iter().filter(|place| place.name == plan.name);
    for place in own {
        let owner = names.owner_of(place);
        if owner == Some(FILE_SCOPE) && place.binding.is_some() {
            return Err(refused(
                format!("{} already has a `{}`", document.path(), plan.name),
                "rename one of them first",
            )
            .at(place.span));
        }
        let mut around = std::iter::successors(Some(place.scope), |scope| {
            (*scope != FILE_SCOPE).then(|| names.scopes[*scope].parent)
        });
        let is_later = place.is_late || around.any(|scope| names.scopes[scope].kind == ScopeKind::Function);
        if owner.is_none() && !is_later {
            return Err(refused(
                format!(
                    "{} uses `{}` while it is loaded, before the declaration would be executed",
                    document.path(),
                    plan.name
                ),
                "choose another destination",
            )
            .at(place.span));
        }
    }
    match plan.free.iter().find(|name| names.binds(FILE_SCOPE, name)) {
        Some(name) => {
            Err(refused(format!("`{name}` has another meaning in {}", document.path()), "rename one of the two first"))
        }
        None => Ok(()),
    }
}

/// The text with imports for type checkers.
fn with_types(document: &CodeDocument, needed: &NeededImports) -> Result<String> {
    let arena = document.arena();
    let top = top_statements(document);
    let block_of = |node: &NodeIndex| {
        let test = arena.child(*node, F::Test.into())?;
        let block = arena.child_of_kind(*node, K::Block.into())?;
        arena.slice(test).ends_with("TYPE_CHECKING").then_some(block)
    };
    if let Some(block) = top.iter().find_map(block_of) {
        let statements = Statements::new(document, block);
        let code = needed.types.join("\n");
        let content = Content::new(document.language(), document.path(), &code, ParseContext::File);
        return Ok(apply(document.text_str(), &statements.insert(statements.len(), &content)?));
    }
    let end = marquetry_code::regions::imports(document).statements().end;
    let block = top.first().map_or(0, |first| arena.node(*first).parent);
    let code = needed.type_block();
    let content = Content::new(document.language(), document.path(), &code, ParseContext::File);
    Ok(apply(document.text_str(), &Statements::new(document, block).insert(end, &content)?))
}
