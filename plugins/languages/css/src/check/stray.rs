//! Values where statements belong, as far as LESS reads them as statements: the compiler then finds that they make
//! nothing.

use super::Checker;
use crate::{
    chars::{Dialect, ident_end, is_name},
    scan::{Part, Scan},
    tree::{Item, Kind, Tree},
};

/// Functions that make a value, sorted. What a plugin defines can make statements, and so can `each`; `e`, `escape`,
/// `argb` and `get-unit` make text that may be anything.
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

/// Report a statement of LESS that is a value.
pub(super) fn check(checker: &mut Checker<'_>, item: &Item) {
    let tree = checker.tree;
    let head = tree.head(item);
    match item.kind {
        Kind::Call => match stray_call(head) {
            Some(Stray::Color) if is_defined(tree, head) => {}
            Some(Stray::Color) => {
                let hint = format!("`{head}` is a colour, and no statement; a mixin of this name is called `{head}()`");
                checker.warn(item.head_range(), hint);
            }
            Some(Stray::Function | Stray::Lookup) => {
                checker.report(item.head_range(), "expected the name of a property and `:` before this value");
            }
            None => {}
        },
        Kind::AtRule if !item.block => {
            let name = tree.name(item);
            if tree.prelude(item).is_empty() && !matches!(name, "@charset" | "@namespace" | "@layer" | "@import") {
                checker.report(
                    item.head_range(),
                    format!("`{name}` alone is no statement: expected `:` and a value, or `()`"),
                );
            } else if tree.items.iter().any(|known| known.kind == Kind::Variable && tree.name(known) == name) {
                checker.warn(item.head_range(), format!("`{name}` is a variable: as a statement it has no effect"));
            }
        }
        _ => {}
    }
}

/// What a call is instead of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stray {
    /// `#fff`
    Color,
    /// A function that makes a value.
    Function,
    /// `.mixin()[@result]`
    Lookup,
}

/// The value that a call is, if it is surely one, or a colour.
pub(crate) fn stray_call(head: &str) -> Option<Stray> {
    if let Some(digits) = head.strip_prefix('#')
        && matches!(digits.len(), 3 | 4 | 6 | 8)
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    {
        return Some(Stray::Color);
    }
    if let Some(name) = function_of(head) {
        let known = VALUE_FUNCTIONS.binary_search(&name.to_ascii_lowercase().as_str()).is_ok();
        return known.then_some(Stray::Function);
    }
    (head.starts_with(['.', '#', '@']) && ends_with_lookup(head)).then_some(Stray::Lookup)
}

/// The function that is called, if it is no mixin and no detached ruleset.
pub(crate) fn function_of(head: &str) -> Option<&str> {
    ident_end(head, 0).map(|end| &head[..end])
}

/// Whether `[…]` stands at the end, behind brackets of a call.
fn ends_with_lookup(head: &str) -> bool {
    let mut scan = Scan::quiet(head, Dialect::Less);
    let (mut at, mut called, mut last) = (0, false, 0);
    loop {
        match scan.part(at) {
            (Part::End, _) => return called && head.as_bytes()[last] == b'[',
            (Part::Group, end) => {
                called |= head.as_bytes()[at] == b'(';
                (last, at) = (at, end);
            }
            (Part::Space | Part::Comment, end) => at = end,
            (_, end) => (called, at) = (false, end),
        }
    }
}

/// Whether the file has a rule or a mixin of this name.
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
