//! Inputs and outputs of the new function at one target.

use marquetry_sdk::refactor::refactor_failure;
use marquetry_sdk::{Result, Span};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{ScopeId, SymbolFlags, SymbolId};
use oxc_span::GetSpan as _;

use crate::semantics::extraction::closures;
use crate::semantics::extraction::code_range::{CodeRange, OuterUse};
use crate::semantics::extraction::function_targets::{FunctionTarget, TargetScope, namespace_qualifier};
use crate::semantics::extraction::own_class::is_incomplete_class;
use crate::semantics::{Semantics, refusal_at};
use crate::syntax::spans::Place as _;

/// Inputs and outputs of the function.
pub(crate) struct DataFlow<'a> {
    pub(crate) target: FunctionTarget<'a>,
    pub(crate) parameters: Vec<PassedVariable<'a>>,
    /// Type parameters that are not in scope at the target.
    pub(crate) type_parameters: Vec<SymbolId>,
    /// Names that must be qualified in the function, with their qualifiers.
    pub(crate) qualified: Vec<(OuterUse<'a>, String)>,
    pub(crate) this: Option<ThisBinding<'a>>,
}

/// A variable that is passed to the function.
#[derive(Clone, Copy)]
pub(crate) struct PassedVariable<'a> {
    pub(crate) name: &'a str,
    pub(crate) symbol: SymbolId,
    /// True if the function assigns and returns it.
    pub(crate) is_written: bool,
    /// True if the variable has no value when the range starts. Then it is not passed; the function declares it.
    pub(crate) is_uninitialized: bool,
}

/// Way in which the function gets `this`.
#[derive(Clone, Copy)]
pub(crate) enum ThisBinding<'a> {
    /// By `f.call(this)`, with the `this` type that the enclosing function declares.
    PassedByCall(Option<&'a TSType<'a>>),
    /// As a method of the same object.
    Method,
}

/// A variable that the range declares and that is used outside of it.
pub(crate) struct ExposedVariable<'a> {
    pub(crate) name: &'a str,
    pub(crate) symbol: SymbolId,
    /// `const`, `let`, `var` or `using`.
    pub(crate) keyword: &'static str,
    pub(crate) annotation: Option<Span>,
    /// True if an operator after the annotation would apply to its last part only.
    pub(crate) needs_parentheses: bool,
}

impl<'a> ExposedVariable<'a> {
    /// Returns all such variables, in source order.
    pub(crate) fn collect(code: Semantics<'_, 'a>, range: &CodeRange<'a>) -> Result<Vec<ExposedVariable<'a>>> {
        let scoping = code.scoping();
        let nodes = code.nodes();
        let mut found = Vec::new();
        for symbol in scoping.symbol_ids() {
            let name = scoping.symbol_name(symbol);
            let is_own = range.contains(scoping.symbol_span(symbol));
            let others = scoping.symbol_redeclarations(symbol);
            if let Some(other) = others.iter().find(|other| range.contains(other.span) != is_own) {
                let message = format!("`{name}` is declared both inside and outside the selection");
                return Err(refusal_at(message, other.span).hint("select all of its declarations or none"));
            }
            if !is_own {
                continue;
            }
            let used_outside = code.references_of(symbol).find(|(_, span)| !range.contains(*span));
            let Some((_, outside)) = used_outside else { continue };
            let declaration = scoping.symbol_declaration(symbol);
            let mut around = std::iter::once(nodes.kind(declaration)).chain(nodes.ancestor_kinds(declaration));
            let variable = scoping.symbol_flags(symbol).is_variable();
            let declared = around.find_map(|kind| match kind {
                AstKind::VariableDeclaration(it) => Some(it),
                _ => None,
            });
            let (true, Some(declared)) = (variable, declared) else {
                let message = format!("`{name}` is declared in the selection but used outside of it");
                return Err(refusal_at(message, outside).hint("also select its uses, or exclude its declaration"));
            };
            closures::check_exposed_variable(code.semantic(), range, symbol)?;
            let named = |it: &&VariableDeclarator<'a>| {
                it.id.get_binding_identifier().is_some_and(|id| id.symbol_id.get() == Some(symbol))
            };
            let annotation = declared.declarations.iter().find(named).and_then(|it| it.type_annotation.as_ref());
            let annotation = annotation.map(|annotation| &annotation.type_annotation);
            found.push(ExposedVariable {
                name: declared_name(code, symbol),
                symbol,
                keyword: declared.kind.as_str(),
                annotation: annotation.map(|ty| ty.span().place()),
                needs_parentheses: annotation.is_some_and(is_compound),
            });
        }
        found.sort_by_key(|exposed| scoping.symbol_span(exposed.symbol).start);
        Ok(found)
    }
}

