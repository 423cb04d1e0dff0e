//! Renaming declarations of callbacks that conflict in the function into which they are moved.

use std::collections::{HashMap, HashSet};

use marquetry_sdk::{Edit, Span};
use oxc_ast::AstKind;
use oxc_ast::ast::Function;
use oxc_semantic::{NodeId, ScopeId, Semantic, SymbolId};

use crate::semantics::effects::used_names;
use crate::semantics::functions::FunctionNode;
use crate::semantics::promise_chains::{BodyItem, Handler, NamedCallback, Outcome, PromiseChain};

/// Name of the variable for a value that is not a named parameter of a callback.
const RESULT_NAME: &str = "result";

/// Names that are chosen or changed.
pub(super) struct ChosenNames {
    /// All names in the file, and the new names.
    taken: HashSet<String>,
    /// Names for the arguments of callbacks that are passed by name, keyed by the callback's text.
    callbacks: HashMap<String, String>,
    /// The names of `callbacks` that a variable already has.
    bound: HashSet<String>,
    /// Edits that rename declarations and their uses, in order.
    pub(super) edits: Vec<Edit>,
}

/// Something that needs a name, in source order.
enum NameRequest {
    Symbol(SymbolId),
    Callback { text: String, wanted: String },
}

impl ChosenNames {
    /// Chooses the names. If two declarations in the function have the same name, the later one is renamed.
    pub(super) fn choose_names(
        semantic: &Semantic<'_>,
        text: &str,
        function: FunctionNode<'_>,
        chains: &[(oxc_span::Span, &PromiseChain<'_>)],
    ) -> ChosenNames {
        let scoping = semantic.scoping();
        let own_name = match function {
            FunctionNode::Function(Function { id: Some(id), .. }) => Some(id.name.as_str()),
            _ => None,
        };
        let function = function.span();
        let mut parts = ChainScopes::default();
        for (_, chain) in chains {
            parts.add_chain(chain, text);
        }
        let mut needs: Vec<(u32, NameRequest)> = parts.named;
        for symbol in scoping.symbol_ids() {
            let span = scoping.symbol_span(symbol);
            let moves = parts.scopes.contains(&scoping.symbol_scope_id(symbol));
            if function.contains_inclusive(span) && (moves || scoping.symbol_flags(symbol).is_variable()) {
                needs.push((span.start, NameRequest::Symbol(symbol)));
            }
        }
        needs.sort_by_key(|(at, _)| *at);
        let mut outside: HashSet<&str> =
            used_names(semantic, NodeId::ROOT, function).into_iter().map(|free| free.name).collect();
        outside.extend(own_name);
        // Declarations that are not moved conflict as well, even if they come after the moved code.
        let stays = |symbol: &SymbolId| {
            let span = scoping.symbol_span(*symbol);
            function.contains_inclusive(span) && !chains.iter().any(|(whole, _)| whole.contains_inclusive(span))
        };
        outside.extend(scoping.symbol_ids().filter(stays).map(|symbol| scoping.symbol_name(symbol)));
        let unresolved = scoping.root_unresolved_references().keys().map(|name| name.to_string());
        let taken = scoping.symbol_names().map(ToOwned::to_owned).chain(unresolved).collect();
        let mut names = ChosenNames { taken, callbacks: HashMap::new(), bound: HashSet::new(), edits: Vec::new() };
        let mut seen: HashMap<String, usize> = HashMap::new();
        let shorthands = shorthand_offsets(semantic, function);
        for (_, need) in needs {
            match need {
                NameRequest::Symbol(symbol) => {
                    let name = scoping.symbol_name(symbol);
                    let count = seen.entry(name.to_owned()).or_default();
                    let moves = parts.scopes.contains(&scoping.symbol_scope_id(symbol));
                    let is_moved_text =
                        chains.iter().any(|(whole, _)| whole.contains_inclusive(scoping.symbol_span(symbol)));
                    if *count > 0 && is_moved_text || moves && outside.contains(name) {
                        let new = names.unique_name(name, (*count).max(1));
                        names.rename(semantic, symbol, &new, &shorthands);
                    }
                    *count += 1;
                }
                NameRequest::Callback { text, wanted } => {
                    let count = seen.entry(wanted.clone()).or_default();
                    if names.callbacks.contains_key(&text) {
                        continue;
                    }
                    let is_free = *count == 0 && !outside.contains(wanted.as_str());
                    let new = if is_free { wanted } else { names.unique_name(&wanted, (*count).max(1)) };
                    names.taken.insert(new.clone());
                    names.callbacks.insert(text, new);
                    *count += 1;
                }
            }
        }
        names.edits.sort_by_key(|edit| edit.span.start);
        names.edits.dedup_by_key(|edit| edit.span.start);
        names
    }

    /// Returns the name with a number that makes it unique.
    fn unique_name(&mut self, name: &str, first: usize) -> String {
        let new = (first..).map(|number| format!("{name}_{number}")).find(|new| !self.taken.contains(new));
        let new = new.unwrap_or_default();
        self.taken.insert(new.clone());
        new
    }

    fn rename(&mut self, semantic: &Semantic<'_>, symbol: SymbolId, new: &str, shorthands: &HashSet<u32>) {
        let scoping = semantic.scoping();
        let old = scoping.symbol_name(symbol);
        let declared = std::iter::once(scoping.symbol_span(symbol))
            .chain(scoping.symbol_redeclarations(symbol).iter().map(|again| again.span));
        let used = scoping.get_resolved_references(symbol).map(|reference| semantic.reference_span(reference));
        for span in declared.chain(used) {
            let text = if shorthands.contains(&span.start) { format!("{old}: {new}") } else { new.to_owned() };
            // The span of a declaration may include its type; rename only the name at its start.
            let end = span.start + old.len() as u32;
            self.edits.push(Edit::new(Span { start: span.start, end }, text));
        }
    }

    /// Returns the variable for the argument of a callback that is passed by name.
    pub(super) fn callback_variable(&mut self, text: &str) -> String {
        let name = self.callbacks.get(text).cloned().unwrap_or_else(|| RESULT_NAME.to_owned());
        // The same callback may be called twice in a chain.
        let name = if self.bound.contains(&name) { self.unique_name(&name, 1) } else { name };
        self.bound.insert(name.clone());
        name
    }

    /// Reserves a name for a variable. The arguments of callbacks get other names from now on.
    pub(super) fn reserve_name(&mut self, name: &str) {
        let same: Vec<String> =
            self.callbacks.iter().filter(|(_, bound)| *bound == name).map(|(text, _)| text.clone()).collect();
        for text in same {
            let new = self.unique_name(name, 1);
            self.callbacks.insert(text, new);
        }
    }

    /// Returns a name for an unnamed result.
    pub(super) fn result_name(&mut self) -> String {
        if self.taken.insert(RESULT_NAME.to_owned()) {
            return RESULT_NAME.to_owned();
        }
        self.unique_name(RESULT_NAME, 1)
    }
}

/// Returns the offsets of shorthand properties.
fn shorthand_offsets(semantic: &Semantic<'_>, within: oxc_span::Span) -> HashSet<u32> {
    let nodes = semantic.nodes().iter();
    let starts = nodes.filter_map(|node| match node.kind() {
        AstKind::ObjectProperty(property) => property.shorthand.then_some(property.span.start),
        AstKind::BindingProperty(property) => property.shorthand.then_some(property.span.start),
        AstKind::AssignmentTargetPropertyIdentifier(property) => Some(property.span.start),
        _ => None,
    });
    starts.filter(|start| within.start <= *start && *start < within.end).collect()
}

/// Moved scopes of the chains, and callbacks that are called by name.
#[derive(Default)]
struct ChainScopes {
    scopes: HashSet<ScopeId>,
    named: Vec<(u32, NameRequest)>,
}

impl ChainScopes {
    fn add_chain(&mut self, chain: &PromiseChain<'_>, text: &str) {
        for step in &chain.steps {
            match &step.handler {
                Handler::Named(named) => self.add_callback(named, text),
                Handler::Inline(function, items) => {
                    self.scopes.extend(function.scope());
                    for item in items {
                        if let BodyItem::Result(_, Outcome::Chain(inner)) = item {
                            self.add_chain(inner, text);
                        }
                    }
                }
            }
        }
    }

    fn add_callback(&mut self, named: &NamedCallback<'_>, text: &str) {
        if named.has_no_parameters {
            return;
        }
        let span = oxc_span::GetSpan::span(named.expression);
        let own = crate::syntax::spans::span_in(span, text).slice(text).to_owned();
        let wanted = named.parameter.unwrap_or(RESULT_NAME).to_owned();
        self.named.push((span.start, NameRequest::Callback { text: own, wanted }));
    }
}
