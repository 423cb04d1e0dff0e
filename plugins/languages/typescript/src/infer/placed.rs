//! Contextual typing: which expressions depend on their contextual type, and what that type is.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_ast_visit::Visit;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::GetSpan as _;

use crate::infer::calls::fitting;
use crate::infer::checker::Checker;
use crate::infer::spelling::Spelled;
use crate::infer::ty::{Signature, Ty};
use crate::infer::values::is_const;
use crate::program::ids::HERE;

/// Contextual type of an expression.
pub(crate) enum Wanted {
    /// No contextual type: the expression has its own type.
    Nothing,
    /// A type that can be printed.
    Type(Spelled),
    /// A type that only a type checker could print.
    Untold,
    /// It is not known whether there is one.
    Unknown,
}

impl<'w> Checker<'w> {
    /// Returns whether an expression of the open document would have a different type, or an error, without its
    /// contextual type: functions with untyped parameters, and generic calls whose type arguments cannot be inferred
    /// from their arguments.
    pub(crate) fn depends_on_place(&self, node: NodeId) -> bool {
        self.deeper(false, || self.depends_on_place_now(node))
    }

    fn depends_on_place_now(&self, node: NodeId) -> bool {
        match self.here().kind(node) {
            AstKind::ArrowFunctionExpression(it) => lacks_types(&it.params),
            AstKind::Function(it) => {
                let body = it.body.as_ref().map_or("", |body| body.span.source_text(self.here().text()));
                lacks_types(&it.params) || it.this_param.is_none() && body.contains("this")
            }
            AstKind::ParenthesizedExpression(it) => self.depends_on_place(it.expression.node_id()),
            AstKind::AwaitExpression(it) => self.depends_on_place(it.argument.node_id()),
            AstKind::ConditionalExpression(it) => {
                [&it.consequent, &it.alternate].into_iter().any(|value| self.depends_on_place(value.node_id()))
            }
            AstKind::LogicalExpression(it) => {
                [&it.left, &it.right].into_iter().any(|value| self.depends_on_place(value.node_id()))
            }
            AstKind::ObjectExpression(it) => it.properties.iter().any(|property| match property {
                ObjectPropertyKind::ObjectProperty(it) => match &it.value {
                    // Its `this` is the object itself.
                    Expression::FunctionExpression(function) => {
                        it.kind == PropertyKind::Init && lacks_types(&function.params)
                    }
                    value => self.depends_on_place(value.node_id()),
                },
                ObjectPropertyKind::SpreadProperty(_) => false,
            }),
            AstKind::ArrayExpression(it) => {
                let mut elements = it.elements.iter().filter_map(ArrayExpressionElement::as_expression);
                elements.any(|element| self.depends_on_place(element.node_id()))
            }
            AstKind::CallExpression(it) if it.type_arguments.is_none() => {
                let signatures = self.signatures(&self.value(HERE, &it.callee), false);
                self.leaves_open(&signatures, &it.arguments)
            }
            AstKind::NewExpression(it) if it.type_arguments.is_none() => {
                let class = self.value(HERE, &it.callee);
                let signatures = self.signatures(&class, true);
                self.leaves_open(&signatures, &it.arguments)
                    || self.leaves_class_open(&class, &signatures, &it.arguments)
                    || self.is_open_collection(it)
            }
            _ => false,
        }
    }

