//! Names of moved modules in comments and in the arguments of macros. They are listed.

use std::collections::HashSet;

use marquetry_code::TokenKind;
use marquetry_sdk::{
    Span,
    paths::{file_name, folder},
};

use super::{Move, Relink, is_start};
use crate::{kinds::K, modules, paths::Path};

impl Relink<'_> {
    /// Lists names of moved modules in comments, and in arguments of macros outside of paths.
    pub(super) fn mentions(&mut self) {
        let arena = self.document.arena();
        let names: Vec<String> = self.changed_names();
        let text = &arena.text;
        let is_path = is_path_in(text, self.moves);
        let in_paths: HashSet<u32> =
            self.paths.in_macros.iter().flat_map(|path| &path.segments).map(|segment| segment.span.start).collect();
        let mut found = Vec::new();
        for (_, node) in arena.nodes().filter(|(_, node)| node.kind == K::MACRO_TOKEN.into()) {
            let is_name = names.iter().any(|name| node.span.slice(text) == name);
            if is_name && text[..node.span.range().start].trim_end().ends_with("mod") {
                found.push((node.span, "the arguments of the macro may declare the module"));
            } else if is_name && !in_paths.contains(&node.span.start) && is_path(node.span) {
                found.push((node.span, "the arguments of the macro may name the module"));
            }
        }
        for token in arena.tokens.iter().filter(|token| token.kind == TokenKind::Comment) {
            for name in &names {
                let is_known = self.has_module_named(name);
                let all = token.span.slice(text).match_indices(name.as_str());
                let spans = all.map(|(at, _)| {
                    let start = token.span.range().start + at;
                    Span::new(start, start + name.len())
                });
                let is_word = |span: &Span| {
                    let part = |c: char| c.is_alphanumeric() || c == '_';
                    !text[..span.range().start].ends_with(part) && !text[span.range().end..].starts_with(part)
                };
                let is_link = |span: Span| is_known && is_rustdoc_link(text, span);
                let paths = spans.filter(|span| is_word(span) && (is_path(*span) || is_link(*span)));
                found.extend(paths.map(|span| (span, "the comment may name the module")));
            }
        }
        found.into_iter().for_each(|(span, reason)| self.unresolved(span, reason));
    }

    /// Returns whether the document declares or imports a module with this name.
    fn has_module_named(&self, name: &str) -> bool {
        let mut declared = self.paths.declarations.iter().filter_map(|declaration| declaration.names.last());
        let mut imported = self.paths.paths.iter().filter(|path| path.import.is_some()).filter_map(Path::local);
        declared.any(|own| own == name) || imported.any(|local| modules::plain(&local.name) == name)
    }

    /// The old names of the modules whose path changes.
    pub(super) fn changed_names(&self) -> Vec<String> {
        let files = self.moves.iter().filter(|one| one.from.ends_with(".rs"));
        // A macro may declare a module, and the module path of its file is then unknown.
        let own = files.filter(|one| {
            let before = modules::module_path(&one.from);
            before.is_none() || before != modules::module_path_after(&one.from, self.moves)
        });
        let folders = self.moves.iter().filter(|one| !one.from.ends_with(".rs"));
        let mut names: Vec<String> = own.map(|one| modules::conventional_name(&one.from).to_owned()).collect();
        names.extend(folders.map(|one| file_name(&one.from).to_owned()));
        names.retain(|name| !name.is_empty());
        names
    }
}

/// Returns whether a word in a comment is a link of rustdoc, with or without backticks.
fn is_rustdoc_link(text: &str, word: Span) -> bool {
    let (before, after) = (&text[..word.range().start], &text[word.range().end..]);
    before.ends_with('[') && after.starts_with(']') || before.ends_with("[`") && after.starts_with("`]")
}

/// Returns whether a name in a text is a part of a path: `::` follows it, or it follows `::` and a keyword or the
/// folder of a moved file. A method with type arguments, such as `.parse::<u8>()`, is not a module.
fn is_path_in<'t>(text: &'t str, moves: &[Move]) -> impl Fn(Span) -> bool + use<'t> {
    let parents: Vec<String> = moves.iter().map(|one| file_name(folder(&one.from)).to_owned()).collect();
    move |span: Span| {
        let before = text[..span.range().start].trim_end();
        let Some(outer) = before.strip_suffix("::") else {
            let rest = text[span.range().end..].trim_start().strip_prefix("::");
            return rest.is_some_and(|rest| !rest.trim_start().starts_with('<')) && !before.ends_with('.');
        };
        let outer = outer.trim_end();
        let word = &outer[outer.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').len()..];
        is_start(word) || parents.iter().any(|parent| parent == word)
    }
}
