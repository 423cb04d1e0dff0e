//! The import statements of a module: the modules and names that they import, the names that they bind, and the removal
//! of names.

use marquetry_code::{CodeDocument, NodeIndex, TokenKind, blocks::Statements, scopes::FILE_SCOPE};
use marquetry_sdk::{Edit, Result, Span, lines};

use crate::{
    lower::{F, K},
    modules::{self, Found},
    requirements::is_standard,
};

/// One name of an import statement.
#[derive(Debug, Clone)]
pub(crate) struct Import {
    /// The statement.
    pub(crate) statement: NodeIndex,
    /// The part of the statement that imports this name.
    pub(crate) alias: NodeIndex,
    /// The module in the text of the statement, with its leading dots.
    pub(crate) module: String,
    /// The range of the module.
    pub(crate) module_span: Span,
    /// The imported name; `None` for `import module`.
    pub(crate) name: Option<String>,
    /// The range of the name, or of the module in `import module`.
    pub(crate) name_span: Span,
    /// The name that the import binds; `None` for `*`.
    pub(crate) local: Option<String>,
    /// The range of the bound name.
    pub(crate) local_span: Span,
    /// True if the bound name comes after `as`.
    pub(crate) is_aliased: bool,
    /// True if the import binds the name in the scope of the module.
    pub(crate) is_global: bool,
    /// True if only type checkers execute the import (`if TYPE_CHECKING:`).
    pub(crate) is_type_only: bool,
}

impl Import {
    /// The module `package.name`, which the imported name refers to if the name is a module.
    pub(crate) fn submodule(&self) -> String {
        match &self.name {
            Some(name) => join(&self.module, name),
            None => self.module.clone(),
        }
    }

    /// The module that the bound name refers to, if it refers to a module: `a` for `import a.b`.
    pub(crate) fn bound_module(&self) -> String {
        match (&self.name, &self.local) {
            (None, Some(local)) if !self.is_aliased => local.clone(),
            _ => self.submodule(),
        }
    }

    /// The names in an expression that refers to the imported module: the bound name and its attributes.
    pub(crate) fn chain(&self) -> Vec<String> {
        match (&self.name, &self.local) {
            (None, Some(_)) if !self.is_aliased => self.module.split('.').map(str::to_owned).collect(),
            (_, Some(local)) => vec![local.clone()],
            (_, None) => Vec::new(),
        }
    }
}

/// The name of a module in a package. `module` may consist only of dots.
pub(crate) fn join(module: &str, name: &str) -> String {
    if module.ends_with('.') { format!("{module}{name}") } else { format!("{module}.{name}") }
}

/// The inverse of [`join`].
pub(crate) fn split_submodule(submodule: &str) -> (&str, &str) {
    let at = submodule.rfind('.').map_or(0, |dot| dot + 1);
    let package = &submodule[..at];
    let is_relative = package.trim_start_matches('.').is_empty();
    (if is_relative { package } else { &package[..at - 1] }, &submodule[at..])
}

/// All imports of a document, in order.
pub(crate) fn imports(document: &CodeDocument) -> Vec<Import> {
    let arena = document.arena();
    let mut found = Vec::new();
    for (statement, node) in arena.nodes() {
        let is_from = node.kind == K::ImportFrom.into();
        if !is_from && node.kind != K::Import.into() {
            continue;
        }
        let module = is_from.then(|| module_of(document, statement)).flatten();
        if is_from && module.is_none() {
            continue;
        }
        let is_type_only = is_type_only(document, statement);
        for alias in aliases(document, statement) {
            if let Some(import) = import_of(document, (statement, alias), module.clone(), is_type_only) {
                found.push(import);
            }
        }
    }
    found
}

fn import_of(
    document: &CodeDocument,
    (statement, alias): (NodeIndex, NodeIndex),
    module: Option<(String, Span)>,
    is_type_only: bool,
) -> Option<Import> {
    let arena = document.arena();
    let mut parts = arena.children(alias);
    let name_node = parts.next()?;
    let as_node = parts.next();
    let name_span = arena.node(name_node).span;
    let written = without_spaces(name_span.slice(&arena.text));
    if written.is_empty() || as_node.is_some_and(|node| arena.node(node).span.is_empty()) {
        return None;
    }
    let local_node = as_node.unwrap_or(name_node);
    let own = arena.node(local_node).span;
    let first = own.slice(&arena.text).split('.').next().unwrap_or_default().trim_end();
    let local_span = Span { start: own.start, end: own.start + first.len() as u32 };
    let binds = document.names().at(own.start).filter(|place| place.node == local_node);
    let (module, module_span, name) = match module {
        Some((module, span)) => (module, span, Some(written)),
        None => (written, name_span, None),
    };
    Some(Import {
        statement,
        alias,
        module,
        module_span,
        local: (name.as_deref() != Some("*")).then(|| first.to_owned()),
        name,
        name_span,
        local_span,
        is_aliased: as_node.is_some(),
        is_global: binds.is_none_or(|place| place.scope == FILE_SCOPE),
        is_type_only,
    })
}

fn without_spaces(text: &str) -> String {
    text.split_whitespace().filter(|part| *part != "\\").collect()
}

