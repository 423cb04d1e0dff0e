//! Types of an extracted expression: the annotations that keep them the same at another place.

use marquetry_sdk::Result;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;
use oxc_span::{GetSpan as _, Span};

use crate::infer::contextual::ContextualType;
use crate::infer::type_printer::{NamedSymbol, PrintedType};
use crate::program::ids::OPEN_DOCUMENT;
use crate::semantics::context::contextual_type_refusal;
use crate::semantics::extraction::placement::{DeclarationSpot, ExtractedExpression};

/// Type annotations for the new variable.
#[derive(Default)]
pub(crate) struct Annotations {
    /// The annotation. `None` if the type can be inferred from the value.
    pub(crate) annotation: Option<String>,
    /// The untyped parameters of an extracted function, with their types.
    pub(crate) parameters: Vec<TypedParameter>,
    /// Imports that the annotation requires: specifier and name.
    pub(crate) imports: Vec<(String, String)>,
    /// Reason why the type may differ.
    pub(crate) warning: Option<String>,
}

/// A parameter and the type that it gets.
pub(crate) struct TypedParameter {
    pub(crate) name: Span,
    pub(crate) ty: String,
    /// True if the parameter is not in parentheses.
    pub(crate) is_bare: bool,
}

impl<'a> ExtractedExpression<'_, 'a> {
    /// Returns the annotation of the new variable. Fails if its contextual type cannot be printed.
    pub(crate) fn annotations(&self, spot: &DeclarationSpot) -> Result<Annotations> {
        let (node, kind) = (self.choice.chosen.node, &self.choice.chosen.kind);
        if !self.code.is_typed() || self.choice.part.is_some() || self.choice.statement.is_some() {
            return Ok(Annotations::default());
        }
        if let Some(annotation) = self.contextual_annotation() {
            return Ok(Annotations { annotation: Some(annotation), ..Annotations::default() });
        }
        let is_literal = matches!(kind, AstKind::ObjectExpression(_) | AstKind::ArrayExpression(_));
        if matches!(kind, AstKind::TemplateLiteral(it) if !it.expressions.is_empty()) {
            return Ok(Annotations { warning: self.code.widening_warning(node), ..Annotations::default() });
        }
        if !is_literal && !may_be_contextually_typed(kind) {
            return Ok(Annotations::default());
        }
        let (depends, wanted) = self.code.contextual_type(node);
        let wanted = if depends || is_literal { wanted } else { ContextualType::Absent };
        let written = match &wanted {
            ContextualType::Printable(printed) => self.annotation_at(spot, printed),
            _ => None,
        };
        let written = written.or_else(|| if depends { self.parameter_annotations(spot) } else { None });
        match wanted {
            ContextualType::Absent => Ok(Annotations::default()),
            _ if written.is_some() => Ok(written.unwrap_or_default()),
            ContextualType::Printable(_) | ContextualType::Unprintable if depends => {
                Err(contextual_type_refusal(self.choice.chosen.span))
            }
            ContextualType::Unknown if depends => Ok(Annotations {
                warning: Some("its type may depend on its context".to_owned()),
                ..Annotations::default()
            }),
            ContextualType::Unprintable | ContextualType::Unknown if is_literal => {
                Ok(Annotations { warning: self.code.widening_warning(node), ..Annotations::default() })
            }
            _ => Ok(Annotations::default()),
        }
    }

    /// Annotates the parameters of a function if all their types are known: `list.map(item => …)`.
    fn parameter_annotations(&self, spot: &DeclarationSpot) -> Option<Annotations> {
        let params = match self.choice.chosen.kind {
            AstKind::ArrowFunctionExpression(it) => &it.params,
            AstKind::Function(it) if !it.body.as_ref()?.span.source_text(self.code.text()).contains("this") => {
                &it.params
            }
            _ => return None,
        };
        let untyped = params.items.iter().filter(|it| it.type_annotation.is_none() && it.initializer.is_none());
        let names: Vec<&BindingIdentifier<'_>> =
            untyped.map(|it| it.pattern.get_binding_identifier()).collect::<Option<_>>()?;
        let symbols: Vec<SymbolId> = names.iter().map(|name| name.symbol_id.get()).collect::<Option<_>>()?;
        let types: Vec<PrintedType> = self.code.with_checker(|checker| {
            symbols.iter().map(|symbol| checker.print_symbol(OPEN_DOCUMENT, *symbol)).collect::<Option<_>>()
        })?;
        let is_bare = !params.span.source_text(self.code.text()).starts_with('(');
        let mut typed = Annotations::default();
        for (name, ty) in names.iter().zip(&types).filter(|(_, ty)| ty.text != "any") {
            typed.imports.extend(self.annotation_at(spot, ty)?.imports);
            typed.parameters.push(TypedParameter { name: name.span, ty: ty.text.clone(), is_bare });
        }
        (typed.parameters.len() == names.len()).then_some(typed)
    }

    /// Returns a type as printed at the spot. `None` if a name in it has a different meaning there.
    fn annotation_at(&self, spot: &DeclarationSpot, printed: &PrintedType) -> Option<Annotations> {
        let mut typed = Annotations { annotation: Some(printed.text.clone()), ..Annotations::default() };
        for (at, length, named) in &printed.names {
            match named {
                NamedSymbol::InDocument(symbol) => {
                    let name = printed.text.get(*at..at + length)?;
                    if self.code.binding(spot.scope, name) != Some(*symbol) {
                        return None;
                    }
                }
                NamedSymbol::Exported { specifier, name } => {
                    if self.code.scoping().symbol_names().any(|known| known == name) {
                        return None;
                    }
                    let import = (specifier.clone(), name.clone());
                    if !typed.imports.contains(&import) {
                        typed.imports.push(import);
                    }
                }
            }
        }
        Some(typed)
    }

    /// Returns the annotation at the value's current place, if the value depends on it.
    fn contextual_annotation(&self) -> Option<String> {
        if !depends_on_context(&self.choice.chosen.kind, self.code.text()) {
            return None;
        }
        let span = self.choice.chosen.kind.span();
        let written = match self.code.parent_kind(self.choice.chosen.node) {
            AstKind::VariableDeclarator(it) if it.init.as_ref().is_some_and(|init| init.span() == span) => {
                it.type_annotation.as_ref()?.type_annotation.span()
            }
            AstKind::CallExpression(call) if is_function(&self.choice.chosen.kind, self.code.text()) => {
                let index = call.arguments.iter().position(|argument| argument.span() == span)?;
                self.type_of_parameter(&call.callee, index)?
            }
            _ => return None,
        };
        Some(self.code.source(written).to_owned())
    }

    /// Returns the parameter type of a non-generic function of this file.
    fn type_of_parameter(&self, callee: &Expression<'a>, index: usize) -> Option<Span> {
        let code = self.code;
        let Expression::Identifier(name) = callee else { return None };
        let symbol = code.symbol_of(name)?;
        if !code.scoping().symbol_redeclarations(symbol).is_empty() {
            return None;
        }
        let AstKind::Function(function) = code.kind(code.declaration_of(symbol)) else { return None };
        let parameter = function.params.items.get(index)?;
        let written = parameter.type_annotation.as_ref()?.type_annotation.span();
        let here = code.scope_of(self.choice.chosen.node);
        let means_the_same = code.changed_name(here, &code.free_names(written)).is_none();
        (function.type_parameters.is_none() && means_the_same).then_some(written)
    }
}

