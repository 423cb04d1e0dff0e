//! The card that a reader sees of a declaration: its signature and its documentation, as Markdown.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::{GetSpan, Span};

use crate::program::ids::HERE;
use crate::program::module::Module;

/// A signature longer than this is cut.
const LONGEST: usize = 600;

/// The card of what is declared at an offset.
pub(crate) fn card(module: &Module<'_>, offset: u32) -> Option<String> {
    let node = declaration(module, offset)?;
    let span = signature(module, node)?;
    let text = span.source_text(module.text()).trim_end().trim_end_matches([';', ',', '=']).trim_end();
    let mut shown: String = text.chars().take(LONGEST).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    let mut card = format!("```ts\n{}\n```", unindented(&shown, module, span));
    if let Some(doc) = documentation(module, node) {
        card.push_str("\n\n");
        card.push_str(&doc);
    }
    if module.number != HERE {
        card.push_str(&format!("\n\n*declared in `{}`*", module.path));
    }
    Some(card)
}

/// The node whose name is at the offset.
fn declaration(module: &Module<'_>, offset: u32) -> Option<NodeId> {
    let names = module.semantic().nodes().iter().filter(|node| node.kind().span().start == offset);
    names
        .filter(|node| {
            matches!(
                node.kind(),
                AstKind::BindingIdentifier(_)
                    | AstKind::IdentifierName(_)
                    | AstKind::PrivateIdentifier(_)
                    | AstKind::StringLiteral(_)
            )
        })
        .find_map(|name| {
            module.chain(name.id()).skip(1).take(6).find(|around| {
                matches!(
                    module.kind(*around),
                    AstKind::Function(_)
                        | AstKind::Class(_)
                        | AstKind::TSInterfaceDeclaration(_)
                        | AstKind::TSTypeAliasDeclaration(_)
                        | AstKind::TSEnumDeclaration(_)
                        | AstKind::TSEnumMember(_)
                        | AstKind::TSNamespaceDeclaration(_)
                        | AstKind::VariableDeclarator(_)
                        | AstKind::FormalParameter(_)
                        | AstKind::FormalParameterRest(_)
                        | AstKind::MethodDefinition(_)
                        | AstKind::PropertyDefinition(_)
                        | AstKind::AccessorProperty(_)
                        | AstKind::TSPropertySignature(_)
                        | AstKind::TSMethodSignature(_)
                        | AstKind::ObjectProperty(_)
                        | AstKind::TSTypeParameter(_)
                        | AstKind::ImportDeclaration(_)
                        | AstKind::TSImportEqualsDeclaration(_)
                )
            })
        })
}

/// The declaration without its body.
fn signature(module: &Module<'_>, node: NodeId) -> Option<Span> {
    let whole = outer(module, node);
    let until = |end: u32| Span::new(whole.start, end);
    Some(match module.kind(node) {
        AstKind::Function(function) => until(function.body.as_ref().map_or(whole.end, |body| body.span.start)),
        AstKind::Class(class) => until(class.body.span.start),
        AstKind::TSInterfaceDeclaration(interface) => until(interface.body.span.start),
        AstKind::TSEnumDeclaration(declared) => until(declared.body.span.start),
        AstKind::TSNamespaceDeclaration(namespace) => until(namespace.id.span.end),
        AstKind::MethodDefinition(method) => {
            until(method.value.body.as_ref().map_or(whole.end, |body| body.span.start))
        }
        AstKind::ObjectProperty(property) => match &property.value {
            Expression::FunctionExpression(function) if property.method => {
                until(function.body.as_ref().map_or(whole.end, |body| body.span.start))
            }
            _ => whole,
        },
        AstKind::VariableDeclarator(variable) => match &variable.init {
            Some(Expression::ClassExpression(class)) => until(class.body.span.start),
            Some(Expression::FunctionExpression(function)) => {
                until(function.body.as_ref().map_or(whole.end, |body| body.span.start))
            }
            Some(Expression::ArrowFunctionExpression(arrow)) => match &arrow.body {
                ArrowFunctionBody::FunctionBody(body) => until(body.span.start),
                _ => whole,
            },
            _ => whole,
        },
        _ => whole,
    })
}

/// The declaration with `export`, and a variable with the keyword of its list if it is alone in it.
fn outer(module: &Module<'_>, node: NodeId) -> Span {
    let own = module.kind(node).span();
    let mut current = node;
    let mut span = own;
    loop {
        let parent = module.parent(current);
        match module.kind(parent) {
            AstKind::VariableDeclaration(list) if list.declarations.len() == 1 => {}
            AstKind::ExportDeclaration(_) | AstKind::ExportDefaultDeclaration(_) => {}
            _ => return span,
        }
        span = module.kind(parent).span();
        current = parent;
    }
}

/// The text of the comment before a declaration, without its stars.
fn documentation(module: &Module<'_>, node: NodeId) -> Option<String> {
    let whole = outer(module, node);
    let starts = [whole.start, module.kind(node).span().start];
    let comment = module
        .program
        .comments
        .iter()
        .rev()
        .find(|comment| comment.is_jsdoc() && starts.contains(&comment.attached_to))?;
    let inner = comment.content_span().source_text(module.text());
    let lines = inner.trim_start_matches('*').lines().map(|line| {
        let line = line.trim();
        line.strip_prefix('*').map_or(line, |rest| rest.strip_prefix(' ').unwrap_or(rest)).trim_end()
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The lines after the first, moved left as far as the first one stands in.
fn unindented(text: &str, module: &Module<'_>, span: Span) -> String {
    let indent = marquetry_sdk::lines::indent_at(module.text(), span.start as usize);
    text.replace(&format!("\n{indent}"), "\n")
}
