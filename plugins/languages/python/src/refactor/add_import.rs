//! Adds an import. If a statement already imports from the same module, the name is added to it.

use marquetry_code::{CodeDocument, NodeIndex, ParseContext, layout::Content, regions, scopes::FILE_SCOPE};
use marquetry_sdk::{
    Edit, FailureKind, Result, Rewrite, fail, lines,
    refactor::{Argument, Place, RefactorInput, Refactoring, refactor_failure},
};

use crate::{
    imports::{self, Import},
    table::check_name,
};

pub(super) const ADD_IMPORT: Refactoring<CodeDocument> = Refactoring {
    id: "add_import",
    title: "Add an import",
    place: Place::Document,
    arguments: &[
        Argument {
            name: "module",
            summary: "the module, such as `shop.money` or `.money`",
            values: &[],
            required: true,
        },
        Argument {
            name: "symbol",
            summary: "a name of the module; without it, the module itself is imported",
            values: &[],
            required: false,
        },
        Argument { name: "alias", summary: "the local name", values: &[], required: false },
    ],
    asks_exporters: false,
    apply,
};

/// An import to add.
struct Wanted {
    module: String,
    name: Option<String>,
    alias: Option<String>,
}

impl Wanted {
    fn local(&self) -> &str {
        let first = || self.module.split('.').next().unwrap_or_default();
        self.alias.as_deref().or(self.name.as_deref()).unwrap_or_else(first)
    }

    /// The code of the name in a list of names.
    fn written(&self) -> String {
        let name = self.name.as_deref().unwrap_or(&self.module);
        self.alias.as_ref().map_or_else(|| name.to_owned(), |alias| format!("{name} as {alias}"))
    }

    fn statement(&self) -> String {
        match self.name {
            Some(_) => format!("from {} import {}", self.module, self.written()),
            None => format!("import {}", self.written()),
        }
    }

    fn is_there(&self, import: &Import) -> bool {
        import.module == self.module
            && import.name == self.name
            && import.local.as_deref() == Some(self.local())
            && import.is_global
    }
}

fn apply(document: &CodeDocument, input: &RefactorInput) -> Result<Rewrite> {
    super::check_syntax(document)?;
    let Some(module) = input.argument("module") else {
        return Err(fail(FailureKind::InvalidArgument, "`add_import` needs `module`").hint("name the module"));
    };
    let name = input.argument("symbol").map(str::to_owned);
    let names = module.trim_start_matches('.');
    let is_valid = names.split('.').all(|part| check_name(part).is_ok()) || (names.is_empty() && !module.is_empty());
    if !is_valid || (module.starts_with('.') && name.is_none()) {
        return Err(fail(FailureKind::InvalidArgument, format!("`{module}` is not a module that can be imported"))
            .hint("write names with dots between them; a relative module needs `symbol`"));
    }
    for given in name.iter().map(String::as_str).chain(input.argument("alias")) {
        check_name(given)?;
    }
    let wanted = Wanted { module: module.to_owned(), name, alias: input.argument("alias").map(str::to_owned) };
    Ok(add(document, &[wanted])?.into())
}

/// Edits that add the imports in `content` to a document.
///
/// # Errors
///
/// Fails if `content` has other statements, or if a name is taken.
pub(crate) fn add_imports(document: &CodeDocument, content: &str) -> Result<Vec<Edit>> {
    if content.trim().is_empty() {
        return Err(marquetry_code::blocks::empty_content());
    }
    let parsed = CodeDocument::open(
        document.language(),
        document.path(),
        Content::new(document.language(), document.path(), content, ParseContext::File).arena.text,
    );
    let new = imports::imports(&parsed);
    let statements = Content::new(document.language(), document.path(), content, ParseContext::File).statements().len();
    let mut counted: Vec<NodeIndex> = new.iter().map(|import| import.statement).collect();
    counted.dedup();
    if counted.len() != statements || !parsed.arena().errors.is_empty() {
        return Err(fail(FailureKind::InvalidArgument, "the content has statements that are not imports")
            .hint("use `insert_before` or `insert_after` for other code"));
    }
    let wanted: Vec<Wanted> = new
        .into_iter()
        .map(|import| Wanted {
            alias: import.local.clone().filter(|_| import.is_aliased),
            module: import.module,
            name: import.name,
        })
        .collect();
    add(document, &wanted)
}

fn add(document: &CodeDocument, wanted: &[Wanted]) -> Result<Vec<Edit>> {
    let there = imports::imports(document);
    let missing: Vec<&Wanted> = wanted.iter().filter(|one| !there.iter().any(|import| one.is_there(import))).collect();
    let mut edits: Vec<Edit> = Vec::new();
    let mut statements = String::new();
    // One edit adds all new names to a statement.
    let mut extended: Vec<(NodeIndex, Vec<String>)> = Vec::new();
    for one in missing {
        check_free(document, &there, one)?;
        let same = |import: &&Import| {
            import.module == one.module
                && import.name.is_some()
                && import.is_global
                && !import.is_type_only
                && import.local.is_some()
        };
        match there.iter().find(same).filter(|_| one.name.as_deref().is_some_and(|name| name != "*")) {
            Some(import) => match extended.iter_mut().find(|(statement, _)| *statement == import.statement) {
                Some((_, names)) => names.push(one.written()),
                None => extended.push((import.statement, vec![one.written()])),
            },
            None => {
                let statement = one.statement();
                statements += if statements.is_empty() { "" } else { "\n" };
                statements += &statement;
            }
        }
    }
    edits.extend(extended.iter().map(|(statement, names)| extend(document, *statement, names)));
    if !statements.is_empty() {
        edits.extend(regions::imports(document).insert_sorted(document, &statements)?);
    }
    edits.sort_by_key(|edit| edit.span.start);
    // A name and a statement may be inserted at the same offset.
    let mut merged: Vec<Edit> = Vec::new();
    for edit in edits {
        match merged.last_mut().filter(|last| last.span == edit.span) {
            Some(last) => last.text += &edit.text,
            None => merged.push(edit),
        }
    }
    Ok(merged)
}

/// Refuses a name that the module already uses for something else.
fn check_free(document: &CodeDocument, there: &[Import], wanted: &Wanted) -> Result<()> {
    let local = wanted.local();
    let is_same_package = there
        .iter()
        .any(|import| import.name.is_none() && wanted.name.is_none() && import.local.as_deref() == Some(local));
    if local == "*" || is_same_package || !document.names().binds(FILE_SCOPE, local) {
        return Ok(());
    }
    let place = document.names().references(local, FILE_SCOPE).next();
    let failure = refactor_failure(format!("the module already has another `{local}`")).hint("give an `alias`");
    Err(match place {
        Some(place) => failure.at(place.span),
        None => failure,
    })
}

/// The edit that adds names to a statement.
fn extend(document: &CodeDocument, statement: NodeIndex, names: &[String]) -> Edit {
    let arena = document.arena();
    let text = document.text_str();
    let last = imports::aliases(document, statement).last().map_or(statement, |last| *last);
    let end = arena.node(last).span.range().end;
    let start = arena.node(last).span.range().start;
    if lines::starts_line(text, start) && arena.slice(statement).contains('(') {
        let indent = lines::indent_at(text, start);
        let lines: String = names.iter().map(|name| format!(",\n{indent}{name}")).collect();
        return Edit::insert(end, lines);
    }
    Edit::insert(end, names.iter().map(|name| format!(", {name}")).collect::<String>())
}
