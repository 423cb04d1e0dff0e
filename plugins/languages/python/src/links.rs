//! Links: the modules that a module imports, and strings that may name modules.

use std::collections::{BTreeMap, BTreeSet};

use marquetry_code::{CodeDocument, NodeIndex, TokenKind};
use marquetry_sdk::{
    Context, Destination, Failure, FailureKind, FileMoves, Link, Linking, Relocation, Request, Resolved, Result,
    Rewrite, Span, SpecifierRequest, fail,
};

use crate::{
    Python,
    imports::{self, Import},
    meanings::{self, Meaning},
    memo,
    modules::{self, Found, Module, Move},
    relink::relink,
    uses::attribute_chains,
};

/// Kind of link: the module of `import a.b`. The code names the module again where it uses the module.
const IMPORT: &str = "import";
/// Kind of link: the module of `import a.b as c`.
const IMPORT_AS: &str = "import-as";
/// Kind of link: the module of `from a import b`.
const FROM: &str = "import-from";
/// Kind of link: a name in `from a import b`, which may be the module `a.b`.
const SUBMODULE: &str = "submodule";
/// Kind of link: a module that the code names through a package, as in `a.b.f` after `import a`.
const MEMBER: &str = "member";
/// Kind of link: a string that may name a module.
const POSSIBLE: &str = "possible";

/// Maximum number of attributes in the name of a module.
const MAX_DEPTH: usize = 4;
/// Maximum length of a string that may name a module.
const MAX_POSSIBLE: usize = 200;

/// The source of a link.
enum Source {
    /// A part of an import statement.
    Alias(NodeIndex),
    /// The module of an import statement.
    Statement(NodeIndex),
    /// Code that names a module.
    Code,
    Text,
}

/// All links with their sources, in document order.
fn all_links(document: &CodeDocument) -> Vec<(Link, Source)> {
    let arena = document.arena();
    let imports = imports::imports(document);
    let mut links = Vec::new();
    for (index, import) in imports.iter().enumerate() {
        let link = |kind: &str, span: Span, specifier: String, names: Vec<String>| Link {
            kind: kind.to_owned(),
            span,
            statement: arena.node(import.statement).span,
            specifier,
            names,
            type_only: import.is_type_only,
        };
        let every = || vec!["*".to_owned()];
        let Some(name) = &import.name else {
            let kind = if import.is_aliased { IMPORT_AS } else { IMPORT };
            links.push((link(kind, import.name_span, import.module.clone(), every()), Source::Alias(import.alias)));
            continue;
        };
        let is_first = index.checked_sub(1).is_none_or(|before| imports[before].statement != import.statement);
        if is_first {
            let own = imports[index..].iter().take_while(|other| other.statement == import.statement);
            let names = own.filter_map(|other| other.name.clone()).collect();
            let whole = link(FROM, import.module_span, import.module.clone(), names);
            links.push((whole, Source::Statement(import.statement)));
        }
        if name != "*" {
            let submodule = link(SUBMODULE, import.name_span, import.submodule(), every());
            links.push((submodule, Source::Alias(import.alias)));
        }
    }
    links.extend(named_by_attributes(document, &imports).into_iter().map(|link| (link, Source::Code)));
    links.extend(possible(document).into_iter().map(|link| (link, Source::Text)));
    links.sort_by_key(|(link, _)| (link.span.start, link.span.end));
    links
}

/// Modules that the code may name through a package, each at its first occurrence.
fn named_by_attributes(document: &CodeDocument, imports: &[Import]) -> Vec<Link> {
    let arena = document.arena();
    let mut found: BTreeMap<String, Link> = BTreeMap::new();
    let mut add = |specifier: String, span: Span, type_only: bool| {
        let names = vec!["*".to_owned()];
        let link =
            Link { kind: MEMBER.to_owned(), span, statement: span, specifier: specifier.clone(), names, type_only };
        let first = found.entry(specifier).or_insert_with(|| link.clone());
        if span.start < first.span.start {
            *first = link;
        }
    };
    for import in imports.iter().filter(|import| may_bind_package(import)) {
        let bound = import.bound_module();
        let is_outer = bound != import.submodule();
        for chain in attribute_chains(document, import) {
            let mut module = bound.clone();
            if is_outer {
                add(module.clone(), chain.place.span, import.is_type_only);
            }
            for attribute in chain.attributes.iter().take(MAX_DEPTH) {
                module = imports::join(&module, arena.slice(*attribute));
                add(module.clone(), arena.node(*attribute).span, import.is_type_only);
            }
        }
    }
    let explicit: BTreeSet<String> =
        imports.iter().filter(|import| import.name.is_none()).map(Import::submodule).collect();
    found.into_values().filter(|link| !explicit.contains(&link.specifier)).collect()
}

