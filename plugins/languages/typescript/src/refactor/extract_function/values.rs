//! Inputs and outputs of the new function at one target.

use marquetry_sdk::{Result, Span};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{Semantic, SymbolFlags, SymbolId};
use oxc_span::GetSpan as _;

use super::closures;
use super::extracted_range::{ExtractedRange, OuterUse, refusal};
use super::targets::{FunctionTarget, TargetScope, namespace_qualifier};
use crate::syntax::spans::to_sdk_span;

/// Inputs and outputs of the function.
pub(super) struct DataFlow<'a> {
    pub(super) target: FunctionTarget<'a>,
    pub(super) parameters: Vec<PassedVariable<'a>>,
    /// Type parameters that are not in scope at the target.
    pub(super) type_parameters: Vec<SymbolId>,
    /// Names that must be qualified in the function, with their qualifiers.
    pub(super) qualified: Vec<(OuterUse<'a>, String)>,
    pub(super) this: Option<ThisBinding<'a>>,
}

/// A variable that is passed to the function.
#[derive(Clone, Copy)]
pub(super) struct PassedVariable<'a> {
    pub(super) name: &'a str,
    pub(super) symbol: SymbolId,
    /// True if the function assigns and returns it.
    pub(super) is_written: bool,
    /// True if it has no value when the range starts. Then it is not passed, and the function declares it.
    pub(super) is_uninitialized: bool,
}

/// Way in which the function gets `this`.
#[derive(Clone, Copy)]
pub(super) enum ThisBinding<'a> {
    /// By `f.call(this)`, with the `this` type that the enclosing function declares.
    PassedByCall(Option<&'a TSType<'a>>),
    /// As a method of the same object.
    Method,
}

/// A variable that the range declares and that is used outside of it.
pub(super) struct ExposedVariable<'a> {
    pub(super) name: &'a str,
    pub(super) symbol: SymbolId,
    pub(super) kind: VariableDeclarationKind,
    pub(super) annotation: Option<&'a TSType<'a>>,
}

impl<'a> ExposedVariable<'a> {
    /// Returns all such variables, in source order.
    pub(super) fn collect(semantic: &Semantic<'a>, range: &ExtractedRange<'a>) -> Result<Vec<ExposedVariable<'a>>> {
        let scoping = semantic.scoping();
        let nodes = semantic.nodes();
        let mut found = Vec::new();
        for symbol in scoping.symbol_ids() {
            let name = scoping.symbol_name(symbol);
            let is_own = range.contains(scoping.symbol_span(symbol));
            let others = scoping.symbol_redeclarations(symbol);
            if let Some(other) = others.iter().find(|other| range.contains(other.span) != is_own) {
                return Err(refusal(format!("`{name}` is declared both inside and outside the selection"))
                    .hint("select all of its declarations or none")
                    .at(to_sdk_span(other.span)));
            }
            if !is_own {
                continue;
            }
            let used_outside = scoping
                .get_resolved_references(symbol)
                .find(|reference| !range.contains(nodes.kind(reference.node_id()).span()));
            let Some(outside) = used_outside else { continue };
            let declaration = scoping.symbol_declaration(symbol);
            let mut around = std::iter::once(nodes.kind(declaration)).chain(nodes.ancestor_kinds(declaration));
            let variable = scoping.symbol_flags(symbol).is_variable();
            let declared = around.find_map(|kind| match kind {
                AstKind::VariableDeclaration(it) => Some(it),
                _ => None,
            });
            let (true, Some(declared)) = (variable, declared) else {
                return Err(refusal(format!("`{name}` is declared in the selection but used outside of it"))
                    .hint("also select its uses, or exclude its declaration")
                    .at(to_sdk_span(nodes.kind(outside.node_id()).span())));
            };
            closures::check_exposed_variable(semantic, range, symbol)?;
            let named = |it: &&VariableDeclarator<'a>| {
                it.id.get_binding_identifier().is_some_and(|id| id.symbol_id.get() == Some(symbol))
            };
            let annotation = declared.declarations.iter().find(named).and_then(|it| it.type_annotation.as_ref());
            found.push(ExposedVariable {
                name: semantic_name(semantic, symbol),
                symbol,
                kind: declared.kind,
                annotation: annotation.map(|annotation| &annotation.type_annotation),
            });
        }
        found.sort_by_key(|exposed| scoping.symbol_span(exposed.symbol).start);
        Ok(found)
    }
}

