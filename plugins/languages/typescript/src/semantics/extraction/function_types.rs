//! Types for the new function, if they can be inferred.

use oxc_ast::ast::Expression;
use oxc_semantic::{NodeId, SymbolFlags, SymbolId};
use oxc_span::GetSpan as _;

use crate::infer::checker::Checker;
use crate::infer::type_printer::{NamedSymbol, PrintedType};
use crate::program::ids::OPEN_DOCUMENT;
use crate::semantics::Semantics;
use crate::semantics::extraction::code_range::CodeRange;
use crate::semantics::extraction::data_flow::{DataFlow, ExposedVariable, PassedVariable, ThisBinding};
use crate::semantics::extraction::function_targets::namespace_qualifier;
use crate::semantics::selection::Selected;

/// Types of one function.
#[derive(Default)]
pub(crate) struct FunctionTypes {
    /// Types of the parameters, in their order; `None` if unknown.
    pub(crate) parameters: Vec<Option<String>>,
    pub(crate) this: Option<String>,
    pub(crate) returned: Option<String>,
    /// Types of the returned variables, if one of them has an annotation and all types are known.
    pub(crate) exposed: Option<Vec<String>>,
    /// True if the function uses a variable of an outer scope whose type is narrowed by tests around the range. In the
    /// function, the type is not narrowed.
    pub(crate) loses_narrowing: bool,
    /// A variable whose type the test no longer narrows after its extraction.
    pub(crate) lost_narrowing: Option<String>,
    /// Imports that the types require: specifier and name.
    pub(crate) imports: Vec<(String, String)>,
}

impl FunctionTypes {
    /// Infers the types. Type parameters that they mention are added to the function.
    pub(crate) fn infer<'a>(
        code: Semantics<'_, 'a>,
        range: &CodeRange<'a>,
        exposed: &[ExposedVariable<'a>],
        flow: &mut DataFlow<'a>,
    ) -> FunctionTypes {
        let wants_exposed = exposed.len() > 1 && exposed.iter().any(|exposed| exposed.annotation.is_some());
        let this = match flow.this {
            Some(ThisBinding::PassedByCall(annotation)) => annotation,
            _ => None,
        };
        let is_expression = matches!(range.selected, Selected::Expression(_));
        let captured = captured_variables(code, range, flow);
        let wanted_return = contextual_result(range, flow, exposed);
        let untold = match &range.selected {
            Selected::Expression(chosen) => code.with_checker(|checker| checker.narrowed_by_test(chosen.node)),
            Selected::Statements(_) => None,
        };
        let untold = untold.map(|symbol| code.name_of(symbol).to_owned());
        let is_empty = flow.parameters.is_empty() && captured.is_empty() && wanted_return.is_none();
        if is_empty && !is_expression && !wants_exposed && this.is_none() {
            return FunctionTypes { lost_narrowing: untold, ..FunctionTypes::default() };
        }
        let (parameters, returned, shown, narrows) = code.with_checker(|checker| {
            let symbol = |symbol| checker.print_symbol(OPEN_DOCUMENT, symbol);
            let parameters: Vec<_> = flow.parameters.iter().map(|it| parameter_type(checker, range, it)).collect();
            let returned = match &range.selected {
                Selected::Expression(chosen) => checker.print_contextual_type(chosen.node),
                Selected::Statements(_) => wanted_return.and_then(|node| checker.print_contextual_type(node)),
            };
            let returned = returned.filter(|it| wanted_return.is_none() || !is_primitive(&it.text));
            let shown = wants_exposed.then(|| exposed.iter().map(|it| symbol(it.symbol)).collect::<Option<Vec<_>>>());
            let narrows = captured.iter().any(|symbol| checker.is_narrowed(range.node(), *symbol));
            (parameters, returned, shown.flatten(), narrows)
        });
        let mut types = FunctionTypes { loses_narrowing: narrows, lost_narrowing: untold, ..FunctionTypes::default() };
        let parameters = parameters
            .into_iter()
            .map(|printed| printed.and_then(|it| types.usable_type(code, range, flow, &it)))
            .collect();
        types.parameters = parameters;
        types.this = this.map(|ty| code.source(ty.span()).to_owned());
        types.returned = returned.and_then(|printed| types.usable_type(code, range, flow, &printed));
        types.exposed = shown.map(|all| all.into_iter().map(|printed| printed.text).collect());
        types
    }

