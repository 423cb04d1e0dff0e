//! The parameter list of a function.

use std::collections::HashSet;

use marquetry_sdk::{Edit, Result, Span};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{Semantic, SymbolId};
use oxc_span::GetSpan as _;

use crate::editor::list_items::{NewItem, ParenthesizedList};
use crate::program::module::Module;
use crate::refactor::change_signature::plan::{ParameterSlot, SignaturePlan};
use crate::semantics::functions::{CallContext, FunctionNode};
use crate::semantics::refusal_at;
use crate::syntax::spans::span_in;

/// A function whose parameters change.
pub(super) struct Declaration<'m, 'w> {
    here: &'m Module<'w>,
    function: FunctionNode<'w>,
}

/// Refuses constructors, getters and setters, because they are not called by their name.
pub(super) fn check_called(semantic: &Semantic<'_>, function: FunctionNode<'_>) -> Result<()> {
    let span = function.span();
    let nodes = semantic.nodes();
    match nodes.parent_kind(function.id()) {
        AstKind::MethodDefinition(method) if method.kind != MethodDefinitionKind::Method => {
            return Err(refusal_at("constructors, getters and setters are not called by name", span)
                .hint("change the parameters and the uses by hand"));
        }
        AstKind::ObjectProperty(property) if property.kind != PropertyKind::Init => {
            return Err(refusal_at("getters and setters are not called", span));
        }
        _ => {}
    }
    Ok(())
}

impl<'m, 'w> Declaration<'m, 'w> {
    pub(super) fn new(here: &'m Module<'w>, function: FunctionNode<'w>) -> Result<Declaration<'m, 'w>> {
        let nodes = here.semantic().nodes();
        check_called(here.semantic(), function)?;
        if let Some((word, place)) = CallContext::from_function(function).other_word
            && word == "arguments"
        {
            return Err(
                refusal_at("the function uses `arguments`", place).hint("first replace `arguments` with parameters")
            );
        }
        if let AstKind::VariableDeclarator(VariableDeclarator { type_annotation: Some(annotation), .. }) =
            nodes.parent_kind(function.id())
        {
            return Err(refusal_at("the type annotation of the variable declares the parameters", annotation.span)
                .hint("first move the types to the function and remove the annotation"));
        }
        Ok(Declaration { here, function })
    }

    pub(super) fn is_typed(&self) -> bool {
        !self.here.is_javascript()
    }

    fn params(&self) -> &'w FormalParameters<'w> {
        self.function.params()
    }

    /// Returns the number of parameters without the rest parameter.
    pub(super) fn parameter_count(&self) -> usize {
        self.params().items.len()
    }

    /// Returns the names or patterns of the parameters; the rest parameter is the last.
    pub(super) fn parameter_names(&self) -> Vec<String> {
        let text = |span: oxc_span::Span| span_in(span, self.here.text()).slice(self.here.text()).to_owned();
        let items = self.params().items.iter().map(|item| text(item.pattern.span()));
        items.chain(self.params().rest.iter().map(|rest| text(rest.rest.argument.span()))).collect()
    }