/// Returns the name of a symbol with the lifetime of the tree.
fn semantic_name<'a>(semantic: &Semantic<'a>, symbol: SymbolId) -> &'a str {
    semantic.scoping().symbol_span(symbol).source_text(semantic.source_text())
}

impl<'a> DataFlow<'a> {
    /// Determines inputs and outputs for a target. Fails if the function cannot be declared there.
    pub(super) fn for_target(
        semantic: &Semantic<'a>,
        range: &ExtractedRange<'a>,
        target: FunctionTarget<'a>,
    ) -> Result<DataFlow<'a>> {
        let this = this_binding(semantic, range, &target)?;
        let mut flow =
            DataFlow { target, parameters: Vec::new(), type_parameters: Vec::new(), qualified: Vec::new(), this };
        let scoping = semantic.scoping();
        for used in &range.uses {
            if flow.target.can_reference(semantic, used.symbol) {
                continue;
            }
            let flags = scoping.symbol_flags(used.symbol);
            if flags.contains(SymbolFlags::TypeParameter) {
                flow.add_type_parameter(semantic, used.symbol);
            } else if let Some(names) = namespace_qualifier(semantic, &flow.target, used.symbol) {
                flow.qualified.push((*used, names));
            } else if used.flags.is_type_only() && !used.flags.is_value_as_type() {
                return Err(refusal(format!("the type `{}` is not in scope in the new function", used.name))
                    .hint("use `scope: inner`, or first move the type to an outer scope")
                    .at(used.span));
            } else {
                flow.add_parameter(range, used)?;
            }
        }
        for parameter in &mut flow.parameters {
            closures::check_passed_variable(semantic, range, parameter)?;
            parameter.is_uninitialized =
                parameter.is_written && is_uninitialized_before(semantic, range, parameter.symbol);
        }
        Ok(flow)
    }

    /// Returns the variables that the call passes.
    pub(super) fn passed_parameters(&self) -> impl Iterator<Item = (usize, &PassedVariable<'a>)> {
        self.parameters.iter().enumerate().filter(|(_, parameter)| !parameter.is_uninitialized)
    }

    pub(super) fn assigned_parameters(&self) -> impl Iterator<Item = &PassedVariable<'a>> {
        self.parameters.iter().filter(|parameter| parameter.is_written)
    }

    fn add_parameter(&mut self, range: &ExtractedRange<'a>, used: &OuterUse<'a>) -> Result<()> {
        let is_written = used.flags.is_write();
        if is_written && range.statements().is_none() {
            return Err(refusal(format!(
                "`{}` is assigned in the selection, but an extracted expression only returns its value",
                used.name
            ))
            .hint("select the whole statement, or use `scope: inner`")
            .at(used.span));
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
    pub(super) fn add_type_parameter(&mut self, semantic: &Semantic<'a>, symbol: SymbolId) {
        let scoping = semantic.scoping();
        if self.type_parameters.contains(&symbol) || self.target.can_reference(semantic, symbol) {
            return;
        }
        self.type_parameters.push(symbol);
        for other in constraint_names(semantic, symbol) {
            if scoping.symbol_flags(other).contains(SymbolFlags::TypeParameter) {
                self.add_type_parameter(semantic, other);
            }
        }
        self.type_parameters.sort_by_key(|symbol| scoping.symbol_span(*symbol).start);
    }
}

/// Returns whether a variable is declared without a value and not used before the range.
fn is_uninitialized_before(semantic: &Semantic<'_>, range: &ExtractedRange<'_>, symbol: SymbolId) -> bool {
    let scoping = semantic.scoping();
    let nodes = semantic.nodes();
    let declaration = scoping.symbol_declaration(symbol);
    let AstKind::VariableDeclarator(variable) = nodes.kind(declaration) else { return false };
    let around = nodes.parent_id(declaration);
    let is_plain = variable.init.is_none() && !nodes.parent_kind(around).is_iteration_statement();
    // In a loop that does not declare the variable, an earlier iteration may have set it.
    let home = nodes.parent_kind(around).span();
    let loops = nodes.ancestor_kinds(range.node()).take_while(|kind| kind.span() != home);
    let is_repeated = loops.into_iter().any(|kind| kind.is_iteration_statement());
    let mut uses = scoping.get_resolved_references(symbol).map(|it| nodes.kind(it.node_id()).span());
    is_plain && !is_repeated && uses.all(|at| at.start >= range.span.start)
}

/// Returns the declaration of a type parameter.
pub(super) fn type_parameter<'a>(semantic: &Semantic<'a>, symbol: SymbolId) -> Option<&'a TSTypeParameter<'a>> {
    let nodes = semantic.nodes();
    let declaration = semantic.scoping().symbol_declaration(symbol);
    std::iter::once(nodes.kind(declaration)).chain(nodes.ancestor_kinds(declaration)).take(2).find_map(
        |kind| match kind {
            AstKind::TSTypeParameter(it) => Some(it),
            _ => None,
        },
    )
}

