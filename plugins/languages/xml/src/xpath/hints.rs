//! Hints for features of later XPath versions and for unknown names.

use marquetry_sdk::nearest;

use super::{
    ast::{AXES, FUNCTIONS},
    lexer::ExpressionError,
};

/// Alternatives in XPath 1.0 for functions of later versions.
const REPLACEMENTS: [(&str, &str); 22] = [
    ("ends-with", "write `substring(a, string-length(a) - string-length(b) + 1) = b`"),
    ("lower-case", "write `translate(a, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')`"),
    ("upper-case", "write `translate(a, 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ')`"),
    ("matches", "use `contains()` or `starts-with()`: there are no regular expressions"),
    ("replace", "use `translate()`, `substring-before()` and `substring-after()`"),
    ("tokenize", "use `substring-before()` and `substring-after()`"),
    ("string-join", "select the nodes and read their contents"),
    ("exists", "write `boolean(…)`"),
    ("empty", "write `not(…)`"),
    ("abs", "compare both signs"),
    ("min", "write `a[not(. > ../a)]`"),
    ("max", "write `a[not(. < ../a)]`"),
    ("avg", "write `sum(a) div count(a)`"),
    ("distinct-values", "write `a[not(. = preceding::a)]`"),
    ("reverse", "nodes come in document order"),
    ("data", "write `string(…)`"),
    ("node-name", "write `name(…)`"),
    ("root", "write `/`"),
    ("document", "an expression cannot read other files: query that file in a separate call"),
    ("doc", "an expression cannot read other files: query that file in a separate call"),
    ("current", "write `.`"),
    ("element", "write `*` or the name"),
];

/// Error for a function that XPath 1.0 does not have.
pub(super) fn unknown_function_error(name: &str, at: usize) -> ExpressionError {
    let wrong = ExpressionError::new(at, format!("XPath 1.0 has no function `{name}()`"));
    let local = name.rsplit(':').next().unwrap_or(name);
    if let Some((_, instead)) = REPLACEMENTS.iter().find(|(other, _)| *other == local) {
        return wrong.hint(*instead);
    }
    let near = nearest(local, FUNCTIONS.iter().map(|function| function.name));
    if near.is_empty() {
        let all: Vec<&str> = FUNCTIONS.iter().map(|function| function.name).collect();
        return wrong.hint(format!("the functions are {}", all.join(", ")));
    }
    wrong.hint(format!("did you mean `{}()`?", near[0]))
}

/// Error for an axis that does not exist.
pub(super) fn unknown_axis_error(name: &str, at: usize) -> ExpressionError {
    let axes: Vec<&str> = AXES.iter().map(|(axis, _)| *axis).collect();
    ExpressionError::new(at, format!("no axis `{name}`")).hint(format!("the axes are {}", axes.join(", ")))
}

/// Error for a prefix that the document does not declare.
pub(super) fn unknown_prefix_error<'p>(
    prefix: &str,
    at: usize,
    known: impl Iterator<Item = &'p Box<str>>,
) -> ExpressionError {
    let mut known: Vec<String> = known.map(|known| format!("`{known}`")).collect();
    known.sort();
    ExpressionError::new(at, format!("the document declares no prefix `{prefix}`"))
        .hint(format!("use a prefix that the document declares: {}; or test `local-name()`", known.join(", ")))
}

/// Hint for a syntax error.
pub(super) fn syntax_hint(source: &str) -> &'static str {
    let later = [
        "for $",
        "some $",
        "every $",
        "let $",
        "if (",
        "||",
        "=>",
        ":=",
        " eq ",
        " ne ",
        " lt ",
        " gt ",
        " to ",
        "*:",
        " instance of ",
        " cast ",
        " union ",
        " intersect ",
        " except ",
        "{",
        "(:",
        "<<",
        " is ",
    ];
    if later.iter().any(|sign| source.contains(sign)) {
        return "this is XPath 1.0: no `for`, `if`, `eq`, sequences, casts, wildcard prefixes or comments";
    }
    "write XPath 1.0, such as `/root/item[2]`, `//item[@id='a']/name` or `count(//item)`"
}
