//! Calls of a function among its uses, with their arguments.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use marquetry_sdk::{Failure, Result, Span, Usage};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_ast_visit::Visit as _;
use oxc_semantic::NodeId;
use oxc_span::GetSpan as _;

use crate::editor::fragment::with_parsed;
use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::program::ids::OPEN_DOCUMENT;
use crate::rename::uses::Use;
use crate::semantics::implicit_code::ImplicitCode;
use crate::semantics::{effects, refusal_at};
use crate::syntax::spans::{skip_trivia, span_in};

/// A call.
pub(crate) struct CallSite {
    pub(crate) span: Span,
    /// The offset after the opening parenthesis.
    pub(crate) open: usize,
    pub(crate) arguments: Vec<CallArgument>,
}

/// An argument of a call.
pub(crate) struct CallArgument {
    pub(crate) span: Span,
    pub(crate) is_spread: bool,
    pub(crate) effect: SideEffect,
}

/// Side effects of an argument, which decide whether it may be moved or dropped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SideEffect {
    /// The value of the argument never changes.
    Constant,
    /// The argument depends on state.
    ReadsState,
    /// The evaluation of the argument may change state.
    ChangesState,
}

/// Returns the calls among the uses of a function, inner calls first, and the uses that are neither calls nor values.
/// Fails if the function is used as a value.
pub(crate) fn call_sites(checker: &Checker<'_>, uses: &[Use]) -> Result<(Vec<CallSite>, Vec<Span>)> {
    let implicit = Rc::new(ImplicitCode::of_program(checker));
    let mut finder = CallFinder { checker, implicit, calls: Vec::new(), seen: HashSet::new(), unresolved: Vec::new() };
    finder.find(uses)?;
    // Calls within arguments come before the calls that contain them.
    finder.calls.sort_by_key(|call| call.span.end - call.span.start);
    let sites = finder.calls.iter().map(|call| finder.call_site(call)).collect();
    Ok((sites, finder.unresolved))
}

struct CallFinder<'c, 'w> {
    checker: &'c Checker<'w>,
    implicit: Rc<ImplicitCode>,
    calls: Vec<&'w CallExpression<'w>>,
    seen: HashSet<NodeId>,
    unresolved: Vec<Span>,
}