/// Returns whether an import may bind a package. By convention, a name that starts with a capital letter is a class.
fn may_bind_package(import: &Import) -> bool {
    let is_class = |name: &String| name.starts_with(char::is_uppercase);
    import.local.is_some() && !import.name.as_ref().is_some_and(is_class)
}

/// Strings that may name modules: identifiers with dots between them.
fn possible(document: &CodeDocument) -> Vec<Link> {
    let arena = document.arena();
    let strings = arena.tokens.iter().filter(|token| token.kind == TokenKind::Text);
    let link = |token: &marquetry_code::Token| {
        let own = token.span.slice(&arena.text);
        let content = own.strip_prefix(['"', '\'']).and_then(|rest| rest.strip_suffix(['"', '\'']))?;
        let is_module = content.len() <= MAX_POSSIBLE
            && content.contains('.')
            && content.split('.').all(|part| crate::table::check_name(part).is_ok());
        is_module.then(|| Link {
            kind: POSSIBLE.to_owned(),
            span: Span { start: token.span.start + 1, end: token.span.end - 1 },
            statement: token.span,
            specifier: content.to_owned(),
            names: Vec::new(),
            type_only: false,
        })
    };
    strings.filter_map(link).collect()
}

impl Linking for Python {
    fn links(document: &CodeDocument) -> Vec<Link> {
        all_links(document).into_iter().map(|(link, _)| link).collect()
    }

    fn resolve(context: &Context, requests: &[Request]) -> Vec<Destination> {
        memo::call(|| requests.iter().map(|request| destination(&context.path, request)).collect())
    }

    fn format_specifiers(_context: &Context, requests: &[SpecifierRequest]) -> Vec<Result<String>> {
        requests.iter().map(format_specifier).collect()
    }

    fn relink(document: &CodeDocument, moves: &FileMoves) -> Result<Rewrite> {
        let to_move = |one: &Relocation| Move { from: one.from.clone(), to: one.to.clone() };
        let relocations: Vec<Move> = moves.relocations.iter().map(to_move).collect();
        if let Some((package, module)) = modules::hidden_module(&relocations) {
            let message = format!("Python would import the package `{package}` instead of the module `{module}`");
            return Err(fail(FailureKind::RefactorFailed, message).hint("choose another name"));
        }
        let relinked = relink(document, &relocations);
        let unresolved = relinked.unresolved.into_iter().map(|(span, _)| span).collect();
        let mut rewrite = Rewrite { edits: relinked.edits, unresolved, ..Rewrite::default() };
        for folder in modules::new_packages(document.path(), &moves.path, &relocations) {
            rewrite.create(format!("{folder}/__init__.py"), "");
        }
        Ok(rewrite)
    }

    fn unlink(document: &CodeDocument, links: &[u32]) -> Result<Rewrite> {
        let all = all_links(document);
        let mut aliases = Vec::new();
        for index in links {
            match all.get(*index as usize) {
                Some((link, Source::Alias(alias))) => {
                    check_certain(document, link)?;
                    aliases.push(*alias);
                }
                Some((_, Source::Statement(statement))) => {
                    aliases.extend(
                        document
                            .arena()
                            .children(*statement)
                            .filter(|child| document.arena().node(*child).kind == crate::lower::K::Alias.into()),
                    );
                }
                Some((link, Source::Code)) => {
                    return Err(Failure::unsupported("code that names a module cannot be removed")
                        .hint("edit the code around it")
                        .at(link.span));
                }
                Some((link, Source::Text)) => {
                    return Err(Failure::unsupported("a string that may name a module cannot be removed")
                        .hint("edit the code around it")
                        .at(link.span));
                }
                None => {
                    return Err(fail(FailureKind::InvalidArgument, format!("no link {index}"))
                        .hint("list the links of the document again"));
                }
            }
        }
        aliases.sort_unstable();
        aliases.dedup();
        imports::remove(document, &aliases).map(Rewrite::from)
    }
}

