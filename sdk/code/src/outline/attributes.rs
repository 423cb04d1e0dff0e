//! Attributes that methods set. They have addresses, but the outline does not list them.

use super::{Collector, Symbol, statement_span};
use crate::{arena::NodeIndex, literals};

impl Collector<'_> {
    /// Adds the attribute that a statement of a method sets, if it is the first such statement in the class.
    pub(super) fn attribute(
        &mut self,
        statement: NodeIndex,
        block: NodeIndex,
        (parent, method): (Option<usize>, Option<usize>),
    ) {
        let Some(class) = method.and_then(|method| self.symbols[method].owner) else { return };
        let Some(title) = (self.language.hooks.attribute)(self.arena, statement) else { return };
        if !self.attributes.insert((class, title.name.clone())) {
            return;
        }
        let declaration = self.language.declaration(self.arena, statement);
        let field = declaration.and_then(|declaration| self.language.field(declaration.body?));
        let body = field.and_then(|field| self.arena.child(statement, field));
        let span = statement_span(self.language, self.arena, statement);
        self.add(Symbol {
            kind: "attribute",
            name: title.name,
            ordinal: 0,
            variant: None,
            parent,
            owner: Some(class),
            address: String::new(),
            members: None,
            also: None,
            aliases: Vec::new(),
            receiver: Vec::new(),
            separator: self.language.addresses.separator,
            node: statement,
            name_node: None,
            block,
            span,
            selection: title.selection,
            body: body.map(|body| self.arena.node(body).span),
            inner: None,
            literal: body.filter(|body| literals::literal_of(self.language, self.arena, *body).is_some()),
            is_alone: true,
            doc: None,
            is_listed: false,
        });
    }
}

/// The symbols in their order, except that those which the outline lists come before all others.
pub(super) fn listed_first(symbols: Vec<Symbol>) -> Vec<Symbol> {
    let mut order: Vec<usize> = (0..symbols.len()).collect();
    order.sort_by_key(|index| !symbols[*index].is_listed);
    let mut places = vec![0; symbols.len()];
    order.iter().enumerate().for_each(|(place, index)| places[*index] = place);
    let mut moved: Vec<Symbol> = symbols;
    for symbol in &mut moved {
        symbol.parent = symbol.parent.map(|parent| places[parent]);
        symbol.owner = symbol.owner.map(|owner| places[owner]);
    }
    moved.sort_by_key(|symbol| !symbol.is_listed);
    moved
}