/// Returns the symbols in the constraint and default of a type parameter.
fn constraint_names(semantic: &Semantic<'_>, symbol: SymbolId) -> Vec<SymbolId> {
    let Some(parameter) = type_parameter(semantic, symbol) else { return Vec::new() };
    let span = parameter.span;
    let within = |place: oxc_span::Span| span.start <= place.start && place.end <= span.end;
    let mut found: Vec<SymbolId> = Vec::new();
    for node in semantic.nodes().iter() {
        if let AstKind::IdentifierReference(name) = node.kind()
            && within(name.span)
            && let Some(reference) = name.reference_id.get()
            && let Some(symbol) = semantic.scoping().get_reference(reference).symbol_id()
        {
            found.push(symbol);
        }
    }
    found
}

/// Returns how the function gets `this`, if the range uses it.
fn this_binding<'a>(
    semantic: &Semantic<'a>,
    range: &ExtractedRange<'a>,
    target: &FunctionTarget<'a>,
) -> Result<Option<ThisBinding<'a>>> {
    let nodes = semantic.nodes();
    if let TargetScope::Class { class, .. } = target.target_scope {
        check_assigned_properties(semantic, range, class)?;
        return Ok(Some(ThisBinding::Method));
    }
    let mine =
        |at: Span| refusal("the selection uses `this` or `super` of the class").hint("use `extract_method`").at(at);
    if let Some(at) = range.super_member {
        return Err(mine(at));
    }
    if range.this_type {
        return Err(mine(range.span));
    }
    if let Some(at) = range.private
        && crosses_class(semantic, range, target)
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
fn crosses_class(semantic: &Semantic<'_>, range: &ExtractedRange<'_>, target: &FunctionTarget<'_>) -> bool {
    let outer = target.braces();
    let is_inside = |span: oxc_span::Span| outer.is_none_or(|outer| outer.start <= span.start && span.end <= outer.end);
    let mut around = semantic.nodes().ancestor_kinds(range.node());
    around.any(|kind| matches!(kind, AstKind::Class(class) if is_inside(class.span)))
}

/// Refuses assignments to properties that are read-only, or that only the constructor may initialize.
fn check_assigned_properties(semantic: &Semantic<'_>, range: &ExtractedRange<'_>, class: &Class<'_>) -> Result<()> {
    let nodes = semantic.nodes();
    let is_constructor = |kind: AstKind<'_>| matches!(kind, AstKind::MethodDefinition(it) if it.kind == MethodDefinitionKind::Constructor);
    let constructs = nodes.ancestor_kinds(range.node()).any(is_constructor);
    for node in nodes.iter().filter(|node| range.contains(node.kind().span())) {
        let AstKind::AssignmentExpression(assignment) = node.kind() else { continue };
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
        return Err(refusal(format!("`{name}` {why}: a method cannot assign it"))
            .hint("exclude the assignment from the selection")
            .at(to_sdk_span(member.span)));
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