fn is_compound(ty: &TSType<'_>) -> bool {
    matches!(
        ty,
        TSType::TSUnionType(_)
            | TSType::TSIntersectionType(_)
            | TSType::TSFunctionType(_)
            | TSType::TSConditionalType(_)
            | TSType::TSConstructorType(_)
    )
}

/// Returns the name of a symbol with the lifetime of the tree.
fn declared_name<'a>(code: Semantics<'_, 'a>, symbol: SymbolId) -> &'a str {
    code.scoping().symbol_span(symbol).source_text(code.program().source_text)
}

impl<'a> DataFlow<'a> {
    /// Determines inputs and outputs for a target. Fails if the function cannot be declared there.
    pub(crate) fn for_target(
        code: Semantics<'_, 'a>,
        range: &CodeRange<'a>,
        target: FunctionTarget<'a>,
    ) -> Result<DataFlow<'a>> {
        let this = this_binding(code, range, &target)?;
        check_strictness(code, range, target.scope)?;
        let mut flow =
            DataFlow { target, parameters: Vec::new(), type_parameters: Vec::new(), qualified: Vec::new(), this };
        let scoping = code.scoping();
        for used in &range.uses {
            let is_incomplete = is_incomplete_class(code, range, &flow.target, used);
            if flow.target.can_reference(code, used.symbol) && !is_incomplete {
                continue;
            }
            let flags = scoping.symbol_flags(used.symbol);
            if flags.contains(SymbolFlags::TypeParameter) {
                flow.add_type_parameter(code, used.symbol);
            } else if let Some(names) = namespace_qualifier(code, &flow.target, used.symbol).filter(|_| !is_incomplete)
            {
                flow.qualified.push((*used, names));
            } else if used.flags.is_type_only() && !used.flags.is_value_as_type() {
                let message = format!("the type `{}` is not in scope in the new function", used.name);
                return Err(
                    refusal_at(message, used.span).hint("use `scope: inner`, or first move the type to an outer scope")
                );
            } else {
                flow.add_parameter(range, used)?;
            }
        }
        for parameter in &mut flow.parameters {
            closures::check_passed_variable(code.semantic(), range, parameter.symbol, parameter.is_written)?;
            parameter.is_uninitialized = parameter.is_written && is_uninitialized_before(code, range, parameter.symbol);
        }
        Ok(flow)
    }

    /// Returns the variables that the call passes.
    pub(crate) fn passed_parameters(&self) -> impl Iterator<Item = (usize, &PassedVariable<'a>)> {
        self.parameters.iter().enumerate().filter(|(_, parameter)| !parameter.is_uninitialized)
    }

    pub(crate) fn assigned_parameters(&self) -> impl Iterator<Item = &PassedVariable<'a>> {
        self.parameters.iter().filter(|parameter| parameter.is_written)
    }

    fn add_parameter(&mut self, range: &CodeRange<'a>, used: &OuterUse<'a>) -> Result<()> {
        let is_written = used.flags.is_write();
        if is_written && range.statements().is_none() {
            let name = used.name;
            let message =
                format!("`{name}` is assigned in the selection, but an extracted expression only returns its value");
            return Err(refusal_at(message, used.span).hint("select the whole statement, or use `scope: inner`"));
        }
        match self.parameters.iter_mut().find(|known| known.symbol == used.symbol) {
            Some(known) => known.is_written |= is_written,
            None => self.parameters.push(PassedVariable {
                name: used.name,
                symbol: used.symbol,
                is_written,
                is_uninitialized: false,
            }),
        }
        Ok(())
    }

    /// Adds a type parameter and those in its constraint.
    pub(crate) fn add_type_parameter(&mut self, code: Semantics<'_, 'a>, symbol: SymbolId) {
        let scoping = code.scoping();
        if self.type_parameters.contains(&symbol) || self.target.can_reference(code, symbol) {
            return;
        }
        self.type_parameters.push(symbol);
        for other in constraint_names(code, symbol) {
            if scoping.symbol_flags(other).contains(SymbolFlags::TypeParameter) {
                self.add_type_parameter(code, other);
            }
        }
        self.type_parameters.sort_by_key(|symbol| scoping.symbol_span(*symbol).start);
    }
}

