//! Links: the types that a file imports or names, and the packages that it imports with `*` or exports.

use marquetry_code::{CodeDocument, NodeIndex, blocks::Statements};
use marquetry_sdk::{
    Context, Destination, Edit, Failure, FailureKind, FileMoves, Link, Linking, Request, Resolved, Result, Rewrite,
    Span, SpecifierRequest, fail,
};

use crate::{
    Java,
    packages::{Header, file_in_package, file_of_type, folders_of, header_of, package_of, roots, stem},
    references::{exported_packages, imports, type_names},
    relink::relink,
};

/// Kind of link: the name in an import.
const IMPORT: &str = "import";
/// Kind of link: the name of a type in the code.
const NAME: &str = "name";
/// Kind of link: a package that is imported with `*` or exported by a module. With such a link, the host asks the
/// document about every move below the package.
const GLOB: &str = "glob";

/// All links with the nodes of their imports, in document order.
fn all_links(document: &CodeDocument) -> Vec<(Link, Option<NodeIndex>)> {
    let link = |kind: &str, span: Span, statement: Span, specifier: &str| Link {
        kind: kind.to_owned(),
        span,
        statement,
        specifier: specifier.to_owned(),
        names: if kind == IMPORT { vec!["*".to_owned()] } else { Vec::new() },
        type_only: false,
    };
    let mut links = Vec::new();
    for import in imports(document) {
        let kind = if import.is_star && !import.is_static { GLOB } else { IMPORT };
        links.push((link(kind, import.span, import.statement, &import.path), Some(import.node)));
    }
    let exported = exported_packages(document).into_iter();
    links.extend(exported.map(|(package, span)| (link(GLOB, span, span, &package), None)));
    links.extend(type_names(document).into_iter().map(|name| (link(NAME, name.span, name.span, &name.name), None)));
    links.sort_by_key(|(link, _)| link.span.start);
    links
}

impl Linking for Java {
    fn links(document: &CodeDocument) -> Vec<Link> {
        all_links(document).into_iter().map(|(link, _)| link).collect()
    }

    fn resolve(context: &Context, requests: &[Request]) -> Vec<Destination> {
        let header = header_of(&context.path);
        let roots = roots(&context.path, &header.package);
        requests.iter().map(|request| destination(&header, &roots, request)).collect()
    }

    fn format_specifiers(_context: &Context, requests: &[SpecifierRequest]) -> Vec<Result<String>> {
        requests.iter().map(format_specifier).collect()
    }

    fn relink(document: &CodeDocument, moves: &FileMoves) -> Result<Rewrite> {
        Ok(relink(document, moves))
    }

    fn unlink(document: &CodeDocument, links: &[u32]) -> Result<Rewrite> {
        let all = all_links(document);
        let mut nodes = Vec::new();
        for index in links {
            match all.get(*index as usize) {
                Some((_, Some(node))) => nodes.push(*node),
                Some((link, None)) if link.kind == GLOB => {}
                Some((link, None)) => {
                    return Err(Failure::unsupported(format!("`{}` is used here", link.specifier))
                        .hint("edit the code that uses the type")
                        .at(link.span));
                }
                None => {
                    return Err(fail(FailureKind::InvalidArgument, format!("no link {index}"))
                        .hint("list the links of the document again"));
                }
            }
        }
        remove_imports(document, &nodes).map(Rewrite::from)
    }
}

fn remove_imports(document: &CodeDocument, nodes: &[NodeIndex]) -> Result<Vec<Edit>> {
    let Some(first) = nodes.first() else { return Ok(Vec::new()) };
    let statements = Statements::new(document, document.arena().node(*first).parent);
    let mut positions: Vec<usize> = nodes.iter().filter_map(|node| statements.position(*node)).collect();
    positions.sort_unstable();
    positions.dedup();
    statements.delete(&positions)
}

/// The file of a type that the code names without its package: an imported type, a type of the same package, or a type
/// of a package that is imported with `*`.
pub(crate) fn file_of_name(header: &Header, roots: &[String], name: &str) -> Option<String> {
    if let Some(path) = header.import_of(name) {
        return file_of_type(path, roots).map(|(path, _)| path);
    }
    let packages = std::iter::once(&header.package).chain(&header.stars);
    packages.into_iter().find_map(|package| file_in_package(package, name, roots))
}

fn destination(header: &Header, roots: &[String], request: &Request) -> Destination {
    let name = &request.specifier;
    let found = match request.kind.as_str() {
        GLOB => folders_of(name, roots).into_iter().next(),
        NAME if !name.contains('.') => file_of_name(header, roots, name),
        _ => file_of_type(name, roots).map(|(path, _)| path),
    };
    // The class path is not known, so a type without a file in the workspace may be in a library.
    found.map_or(Destination::External, |path| Destination::Inside(Resolved { path, suffix: String::new() }))
}

/// Formats the name of a type after a move: the new package, the name of the new file, and the names of nested types.
fn format_specifier(request: &SpecifierRequest) -> Result<String> {
    let name = &request.specifier;
    if request.kind == GLOB || !name.contains('.') {
        return Ok(name.clone());
    }
    let roots = roots(&request.was, &header_of(&request.was).package);
    let package = package_of(&request.to, &roots).filter(|package| !package.is_empty());
    let (Some(package), Some((_, count))) = (package, file_of_type(name, &roots)) else {
        return Err(Failure::unsupported(format!("`{}` is not in a package that can be imported", request.to))
            .hint("move it into a source folder"));
    };
    let inner = name.split('.').skip(count).fold(String::new(), |all, part| format!("{all}.{part}"));
    Ok(format!("{package}.{}{inner}", stem(&request.to)))
}
