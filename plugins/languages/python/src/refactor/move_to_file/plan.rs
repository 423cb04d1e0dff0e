//! The plan of a move: the declaration, the names that it needs, and the edits of its file.

use std::collections::BTreeSet;

use marquetry_code::{
    BindingKind, CodeDocument, NodeIndex, TokenKind,
    blocks::{Statements, attached_comment},
    regions::top_statements,
    scopes::{FILE_SCOPE, NamePlace},
};
use marquetry_sdk::{Edit, Result, Span, lines, paths::file_name, span::apply, workspace};

use super::{difference, refused};
use crate::{
    imports::{self, Import},
    lower::{F, K},
    modules::{self, Module},
    name_strings::exported_strings,
    refactor::{add_imports, expressions::is_one_of, remove_unused_imports::is_unused},
    table,
    uses::local_places,
};

/// Names that each module defines with its own value.
const OWN_NAMES: [&str; 7] = ["__name__", "__file__", "__package__", "__spec__", "__path__", "__loader__", "__doc__"];

/// A move of a declaration.
pub(super) struct Plan {
    pub(super) source: String,
    pub(super) destination: String,
    pub(super) name: String,
    /// The statement.
    pub(super) node: NodeIndex,
    /// The range of the statement.
    pub(super) span: Span,
    /// The imports of the file that the declaration needs.
    pub(super) needed: Vec<Import>,
    /// The names of the file that the declaration needs, and that stay in the file.
    pub(super) left: Vec<String>,
    /// Names in the declaration that the file does not bind.
    pub(super) free: BTreeSet<String>,
    /// True if the rest of the file uses or exports the declaration.
    pub(super) is_used: bool,
    /// Names that the file no longer imports.
    pub(super) removed_imports: Vec<String>,
}

impl Plan {
    pub(super) fn new(document: &CodeDocument, selected: Span, destination: String) -> Result<Plan> {
        let (node, name) = declaration_at(document, selected)?;
        let span = document.arena().node(node).span;
        let mut plan = Plan {
            source: document.path().to_owned(),
            destination,
            name: document.arena().slice(name).to_owned(),
            node,
            span,
            needed: Vec::new(),
            left: Vec::new(),
            free: BTreeSet::new(),
            is_used: false,
            removed_imports: Vec::new(),
        };
        plan.check_declaration(document, document.arena().node(name).span)?;
        plan.find_needs(document)?;
        let names = document.names();
        let is_exported = exported_strings(document).iter().any(|(name, _)| *name == plan.name);
        let is_used = names.references(&plan.name, FILE_SCOPE).any(|place| !span.contains(place.span));
        // Users of a package outside of the workspace import its names from it.
        let is_public = file_name(document.path()) == "__init__.py" && !plan.name.starts_with('_');
        plan.is_used = is_used || is_exported || is_public;
        if let (true, Some(first)) = (plan.is_used, plan.left.first()) {
            return Err(refused(
                format!("`{}` needs `{first}`, which stays in this file, and the file needs `{0}`", plan.name),
                "the two modules would import each other: move both, or neither",
            )
            .at(span));
        }
        plan.removed_imports = plan.without_declaration(document)?.1;
        Ok(plan)
    }

    /// Returns whether the destination does not exist.
    pub(super) fn is_new(&self) -> bool {
        workspace::stat(&self.destination).is_none()
    }

    /// Refuses declarations whose meaning depends on their module, or that other statements change.
    fn check_declaration(&self, document: &CodeDocument, name: Span) -> Result<()> {
        let (arena, names, text) = (document.arena(), document.names(), document.text_str());
        let own = self.span.range();
        let rest = text[own.end..lines::line_end(text, own.end)].trim_start();
        if !lines::starts_line(text, own.start) || !(rest.is_empty() || rest.starts_with('#')) {
            return Err(
                refused("the declaration shares its line with other code", "put it on its own line").at(self.span)
            );
        }
        let mut bindings = names.references(&self.name, FILE_SCOPE).filter(|place| place.binding.is_some());
        if let Some(other) = bindings.find(|place| place.span != name) {
            return Err(refused(
                format!("`{}` is declared or assigned more than once", self.name),
                "only a name with one declaration can be moved",
            )
            .at(other.span));
        }
        let inside = || names.places.iter().filter(|place| self.span.contains(place.span));
        if let Some(place) = inside().find(|place| OWN_NAMES.contains(&place.name.as_str())) {
            return Err(refused(
                format!("`{}` has another value in another module", place.name),
                "pass the value as an argument first",
            )
            .at(place.span));
        }
        if let Some(place) = inside().find(|place| place.binding == Some(BindingKind::Global)) {
            return Err(refused(
                format!("the declaration assigns the variable `{}` of the module", place.name),
                "move the variable with its functions by moving the file",
            )
            .at(place.span));
        }
        let stub = format!("{}i", self.source);
        if workspace::stat(&stub).is_some() {
            return Err(refused(format!("{stub} declares the types of this file"), "move the declaration by hand"));
        }
        let is_relative = |import: &&Import| import.module.starts_with('.') && self.span.contains(import.name_span);
        let relative = imports::imports(document).into_iter().find(|import| is_relative(&import));
        match relative.filter(|_| self.changes_folder()) {
            Some(import) => Err(refused(
                "the declaration has a relative import, and moves to another folder",
                "write the import with the whole name of the module",
            )
            .at(arena.node(import.statement).span)),
            None => Ok(()),
        }
    }

