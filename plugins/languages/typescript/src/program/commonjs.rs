//! CommonJS: names exported through `module.exports`, and names imported with `require`.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;
use oxc_span::GetSpan;

use crate::infer::ty::key_name;
use crate::program::source_file::SourceFile;

/// A variable that is set to a required module or a part of it.
pub(crate) struct RequiredName<'w> {
    pub(crate) specifier: &'w str,
    /// The exported name; `*` for the module as a whole.
    pub(crate) name: &'w str,
    pub(crate) local: &'w BindingIdentifier<'w>,
}

/// Returns all variables of the file that are initialized with `require`.
pub(crate) fn required_names<'w>(file: &SourceFile<'w>) -> Vec<RequiredName<'w>> {
    let mut found = Vec::new();
    for node in file.semantic().nodes().iter() {
        match node.kind() {
            AstKind::VariableDeclarator(variable) => {
                let Some((specifier, member)) = variable.init.as_ref().and_then(required_module) else { continue };
                add_names(specifier, member, &variable.id, &mut found);
            }
            AstKind::TSImportEqualsDeclaration(import) => {
                if let TSModuleReference::ExternalModuleReference(reference) = &import.module_reference
                    && let Some(specifier) = reference.expression.value.as_str()
                {
                    found.push(RequiredName { specifier, name: "*", local: &import.id });
                }
            }
            _ => {}
        }
    }
    found
}

/// Returns whether a symbol is a variable that is initialized with a required module or a part of it.
pub(crate) fn is_required(file: &SourceFile<'_>, symbol: SymbolId) -> bool {
    match file.kind(file.scoping().symbol_declaration(symbol)) {
        AstKind::VariableDeclarator(variable) => variable.init.as_ref().and_then(required_module).is_some(),
        _ => false,
    }
}

/// Returns the module and the exported name that a constant is an alias for: `const { a: b } = require("x")`. The name is
/// `*` for the module as a whole.
pub(crate) fn required_binding<'w>(file: &SourceFile<'w>, symbol: SymbolId) -> Option<(&'w str, &'w str)> {
    let AstKind::VariableDeclarator(variable) = file.kind(file.scoping().symbol_declaration(symbol)) else {
        return None;
    };
    let (specifier, member) = required_module(variable.init.as_ref()?)?;
    let is_it = |local: &BindingIdentifier<'w>| {
        local.symbol_id.get() == Some(symbol) && !file.scoping().symbol_is_mutated(symbol)
    };
    match &variable.id {
        BindingPattern::BindingIdentifier(local) if is_it(local) => Some((specifier, member.unwrap_or("*"))),
        BindingPattern::ObjectPattern(object) if member.is_none() => {
            let property = object
                .properties
                .iter()
                .find(|property| matches!(&property.value, BindingPattern::BindingIdentifier(local) if is_it(local)))?;
            Some((specifier, static_key_name(&property.key)?))
        }
        _ => None,
    }
}

fn add_names<'w>(
    specifier: &'w str,
    member: Option<&'w str>,
    pattern: &'w BindingPattern<'w>,
    found: &mut Vec<RequiredName<'w>>,
) {
    let mut add = |name, local| found.push(RequiredName { specifier, name, local });
    match (pattern, member) {
        (BindingPattern::BindingIdentifier(local), member) => add(member.unwrap_or("*"), &**local),
        (BindingPattern::ObjectPattern(object), None) => {
            for property in &object.properties {
                let Some(name) = static_key_name(&property.key) else { continue };
                property.value.get_binding_identifiers().into_iter().for_each(|local| add(name, local));
            }
            let rest = object.rest.iter().flat_map(|rest| rest.argument.get_binding_identifiers());
            rest.for_each(|local| add("*", local));
        }
        // Names destructured from a member belong to that member.
        (pattern, member) => {
            let locals = pattern.get_binding_identifiers();
            locals.into_iter().for_each(|local| add(member.unwrap_or("*"), local));
        }
    }
}