/// The module of a `from` statement in the text, with its leading dots, and its range.
fn module_of(document: &CodeDocument, statement: NodeIndex) -> Option<(String, Span)> {
    let arena = document.arena();
    let tokens = arena.tokens_in(arena.node(statement).span);
    let is_word = |token: &&marquetry_code::Token, word: &str| {
        token.kind == TokenKind::Word && token.span.slice(&arena.text) == word
    };
    let from = tokens.iter().position(|token| is_word(&token, "from"))?;
    let import = tokens[from + 1..].iter().position(|token| is_word(&token, "import"))? + from + 1;
    let (first, last) = (tokens[from + 1..import].first()?, tokens[from + 1..import].last()?);
    let span = Span { start: first.span.start, end: last.span.end };
    Some((without_spaces(span.slice(&arena.text)), span))
}

/// Returns whether a statement is in a block that only type checkers execute.
fn is_type_only(document: &CodeDocument, statement: NodeIndex) -> bool {
    let arena = document.arena();
    let tests_types = |above: NodeIndex| {
        let test = arena.child(above, F::Test.into());
        test.is_some_and(|test| arena.slice(test).ends_with("TYPE_CHECKING"))
    };
    arena.ancestors(statement).any(|above| arena.node(above).kind == K::If.into() && tests_types(above))
}

/// The attributes after a name, from the left: for the name `a` in `a.b.c`, these are `b` and `c`.
pub(crate) fn attributes(document: &CodeDocument, name: NodeIndex) -> Vec<NodeIndex> {
    let arena = document.arena();
    let (mut at, mut found) = (name, Vec::new());
    loop {
        let parent = arena.node(at).parent;
        if arena.node(parent).kind != K::Attribute.into() || arena.node(at).field != F::Value.into() {
            return found;
        }
        let Some(attribute) = arena.child(parent, F::Attribute.into()) else { return found };
        found.push(attribute);
        at = parent;
    }
}

/// The class of an import statement: `__future__`, the standard library, other packages, or modules of the project.
pub(crate) fn import_class(document: &CodeDocument, import: &str) -> u8 {
    let module = import.split_whitespace().nth(1).unwrap_or_default().trim_end_matches([',', ';']);
    let first = module.split('.').next().unwrap_or_default();
    match modules::resolve(document.path(), module) {
        _ if first == "__future__" => 0,
        _ if module.starts_with('.') => 4,
        Found::Inside(_) | Found::Missing(_) => 3,
        Found::External if is_standard(first) => 1,
        Found::External => 2,
    }
}

/// The parts of an import statement, one for each name.
pub(crate) fn aliases(document: &CodeDocument, statement: NodeIndex) -> Vec<NodeIndex> {
    let arena = document.arena();
    arena.children(statement).filter(|child| arena.node(*child).kind == K::Alias.into()).collect()
}

/// Edits that remove parts of import statements. A statement that loses all of its parts is removed.
///
/// # Errors
///
/// Fails if the statement shares its line with others in a way that cannot be edited.
pub(crate) fn remove(document: &CodeDocument, aliases: &[NodeIndex]) -> Result<Vec<Edit>> {
    let arena = document.arena();
    let mut statements: Vec<NodeIndex> = aliases.iter().map(|alias| arena.node(*alias).parent).collect();
    statements.sort_unstable();
    statements.dedup();
    let mut edits = Vec::new();
    let mut whole: Vec<(NodeIndex, Vec<usize>)> = Vec::new();
    for statement in statements {
        let all = self::aliases(document, statement);
        if all.iter().any(|alias| !aliases.contains(alias)) {
            remove_some(document, statement, &all, aliases, &mut edits);
            continue;
        }
        let block = arena.node(statement).parent;
        let Some(position) = Statements::new(document, block).position(statement) else { continue };
        match whole.iter_mut().find(|(known, _)| *known == block) {
            Some((_, positions)) => positions.push(position),
            None => whole.push((block, vec![position])),
        }
    }
    for (block, positions) in whole {
        edits.extend(Statements::new(document, block).delete(&positions)?);
    }
    edits.sort_by_key(|edit| edit.span.start);
    Ok(edits)
}

/// Removes some of the names that a statement imports.
fn remove_some(
    document: &CodeDocument,
    statement: NodeIndex,
    all: &[NodeIndex],
    removed: &[NodeIndex],
    edits: &mut Vec<Edit>,
) {
    let arena = document.arena();
    let text = document.text_str();
    let has_brackets = arena.slice(statement).contains('(');
    let span = |index: usize| arena.node(all[index]).span.range();
    let is_removed = |index: usize| removed.contains(&all[index]);
    let last_kept = (0..all.len()).rev().find(|index| !is_removed(*index)).unwrap_or(0);
    for index in (0..all.len()).filter(|index| is_removed(*index)) {
        let own = span(index);
        let line_end = lines::line_end(text, own.end);
        let tail = text[own.end..line_end].trim_start().trim_start_matches(',').trim_start();
        if has_brackets && lines::starts_line(text, own.start) && (tail.is_empty() || tail.starts_with('#')) {
            edits.push(Edit::remove(lines::line_start(text, own.start)..lines::next_line(text, own.end)));
        } else if index < last_kept {
            edits.push(Edit::remove(own.start..span(index + 1).start));
        } else {
            edits.push(Edit::remove(span(index - 1).end..own.end));
        }
    }
}
