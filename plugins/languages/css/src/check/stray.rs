//! Finds values that are written in place of a statement. LESS parses them as calls or at-rules, but rejects them
//! later.

use super::Checker;
use crate::{
    chars::{Dialect, ident_end, is_name},
    scanner::{Scanner, TokenKind},
    tree::{Item, Kind, Tree},
};

/// Functions that return a value, sorted. Functions of plugins and `each` are missing, because they can produce
/// statements. `e`, `escape`, `argb` and `get-unit` are missing, because the text that they return can be a statement.
const VALUE_FUNCTIONS: &[&str] = &[
    "abs",
    "acos",
    "alpha",
    "asin",
    "atan",
    "attr",
    "average",
    "blue",
    "boolean",
    "calc",
    "ceil",
    "clamp",
    "color",
    "color-mix",
    "conic-gradient",
    "contrast",
    "convert",
    "cos",
    "counter",
    "darken",
    "data-uri",
    "default",
    "desaturate",
    "difference",
    "env",
    "exclusion",
    "extract",
    "fade",
    "fadein",
    "fadeout",
    "floor",
    "green",
    "greyscale",
    "hardlight",
    "hsl",
    "hsla",
    "hsv",
    "hsva",
    "hsvhue",
    "hsvsaturation",
    "hsvvalue",
    "hue",
    "image-height",
    "image-size",
    "image-width",
    "iscolor",
    "isdefined",
    "isem",
    "iskeyword",
    "isnumber",
    "ispercentage",
    "ispixel",
    "isruleset",
    "isstring",
    "isunit",
    "isurl",
    "length",
    "lighten",
    "lightness",
    "linear-gradient",
    "luma",
    "luminance",
    "max",
    "min",
    "mix",
    "mod",
    "multiply",
    "negation",
    "overlay",
    "percentage",
    "pi",
    "pow",
    "radial-gradient",
    "range",
    "red",
    "repeating-linear-gradient",
    "replace",
    "rgb",
    "rgba",
    "round",
    "saturate",
    "saturation",
    "screen",
    "shade",
    "sin",
    "softlight",
    "spin",
    "sqrt",
    "style",
    "svg-gradient",
    "tan",
    "tint",
    "unit",
    "var",
];

/// Reports a statement in LESS that is only a value.
pub(super) fn check_statement(checker: &mut Checker<'_>, item: &Item) {
    let tree = checker.tree;
    let head = tree.head(item);
    match item.kind {
        Kind::Call => match stray_value(head) {
            Some(StrayValue::Color) if is_defined(tree, head) => {}
            Some(StrayValue::Color) => {
                let hint = format!("`{head}` is a colour, not a statement; to call the mixin `{head}`, add `()`");
                checker.warn(item.head_range(), hint);
            }
            Some(StrayValue::Function | StrayValue::Lookup) => {
                checker.report(item.head_range(), "expected a property name and `:` before this value");
            }
            None => {}
        },
        Kind::AtRule if !item.block => {
            let name = tree.name(item);
            if tree.prelude(item).is_empty() && !matches!(name, "@charset" | "@namespace" | "@layer" | "@import") {
                checker.report(
                    item.head_range(),
                    format!("`{name}` alone is not a statement: expected `:` and a value, or `()`"),
                );
            } else if tree.items.iter().any(|known| known.kind == Kind::Variable && tree.name(known) == name) {
                checker.warn(item.head_range(), format!("`{name}` is a variable: it has no effect as a statement"));
            }
        }
        _ => {}
    }
}

/// The kind of a value that is parsed as a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StrayValue {
    /// `#fff`
    Color,
    /// A function that returns a value.
    Function,
    /// `.mixin()[@result]`
    Lookup,
}

/// Returns the kind of value that a call certainly is. A call such as `#fff` can be a colour or a mixin, and is
/// classified as a colour. `None` for other calls.
pub(crate) fn stray_value(head: &str) -> Option<StrayValue> {
    if let Some(digits) = head.strip_prefix('#')
        && matches!(digits.len(), 3 | 4 | 6 | 8)
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    {
        return Some(StrayValue::Color);
    }
    if let Some(name) = called_function(head) {
        let known = VALUE_FUNCTIONS.binary_search(&name.to_ascii_lowercase().as_str()).is_ok();
        return known.then_some(StrayValue::Function);
    }
    (head.starts_with(['.', '#', '@']) && ends_with_lookup(head)).then_some(StrayValue::Lookup)
}

/// Returns the name of the called function. `None` if a mixin or a detached ruleset is called.
pub(crate) fn called_function(head: &str) -> Option<&str> {
    ident_end(head, 0).map(|end| &head[..end])
}

/// Returns whether the text ends with a lookup (`[…]`) in the result of a call.
fn ends_with_lookup(head: &str) -> bool {
    let mut scan = Scanner::without_reports(head, Dialect::Less);
    let (mut at, mut called, mut last) = (0, false, 0);
    loop {
        match scan.token_at(at) {
            (TokenKind::End, _) => return called && head.as_bytes()[last] == b'[',
            (TokenKind::Group, end) => {
                called |= head.as_bytes()[at] == b'(';
                (last, at) = (at, end);
            }
            (TokenKind::Space | TokenKind::Comment, end) => at = end,
            (_, end) => (called, at) = (false, end),
        }
    }
}

/// Returns whether the file defines a rule or a mixin with this name.
fn is_defined(tree: &Tree, name: &str) -> bool {
    let is_it = |item: &Item| {
        let head = tree.head(item);
        let named = |selector: &str| {
            selector.trim_ascii().strip_prefix(name).is_some_and(|rest| !rest.bytes().next().is_some_and(is_name))
        };
        matches!(item.kind, Kind::Rule | Kind::Mixin) && head.split(',').any(named)
    };
    tree.items.iter().any(is_it)
}