pub(crate) fn static_key_name<'w>(key: &'w PropertyKey<'w>) -> Option<&'w str> {
    match key {
        PropertyKey::StaticIdentifier(name) => Some(name.name.as_str()),
        PropertyKey::StringLiteral(text) => text.value.as_str(),
        _ => None,
    }
}

/// Returns the module that `require("x")` names, and `a` for `require("x").a`.
pub(crate) fn required_module<'w>(value: &'w Expression<'w>) -> Option<(&'w str, Option<&'w str>)> {
    match value {
        Expression::ParenthesizedExpression(inner) => required_module(&inner.expression),
        Expression::StaticMemberExpression(member) => match required_module(&member.object)? {
            (specifier, None) => Some((specifier, Some(member.property.name.as_str()))),
            inner => Some(inner),
        },
        Expression::CallExpression(call) => required_call(call).map(|specifier| (specifier, None)),
        _ => None,
    }
}

/// Returns the module that a call of `require` names.
pub(crate) fn required_call<'w>(call: &'w CallExpression<'w>) -> Option<&'w str> {
    match (&call.callee, call.arguments.as_slice()) {
        (Expression::Identifier(name), [Argument::StringLiteral(source)]) if name.name == "require" => {
            source.value.as_str()
        }
        _ => None,
    }
}

/// Returns the names that a pattern takes from a required module; `*` if it may take any.
pub(crate) fn destructured_names(pattern: &BindingPattern<'_>) -> Vec<String> {
    let whole = || vec!["*".to_owned()];
    let BindingPattern::ObjectPattern(object) = pattern else { return whole() };
    let names = object.properties.iter().map(|property| static_key_name(&property.key).map(str::to_owned));
    match names.collect::<Option<Vec<String>>>() {
        Some(names) if object.rest.is_none() && !names.is_empty() => names,
        _ => whole(),
    }
}

/// Returns the members of `module.exports = { … }` with the offset of the name and the value.
pub(crate) fn exported_members<'w>(object: &'w ObjectExpression<'w>) -> Vec<(&'w str, u32, &'w Expression<'w>)> {
    let member = |property: &'w ObjectPropertyKind<'w>| match property {
        ObjectPropertyKind::ObjectProperty(property) if property.kind == PropertyKind::Init => {
            key_name(&property.key)?;
            Some((static_key_name(&property.key)?, property.key.span().start, &property.value))
        }
        _ => None,
    };
    object.properties.iter().filter_map(member).collect()
}

/// Returns the module that an expression is as a whole: `require("x")`, or a variable that is initialized with it.
pub(crate) fn whole_module<'w>(file: &SourceFile<'w>, value: &'w Expression<'w>) -> Option<&'w str> {
    match value {
        Expression::Identifier(name) => {
            let symbol = file.symbol_of(name)?;
            match file.kind(file.scoping().symbol_declaration(symbol)) {
                AstKind::VariableDeclarator(variable) if variable.id.is_binding_identifier() => {
                    required_module(variable.init.as_ref()?)
                }
                _ => None,
            }
        }
        other => required_module(other),
    }
    .and_then(|(specifier, member)| member.is_none().then_some(specifier))
}

/// Returns the modules that an exported value includes completely: `require("x")` and `{ ...require("x") }`.
pub(crate) fn reexported_modules<'w>(file: &SourceFile<'w>, whole: &'w Expression<'w>) -> Vec<&'w str> {
    match whole {
        Expression::ObjectExpression(object) => {
            let spread = object.properties.iter().filter_map(|property| match property {
                ObjectPropertyKind::SpreadProperty(spread) => whole_module(file, &spread.argument),
                ObjectPropertyKind::ObjectProperty(_) => None,
            });
            spread.collect()
        }
        other => whole_module(file, other).into_iter().collect(),
    }
}

/// Returns whether a JavaScript file is a CommonJS module rather than an ES module.
pub(crate) fn is_commonjs(file: &SourceFile<'_>) -> bool {
    let is_es = file.program.body.iter().any(Statement::is_module_declaration);
    file.path.ends_with(".cjs") || file.is_javascript() && !is_es && file.uses_common_globals()
}
