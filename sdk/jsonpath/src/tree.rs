//! The trees that queries run over.

use std::borrow::Cow;

/// The six kinds of JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `{}`
    Object,
    /// `[]`
    Array,
    /// A string.
    String,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// `null`.
    Null,
}

impl Kind {
    /// The lower-case name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Object => "object",
            Kind::Array => "array",
            Kind::String => "string",
            Kind::Number => "number",
            Kind::Boolean => "boolean",
            Kind::Null => "null",
        }
    }
}

/// A tree of JSON values, independent of how a document stores it.
pub trait Tree {
    /// Identifies a node. Cheap to copy.
    type Node: Copy + PartialEq;

    /// The value that `$` selects.
    fn root(&self) -> Self::Node;

    /// The kind of a node.
    fn kind(&self, node: Self::Node) -> Kind;

    /// The values of an object's members or an array's elements, in order. Empty for a scalar.
    fn children(&self, node: Self::Node) -> impl Iterator<Item = Self::Node>;

    /// The members of an object with their names, in order.
    fn members(&self, node: Self::Node) -> impl Iterator<Item = (Cow<'_, str>, Self::Node)>;

    /// The member with this name; the last one if there are several.
    fn member(&self, node: Self::Node, name: &str) -> Option<Self::Node>;

    /// The element at this index of an array.
    fn element(&self, node: Self::Node, index: usize) -> Option<Self::Node>;

    /// The number of members or elements.
    fn count(&self, node: Self::Node) -> usize;

    /// The text of a string, or the JSON text of a number or boolean.
    fn text(&self, node: Self::Node) -> Cow<'_, str>;

    /// One of several members with the same name, counted from 1.
    fn occurrence(&self, node: Self::Node, name: &str, number: u32) -> Option<Self::Node> {
        let index = number.checked_sub(1)? as usize;
        self.members(node).filter(|(key, _)| key == name).nth(index).map(|(_, value)| value)
    }

    /// The value of a number node.
    fn number(&self, node: Self::Node) -> f64 {
        self.text(node).parse().unwrap_or(f64::NAN)
    }

    /// The value of a boolean node.
    fn boolean(&self, node: Self::Node) -> bool {
        self.text(node) == "true"
    }

    /// Visits a node and all its descendants, parents first. Stops and returns false when `visit` returns false.
    fn descend(&self, node: Self::Node, visit: &mut dyn FnMut(Self::Node) -> bool) -> bool {
        let mut waiting = vec![node];
        while let Some(node) = waiting.pop() {
            if !visit(node) {
                return false;
            }
            let from = waiting.len();
            waiting.extend(self.children(node));
            waiting[from..].reverse();
        }
        true
    }
}
