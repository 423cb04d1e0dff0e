//! Contextual typing: which expressions depend on their contextual type, and what that type is.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_ast_visit::Visit;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::GetSpan as _;

use crate::infer::calls::applicable_signatures;
use crate::infer::checker::Checker;
use crate::infer::ty::{Builtin, Signature, Ty};
use crate::infer::type_printer::PrintedType;
use crate::infer::values::is_const;
use crate::program::ids::OPEN_DOCUMENT;

/// Contextual type of an expression.
pub(crate) enum ContextualType {
    /// No contextual type: the expression has its own type.
    Absent,
    /// A type that can be printed.
    Printable(PrintedType),
    /// A type that only a type checker could print.
    Unprintable,
    /// It is not known whether the expression has a contextual type.
    Unknown,
}

impl<'w> Checker<'w> {
    /// Returns whether an expression of the open document would have a different type, or an error, without its
    /// contextual type. This is the case for functions with untyped parameters, and for generic calls whose type
    /// arguments cannot be inferred from their arguments.
    pub(crate) fn depends_on_context(&self, node: NodeId) -> bool {
        self.with_depth(false, || self.compute_depends_on_context(node))
    }

    fn compute_depends_on_context(&self, node: NodeId) -> bool {
        match self.open_module().kind(node) {
            AstKind::ArrowFunctionExpression(it) => has_untyped_parameters(&it.params),
            AstKind::Function(it) => {
                let body = it.body.as_ref().map_or("", |body| body.span.source_text(self.open_module().text()));
                has_untyped_parameters(&it.params) || it.this_param.is_none() && body.contains("this")
            }
            AstKind::ParenthesizedExpression(it) => self.depends_on_context(it.expression.node_id()),
            AstKind::AwaitExpression(it) => self.depends_on_context(it.argument.node_id()),
            AstKind::ConditionalExpression(it) => {
                [&it.consequent, &it.alternate].into_iter().any(|value| self.depends_on_context(value.node_id()))
            }
            AstKind::LogicalExpression(it) => {
                [&it.left, &it.right].into_iter().any(|value| self.depends_on_context(value.node_id()))
            }
            AstKind::ObjectExpression(it) => it.properties.iter().any(|property| match property {
                ObjectPropertyKind::ObjectProperty(it) => match &it.value {
                    // `this` in the function is the object itself, so it does not depend on the contextual type.
                    Expression::FunctionExpression(function) => {
                        it.kind == PropertyKind::Init && has_untyped_parameters(&function.params)
                    }
                    value => self.depends_on_context(value.node_id()),
                },
                ObjectPropertyKind::SpreadProperty(_) => false,
            }),
            AstKind::ArrayExpression(it) => {
                let mut elements = it.elements.iter().filter_map(ArrayExpressionElement::as_expression);
                elements.any(|element| self.depends_on_context(element.node_id()))
            }
            AstKind::CallExpression(it) if it.type_arguments.is_none() => {
                let signatures = self.signatures(&self.expression_type(OPEN_DOCUMENT, &it.callee), false);
                self.has_uninferable_parameter(&signatures, &it.arguments)
            }
            AstKind::NewExpression(it) if it.type_arguments.is_none() => {
                let class = self.expression_type(OPEN_DOCUMENT, &it.callee);
                let signatures = self.signatures(&class, true);
                self.has_uninferable_parameter(&signatures, &it.arguments)
                    || self.has_uninferable_class_param(&class, &signatures, &it.arguments)
                    || self.is_open_collection(it)
            }
            _ => false,
        }
    }

