//! Summarizes a value: names, types and sizes instead of content.

use crate::{
    text::push_string,
    tree::{Kind, Tree},
};

/// Maximum depth of a shape.
const DEEPEST: usize = 3;
/// Maximum number of members shown per object.
const MOST_MEMBERS: usize = 50;
/// Maximum number of characters shown of a scalar.
const LONGEST_SCALAR: usize = 60;
/// Maximum number of lines of a shape.
const MOST_LINES: usize = 200;

/// A one-line summary of a value: `object with 3 members`, `array of 2 elements`, or the scalar itself, shortened.
pub fn value_summary<T: Tree>(tree: &T, node: T::Node) -> String {
    let counted = |what: &str, part: &str, count: usize| match count {
        0 => format!("empty {what}"),
        1 => format!("{what} with 1 {part}"),
        _ => format!("{what} with {count} {part}s"),
    };
    match tree.kind(node) {
        Kind::Object => counted("object", "member", tree.count(node)),
        Kind::Array => counted("array", "element", tree.count(node)),
        Kind::Null => "null".to_owned(),
        Kind::Boolean | Kind::Number => shorten(&tree.text(node)),
        Kind::String => {
            let mut out = String::new();
            push_string(&mut out, &shorten(&tree.text(node)));
            out
        }
    }
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(LONGEST_SCALAR) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The shape of a value to a limited depth: each member with its type, and the first element of each array.
pub fn shape<T: Tree>(tree: &T, node: T::Node) -> String {
    let mut writer = ShapeWriter { tree, out: String::new(), lines: 0 };
    writer.write_value(node, 0);
    writer.out
}

struct ShapeWriter<'t, T: Tree> {
    tree: &'t T,
    out: String,
    lines: usize,
}

impl<T: Tree> ShapeWriter<'_, T> {
    /// Writes the shape of a value. The recursion ends at the depth [`DEEPEST`].
    fn write_value(&mut self, node: T::Node, depth: usize) {
        let count = self.tree.count(node);
        match self.tree.kind(node) {
            kind @ (Kind::Object | Kind::Array) if count == 0 || depth >= DEEPEST || self.lines >= MOST_LINES => {
                let (brackets, part) =
                    if kind == Kind::Object { (("{", "}"), "members") } else { (("[", "]"), "elements") };
                let inner = if count == 0 { String::new() } else { format!(" {count} {part} ") };
                self.out.push_str(&format!("{}{inner}{}", brackets.0, brackets.1));
            }
            Kind::Object => self.write_object(node, depth, count),
            Kind::Array => {
                self.out.push_str(&format!("[ {count} {}, first: ", if count == 1 { "element" } else { "elements" }));
                if let Some(first) = self.tree.children(node).next() {
                    self.write_value(first, depth + 1);
                }
                self.out.push_str(" ]");
            }
            kind => self.out.push_str(kind.name()),
        }
    }

    fn write_object(&mut self, node: T::Node, depth: usize, count: usize) {
        self.out.push('{');
        for (index, (name, value)) in self.tree.members(node).enumerate() {
            self.start_line(depth + 1);
            if index >= MOST_MEMBERS || self.lines >= MOST_LINES {
                self.out.push_str(&format!("… {} more", count - index));
                break;
            }
            push_string(&mut self.out, &name);
            self.out.push_str(": ");
            self.write_value(value, depth + 1);
        }
        self.start_line(depth);
        self.out.push('}');
    }

    fn start_line(&mut self, depth: usize) {
        self.lines += 1;
        self.out.push('\n');
        self.out.push_str(&"  ".repeat(depth));
    }
}