    fn changes_folder(&self) -> bool {
        marquetry_sdk::paths::folder(&self.source) != marquetry_sdk::paths::folder(&self.destination)
    }

    /// Finds the names that the declaration uses.
    fn find_needs(&mut self, document: &CodeDocument) -> Result<()> {
        let names = document.names();
        let imports = imports::imports(document);
        let mut used: BTreeSet<&str> = BTreeSet::new();
        for place in names.places.iter().filter(|place| self.span.contains(place.span) && place.name != self.name) {
            match names.owner_of(place) {
                Some(FILE_SCOPE) => drop(used.insert(&place.name)),
                Some(_) => {}
                None => drop(self.free.insert(place.name.clone())),
            }
        }
        if let Some(star) = imports.iter().find(|import| import.name.as_deref() == Some("*")) {
            let is_unknown = |name: &&String| !crate::undeclared::is_builtin(name);
            if let Some(name) = self.free.iter().find(is_unknown) {
                return Err(refused(
                    format!("`{name}` may come from an import of `*`"),
                    "import the name itself first",
                )
                .at(star.name_span));
            }
        }
        for name in used {
            let bindings: Vec<&NamePlace> =
                names.references(name, FILE_SCOPE).filter(|place| place.binding.is_some()).collect();
            let own: Vec<&Import> =
                imports.iter().filter(|import| import.is_global && import.local.as_deref() == Some(name)).collect();
            let is_package = own.iter().all(|import| import.name.is_none() && !import.is_aliased);
            if own.is_empty() && bindings.len() == 1 {
                self.left.push(name.to_owned());
            } else if own.len() == bindings.len()
                && (own.len() == 1 || is_package)
                && !own.iter().any(is_guarded(document))
            {
                self.needed.extend(own.into_iter().cloned());
            } else {
                return Err(refused(
                    format!("`{name}`, which the declaration uses, is assigned more than once"),
                    "only a name with one value can be imported from another module",
                )
                .at(bindings[0].span));
            }
        }
        self.needed.sort_by_key(|import| import.name_span.start);
        Ok(())
    }

    /// The code of the declaration with its comments.
    pub(super) fn text(&self, document: &CodeDocument) -> String {
        let text = document.text_str();
        let own = self.span.range();
        let start = attached_comment(document, own.start).map_or(own.start, |comment| comment.range().start);
        text[start..lines::line_end(text, own.end)].trim_end().to_owned()
    }

    /// The text of the file without the declaration and the imports that only the declaration used, and the names of
    /// these imports.
    fn without_declaration(&self, document: &CodeDocument) -> Result<(String, Vec<String>)> {
        let Some(block) = top_statements(document).first().map(|first| document.arena().node(*first).parent) else {
            return Ok((document.text_str().to_owned(), Vec::new()));
        };
        let statements = Statements::new(document, block);
        let position = statements.position(self.node).into_iter().collect::<Vec<usize>>();
        let text = apply(document.text_str(), &statements.delete(&position)?);
        let rest = CodeDocument::open(&table::PYTHON, document.path(), text);
        let was_needed = |import: &Import| self.needed.iter().any(|needed| needed.local == import.local);
        let unused: Vec<Import> = imports::imports(&rest)
            .into_iter()
            .filter(|import| import.is_global && was_needed(import) && is_unused(&rest, import))
            .collect();
        let aliases: Vec<NodeIndex> = unused.iter().map(|import| import.alias).collect();
        let names = unused.into_iter().filter_map(|import| import.local).collect();
        Ok((apply(rest.text_str(), &imports::remove(&rest, &aliases)?), names))
    }

    /// The edits of the file of the declaration.
    pub(super) fn source_edits(&self, document: &CodeDocument) -> Result<Vec<Edit>> {
        let (mut text, _) = self.without_declaration(document)?;
        if self.is_used {
            let module = self.module_name(document, &self.destination)?;
            let rest = CodeDocument::open(&table::PYTHON, document.path(), text.clone());
            text = apply(&text, &add_imports(&rest, &format!("from {module} import {}", self.name))?);
        }
        Ok(difference(document.text_str(), &text))
    }