impl<'w> CallFinder<'_, 'w> {
    fn find(&mut self, uses: &[Use]) -> Result<()> {
        let here = self.checker.open_module();
        let wanted: HashMap<(u32, u32), Usage> =
            uses.iter().map(|found| ((found.span.start, found.span.end), found.usage)).collect();
        for node in here.semantic().nodes().iter() {
            let span = node.kind().span();
            let Some(usage) = wanted.get(&(span.start, span.end)) else { continue };
            match (usage, node.kind()) {
                (Usage::TypeUse, AstKind::IdentifierReference(_) | AstKind::IdentifierName(_)) => {
                    self.unresolved.push(span_in(span, here.text()));
                }
                (Usage::Read | Usage::Write, AstKind::IdentifierReference(_) | AstKind::CallExpression(_)) => {
                    self.add_value_use(node.id())?;
                }
                (Usage::Read | Usage::Write, AstKind::IdentifierName(_) | AstKind::PrivateIdentifier(_)) => {
                    let member = here.parent(node.id());
                    match here.kind(member) {
                        AstKind::StaticMemberExpression(_) | AstKind::PrivateFieldExpression(_) => {
                            self.add_value_use(member)?;
                        }
                        AstKind::TSQualifiedName(_) => self.unresolved.push(span_in(span, here.text())),
                        _ => return Err(value_use_refusal(span)),
                    }
                }
                (Usage::Read | Usage::Write, AstKind::JSXIdentifier(_) | AstKind::StringLiteral(_)) => {
                    return Err(value_use_refusal(span));
                }
                (Usage::InString, AstKind::StringLiteral(_)) => self.unresolved.push(span_in(span, here.text())),
                _ => {}
            }
        }
        Ok(())
    }

    fn add_value_use(&mut self, node: NodeId) -> Result<()> {
        let here = self.checker.open_module();
        let own = here.kind(node).span();
        match here.parent_kind(node) {
            AstKind::ParenthesizedExpression(_) | AstKind::TSNonNullExpression(_) => {
                self.add_value_use(here.parent(node))
            }
            AstKind::CallExpression(call) if call.callee.span() == own => {
                if self.seen.insert(here.parent(node)) {
                    self.calls.push(call);
                }
                Ok(())
            }
            AstKind::TSTypeQuery(_) | AstKind::TSQualifiedName(_) => {
                self.unresolved.push(span_in(own, here.text()));
                Ok(())
            }
            AstKind::UnaryExpression(unary) if unary.operator == UnaryOperator::Typeof => Ok(()),
            AstKind::ExpressionStatement(_)
            | AstKind::ExportDefaultDeclaration(_)
            | AstKind::ExportSpecifier(_)
            | AstKind::ImportSpecifier(_) => Ok(()),
            _ => Err(value_use_refusal(own)),
        }
    }

    fn call_site(&self, call: &'w CallExpression<'w>) -> CallSite {
        let here = self.checker.open_module();
        let text = here.text();
        let from = call.type_arguments.as_ref().map_or(call.callee.span().end, |types| types.span.end) as usize;
        let mut open = skip_trivia(text, from);
        if text[open..].starts_with("?.") {
            open = skip_trivia(text, open + 2);
        }
        let arguments = call.arguments.iter().map(|argument| CallArgument {
            span: span_in(argument.span(), text),
            is_spread: argument.is_spread(),
            effect: argument.as_expression().map_or(SideEffect::ChangesState, |value| self.side_effect(value)),
        });
        CallSite { span: span_in(call.span, text), open: open + 1, arguments: arguments.collect() }
    }

    fn side_effect(&self, value: &'w Expression<'w>) -> SideEffect {
        let here = self.checker.open_module();
        let (semantic, node, span) = (here.semantic(), value.node_id(), value.span());
        let effects = effects::effects_of(semantic, &self.implicit, node, span);
        let is_global = |name: &'w IdentifierReference<'w>| {
            name.name != "undefined" && self.checker.resolve_identifier(OPEN_DOCUMENT, name).is_none()
        };
        let (mut reads_state, mut spreads) = (!effects.members.is_empty() || !effects.reads.is_empty(), false);
        for (_, kind) in effects::executed_nodes(semantic, node, span) {
            match kind {
                AstKind::IdentifierReference(name) => reads_state |= is_global(name),
                // Reading an iterator changes it.
                AstKind::SpreadElement(_) => spreads = true,
                _ => {}
            }
        }
        match () {
            () if effects.has_side_effects || spreads => SideEffect::ChangesState,
            () if reads_state => SideEffect::ReadsState,
            () => SideEffect::Constant,
        }
    }
}

fn value_use_refusal(at: oxc_span::Span) -> Failure {
    refusal_at("the function is used as a value here, so its callers are unknown", at)
        .hint("first pass a function that calls it: `(…) => f(…)`")
}

/// Returns a name in an expression that may have another meaning in other documents: one that is not a global of the
/// platform.
pub(crate) fn foreign_name(value: &str) -> Option<String> {
    let names = with_parsed(value, oxc_span::SourceType::tsx(), |program| {
        let mut names = MentionedNames::default();
        names.visit_program(program);
        names.found
    });
    names.unwrap_or_default().into_iter().find(|name| !builtins::is_platform_name(name))
}

/// Names that a value mentions.
#[derive(Default)]
struct MentionedNames {
    found: Vec<String>,
}

impl<'a> oxc_ast_visit::Visit<'a> for MentionedNames {
    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        self.found.push(it.name.to_string());
    }
}
