//! Links: finding specifiers that name other files, resolving them, and updating them.

mod comments;
mod companions;
mod component_links;
mod find;
pub(crate) mod format_specifier;
mod link_parts;
mod node_paths;
mod own_folder;
mod patterns;
mod possible_paths;
mod unlink;

#[cfg(test)]
mod tests;

use marquetry_sdk::{
    Context, Destination, FileMoves, Link, Linking, Relocation, Request, Result, Rewrite, SpecifierRequest,
};

use crate::editor::statement_joins::separate_statements;
use crate::program::resolution::{self, workspace::Workspace};
use crate::{TypeScript, TypeScriptDocument};

/// Returns the links of a program with relative specifiers.
pub(crate) fn relative_links(program: &oxc_ast::ast::Program<'_>, text: &str) -> Vec<Link> {
    let all = find::find_links(program, text).into_iter().map(|found| found.link);
    all.filter(|link| resolution::paths::is_relative(&link.specifier)).collect()
}

/// Returns all links of a document, in document order.
fn all_links(document: &TypeScriptDocument) -> Vec<find::Found> {
    let text = document.tree.text();
    let mut found = document.tree.with(|parsed| find::find_links(parsed.program, text));
    let more = component_links::find_links(document).into_iter();
    let is_new = |link: &find::Found| !found.iter().any(|known| known.link.span == link.link.span);
    let more: Vec<find::Found> = more.filter(is_new).collect();
    found.extend(more);
    found.sort_by_key(|found| (found.link.span.start, found.link.span.end));
    found
}

impl Linking for TypeScript {
    fn links(document: &TypeScriptDocument) -> Vec<Link> {
        let companions = companions::find_companions(document.tree.path(), document.tree.text());
        all_links(document).into_iter().map(|found| found.link).chain(companions).collect()
    }

    fn resolve(context: &Context, requests: &[Request]) -> Vec<Destination> {
        resolution::resolve(&Workspace::current(), &context.path, requests)
    }

    fn additional_moves(_context: &Context, relocation: &Relocation) -> Vec<Relocation> {
        companions::additional_moves(relocation)
    }

    fn format_specifiers(_context: &Context, requests: &[SpecifierRequest]) -> Vec<Result<String>> {
        format_specifier::format_specifiers(requests)
    }

    /// Fails if a glob pattern stops matching a moved file. Never edits a pattern, because no edit could make it match
    /// just one more path.
    fn relink(document: &TypeScriptDocument, moves: &FileMoves) -> Result<Rewrite> {
        document.tree.with(|parsed| {
            let found = patterns::find_patterns(parsed.program);
            patterns::check_relocations(&found, document.tree.path(), document.tree.text(), &moves.relocations)
                .map(|()| Rewrite::default())
        })
    }

    fn unlink(document: &TypeScriptDocument, links: &[u32]) -> Result<Rewrite> {
        document.tree.with(|parsed| {
            let found = all_links(document);
            let mut edits = unlink::unlink(document.tree.text(), &found, links)?;
            separate_statements(parsed, &document.tree, &mut edits);
            Ok(Rewrite::from(edits))
        })
    }
}
