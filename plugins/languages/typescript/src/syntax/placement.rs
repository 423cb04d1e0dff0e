//! Finds statements that are only allowed at the top level.
//!
//! The parser accepts imports, exports, namespaces and ambient declarations wherever a statement can appear, because
//! TypeScript leaves this error to its checker. Such code is still useless: no tool emits code for it.

use oxc_ast::AstKind;
use oxc_semantic::{NodeId, Semantic};
use oxc_span::{GetSpan, Span};

/// Returns the imports, exports, namespaces and `declare` statements in blocks and functions, in document order.
pub(crate) fn misplaced(semantic: &Semantic<'_>) -> Vec<Span> {
    let nodes = semantic.nodes();
    let found = nodes.iter().filter(|node| is_top_level_only(&node.kind()) && !is_at_top_level(semantic, node.id()));
    let mut spans: Vec<Span> = found.map(|node| node.kind().span()).collect();
    spans.sort_by_key(|span| (span.start, span.end));
    spans
}

/// Returns whether the node is only allowed at the top of a file, of a namespace or of an ambient module.
fn is_top_level_only(kind: &AstKind<'_>) -> bool {
    match kind {
        AstKind::ImportDeclaration(_)
        | AstKind::TSImportEqualsDeclaration(_)
        | AstKind::ExportAllDeclaration(_)
        | AstKind::ExportDefaultDeclaration(_)
        | AstKind::ExportDeclaration(_)
        | AstKind::ExportNamedDeclaration(_)
        | AstKind::ExportFromDeclaration(_)
        | AstKind::TSExportAssignment(_)
        | AstKind::TSNamespaceExportDeclaration(_)
        | AstKind::TSNamespaceDeclaration(_)
        | AstKind::TSExternalModuleDeclaration(_)
        | AstKind::TSGlobalDeclaration(_) => true,
        AstKind::VariableDeclaration(it) => it.declare,
        AstKind::Function(it) => it.declare,
        AstKind::Class(it) => it.declare,
        AstKind::TSInterfaceDeclaration(it) => it.declare,
        AstKind::TSTypeAliasDeclaration(it) => it.declare,
        AstKind::TSEnumDeclaration(it) => it.declare,
        _ => false,
    }
}

fn is_at_top_level(semantic: &Semantic<'_>, node: NodeId) -> bool {
    let nodes = semantic.nodes();
    match nodes.parent_kind(node) {
        AstKind::Program(_) | AstKind::TSModuleBlock(_) => true,
        // `export declare const a`, and `namespace A.B`, where the inner namespace is nested in the outer one.
        AstKind::ExportDeclaration(_) | AstKind::ExportDefaultDeclaration(_) | AstKind::TSNamespaceDeclaration(_) => {
            true
        }
        _ => false,
    }
}
