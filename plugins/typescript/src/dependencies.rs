//! What a piece of a document uses of other files.

use marquetry_sdk::{Dependency, Span};
use oxc_ast::ast::*;
use oxc_syntax::symbol::SymbolId;

use crate::regions::required;
use crate::tree::Parsed;

/// The imports whose names are used within the span, in the order in which they are imported.
pub(crate) fn within(parsed: &Parsed<'_>, span: Span) -> Vec<Dependency> {
    let mut found = Vec::new();
    // The analysis gives the bindings their ids.
    parsed.semantic();
    for statement in &parsed.program.body {
        match statement {
            Statement::ImportDeclaration(import) => {
                let from = import.source.value.display().to_string();
                for specifier in import.specifiers.iter().flatten() {
                    let (symbol, local) = match specifier {
                        ImportDeclarationSpecifier::ImportSpecifier(it) => (it.imported.name().to_string(), &it.local),
                        ImportDeclarationSpecifier::ImportDefaultSpecifier(it) => ("default".to_owned(), &it.local),
                        ImportDeclarationSpecifier::ImportNamespaceSpecifier(it) => ("*".to_owned(), &it.local),
                    };
                    add(parsed, span, local, symbol, &from, &mut found);
                }
            }
            Statement::TSImportEqualsDeclaration(import) => {
                if let TSModuleReference::ExternalModuleReference(reference) = &import.module_reference {
                    let from = reference.expression.value.display().to_string();
                    add(parsed, span, &import.id, "*".to_owned(), &from, &mut found);
                }
            }
            Statement::VariableDeclaration(declaration) => {
                for declarator in &declaration.declarations {
                    if let Some(from) = declarator.init.as_ref().and_then(|init| required(init)) {
                        add_required(parsed, span, &declarator.id, from, &mut found);
                    }
                }
            }
            _ => {}
        }
    }
    found
}

fn add_required(
    parsed: &Parsed<'_>,
    span: Span,
    pattern: &BindingPattern<'_>,
    from: &str,
    found: &mut Vec<Dependency>,
) {
    match pattern {
        BindingPattern::BindingIdentifier(local) => add(parsed, span, local, "*".to_owned(), from, found),
        BindingPattern::ObjectPattern(object) => {
            for property in &object.properties {
                let name = property.key.static_name();
                if let (Some(name), BindingPattern::BindingIdentifier(local)) = (name, &property.value) {
                    add(parsed, span, local, name.display().to_string(), from, found);
                }
            }
        }
        _ => {}
    }
}

fn add(
    parsed: &Parsed<'_>,
    span: Span,
    local: &BindingIdentifier<'_>,
    symbol: String,
    from: &str,
    found: &mut Vec<Dependency>,
) {
    // What imports something does not use it.
    let declares = span.start <= local.span.start && local.span.end <= span.end;
    if declares || !local.symbol_id.get().is_some_and(|id| is_used(parsed, id, span)) {
        return;
    }
    let dependency = Dependency { symbol, from: from.to_owned() };
    if !found.contains(&dependency) {
        found.push(dependency);
    }
}

fn is_used(parsed: &Parsed<'_>, symbol: SymbolId, span: Span) -> bool {
    let semantic = parsed.semantic();
    semantic.symbol_references(symbol).any(|reference| {
        let place = semantic.reference_span(reference);
        span.start <= place.start && place.end <= span.end
    })
}