    /// Returns whether the result of a call contains a type parameter that cannot be inferred from the arguments.
    fn has_uninferable_parameter(&self, signatures: &[Signature<'w>], arguments: &'w [Argument<'w>]) -> bool {
        applicable_signatures(signatures, arguments.len()).any(|signature| {
            let (Some(own), Some(result)) = (signature.callable.type_parameters(), signature.callable.return_type())
            else {
                return false;
            };
            let mut symbols = own.params.iter().filter_map(|parameter| parameter.name.symbol_id.get());
            symbols.any(|symbol| {
                self.mentions_parameter(signature.module, result, symbol, true)
                    && !self.is_inferable(signature, arguments, symbol)
            })
        })
    }

    /// Returns whether a type parameter of a class cannot be inferred from the arguments of its constructor.
    fn has_uninferable_class_param(
        &self,
        class: &Ty<'w>,
        signatures: &[Signature<'w>],
        arguments: &'w [Argument<'w>],
    ) -> bool {
        let Ty::Static(owner) = class else { return false };
        let module = self.module(owner.module());
        let own = self.owner_nodes(*owner).into_iter().filter_map(|node| match module.kind(node) {
            AstKind::Class(class) => class.type_parameters.as_deref(),
            _ => None,
        });
        let mut symbols = own.flat_map(|own| own.params.iter().filter_map(|parameter| parameter.name.symbol_id.get()));
        symbols.any(|symbol| {
            !applicable_signatures(signatures, arguments.len())
                .any(|signature| self.is_inferable(signature, arguments, symbol))
        })
    }

    /// Returns whether the expression creates a promise or an empty collection of the platform, whose contents depend
    /// on the contextual type.
    fn is_open_collection(&self, new: &NewExpression<'w>) -> bool {
        let Expression::Identifier(name) = &new.callee else { return false };
        let is_open = match name.name.as_str() {
            "Promise" => true,
            "Map" | "Set" | "WeakMap" | "WeakSet" => new.arguments.is_empty(),
            _ => false,
        };
        is_open && self.resolve_identifier(OPEN_DOCUMENT, name).is_none()
    }

    fn is_inferable(&self, signature: &Signature<'w>, arguments: &'w [Argument<'w>], symbol: SymbolId) -> bool {
        let params = signature.callable.params();
        let tells = |(param, argument): (&'w FormalParameter<'w>, &'w Argument<'w>)| {
            let Some(annotation) = &param.type_annotation else { return false };
            let Some(value) = argument.as_expression() else { return true };
            self.mentions_parameter(
                signature.module,
                &annotation.type_annotation,
                symbol,
                self.has_own_parameters(value),
            )
        };
        params.items.iter().zip(arguments).any(tells) || params.rest.is_some() && arguments.len() > params.items.len()
    }

    /// Returns whether an argument determines its parameter types: a function expression with typed parameters, or a
    /// value that is not a generic function.
    fn has_own_parameters(&self, value: &'w Expression<'w>) -> bool {
        match value.get_inner_expression() {
            Expression::ArrowFunctionExpression(it) => {
                !it.params.items.is_empty() && !has_untyped_parameters(&it.params)
            }
            Expression::FunctionExpression(it) => !it.params.items.is_empty() && !has_untyped_parameters(&it.params),
            other => {
                let signatures = self.signatures(&self.expression_type(OPEN_DOCUMENT, other), false);
                signatures.iter().all(|signature| signature.callable.type_parameters().is_none())
            }
        }
    }

    /// Returns whether a type mentions a type parameter.
    pub(crate) fn mentions_parameter(
        &self,
        module: u32,
        ty: &'w TSType<'w>,
        symbol: SymbolId,
        with_parameters: bool,
    ) -> bool {
        let mut names = NameCollector { found: Vec::new(), with_parameters };
        names.visit_ts_type(ty);
        names.found.into_iter().any(|name| self.resolve_identifier(module, name) == Some(symbol))
    }

    /// Returns the contextual type of an expression of the open document.
    pub(crate) fn printable_context(&self, node: NodeId) -> ContextualType {
        if let Some(printed) = self.print_contextual_type(node) {
            let says_nothing = matches!(printed.text.as_str(), "any" | "unknown");
            return if says_nothing { ContextualType::Absent } else { ContextualType::Printable(printed) };
        }
        self.with_depth(ContextualType::Unknown, || self.unprintable_context(node))
    }

    fn unprintable_context(&self, node: NodeId) -> ContextualType {
        let loaded = self.open_module();
        let parent = loaded.parent(node);
        let span = loaded.kind(node).span();
        match loaded.kind(parent) {
            AstKind::VariableDeclarator(it) => unprintable_if(it.type_annotation.is_some()),
            AstKind::PropertyDefinition(it) if it.key.span() != span => unprintable_if(it.type_annotation.is_some()),
            AstKind::AccessorProperty(it) if it.key.span() != span => unprintable_if(it.type_annotation.is_some()),
            AstKind::FormalParameter(it) => unprintable_if(it.type_annotation.is_some()),
            AstKind::AssignmentExpression(it) if it.right.span() == span => ContextualType::Unprintable,
            AstKind::TSAsExpression(it) => unprintable_if(!is_const(&it.type_annotation)),
            AstKind::TSSatisfiesExpression(_) | AstKind::TSTypeAssertion(_) => ContextualType::Unprintable,
            AstKind::CallExpression(it) if it.callee.span() != span => {
                let signatures = self.signatures(&self.expression_type(OPEN_DOCUMENT, &it.callee), false);
                context_of_argument(&signatures, &it.arguments, span)
            }
            AstKind::NewExpression(it) if it.callee.span() != span => {
                let signatures = self.signatures(&self.expression_type(OPEN_DOCUMENT, &it.callee), true);
                context_of_argument(&signatures, &it.arguments, span)
            }
            AstKind::ReturnStatement(_) | AstKind::ArrowFunctionExpression(_) => self.context_of_result(parent),
            AstKind::ObjectProperty(it) if it.value.span() == span => self.context_of_part(loaded.parent(parent)),
            AstKind::ConditionalExpression(it) if it.test.span() == span => ContextualType::Absent,
            AstKind::ParenthesizedExpression(_)
            | AstKind::TSNonNullExpression(_)
            | AstKind::ConditionalExpression(_)
            | AstKind::LogicalExpression(_)
            | AstKind::AwaitExpression(_)
            | AstKind::SpreadElement(_)
            | AstKind::ArrayExpression(_) => self.context_of_part(parent),
            AstKind::JSXExpressionContainer(_) | AstKind::YieldExpression(_) => ContextualType::Unknown,
            _ => ContextualType::Absent,
        }
    }

    /// Returns the expected result of a callback whose results a method collects: `const all: A[] = list.map(it => …)`.
    /// `None` if neither a type argument nor the context of the call names the type.
    pub(crate) fn collected_result_type(&self, module: u32, function: NodeId) -> Option<Ty<'w>> {
        let loaded = self.module(module);
        let call_node = loaded.parent(function);
        let AstKind::CallExpression(call) = loaded.kind(call_node) else { return None };
        let Expression::StaticMemberExpression(member) = &call.callee else { return None };
        let method = member.property.name.as_str();
        if !matches!(method, "map" | "flatMap" | "then")
            || call.arguments.first()?.span() != loaded.kind(function).span()
        {
            return None;
        }
        let container = self.expression_type(module, &member.object);
        let given = self.type_arguments(module, call.type_arguments.as_deref(), &None).into_iter().next();
        match (container, method, given) {
            (Ty::Builtin(Builtin::Array, _) | Ty::Tuple(_), "map", Some(element)) => Some(element),
            (Ty::Builtin(Builtin::Promise, _), "then", Some(result)) => Some(result),
            (Ty::Builtin(Builtin::Array, _), "flatMap", Some(element)) => Some(Ty::array(element)),
            (Ty::Builtin(Builtin::Array, _) | Ty::Tuple(_), "map", None) => {
                self.collection_context(module, call_node, |ty| self.element_type(ty))
            }
            (Ty::Builtin(Builtin::Array, _), "flatMap", None) => {
                self.collection_context(module, call_node, |ty| Ty::array(self.element_type(ty)))
            }
            (Ty::Builtin(Builtin::Promise, _), "then", None) => {
                self.collection_context(module, call_node, |ty| self.awaited_type(ty))
            }
            _ => None,
        }
    }

    /// Returns a part of the lists or promises that are expected at a node.
    fn collection_context(&self, module: u32, node: NodeId, part: impl Fn(&Ty<'w>) -> Ty<'w>) -> Option<Ty<'w>> {
        let context = self.contextual_type(module, node);
        let is_collection =
            |ty: &&Ty<'w>| matches!(ty, Ty::Builtin(Builtin::Array | Builtin::Promise, _) | Ty::Tuple(_));
        let collections: Vec<&Ty<'w>> = context.alternatives().iter().filter(is_collection).collect();
        (!collections.is_empty()).then(|| Ty::union_of(collections.into_iter().map(part)))
    }

    /// Returns the contextual type of a part of an expression.
    fn context_of_part(&self, whole: NodeId) -> ContextualType {
        match self.printable_context(whole) {
            ContextualType::Printable(_) => ContextualType::Unprintable,
            other => other,
        }
    }

    /// Returns the contextual type of a value that a function returns.
    fn context_of_result(&self, node: NodeId) -> ContextualType {
        let loaded = self.open_module();
        for around in loaded.self_and_ancestors(node) {
            let (annotation, is_placed) = match loaded.kind(around) {
                AstKind::Function(it) => (&it.return_type, it.r#type == FunctionType::FunctionExpression),
                AstKind::ArrowFunctionExpression(it) => (&it.return_type, true),
                _ => continue,
            };
            return match annotation {
                Some(_) => ContextualType::Unprintable,
                None if !is_placed => ContextualType::Absent,
                None => match self.printable_context(around) {
                    ContextualType::Absent => ContextualType::Absent,
                    _ => ContextualType::Unknown,
                },
            };
        }
        ContextualType::Absent
    }
}

fn unprintable_if(is_written: bool) -> ContextualType {
    if is_written { ContextualType::Unprintable } else { ContextualType::Absent }
}

/// Returns the contextual type of an argument.
fn context_of_argument(
    signatures: &[Signature<'_>],
    arguments: &[Argument<'_>],
    span: oxc_span::Span,
) -> ContextualType {
    let Some(index) = arguments.iter().position(|argument| argument.span() == span) else {
        return ContextualType::Absent;
    };
    if signatures.is_empty() {
        return ContextualType::Unknown;
    }
    let is_typed = |signature: &Signature<'_>| {
        let params = signature.callable.params();
        let rest = params.rest.as_ref().is_some_and(|rest| rest.type_annotation.is_some());
        params.items.get(index).map_or(rest, |param| param.type_annotation.is_some())
    };
    unprintable_if(signatures.iter().any(is_typed))
}

/// Returns whether a function has parameters that need a contextual type.
fn has_untyped_parameters(params: &FormalParameters<'_>) -> bool {
    params.items.iter().any(|it| it.type_annotation.is_none() && it.initializer.is_none())
}

/// Collects the names in a type, with or without those in parameters of function types.
struct NameCollector<'w> {
    found: Vec<&'w IdentifierReference<'w>>,
    with_parameters: bool,
}

impl<'w> Visit<'w> for NameCollector<'w> {
    fn enter_node(&mut self, kind: AstKind<'w>) {
        if let AstKind::IdentifierReference(name) = kind {
            self.found.push(name);
        }
    }

    fn visit_formal_parameters(&mut self, it: &FormalParameters<'w>) {
        if self.with_parameters {
            oxc_ast_visit::walk::walk_formal_parameters(self, it);
        }
    }

    fn visit_ts_this_parameter(&mut self, it: &TSThisParameter<'w>) {
        if self.with_parameters {
            oxc_ast_visit::walk::walk_ts_this_parameter(self, it);
        }
    }
}