/// Returns whether an expression is of a form that may depend on a contextual type.
fn may_be_contextually_typed(kind: &AstKind<'_>) -> bool {
    matches!(
        kind,
        AstKind::ArrowFunctionExpression(_)
            | AstKind::Function(_)
            | AstKind::CallExpression(_)
            | AstKind::NewExpression(_)
            | AstKind::AwaitExpression(_)
            | AstKind::ConditionalExpression(_)
            | AstKind::LogicalExpression(_)
            | AstKind::ParenthesizedExpression(_)
    )
}

/// Returns whether the type of an expression depends on its context.
fn depends_on_context(kind: &AstKind<'_>, text: &str) -> bool {
    matches!(kind, AstKind::ObjectExpression(_) | AstKind::ArrayExpression(_)) || is_function(kind, text)
}

/// Returns whether a node is a function with untyped parameters or an untyped `this`.
fn is_function(kind: &AstKind<'_>, text: &str) -> bool {
    let lacks = |params: &FormalParameters<'_>| params.items.iter().any(|it| it.type_annotation.is_none());
    match kind {
        AstKind::ArrowFunctionExpression(it) => lacks(&it.params),
        AstKind::Function(it) => {
            let body = it.body.as_ref().map_or("", |body| body.span.source_text(text));
            lacks(&it.params) || it.this_param.is_none() && body.contains("this")
        }
        _ => false,
    }
}