    /// Returns whether the result of a call contains a type parameter that cannot be inferred from the arguments.
    fn leaves_open(&self, signatures: &[Signature<'w>], arguments: &'w [Argument<'w>]) -> bool {
        fitting(signatures, arguments.len()).any(|signature| {
            let (Some(own), Some(result)) = (signature.callable.type_parameters(), signature.callable.return_type())
            else {
                return false;
            };
            let mut symbols = own.params.iter().filter_map(|parameter| parameter.name.symbol_id.get());
            symbols.any(|symbol| {
                self.names_parameter(signature.module, result, symbol, true)
                    && !self.is_told(signature, arguments, symbol)
            })
        })
    }

    /// Returns whether a type parameter of a class cannot be inferred from the arguments of its constructor.
    fn leaves_class_open(&self, class: &Ty<'w>, signatures: &[Signature<'w>], arguments: &'w [Argument<'w>]) -> bool {
        let Ty::Static(owner) = class else { return false };
        let module = self.module(owner.module());
        let own = self.owner_nodes(*owner).into_iter().filter_map(|node| match module.kind(node) {
            AstKind::Class(class) => class.type_parameters.as_deref(),
            _ => None,
        });
        let mut symbols = own.flat_map(|own| own.params.iter().filter_map(|parameter| parameter.name.symbol_id.get()));
        symbols.any(|symbol| {
            !fitting(signatures, arguments.len()).any(|signature| self.is_told(signature, arguments, symbol))
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
        is_open && self.resolved(HERE, name).is_none()
    }

    fn is_told(&self, signature: &Signature<'w>, arguments: &'w [Argument<'w>], symbol: SymbolId) -> bool {
        let params = signature.callable.params();
        let tells = |(param, argument): (&'w FormalParameter<'w>, &'w Argument<'w>)| {
            let Some(annotation) = &param.type_annotation else { return false };
            let Some(value) = argument.as_expression() else { return true };
            self.names_parameter(signature.module, &annotation.type_annotation, symbol, self.has_own_parameters(value))
        };
        params.items.iter().zip(arguments).any(tells) || params.rest.is_some() && arguments.len() > params.items.len()
    }

    /// Returns whether an argument determines its parameter types: a function expression with typed parameters, or a
    /// value that is not a generic function.
    fn has_own_parameters(&self, value: &'w Expression<'w>) -> bool {
        match value.get_inner_expression() {
            Expression::ArrowFunctionExpression(it) => !it.params.items.is_empty() && !lacks_types(&it.params),
            Expression::FunctionExpression(it) => !it.params.items.is_empty() && !lacks_types(&it.params),
            other => {
                let signatures = self.signatures(&self.value(HERE, other), false);
                signatures.iter().all(|signature| signature.callable.type_parameters().is_none())
            }
        }
    }

    fn names_parameter(&self, module: u32, ty: &'w TSType<'w>, symbol: SymbolId, with_parameters: bool) -> bool {
        let mut names = Names { found: Vec::new(), with_parameters };
        names.visit_ts_type(ty);
        names.found.into_iter().any(|name| self.resolved(module, name) == Some(symbol))
    }

    /// Returns the contextual type of an expression of the open document.
    pub(crate) fn wanted_of_place(&self, node: NodeId) -> Wanted {
        if let Some(spelled) = self.spelled_context(node) {
            let says_nothing = matches!(spelled.text.as_str(), "any" | "unknown");
            return if says_nothing { Wanted::Nothing } else { Wanted::Type(spelled) };
        }
        self.deeper(Wanted::Unknown, || self.unwritable_of_place(node))
    }

    fn unwritable_of_place(&self, node: NodeId) -> Wanted {
        let held = self.here();
        let parent = held.parent(node);
        let span = held.kind(node).span();
        match held.kind(parent) {
            AstKind::VariableDeclarator(it) => told(it.type_annotation.is_some()),
            AstKind::PropertyDefinition(it) if it.key.span() != span => told(it.type_annotation.is_some()),
            AstKind::AccessorProperty(it) if it.key.span() != span => told(it.type_annotation.is_some()),
            AstKind::FormalParameter(it) => told(it.type_annotation.is_some()),
            AstKind::AssignmentExpression(it) if it.right.span() == span => Wanted::Untold,
            AstKind::TSAsExpression(it) => told(!is_const(&it.type_annotation)),
            AstKind::TSSatisfiesExpression(_) | AstKind::TSTypeAssertion(_) => Wanted::Untold,
            AstKind::CallExpression(it) if it.callee.span() != span => {
                let signatures = self.signatures(&self.value(HERE, &it.callee), false);
                argument_of(&signatures, &it.arguments, span)
            }
            AstKind::NewExpression(it) if it.callee.span() != span => {
                let signatures = self.signatures(&self.value(HERE, &it.callee), true);
                argument_of(&signatures, &it.arguments, span)
            }
            AstKind::ReturnStatement(_) | AstKind::ArrowFunctionExpression(_) => self.result_of_function(parent),
            AstKind::ObjectProperty(it) if it.value.span() == span => self.part_of(held.parent(parent)),
            AstKind::ConditionalExpression(it) if it.test.span() == span => Wanted::Nothing,
            AstKind::ParenthesizedExpression(_)
            | AstKind::TSNonNullExpression(_)
            | AstKind::ConditionalExpression(_)
            | AstKind::LogicalExpression(_)
            | AstKind::AwaitExpression(_)
            | AstKind::SpreadElement(_)
            | AstKind::ArrayExpression(_) => self.part_of(parent),
            AstKind::JSXExpressionContainer(_) | AstKind::YieldExpression(_) => Wanted::Unknown,
            _ => Wanted::Nothing,
        }
    }

    /// Returns the contextual type of a part of an expression.
    fn part_of(&self, whole: NodeId) -> Wanted {
        match self.wanted_of_place(whole) {
            Wanted::Type(_) => Wanted::Untold,
            other => other,
        }
    }

    /// Returns the contextual type of a value that a function returns.
    fn result_of_function(&self, node: NodeId) -> Wanted {
        let held = self.here();
        for around in held.chain(node) {
            let (annotation, is_placed) = match held.kind(around) {
                AstKind::Function(it) => (&it.return_type, it.r#type == FunctionType::FunctionExpression),
                AstKind::ArrowFunctionExpression(it) => (&it.return_type, true),
                _ => continue,
            };
            return match annotation {
                Some(_) => Wanted::Untold,
                None if !is_placed => Wanted::Nothing,
                None => match self.wanted_of_place(around) {
                    Wanted::Nothing => Wanted::Nothing,
                    _ => Wanted::Unknown,
                },
            };
        }
        Wanted::Nothing
    }
}

fn told(is_written: bool) -> Wanted {
    if is_written { Wanted::Untold } else { Wanted::Nothing }
}

/// Returns the contextual type of an argument.
fn argument_of(signatures: &[Signature<'_>], arguments: &[Argument<'_>], span: oxc_span::Span) -> Wanted {
    let Some(index) = arguments.iter().position(|argument| argument.span() == span) else { return Wanted::Nothing };
    if signatures.is_empty() {
        return Wanted::Unknown;
    }
    let is_typed = |signature: &Signature<'_>| {
        let params = signature.callable.params();
        let rest = params.rest.as_ref().is_some_and(|rest| rest.type_annotation.is_some());
        params.items.get(index).map_or(rest, |param| param.type_annotation.is_some())
    };
    told(signatures.iter().any(is_typed))
}

/// Returns whether a function has parameters that need a contextual type.
fn lacks_types(params: &FormalParameters<'_>) -> bool {
    params.items.iter().any(|it| it.type_annotation.is_none() && it.initializer.is_none())
}

/// Collects the names in a type, with or without those in parameters of function types.
struct Names<'w> {
    found: Vec<&'w IdentifierReference<'w>>,
    with_parameters: bool,
}

impl<'w> Visit<'w> for Names<'w> {
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