/// Refuses to move functions and `this` out of strict mode, because a function that is called without `this` gets the
/// global object instead.
fn check_strictness(code: Semantics<'_, '_>, range: &CodeRange<'_>, target: ScopeId) -> Result<()> {
    let is_strict = |scope| code.scoping().scope_flags(scope).is_strict_mode();
    let is_function = |kind: AstKind<'_>| matches!(kind, AstKind::Function(_));
    let has_this = || range.this.is_some() || code.nodes_in(range.span).any(|(_, kind)| is_function(kind));
    if is_strict(target) || !is_strict(code.scope_of(range.node())) || !has_this() {
        return Ok(());
    }
    Err(refactor_failure("the selection is in strict mode, and the new function would not be")
        .hint("use `scope: inner`"))
}

/// Returns whether a variable is declared without a value and not used before the range.
fn is_uninitialized_before(code: Semantics<'_, '_>, range: &CodeRange<'_>, symbol: SymbolId) -> bool {
    let nodes = code.nodes();
    let declaration = code.declaration_of(symbol);
    let AstKind::VariableDeclarator(variable) = nodes.kind(declaration) else { return false };
    let around = nodes.parent_id(declaration);
    let is_plain = variable.init.is_none() && !nodes.parent_kind(around).is_iteration_statement();
    // In a loop that does not declare the variable, an earlier iteration may have set it.
    let home = nodes.parent_kind(around).span();
    let loops = nodes.ancestor_kinds(range.node()).take_while(|kind| kind.span() != home);
    let is_repeated = loops.into_iter().any(|kind| kind.is_iteration_statement());
    is_plain && !is_repeated && code.references_of(symbol).all(|(_, at)| at.start >= range.span.start)
}

/// Returns the declaration of a type parameter without its modifiers: `T extends A = B`.
pub(crate) fn type_parameter_source<'s>(code: Semantics<'s, '_>, symbol: SymbolId) -> Option<&'s str> {
    let parameter = type_parameter(code, symbol)?;
    Some(code.source(Span { start: parameter.name.span.start, end: parameter.span.end }))
}

/// Returns the declaration of a type parameter.
fn type_parameter<'a>(code: Semantics<'_, 'a>, symbol: SymbolId) -> Option<&'a TSTypeParameter<'a>> {
    let nodes = code.nodes();
    let declaration = code.declaration_of(symbol);
    std::iter::once(nodes.kind(declaration)).chain(nodes.ancestor_kinds(declaration)).take(2).find_map(
        |kind| match kind {
            AstKind::TSTypeParameter(it) => Some(it),
            _ => None,
        },
    )
}

/// Returns the symbols in the constraint and default of a type parameter.
fn constraint_names(code: Semantics<'_, '_>, symbol: SymbolId) -> Vec<SymbolId> {
    let Some(parameter) = type_parameter(code, symbol) else { return Vec::new() };
    let names = code.nodes_in(parameter.span).filter_map(|(_, kind)| match kind {
        AstKind::IdentifierReference(name) => code.symbol_of(name),
        _ => None,
    });
    names.collect()
}

