//! Core function library of XPath 1.0.

use std::borrow::Cow;

use rustc_hash::FxHashSet;

use super::{
    ast::{Expr, Function},
    eval::{Context, Evaluated, Evaluator, Value, truth},
    nodes::is_namespace,
    number,
};
use crate::{
    chars,
    tree::{Id, Kind, dtd::Type, names},
};

impl<'d> Evaluator<'d> {
    /// Calls a function. The parser has already checked the number of arguments, and that node-sets are given where
    /// required.
    pub(super) fn call_function(
        &self,
        function: Function,
        arguments: &[Expr],
        context: Context,
    ) -> Evaluated<Value<'d>> {
        let text = |index: usize| self.text_argument(arguments, index, context);
        Ok(match function {
            Function::Last => Value::Number(context.size as f64),
            Function::Position => Value::Number(context.position as f64),
            Function::Count => Value::Number(self.nodes(&arguments[0], context)?.len() as f64),
            Function::Sum => {
                let mut sum = 0.0;
                for id in self.nodes(&arguments[0], context)? {
                    sum += number::parse(&self.string_value(id)?);
                }
                Value::Number(sum)
            }
            Function::Id => Value::Nodes(self.elements_by_id(&arguments[0], context)?),
            Function::LocalName | Function::NamespaceUri | Function::Name => {
                let node = match arguments.first() {
                    Some(nodes) => self.nodes(nodes, context)?.first().copied(),
                    None => Some(context.node),
                };
                Value::Text(node.map_or(Cow::Borrowed(""), |id| self.name_of(function, id)))
            }
            Function::Text => Value::Text(text(0)?),
            Function::Concat => {
                let mut all = String::new();
                for index in 0..arguments.len() {
                    all.push_str(&text(index)?);
                }
                self.spend_work(all.len() as u64 / 32)?;
                Value::Text(Cow::Owned(all))
            }
            Function::StartsWith => Value::Boolean(text(0)?.starts_with(&*text(1)?)),
            Function::Contains => Value::Boolean(text(0)?.contains(&*text(1)?)),
            Function::SubstringBefore => Value::Text(
                text(0)?.split_once(&*text(1)?).map_or(Cow::Borrowed(""), |(before, _)| Cow::Owned(before.to_owned())),
            ),
            Function::SubstringAfter => Value::Text(
                text(0)?.split_once(&*text(1)?).map_or(Cow::Borrowed(""), |(_, after)| Cow::Owned(after.to_owned())),
            ),
            Function::Substring => Value::Text(Cow::Owned(self.substring(arguments, context)?)),
            Function::TextLength => Value::Number(text(0)?.chars().count() as f64),
            Function::NormalizeSpace => {
                let text = text(0)?;
                let words = text.split([' ', '\t', '\n', '\r']).filter(|word| !word.is_empty());
                Value::Text(Cow::Owned(words.collect::<Vec<_>>().join(" ")))
            }
            Function::Translate => Value::Text(Cow::Owned(translate(&text(0)?, &text(1)?, &text(2)?))),
            Function::Boolean => Value::Boolean(self.boolean(&arguments[0], context)?),
            Function::Not => Value::Boolean(!self.boolean(&arguments[0], context)?),
            Function::True => Value::Boolean(true),
            Function::False => Value::Boolean(false),
            Function::Lang => Value::Boolean(self.matches_lang(context.node, &text(0)?)),
            Function::Number => Value::Number(match arguments.first() {
                Some(argument) => self.number(argument, context)?,
                None => number::parse(&self.string_value(context.node)?),
            }),
            Function::Floor => Value::Number(self.number(&arguments[0], context)?.floor()),
            Function::Ceiling => Value::Number(self.number(&arguments[0], context)?.ceil()),
            Function::Round => Value::Number(number::round(self.number(&arguments[0], context)?)),
        })
    }

    /// An argument as a string; the string-value of the context node if it is omitted.
    fn text_argument(&self, arguments: &[Expr], index: usize, context: Context) -> Evaluated<Cow<'d, str>> {
        match arguments.get(index) {
            Some(argument) => self.text(argument, context),
            None => self.string_value(context.node),
        }
    }

    fn name_of(&self, function: Function, id: Id) -> Cow<'d, str> {
        if is_namespace(id) {
            let prefix = self.namespaces.borrow().get(id).prefix.to_string();
            return Cow::Owned(if function == Function::NamespaceUri { String::new() } else { prefix });
        }
        let (names, name) = (&self.tree.names, self.tree.name(id));
        Cow::Borrowed(match function {
            Function::LocalName => names.written_form(name).local(),
            Function::NamespaceUri => names.uri(names.namespace_of(name)),
            _ => names.written_form(name).text(),
        })
    }

    fn substring(&self, arguments: &[Expr], context: Context) -> Evaluated<String> {
        let text = self.text(&arguments[0], context)?;
        let from = number::round(self.number(&arguments[1], context)?);
        let to = match arguments.get(2) {
            Some(length) => from + number::round(self.number(length, context)?),
            None => f64::INFINITY,
        };
        let inside = |place: usize| place as f64 >= from && (place as f64) < to;
        Ok(text.chars().enumerate().filter(|(index, _)| inside(index + 1)).map(|(_, c)| c).collect())
    }

    fn matches_lang(&self, node: Id, wanted: &str) -> bool {
        let mut at = Some(node);
        while let Some(id) = at {
            if !is_namespace(id)
                && self.tree.kind(id) == Kind::Element
                && let Some(attribute) = self.tree.attribute(id, "xml:lang")
            {
                let value = self.tree.value(self.text, attribute).to_ascii_lowercase();
                let rest = value.strip_prefix(&wanted.to_ascii_lowercase());
                return rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
            }
            at = self.parent(id);
        }
        false
    }

    /// Returns the elements whose ids are among the words of the argument.
    fn elements_by_id(&self, argument: &Expr, context: Context) -> Evaluated<Vec<Id>> {
        let mut wanted: FxHashSet<String> = FxHashSet::default();
        let mut add = |text: &str| wanted.extend(text.split([' ', '\t', '\n', '\r']).map(str::to_owned));
        match self.value(argument, context)? {
            Value::Nodes(nodes) => {
                for id in nodes {
                    add(&self.string_value(id)?);
                }
            }
            Value::Text(text) => add(&text),
            Value::Number(value) => add(&number::print(value)),
            value @ Value::Boolean(_) => add(if truth(&value) { "true" } else { "false" }),
        }
        wanted.remove("");
        let mut found = Vec::new();
        self.spend_work(u64::from(self.tree.len()) / 8)?;
        for id in 1..self.tree.len() {
            if self.tree.kind(id) == Kind::Attribute && self.is_identifier(id) {
                let value = self.tree.value(self.text, id);
                // If several elements have an id, it refers to the first of them.
                if wanted.remove(chars::trim(&value)) {
                    found.extend(self.tree.parent(id));
                }
            }
        }
        Ok(found)
    }

    /// Returns whether an attribute is `xml:id` or declared as an id in the DTD.
    fn is_identifier(&self, id: Id) -> bool {
        let (tree, name) = (self.tree, self.tree.name(id));
        if tree.names.written_form(name).local() == "id" && tree.names.uri(tree.names.namespace_of(name)) == names::XML
        {
            return true;
        }
        let element = tree.parent(id).map_or("", |element| tree.written_name(element));
        tree.dtd.type_of(element, tree.written_name(id)) == Some(Type::Identifier)
    }
}

/// Replaces each character of `from` with the one at the same index in `to`. If `to` is shorter, the character is
/// removed.
fn translate(text: &str, from: &str, to: &str) -> String {
    let mut map = rustc_hash::FxHashMap::default();
    let mut to = to.chars();
    for c in from.chars() {
        let replacement = to.next();
        map.entry(c).or_insert(replacement);
    }
    text.chars().filter_map(|c| map.get(&c).copied().unwrap_or(Some(c))).collect()
}