    /// The name by which a file imports a module, in the style of its other imports.
    pub(super) fn module_name(&self, from: &CodeDocument, to: &str) -> Result<String> {
        let is_relative = imports::imports(from).iter().any(|import| import.module.starts_with('.'));
        name_between(from.path(), to, is_relative).ok_or_else(|| {
            refused(format!("{} cannot import {to}", from.path()), "choose a file whose path is the name of a module")
        })
    }

    /// The reason why the move is incomplete, if a decorator has effects that the file may rely on.
    pub(super) fn lost_registration(&self, document: &CodeDocument) -> Option<String> {
        let arena = document.arena();
        let is_decorator = |node: &NodeIndex| arena.node(*node).field == F::Decorator.into();
        let decorators = arena.children(self.node).filter(is_decorator);
        let mut unknown = decorators.map(|node| arena.slice(node)).filter(|code| !has_no_effects(code));
        let decorator = unknown.next().filter(|_| !self.is_used)?.lines().next()?;
        Some(format!("{} no longer runs `{decorator}`; import {} where it must run", self.source, self.destination))
    }
}

/// Returns whether a decorator certainly changes only the function or class below it.
fn has_no_effects(decorator: &str) -> bool {
    let name = decorator.trim_start_matches('@').split('(').next().unwrap_or_default().trim();
    let last = name.rsplit('.').next().unwrap_or_default();
    let known = ["cache", "lru_cache", "wraps", "contextmanager", "asynccontextmanager", "dataclass", "final"];
    known.contains(&last) || ["total_ordering", "runtime_checkable", "singledispatch", "unique"].contains(&last)
}

/// Returns a test for imports that only some executions of the module reach.
fn is_guarded(document: &CodeDocument) -> impl Fn(&&Import) -> bool {
    move |import| {
        let block = document.arena().node(import.statement).parent;
        let is_top = top_statements(document).iter().any(|top| document.arena().node(*top).parent == block);
        !is_top && !import.is_type_only
    }
}

/// The name by which the file `from` can import the file `to`.
pub(super) fn name_between(from: &str, to: &str, is_relative: bool) -> Option<String> {
    let roots = modules::roots(from);
    let own = modules::root_of(to);
    let is_below = |root: &&String| modules::names_below(root, to).is_some_and(|names| !names.is_empty());
    let root = roots.iter().find(|root| **root == own).filter(is_below).or_else(|| roots.iter().find(is_below))?;
    modules::module_name(from, &Module { path: to.to_owned(), root: root.clone() }, is_relative)
}

/// The top-level declaration at a selection, and the node of its name.
fn declaration_at(document: &CodeDocument, selected: Span) -> Result<(NodeIndex, NodeIndex)> {
    let arena = document.arena();
    let at = arena.innermost(selected.trimmed(&arena.text));
    let top = top_statements(document);
    let node = arena.ancestors(at).find(|node| top.contains(node));
    let name = node.and_then(|node| match () {
        () if is_one_of(document, node, &[K::Function, K::Class, K::TypeAlias]) => arena.child(node, F::Name.into()),
        () if is_one_of(document, node, &[K::Assign, K::AnnAssign]) => {
            let mut targets = arena.children(node).filter(|child| arena.node(*child).field == F::Target.into());
            let first = targets.next().filter(|first| is_one_of(document, *first, &[K::Name]));
            first.filter(|_| targets.next().is_none())
        }
        () => None,
    });
    match (node, name) {
        (Some(node), Some(name)) => Ok((node, name)),
        _ => Err(refused(
            "the position is not in a declaration at the top of the module",
            "give the position of a function, class or variable that is not in a block",
        )
        .at(selected)),
    }
}

/// The uses of an import that are not the import itself.
pub(super) fn uses<'d>(document: &'d CodeDocument, import: &Import) -> Vec<&'d NamePlace> {
    local_places(document, import).filter(|place| place.binding.is_none()).collect()
}

/// Returns whether a token of the document is a string that names the declaration by its module.
pub(super) fn strings_naming(document: &CodeDocument, dotted: &str) -> Vec<Span> {
    let arena = document.arena();
    let text = document.text_str();
    // Names in annotations are found like other code.
    let is_code = |span: Span| document.names().places.iter().any(|place| place.is_late && span.contains(place.span));
    let tokens = arena.tokens.iter().filter(|token| token.kind == TokenKind::Text && !is_code(token.span));
    let is_it = |span: &Span| {
        let content = span.slice(text).trim_matches(['"', '\'']);
        content == dotted || content.strip_prefix(dotted).is_some_and(|rest| rest.starts_with('.'))
    };
    tokens.map(|token| token.span).filter(is_it).collect()
}