fn destination(from: &str, request: &Request) -> Destination {
    let found = modules::resolve(from, &request.specifier);
    match (request.kind.as_str(), found) {
        (POSSIBLE, _) => possible_destination(from, &request.specifier),
        (SUBMODULE | MEMBER, Found::Inside(module)) => submodule_destination(from, &request.specifier, module),
        (_, Found::Inside(module)) => Destination::Inside(Resolved { path: module.path, suffix: String::new() }),
        // The name is not a module, so it is a name that the package declares.
        (SUBMODULE | MEMBER, _) | (_, Found::External) => Destination::External,
        (_, Found::Missing(path)) => Destination::Missing(path),
    }
}

/// Refuses to remove an import that may be one of a name that a package computes or declares in some cases.
fn check_certain(document: &CodeDocument, link: &Link) -> Result<()> {
    let (package, name) = imports::split_submodule(&link.specifier);
    let other = (link.kind == SUBMODULE && !package.is_empty())
        .then(|| meanings::meaning(document.path(), package, name).alternative())
        .flatten();
    match other {
        Some(other) => Err(Failure::unsupported(format!("`{name}` may be {other}"))
            .hint("edit the import and the code that uses the name")
            .at(link.span)),
        None => Ok(()),
    }
}

/// The destination of an imported name whose package contains a module of that name.
fn submodule_destination(from: &str, submodule: &str, module: Module) -> Destination {
    let (package, name) = imports::split_submodule(submodule);
    if package.is_empty() {
        return Destination::Inside(Resolved { path: module.path, suffix: String::new() });
    }
    match meanings::meaning(from, package, name) {
        Meaning::Declared => Destination::External,
        // The host asks the document about a move, and the document reports a meaning that is not certain.
        Meaning::Module | Meaning::Computed | Meaning::Conditional => {
            Destination::Inside(Resolved { path: module.path, suffix: String::new() })
        }
    }
}

/// The destination of a string that may name a module or a name in it. Such a destination is never certain.
fn possible_destination(from: &str, text: &str) -> Destination {
    let mut rest = Some(text);
    while let Some(module) = rest.filter(|module| module.contains('.')) {
        if let Found::Inside(found) = modules::resolve(from, module) {
            return Destination::Unknown(format!("it may refer to `{}`, but this is not certain", found.path));
        }
        rest = module.rsplit_once('.').map(|(outer, _)| outer);
    }
    Destination::External
}

fn format_specifier(request: &SpecifierRequest) -> Result<String> {
    let is_relative = request.specifier.starts_with('.');
    let unsupported = |message: String, hint: &str| Err(Failure::unsupported(message).hint(hint));
    let root = root_of_specifier(request);
    let target = Module { path: request.to.clone(), root };
    let Some(name) = modules::module_name(&request.from, &target, is_relative) else {
        return unsupported(
            format!("`{}` cannot be imported as a module from here", request.to),
            "use file and folder names of letters, digits and `_`",
        );
    };
    let outer = |name: &str| name.rsplit_once('.').map(|(outer, _)| outer.to_owned()).unwrap_or_default();
    match request.kind.as_str() {
        MEMBER => unsupported(
            format!("the code names the module `{}`, which is now `{name}`", request.specifier),
            "change the code that uses the module",
        ),
        SUBMODULE if outer(&name) != outer(&request.specifier) => unsupported(
            format!(
                "`{}` is now the module `{name}`: the statement must import it from another package",
                request.specifier
            ),
            "change the import statement",
        ),
        SUBMODULE => Ok(name.rsplit('.').next().unwrap_or(&name).to_owned()),
        IMPORT if name != request.specifier => unsupported(
            format!("`{}` is now the module `{name}`: the code after the import names it, too", request.specifier),
            "change the import and the code that uses the module",
        ),
        _ => Ok(name),
    }
}

/// The folder from which the old module name was resolved.
fn root_of_specifier(request: &SpecifierRequest) -> String {
    let names = request.specifier.trim_start_matches('.').split('.').filter(|name| !name.is_empty()).count();
    let was = request.was.as_str();
    let file = marquetry_sdk::paths::file_name(was);
    let mut root = was;
    let steps = names + usize::from(file.starts_with("__init__."));
    for _ in 0..steps {
        root = marquetry_sdk::paths::folder(root);
    }
    root.to_owned()
}

/// The imports that bind a name, through which the document can refer to a module.
pub(crate) fn module_imports(document: &CodeDocument) -> Vec<Import> {
    imports::imports(document).into_iter().filter(|import| import.local.is_some()).collect()
}
