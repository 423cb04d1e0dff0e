//! Strings in data that the program reads as keys: `["id", "name"].map(key => object[key])`, and columns of a table such as
//! `{ key: "name" }` with `object[column.key]`.

use std::collections::HashSet;

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::GetSpan;

use crate::rename::data_flow::StringFlow;

/// Methods of lists that pass every element to a callback.
const ITERATIONS: [&str; 10] =
    ["every", "filter", "find", "findIndex", "flatMap", "forEach", "map", "reduce", "some", "sort"];

impl<'w> StringFlow<'_, 'w> {
    /// Returns whether the program may read the elements of a list one by one and use a string in it as a key. `element`
    /// is the string, or a list that contains it.
    pub(super) fn is_read_in_iteration(&self, module: u32, list: NodeId, element: NodeId) -> bool {
        let loaded = self.checker.module(module);
        let at = loaded.kind(element).span();
        let AstKind::ArrayExpression(array) = loaded.kind(list) else { return false };
        let index = array.elements.iter().position(|it| it.span() == at);
        match loaded.parent_kind(list) {
            // A row of a table: the element at this index of every row.
            AstKind::ArrayExpression(_) => self.is_iterated(module, loaded.parent(list), index),
            _ => self.is_iterated(module, list, None),
        }
    }

    /// The list itself, with the casts around it, and the references to the variables that hold it, each once.
    pub(super) fn places_of_list(&self, module: u32, list: NodeId) -> Vec<NodeId> {
        let loaded = self.checker.module(module);
        let (mut found, mut seen) = (vec![list], HashSet::from([list]));
        let mut next = 0;
        while let Some(place) = found.get(next).copied() {
            next += 1;
            let parent = loaded.parent(place);
            let more = match loaded.kind(parent) {
                AstKind::TSAsExpression(_)
                | AstKind::TSSatisfiesExpression(_)
                | AstKind::ParenthesizedExpression(_)
                | AstKind::NewExpression(_) => vec![parent],
                AstKind::VariableDeclarator(variable) => {
                    let symbol = variable.id.get_binding_identifier().and_then(|name| name.symbol_id.get());
                    symbol.map(|symbol| self.references_to(module, symbol)).unwrap_or_default()
                }
                _ => Vec::new(),
            };
            found.extend(more.into_iter().filter(|place| seen.insert(*place)));
        }
        found
    }

    fn is_iterated(&self, module: u32, list: NodeId, index: Option<usize>) -> bool {
        self.places_of_list(module, list).into_iter().any(|place| self.is_iterated_at(module, place, index))
    }

    /// Returns whether a list is iterated at a place, and the element, or the part of it at an index, may become a key.
    fn is_iterated_at(&self, module: u32, list: NodeId, index: Option<usize>) -> bool {
        let loaded = self.checker.module(module);
        let parent = loaded.parent(list);
        match loaded.kind(parent) {
            AstKind::StaticMemberExpression(member) if ITERATIONS.contains(&member.property.name.as_str()) => {
                let AstKind::CallExpression(call) = loaded.parent_kind(parent) else { return false };
                let params = match call.arguments.first() {
                    Some(Argument::ArrowFunctionExpression(function)) => &function.params,
                    Some(Argument::FunctionExpression(function)) => &function.params,
                    _ => return false,
                };
                let position = usize::from(member.property.name == "reduce");
                let parameter = params.items.get(position);
                parameter.is_some_and(|parameter| self.part_becomes_key(module, &parameter.pattern, index))
            }
            AstKind::ForOfStatement(each) if each.right.span() == loaded.kind(list).span() => match &each.left {
                ForStatementLeft::VariableDeclaration(variables) => {
                    variables.declarations.iter().any(|variable| self.part_becomes_key(module, &variable.id, index))
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Follows the variable that a pattern binds to an element, or to a part of it.
    fn part_becomes_key(&self, module: u32, pattern: &'w BindingPattern<'w>, index: Option<usize>) -> bool {
        let part = match (pattern, index) {
            (pattern, None) => Some(pattern),
            (BindingPattern::ArrayPattern(list), Some(index)) => list.elements.get(index).and_then(Option::as_ref),
            _ => None,
        };
        let symbol = part.and_then(|part| part.get_binding_identifier()).and_then(|name| name.symbol_id.get());
        symbol.is_some_and(|symbol| self.follow_symbol(module, symbol))
    }

    /// Returns whether the program reads members of the owner by the value of a property with this name:
    /// `object[column.key]`, or `object[key]` with a variable of that name.
    pub(super) fn is_read_by_property(&self, module: u32, property: &str) -> bool {
        let known = self.property_reads.borrow().get(&(module, property.to_owned())).copied();
        known.unwrap_or_else(|| {
            let is_read = self.has_read_by_property(module, property);
            self.property_reads.borrow_mut().insert((module, property.to_owned()), is_read);
            is_read
        })
    }

    fn has_read_by_property(&self, module: u32, property: &str) -> bool {
        let loaded = self.checker.module(module);
        let is_key = |key: &Expression<'_>| match key {
            Expression::StaticMemberExpression(member) => member.property.name == property,
            Expression::Identifier(name) => name.name == property,
            _ => false,
        };
        loaded.semantic().nodes().iter().any(|node| match node.kind() {
            AstKind::ComputedMemberExpression(member) if is_key(&member.expression) => {
                self.may_have_wanted(module, &member.object)
            }
            _ => false,
        })
    }
}
