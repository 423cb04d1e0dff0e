//! Embedded scripts and styles.

use marquetry_sdk::Embedded;

use crate::syntax::{Id, Name, Namespace, Tree};

/// Returns the content of each `script` and `style` element, with its language.
pub(crate) fn embedded_code(tree: &Tree) -> Vec<Embedded> {
    // The scripts and styles of a component are parts of its file.
    if tree.dialect.is_component() {
        return Vec::new();
    }
    let part = |id| {
        let language = code_language(tree, id)?.to_owned();
        Some(Embedded { span: tree.element(id).inner(), language })
    };
    let mut found: Vec<Embedded> = (0..tree.element_count()).filter_map(part).collect();
    found.sort_by_key(|part| part.span.start);
    found
}

/// Returns the language of a `script` or `style` element. `None` if it is empty, or if its content in the file is not
/// exactly the code that browsers see.
pub(crate) fn code_language(tree: &Tree, id: Id) -> Option<&'static str> {
    let element = tree.element(id);
    if element.implied || element.end != id + 1 || !matches!(element.name, Name::SCRIPT | Name::STYLE) {
        return None;
    }
    let text = element.inner().slice(&tree.text);
    // In XML, SVG and MathML, tags and character references inside the element are parsed, so the content must not
    // contain any.
    let plain = (element.namespace == Namespace::HTML && !tree.dialect.is_xml()) || !text.contains(['<', '&']);
    declared_language(tree, id).filter(|_| plain && !text.trim().is_empty())
}

fn declared_language(tree: &Tree, id: Id) -> Option<&'static str> {
    let given =
        |name: &str| tree.attribute_value(id, name).map(|value| value.trim().to_ascii_lowercase()).unwrap_or_default();
    match tree.element(id).name {
        Name::STYLE => Some(match (given("type").as_str(), given("lang").as_str()) {
            ("text/scss" | "text/x-scss", _) | (_, "scss") => "scss",
            ("text/less" | "text/x-less", _) | (_, "less") => "less",
            _ => "css",
        }),
        Name::SCRIPT => match (given("type").as_str(), given("lang").as_str()) {
            ("text/typescript" | "application/typescript", _) | ("" | "module", "ts" | "typescript") => Some("ts"),
            ("text/babel" | "text/jsx", _) | ("" | "module", "jsx") => Some("jsx"),
            ("text/tsx", _) | ("" | "module", "tsx") => Some("tsx"),
            ("importmap" | "speculationrules", _) => Some("json"),
            (kind, _) if kind.ends_with("/json") || kind.ends_with("+json") => Some("json"),
            (kind, _) if kind.is_empty() || kind == "module" || is_javascript(kind) => Some("js"),
            _ => None,
        },
        _ => None,
    }
}

fn is_javascript(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or(kind).trim();
    let name = kind.strip_prefix("text/").or_else(|| kind.strip_prefix("application/")).unwrap_or_default();
    matches!(name.strip_prefix("x-").unwrap_or(name), "javascript" | "ecmascript" | "jscript" | "livescript")
        || name.starts_with("javascript1.")
}
