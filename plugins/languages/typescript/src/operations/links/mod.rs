//! Links: the places in a program that name other files, where they lead, and how to spell them anew.

mod comments;
mod find;
mod node_paths;
mod parts;
mod patterns;
mod possible;
pub(crate) mod spell;
mod unlink;

#[cfg(test)]
mod tests;

use marquetry_sdk::{Destination, Edit, Link, Linking, Relocation, Request, Respelling, Result};

use crate::program::resolution::{self, workspace::Workspace};
use crate::{TypeScript, TypeScriptDocument};

/// The links of a program whose specifiers begin at the folder of the file.
pub(crate) fn relative_links(program: &oxc_ast::ast::Program<'_>, text: &str) -> Vec<Link> {
    let all = find::links(program, text.len()).into_iter().map(|found| found.link);
    all.filter(|link| resolution::paths::is_relative(&link.specifier)).collect()
}

impl Linking for TypeScript {
    fn links(document: &TypeScriptDocument) -> Vec<Link> {
        document
            .tree
            .with(|parsed| find::links(parsed.program, document.tree.text().len()))
            .into_iter()
            .map(|found| found.link)
            .collect()
    }

    fn resolve(from: &str, requests: &[Request]) -> Vec<Destination> {
        resolution::resolve(&Workspace::now(), from, requests)
    }

    fn spell(requests: &[Respelling]) -> Vec<Result<String>> {
        spell::spell(requests)
    }

    /// No edit makes a pattern match another place and nothing else: who moves something out of one is told.
    fn cover(document: &TypeScriptDocument, relocations: &[Relocation]) -> Result<Vec<Edit>> {
        document.tree.with(|parsed| {
            let found = patterns::patterns(parsed.program);
            patterns::check(&found, document.tree.path(), document.tree.text(), relocations).map(|()| Vec::new())
        })
    }

    fn unlink(document: &TypeScriptDocument, links: &[u32]) -> Result<Vec<Edit>> {
        let found = document.tree.with(|parsed| find::links(parsed.program, document.tree.text().len()));
        unlink::unlink(document.tree.text(), &found, links)
    }
}
