//! Exports that calls define: `Object.defineProperty(exports, "a", { get: … })`,
//! `Object.defineProperties(exports, { a: { value: … } })`.

use oxc_ast::ast::*;
use oxc_span::{GetSpan, Span};

use crate::program::expandos::{Expando, is_exports, is_global};
use crate::program::source_file::SourceFile;

/// The property that compilers add to the exports of an ES module. No program imports it by name.
pub(crate) const MODULE_MARK: &str = "__esModule";

/// Exports that a call defines.
#[derive(Default)]
pub(crate) struct DefinedExports<'w> {
    pub(crate) members: Vec<Expando<'w>>,
    /// A key that is known only when the module is loaded.
    pub(crate) computed: Option<Span>,
}

/// Returns the exports that a call defines.
pub(crate) fn defined_exports<'w>(file: &SourceFile<'w>, call: &'w CallExpression<'w>) -> DefinedExports<'w> {
    let mut found = DefinedExports::default();
    match (defining_method(file, call), call.arguments.as_slice()) {
        (Some("defineProperty"), [_, Argument::StringLiteral(key), rest @ ..]) => {
            let value = rest.first().and_then(Argument::as_expression).and_then(described_value);
            let name = key.value.as_str().filter(|name| *name != MODULE_MARK);
            found.members.extend(name.map(|name| Expando { name, offset: key.span.start, value }));
        }
        (Some("defineProperty"), [_, key, ..]) => found.computed = Some(key.span()),
        (Some("defineProperties"), [_, Argument::ObjectExpression(object), ..]) => {
            for property in &object.properties {
                match property {
                    ObjectPropertyKind::ObjectProperty(it) => match it.key.static_name() {
                        Some(_) if it.key.is_specific_static_name(MODULE_MARK) => {}
                        Some(_) if !it.computed => found.members.extend(property_export(it)),
                        _ => found.computed = Some(it.key.span()),
                    },
                    ObjectPropertyKind::SpreadProperty(spread) => found.computed = Some(spread.argument.span()),
                }
            }
        }
        (Some(_), [_, given, ..]) => found.computed = Some(given.span()),
        _ => {}
    }
    found
}

/// Returns the object if a span is the name of an export in `Object.defineProperty(exports, "name", …)`.
pub(crate) fn exports_of_defined_name<'w>(
    file: &SourceFile<'w>,
    call: &'w CallExpression<'w>,
    name: Span,
) -> Option<&'w Expression<'w>> {
    let is_name = matches!(call.arguments.get(1), Some(Argument::StringLiteral(key)) if key.span == name);
    let target = call.arguments.first().and_then(Argument::as_expression)?;
    (is_name && defining_method(file, call) == Some("defineProperty")).then_some(target)
}

/// Returns the expression of the exports if an object defines their properties: `Object.defineProperties(exports, { …
/// })`.
pub(crate) fn exports_of_defined_properties<'w>(
    file: &SourceFile<'w>,
    call: &'w CallExpression<'w>,
    object: Span,
) -> Option<&'w Expression<'w>> {
    let is_object = call.arguments.get(1).is_some_and(|given| given.span() == object);
    let target = call.arguments.first().and_then(Argument::as_expression)?;
    (is_object && defining_method(file, call) == Some("defineProperties")).then_some(target)
}

/// Returns the value that other files read from a property with this descriptor: that of `value`, or what `get` returns.
pub(crate) fn described_value<'e, 'w>(descriptor: &'e Expression<'w>) -> Option<&'e Expression<'w>> {
    let Expression::ObjectExpression(object) = descriptor else { return None };
    object.properties.iter().find_map(|property| {
        let ObjectPropertyKind::ObjectProperty(it) = property else { return None };
        if it.key.is_specific_static_name("value") {
            return Some(&it.value);
        }
        it.key.is_specific_static_name("get").then(|| returned_value(&it.value)).flatten()
    })
}

/// Returns the name of the method by which a call defines exports.
fn defining_method<'w>(file: &SourceFile<'w>, call: &'w CallExpression<'w>) -> Option<&'w str> {
    let Expression::StaticMemberExpression(callee) = &call.callee else { return None };
    let method = match callee.property.name.as_str() {
        method @ ("defineProperty" | "defineProperties") => method,
        _ => return None,
    };
    let is_of_language = is_global(file, &callee.object, "Object")
        || method == "defineProperty" && is_global(file, &callee.object, "Reflect");
    let target = call.arguments.first().and_then(Argument::as_expression)?;
    (is_of_language && is_exports(file, target)).then_some(method)
}

fn property_export<'w>(property: &'w ObjectProperty<'w>) -> Option<Expando<'w>> {
    let name = match &property.key {
        PropertyKey::StaticIdentifier(name) => name.name.as_str(),
        PropertyKey::StringLiteral(text) => text.value.as_str()?,
        _ => return None,
    };
    Some(Expando { name, offset: property.key.span().start, value: described_value(&property.value) })
}

/// Returns the value that a getter returns, if it does nothing else.
fn returned_value<'e, 'w>(getter: &'e Expression<'w>) -> Option<&'e Expression<'w>> {
    let statements = match getter {
        Expression::FunctionExpression(function) => &function.body.as_ref()?.statements,
        Expression::ArrowFunctionExpression(arrow) => match &arrow.body {
            ArrowFunctionBody::FunctionBody(block) => &block.statements,
            _ => return arrow.body.as_expression(),
        },
        _ => return None,
    };
    match statements.as_slice() {
        [Statement::ReturnStatement(only)] => only.argument.as_ref(),
        _ => None,
    }
}