    /// Returns a type as printed in the function. `None` if a name in it cannot be used there.
    fn usable_type<'a>(
        &mut self,
        code: Semantics<'_, 'a>,
        range: &CodeRange<'a>,
        flow: &mut DataFlow<'a>,
        printed: &PrintedType,
    ) -> Option<String> {
        let mut text = printed.text.clone();
        let mut imports = Vec::new();
        let mut parameters = Vec::new();
        for (at, _, named) in printed.names.iter().rev() {
            match named {
                NamedSymbol::InDocument(symbol) if flow.target.can_reference(code, *symbol) => {}
                NamedSymbol::InDocument(symbol)
                    if code.scoping().symbol_flags(*symbol).contains(SymbolFlags::TypeParameter) =>
                {
                    // A type parameter of a called function stands for an unknown type.
                    if !is_in_scope_at_range(code, range, *symbol) {
                        return None;
                    }
                    parameters.push(*symbol);
                }
                NamedSymbol::InDocument(symbol) => {
                    let names = namespace_qualifier(code, &flow.target, *symbol)?;
                    text.insert_str(*at, &format!("{names}."));
                }
                NamedSymbol::Exported { specifier, name } => {
                    if code.scoping().symbol_names().any(|known| known == name) {
                        return None;
                    }
                    imports.push((specifier.clone(), name.clone()));
                }
            }
        }
        for symbol in parameters {
            flow.add_type_parameter(code, symbol);
        }
        for import in imports {
            if !self.imports.contains(&import) {
                self.imports.push(import);
            }
        }
        Some(text)
    }
}

/// Returns whether a type parameter is in scope at the range.
fn is_in_scope_at_range(code: Semantics<'_, '_>, range: &CodeRange<'_>, symbol: SymbolId) -> bool {
    let home = code.scoping().symbol_scope_id(symbol);
    code.scoping().scope_ancestors(code.scope_of(range.node())).any(|around| around == home)
}

/// Returns the type of a parameter. If the function assigns the parameter, this is its declared type, because the new
/// value is returned.
fn parameter_type(checker: &Checker<'_>, range: &CodeRange<'_>, parameter: &PassedVariable<'_>) -> Option<PrintedType> {
    if parameter.is_written {
        return checker.print_symbol(OPEN_DOCUMENT, parameter.symbol);
    }
    checker.print_type_at(range.node(), parameter.symbol)
}

/// Returns the variables that the function uses without a parameter.
fn captured_variables(code: Semantics<'_, '_>, range: &CodeRange<'_>, flow: &DataFlow<'_>) -> Vec<SymbolId> {
    let is_variable = |symbol: SymbolId| code.scoping().symbol_flags(symbol).is_variable();
    let mut found: Vec<SymbolId> = range.uses.iter().map(|used| used.symbol).collect();
    found.sort_unstable();
    found.dedup();
    found.retain(|symbol| is_variable(*symbol) && flow.target.can_reference(code, *symbol));
    found
}

/// Finds a value that the range returns and that is more than a name, so that its type may depend on its context.
fn contextual_result(range: &CodeRange<'_>, flow: &DataFlow<'_>, exposed: &[ExposedVariable<'_>]) -> Option<NodeId> {
    if !exposed.is_empty() || flow.assigned_parameters().next().is_some() {
        return None;
    }
    let values = range.returns.iter().filter_map(|it| it.argument.as_ref());
    let depends = |value: &&Expression<'_>| {
        !matches!(
            value.get_inner_expression(),
            Expression::Identifier(_)
                | Expression::StaticMemberExpression(_)
                | Expression::ComputedMemberExpression(_)
                | Expression::ThisExpression(_)
                | Expression::BinaryExpression(_)
                | Expression::TemplateLiteral(_)
        )
    };
    values.filter(depends).map(|value| value.node_id()).next()
}

fn is_primitive(text: &str) -> bool {
    matches!(text, "number" | "string" | "boolean" | "bigint" | "symbol" | "void" | "any" | "unknown")
}