/// Returns how the function gets `this`, if the range uses it.
fn this_binding<'a>(
    code: Semantics<'_, 'a>,
    range: &CodeRange<'a>,
    target: &FunctionTarget<'a>,
) -> Result<Option<ThisBinding<'a>>> {
    let nodes = code.nodes();
    if let TargetScope::Class { class, .. } = target.target_scope {
        check_assigned_properties(code, range, class)?;
        return Ok(Some(ThisBinding::Method));
    }
    let mine =
        |at: Span| refusal_at("the selection uses `this` or `super` of the class", at).hint("use `extract_method`");
    if let Some(at) = range.super_member {
        return Err(mine(at));
    }
    if range.this_type {
        return Err(mine(range.span));
    }
    if let Some(at) = range.private
        && crosses_class(code, range, target)
    {
        return Err(mine(at));
    }
    let Some(at) = range.this else { return Ok(None) };
    let mut inner = range.node();
    for node in nodes.ancestor_ids(inner) {
        match nodes.kind(node) {
            AstKind::Function(function) => {
                if matches!(nodes.parent_kind(node), AstKind::MethodDefinition(_)) {
                    return Err(mine(at));
                }
                let declared = function.this_param.as_ref().and_then(|this| this.type_annotation.as_ref());
                return Ok(Some(ThisBinding::PassedByCall(declared.map(|annotation| &annotation.type_annotation))));
            }
            AstKind::PropertyDefinition(it) if it.key.span() != nodes.kind(inner).span() => return Err(mine(at)),
            AstKind::AccessorProperty(it) if it.key.span() != nodes.kind(inner).span() => return Err(mine(at)),
            AstKind::StaticBlock(_) => return Err(mine(at)),
            _ => {}
        }
        inner = node;
    }
    Ok(Some(ThisBinding::PassedByCall(None)))
}

/// Returns whether a class contains the range, but not the target.
fn crosses_class(code: Semantics<'_, '_>, range: &CodeRange<'_>, target: &FunctionTarget<'_>) -> bool {
    let outer = target.braces();
    let is_inside = |span: oxc_span::Span| outer.is_none_or(|outer| outer.start <= span.start && span.end <= outer.end);
    let mut around = code.nodes().ancestor_kinds(range.node());
    around.any(|kind| matches!(kind, AstKind::Class(class) if is_inside(class.span)))
}

/// Refuses assignments to properties that are read-only, or that only the constructor may initialize.
fn check_assigned_properties(code: Semantics<'_, '_>, range: &CodeRange<'_>, class: &Class<'_>) -> Result<()> {
    let nodes = code.nodes();
    let is_constructor = |kind: AstKind<'_>| matches!(kind, AstKind::MethodDefinition(it) if it.kind == MethodDefinitionKind::Constructor);
    let constructs = nodes.ancestor_kinds(range.node()).any(is_constructor);
    for (_, kind) in code.nodes_in(range.span) {
        let AstKind::AssignmentExpression(assignment) = kind else { continue };
        let AssignmentTarget::StaticMemberExpression(member) = &assignment.left else { continue };
        if !matches!(member.object, Expression::ThisExpression(_)) {
            continue;
        }
        let name = member.property.name.as_str();
        let why = if class.body.body.iter().any(|element| is_readonly(element, name)) {
            "is read-only"
        } else if constructs && class.body.body.iter().any(|element| needs_initializer(element, name)) {
            "has no value until the constructor sets it"
        } else {
            continue;
        };
        return Err(refusal_at(format!("`{name}` {why}: a method cannot assign it"), member.span)
            .hint("exclude the assignment from the selection"));
    }
    Ok(())
}

fn is_readonly(element: &ClassElement<'_>, name: &str) -> bool {
    match element {
        ClassElement::PropertyDefinition(it) => it.readonly && it.key.static_name().is_some_and(|key| key == name),
        ClassElement::MethodDefinition(it) => it.value.params.items.iter().any(|parameter| {
            parameter.readonly && parameter.pattern.get_binding_identifier().is_some_and(|id| id.name == name)
        }),
        _ => false,
    }
}

/// Returns whether it is a property without an initializer whose type excludes `undefined`.
fn needs_initializer(element: &ClassElement<'_>, name: &str) -> bool {
    let ClassElement::PropertyDefinition(it) = element else { return false };
    let can_be_undefined = it.type_annotation.as_ref().is_none_or(|annotation| match &annotation.type_annotation {
        TSType::TSUnionType(union) => union.types.iter().any(|ty| matches!(ty, TSType::TSUndefinedKeyword(_))),
        ty => matches!(ty, TSType::TSUndefinedKeyword(_) | TSType::TSAnyKeyword(_) | TSType::TSUnknownKeyword(_)),
    });
    let is_it = it.key.static_name().is_some_and(|key| key == name);
    is_it && it.value.is_none() && !it.definite && !it.optional && !can_be_undefined
}
