//! Imports of types that a refactoring adds to the code.

use marquetry_sdk::Edit;
use oxc_ast::ast::*;

use crate::editor::{indentation, semicolons};
use crate::imports::add;
use crate::syntax::tree::{Parsed, Tree};

/// Returns the edits that import these types, given as specifiers and names.
pub(crate) fn import_type_edits(parsed: &Parsed<'_>, tree: &Tree, wanted: &[(String, String)]) -> Vec<Edit> {
    let text = tree.text();
    let imports: Vec<_> = parsed
        .program
        .body
        .iter()
        .filter_map(|statement| match statement {
            Statement::ImportDeclaration(import) => Some(import),
            _ => None,
        })
        .collect();
    let quote = imports
        .first()
        .map_or('"', |first| if text[first.source.span.start as usize..].starts_with('\'') { '\'' } else { '"' });
    let keyword = if imports.iter().any(|import| import.import_kind.is_type()) { "import type" } else { "import" };
    let semicolon = if semicolons::uses_semicolons(parsed.program) { ";" } else { "" };
    let mut edits: Vec<Edit> = Vec::new();
    let unit = indentation::unit(tree);
    for (specifier, name) in wanted {
        let statement = format!("{keyword} {{ {name} }} from {quote}{specifier}{quote}{semicolon}");
        let Some(added) = add::merge_imports(parsed, text, &unit, &statement, tree.grammar()) else { continue };
        edits.extend(added.edits);
        if added.remaining.is_empty() {
            continue;
        }
        // If the imports are sorted by module, keep the order.
        let next =
            imports.iter().find(|import| import.source.value.as_str().is_some_and(|known| known > specifier.as_str()));
        edits.push(match (next, imports.last()) {
            (Some(next), _) => Edit::insert(next.span.start as usize, format!("{}\n", added.remaining)),
            (None, Some(last)) => Edit::insert(last.span.end as usize, format!("\n{}", added.remaining)),
            (None, None) => Edit::insert(0, format!("{}\n\n", added.remaining)),
        });
    }
    edits
}