    /// Returns the edits of the parameter list.
    pub(super) fn parameter_edits(&self, plan: &SignaturePlan) -> Result<Vec<Edit>> {
        self.check_removed(plan)?;
        self.check_order(plan)?;
        self.check_names(plan)?;
        let text = self.here.text();
        let params = self.params();
        let whole = span_in(params.span, text);
        let item = |item: &FormalParameter<'w>| {
            let start = item.decorators.first().map_or(item.span.start, |first| first.span.start.min(item.span.start));
            span_in(oxc_span::Span::new(start, item.span.end), text)
        };
        let items: Vec<Span> =
            params.items.iter().map(item).chain(params.rest.iter().map(|rest| span_in(rest.span, text))).collect();
        let news = plan.slots.iter().map(|slot| match slot {
            ParameterSlot::Kept(at) => NewItem::Old(*at),
            ParameterSlot::Rest => NewItem::Old(plan.count),
            ParameterSlot::New(parameter) => NewItem::Text(parameter.text.clone()),
        });
        let news: Vec<NewItem> = news.collect();
        if !whole.slice(text).starts_with('(') {
            let written = |new: &NewItem| match new {
                NewItem::Old(at) => items.get(*at).map_or("", |item| item.slice(text)).to_owned(),
                NewItem::Text(new) => new.clone(),
            };
            let list: Vec<String> = news.iter().map(written).collect();
            return Ok(vec![Edit::new(whole, format!("({})", list.join(", ")))]);
        }
        let this = match self.function {
            FunctionNode::Function(function) => function.this_param.as_ref().map(|this| span_in(this.span, text)),
            FunctionNode::Arrow(_) => None,
        };
        let list = ParenthesizedList {
            text,
            comments: &self.here.program.comments,
            open: whole.range().start + 1,
            items,
            this_parameter: this,
        };
        Ok(list.replacement_edits(&news, &[]))
    }

    fn parameter_symbols(&self, at: usize) -> Vec<SymbolId> {
        let names = match (self.params().items.get(at), &self.params().rest) {
            (Some(item), _) => item.pattern.get_binding_identifiers(),
            (None, Some(rest)) => rest.rest.argument.get_binding_identifiers(),
            (None, None) => return Vec::new(),
        };
        names.iter().filter_map(|name| name.symbol_id.get()).collect()
    }

    /// Refuses to remove a parameter that is used.
    fn check_removed(&self, plan: &SignaturePlan) -> Result<()> {
        let scoping = self.here.scoping();
        let last = usize::from(self.params().rest.is_some());
        for at in 0..plan.count + last {
            let stays = plan.slots.iter().any(|slot| match slot {
                ParameterSlot::Kept(known) => *known == at,
                ParameterSlot::Rest => at == plan.count,
                ParameterSlot::New(_) => false,
            });
            if stays {
                continue;
            }
            for symbol in self.parameter_symbols(at) {
                if let Some(reference) = scoping.get_resolved_references(symbol).next() {
                    let place = self.here.semantic().reference_span(reference);
                    let message = format!("the parameter `{}` is used", scoping.symbol_name(symbol));
                    return Err(refusal_at(message, place).hint("first remove its uses"));
                }
            }
        }
        Ok(())
    }

    /// Refuses an order in which a default reads a later parameter, or a required parameter follows an optional one.
    fn check_order(&self, plan: &SignaturePlan) -> Result<()> {
        let mut may_be_left_out = false;
        let mut before: HashSet<SymbolId> = HashSet::new();
        let own: HashSet<SymbolId> = (0..plan.count).flat_map(|at| self.parameter_symbols(at)).collect();
        let scoping = self.here.scoping();
        for slot in &plan.slots {
            let required = match slot {
                ParameterSlot::Kept(at) => {
                    let Some(item) = self.params().items.get(*at) else { continue };
                    let span = item.span;
                    let reads = own.iter().find(|symbol| {
                        let mut uses = scoping.get_resolved_references(**symbol);
                        !before.contains(*symbol)
                            && !self.parameter_symbols(*at).contains(*symbol)
                            && uses.any(|used| {
                                let place = self.here.semantic().reference_span(used);
                                span.start <= place.start && place.end <= span.end
                            })
                    });
                    if let Some(symbol) = reads {
                        let message =
                            format!("a default would read `{}` before it is initialized", scoping.symbol_name(*symbol));
                        return Err(refusal_at(message, span).hint("keep that parameter before it"));
                    }
                    before.extend(self.parameter_symbols(*at));
                    !item.optional && item.initializer.is_none()
                }
                ParameterSlot::New(parameter) => parameter.required,
                ParameterSlot::Rest => false,
            };
            if required && may_be_left_out && self.is_typed() {
                return Err(refusal_at("a required parameter would follow an optional one", self.params().span)
                    .hint("move it before the optional parameters"));
            }
            // A parameter with a default may precede a required one, one with a question mark may not.
            may_be_left_out |= match slot {
                ParameterSlot::Kept(at) => self.params().items.get(*at).is_some_and(|item| item.optional),
                ParameterSlot::New(parameter) => parameter.text.contains('?') && !parameter.required,
                ParameterSlot::Rest => false,
            };
        }
        Ok(())
    }

    /// Refuses new names that are already used in the function.
    fn check_names(&self, plan: &SignaturePlan) -> Result<()> {
        let own = self.function.span();
        for slot in &plan.slots {
            let ParameterSlot::New(parameter) = slot else { continue };
            let taken = self.here.identifiers(&parameter.name);
            let used = taken.iter().find(|known| {
                let inside = own.start <= known.span.start && known.span.end <= own.end;
                inside
                    && matches!(
                        self.here.kind(known.node),
                        AstKind::IdentifierReference(_) | AstKind::BindingIdentifier(_)
                    )
            });
            if let Some(used) = used {
                return Err(refusal_at(
                    format!("`{}` has a different meaning in the function", parameter.name),
                    used.span,
                )
                .hint("choose another name for the new parameter"));
            }
        }
        Ok(())
    }
}
