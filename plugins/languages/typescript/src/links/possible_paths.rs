//! Strings that may be paths of files, but may also be something else: they are joined to a path at run time, passed to
//! a bundler, or shown to users. They are never updated. If the file that they may name is moved, they are reported.

use marquetry_sdk::{
    Link, Span,
    paths::{could_be_path, looks_like_path},
};
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};

use crate::links::link_parts::{build_link, span_inside_quotes};
use crate::program::resolution::POSSIBLE;
use crate::syntax::spans::to_sdk_span;

/// Maximum number of such links per document. A document with more strings of this kind probably contains data.
const MAX_LINKS: usize = 200;

/// Returns all texts of a program that look like paths, or like the beginning of a path that is completed at run time.
pub(super) fn find_possible_paths(program: &Program<'_>) -> Vec<Link> {
    let mut texts = PossiblePathFinder { found: Vec::new() };
    texts.visit_program(program);
    texts.found
}

/// Extensions that make a single word the name of a file in the same folder.
const EXTENSIONS: [&str; 24] = [
    "ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "json", "jsonc", "json5", "css", "scss", "less", "html",
    "md", "mdx", "yaml", "yml", "txt", "svg", "wasm", "vue", "svelte",
];

/// Returns whether a text is one word with a file extension.
fn is_file_name(text: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '$');
    let named = text.rsplit_once('.').filter(|(stem, _)| !stem.is_empty());
    named.is_some_and(|(_, extension)| EXTENSIONS.contains(&extension)) && text.chars().all(part)
}

/// Returns whether a text looks like the path of a file with an extension, or of a folder.
fn looks_like_file_path(text: &str) -> bool {
    let name = text.rsplit('/').next().unwrap_or(text);
    is_file_name(text) || looks_like_path(text) && (name.is_empty() || name.trim_start_matches('.').contains('.'))
}

/// Returns the folder that a text begins with, before a wildcard.
fn leading_folder(text: &str) -> Option<&str> {
    let fixed = text.split(['*', '{', '?', '[']).next().unwrap_or_default();
    fixed.rsplit_once('/').map(|(folder, _)| folder).filter(|folder| could_be_path(&format!("{folder}/")))
}

struct PossiblePathFinder {
    found: Vec<Link>,
}

impl PossiblePathFinder {
    fn add(&mut self, span: Span, text: &str, around: oxc_span::Span) {
        if self.found.len() < MAX_LINKS && span.len() == text.len() {
            self.found.push(build_link(POSSIBLE, span, text, to_sdk_span(around), Vec::new(), false));
        }
    }

    /// Adds the folder that a text begins with; the rest is computed at run time.
    fn add_leading_folder(&mut self, text: &str, at: oxc_span::Span) {
        if let Some(folder) = leading_folder(text) {
            let start = span_inside_quotes(at).start;
            self.add(Span { start, end: start + folder.len() as u32 }, folder, at);
        }
    }
}

impl<'a> Visit<'a> for PossiblePathFinder {
    fn visit_string_literal(&mut self, literal: &StringLiteral<'a>) {
        let Some(text) = literal.value.as_str() else { return };
        let is_pattern = text.contains('*') && leading_folder(text).is_some();
        if is_pattern || looks_like_file_path(text) {
            self.add(span_inside_quotes(literal.span), text, literal.span);
        }
    }

    fn visit_template_literal(&mut self, template: &TemplateLiteral<'a>) {
        let first = template.quasis.first().and_then(|first| first.value.cooked).and_then(|text| text.as_str());
        match first {
            Some(text) if template.expressions.is_empty() && looks_like_file_path(text) => {
                self.add(span_inside_quotes(template.span), text, template.span);
            }
            Some(text) if !template.expressions.is_empty() => self.add_leading_folder(text, template.span),
            _ => {}
        }
        walk::walk_template_literal(self, template);
    }
}
