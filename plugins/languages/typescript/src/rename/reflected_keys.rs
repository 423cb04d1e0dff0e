//! Keys that a program reads from an object: `for (const key in object)`, `Object.keys(object)`, `JSON.stringify`. A string
//! that is compared with such a key names a member, although its type is `string`.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::GetSpan;

use crate::program::ids::OPEN_DOCUMENT;
use crate::program::module::Module;
use crate::rename::data_flow::StringFlow;

/// Functions of `Object` and `Reflect` that return the keys of an object.
const KEY_FUNCTIONS: [&str; 3] = ["keys", "getOwnPropertyNames", "ownKeys"];
/// Methods of lists and sets that compare an argument with the elements.
const LOOKUPS: [&str; 5] = ["has", "includes", "indexOf", "lastIndexOf", "delete"];

impl<'w> StringFlow<'_, 'w> {
    /// Returns whether a value is a key that was read from an object that may have the wanted member.
    pub(super) fn is_reflected_key(&self, module: u32, value: &'w Expression<'w>) -> bool {
        match value.without_parentheses() {
            Expression::Identifier(name) => {
                let symbol = self.checker.resolve_identifier(module, name);
                symbol.is_some_and(|symbol| self.is_reflected_symbol(module, symbol, Part::Key))
            }
            // The key of an entry: `entry[0]`.
            Expression::ComputedMemberExpression(member) => match (&member.object, &member.expression) {
                (Expression::Identifier(name), Expression::NumericLiteral(index)) if index.value == 0.0 => {
                    let symbol = self.checker.resolve_identifier(module, name);
                    symbol.is_some_and(|symbol| self.is_reflected_symbol(module, symbol, Part::Entry))
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Returns whether a list of strings, or a set of them, is compared with keys that were read from an object.
    pub(super) fn is_list_of_reflected_keys(&self, module: u32, list: NodeId) -> bool {
        self.places_of_list(module, list).into_iter().any(|place| self.is_compared_at(module, place))
    }

    fn is_compared_at(&self, module: u32, list: NodeId) -> bool {
        let loaded = self.checker.module(module);
        let parent = loaded.parent(list);
        match loaded.kind(parent) {
            AstKind::StaticMemberExpression(member) if LOOKUPS.contains(&member.property.name.as_str()) => {
                let AstKind::CallExpression(call) = loaded.parent_kind(parent) else { return false };
                let key = call.arguments.first().and_then(|argument| argument.as_expression());
                key.is_some_and(|key| self.is_reflected_key(module, key))
            }
            // The keys that `JSON.stringify` writes.
            AstKind::CallExpression(call) => {
                let is_second = call.arguments.get(1).is_some_and(|it| it.span() == loaded.kind(list).span());
                let object = call.arguments.first().and_then(|argument| argument.as_expression());
                is_second
                    && is_call_of(&call.callee, "JSON", &["stringify"])
                    && object.is_some_and(|object| self.may_have_wanted(module, object))
            }
            _ => false,
        }
    }

    /// Returns whether an object may have the wanted member. Members that a program adds later are not considered.
    pub(super) fn may_have_wanted(&self, module: u32, object: &'w Expression<'w>) -> bool {
        let of = self.checker.expression_type(module, object);
        let props = self.checker.props(&of, &self.wanted.name);
        if !self.must_have_wanted {
            return self.may_be_wanted(&props.into());
        }
        let closure = self.checker.with_overridden_sites(&props.sites(), &self.wanted.name);
        !props.may_have_more && self.wanted.sites.iter().any(|site| closure.contains(site))
    }

    /// Returns whether a value is a key that was read from an object with the wanted member. Such a key changes together
    /// with the member.
    pub(super) fn is_key_of_owner(&self, value: &'w Expression<'w>) -> bool {
        self.is_reflected_key(OPEN_DOCUMENT, without_casts(value))
    }

    /// Returns whether a variable or parameter holds the key, or the entry, of an object.
    fn is_reflected_symbol(&self, module: u32, symbol: SymbolId, part: Part) -> bool {
        let loaded = self.checker.module(module);
        let declaration = loaded.scoping().symbol_declaration(symbol);
        let own = loaded.scoping().symbol_span(symbol);
        match loaded.kind(declaration) {
            AstKind::VariableDeclarator(variable) => {
                let statement = loaded.parent(loaded.parent(declaration));
                match loaded.kind(statement) {
                    AstKind::ForInStatement(each) => part == Part::Key && self.may_have_wanted(module, &each.right),
                    AstKind::ForOfStatement(each) => {
                        let listed = part_at(&variable.id, own).and_then(|at| part.of_listed(at));
                        listed.is_some_and(|listed| self.lists(module, &each.right, listed))
                    }
                    _ => false,
                }
            }
            AstKind::FormalParameter(parameter) => {
                let function = loaded.self_and_ancestors(declaration).find(|around| is_function(loaded.kind(*around)));
                let at = part_at(&parameter.pattern, own);
                function.zip(at).is_some_and(|(function, at)| {
                    self.is_key_parameter(module, function, parameter.span, part.of_listed(at))
                })
            }
            _ => false,
        }
    }

    /// Returns whether a call passes keys, or entries, of an object to a parameter of its callback.
    fn is_key_parameter(&self, module: u32, function: NodeId, at: oxc_span::Span, listed: Option<Listed>) -> bool {
        let loaded = self.checker.module(module);
        let Some(index) = parameter_index(&loaded, function, at) else { return false };
        let parent = loaded.parent(function);
        match loaded.kind(parent) {
            AstKind::CallExpression(call) => {
                let object = call.arguments.first().and_then(|argument| argument.as_expression());
                // A callback gets the key before the value.
                if is_call_of(&call.callee, "JSON", &["stringify"]) {
                    return index == 0 && object.is_some_and(|object| self.may_have_wanted(module, object));
                }
                match (&call.callee, listed) {
                    (Expression::StaticMemberExpression(member), Some(listed)) => {
                        index == 0 && self.lists(module, &member.object, listed)
                    }
                    _ => false,
                }
            }
            AstKind::ObjectProperty(trap) => self.is_trap(module, parent, trap) && index == 1,
            _ => false,
        }
    }

    /// Returns whether a function is a trap of a proxy: `new Proxy(object, { get(target, key) {} })`.
    fn is_trap(&self, module: u32, property: NodeId, trap: &ObjectProperty<'w>) -> bool {
        let loaded = self.checker.module(module);
        let name = crate::infer::ty::key_name(&trap.key);
        let is_known = name.is_some_and(|name| matches!(&*name, "get" | "set" | "has" | "deleteProperty"));
        let proxy = loaded.parent(loaded.parent(property));
        match loaded.kind(proxy) {
            AstKind::NewExpression(new) if is_known => {
                let object = new.arguments.first().and_then(|argument| argument.as_expression());
                matches!(&new.callee, Expression::Identifier(name) if name.name == "Proxy")
                    && object.is_some_and(|object| self.may_have_wanted(module, object))
            }
            _ => false,
        }
    }

    /// Returns whether an expression is the list of keys or entries of an object, also with methods of lists after it.
    fn lists(&self, module: u32, value: &'w Expression<'w>, listed: Listed) -> bool {
        let Expression::CallExpression(call) = value.without_parentheses() else { return false };
        let functions = match listed {
            Listed::Keys => KEY_FUNCTIONS.as_slice(),
            Listed::Entries => &["entries"],
        };
        if is_call_of(&call.callee, "Object", functions) || is_call_of(&call.callee, "Reflect", functions) {
            let object = call.arguments.first().and_then(|argument| argument.as_expression());
            return object.is_some_and(|object| self.may_have_wanted(module, object));
        }
        match &call.callee {
            Expression::StaticMemberExpression(member)
                if matches!(member.property.name.as_str(), "filter" | "sort" | "reverse" | "slice" | "concat") =>
            {
                self.lists(module, &member.object, listed)
            }
            _ => false,
        }
    }
}

/// Returns the value in casts: `key as keyof Api`.
fn without_casts<'x, 'w>(value: &'x Expression<'w>) -> &'x Expression<'w> {
    match value.without_parentheses() {
        Expression::TSAsExpression(cast) => without_casts(&cast.expression),
        other => other,
    }
}

/// Contents of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Listed {
    Keys,
    Entries,
}

/// A part of an element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Key,
    Entry,
}

impl Part {
    /// Returns the contents of a list whose elements have the part at this place of a pattern.
    fn of_listed(self, at: Place) -> Option<Listed> {
        match (self, at) {
            (Part::Key, Place::Whole) => Some(Listed::Keys),
            (Part::Key, Place::First) | (Part::Entry, Place::Whole) => Some(Listed::Entries),
            (Part::Entry, Place::First) => None,
        }
    }
}

/// The place of a name in a pattern: the whole pattern, or the first element of a list.
#[derive(Clone, Copy)]
enum Place {
    Whole,
    First,
}

fn part_at(pattern: &BindingPattern<'_>, name: oxc_span::Span) -> Option<Place> {
    match pattern {
        BindingPattern::BindingIdentifier(own) => (own.span == name).then_some(Place::Whole),
        BindingPattern::ArrayPattern(list) => {
            let first = list.elements.first()?.as_ref()?;
            (first.span() == name).then_some(Place::First)
        }
        _ => None,
    }
}

fn is_function(kind: AstKind<'_>) -> bool {
    matches!(kind, AstKind::Function(_) | AstKind::ArrowFunctionExpression(_))
}

fn parameter_index(loaded: &Module<'_>, function: NodeId, at: oxc_span::Span) -> Option<usize> {
    let params = match loaded.kind(function) {
        AstKind::Function(function) => &function.params,
        AstKind::ArrowFunctionExpression(function) => &function.params,
        _ => return None,
    };
    params.items.iter().position(|parameter| parameter.span == at)
}

/// Returns whether a callee is one of these functions of a global object: `Object.keys`.
fn is_call_of(callee: &Expression<'_>, object: &str, functions: &[&str]) -> bool {
    matches!(callee, Expression::StaticMemberExpression(member)
        if functions.contains(&member.property.name.as_str())
            && matches!(&member.object, Expression::Identifier(name) if name.name == object))
}
