//! Tests whether a single element matches a simple selector.

use super::ast::{AttributeTest, Comparison, Prefix, Pseudo, Simple};
use super::{direction, forms, language};
use crate::syntax::tree::Attribute;
use crate::syntax::{Id, Name, Namespace, Tree};

/// A simple selector, prepared for evaluation on many elements.
pub(super) enum Test<'s> {
    /// A type selector. `html` is the interned name that HTML elements must have, and `other` that of all other
    /// elements. They are `None` if the document does not contain the name.
    Type {
        namespace: Option<Namespace>,
        any_name: bool,
        html: Option<Name>,
        other: Option<Name>,
    },
    Id(&'s str),
    Class(&'s str),
    Attribute(&'s AttributeTest, Option<Namespace>),
    Lang(&'s [String]),
    Dir(Option<bool>),
    Contains(&'s str),
    Pseudo(Pseudo),
}

impl<'s> Test<'s> {
    pub(super) fn new(tree: &Tree, simple: &'s Simple) -> Test<'s> {
        match simple {
            Simple::Type(prefix, name) => {
                let find = |name: &str| tree.names.find(name);
                let other = name.as_deref().and_then(find);
                let lower = name.as_deref().map(str::to_ascii_lowercase);
                Test::Type {
                    namespace: resolve_namespace(tree, prefix),
                    any_name: name.is_none(),
                    html: if tree.dialect.has_exact_names() { other } else { lower.as_deref().and_then(find) },
                    other,
                }
            }
            Simple::Id(id) => Test::Id(id),
            Simple::Class(class) => Test::Class(class),
            Simple::Attribute(test) => Test::Attribute(test, resolve_namespace(tree, &test.prefix)),
            Simple::Lang(ranges) => Test::Lang(ranges),
            Simple::Dir(direction) => Test::Dir(*direction),
            Simple::Contains(text) => Test::Contains(text),
            Simple::Pseudo(pseudo) => Test::Pseudo(*pseudo),
            // These selectors are evaluated as sets by [`super::evaluate`], and are never passed to this function.
            Simple::Is(_) | Simple::Not(_) | Simple::Has(_) | Simple::Nth(_) => Test::Pseudo(Pseudo::Never),
        }
    }

    pub(super) fn passes(&self, tree: &Tree, id: Id) -> bool {
        let element = tree.element(id);
        match self {
            Test::Type { namespace, any_name, html, other } => {
                let wanted = if element.namespace == Namespace::HTML { html } else { other };
                namespace.is_none_or(|namespace| element.namespace == namespace)
                    && (*any_name || *wanted == Some(element.name))
            }
            Test::Id(wanted) => {
                tree.attribute_value(id, "id").is_some_and(|own| equal_text(&own, wanted, !tree.quirks))
            }
            Test::Class(wanted) => tree.attribute_value(id, "class").is_some_and(|classes| {
                classes.split_ascii_whitespace().any(|own| equal_text(own, wanted, !tree.quirks))
            }),
            Test::Attribute(test, namespace) => passes_attribute(tree, id, test, *namespace),
            Test::Lang(ranges) => language::matches(tree, id, ranges),
            Test::Dir(wanted) => wanted.is_some_and(|wanted| direction::is_left_to_right(tree, id) == wanted),
            Test::Contains(wanted) => crate::text::text_content(tree, id).contains(*wanted),
            Test::Pseudo(Pseudo::Empty) => !element.has_text && element.end == id + 1,
            Test::Pseudo(Pseudo::Root) => id == 0,
            Test::Pseudo(pseudo) => forms::matches_pseudo(tree, id, *pseudo),
        }
    }
}

fn resolve_namespace(tree: &Tree, prefix: &Prefix) -> Option<Namespace> {
    match prefix {
        Prefix::Any => None,
        Prefix::None => Some(Namespace::NONE),
        Prefix::Named(name) => tree.prefixes.iter().find(|(known, _)| known.as_ref() == name).map(|(_, known)| *known),
    }
}

pub(super) fn equal_text(a: &str, b: &str, case: bool) -> bool {
    if case { a == b } else { a.eq_ignore_ascii_case(b) }
}

/// HTML attributes whose values are compared case-insensitively.
const CASE_INSENSITIVE: [&str; 46] = [
    "accept",
    "accept-charset",
    "align",
    "alink",
    "axis",
    "bgcolor",
    "charset",
    "checked",
    "clear",
    "codetype",
    "color",
    "compact",
    "declare",
    "defer",
    "dir",
    "direction",
    "disabled",
    "enctype",
    "face",
    "frame",
    "hreflang",
    "http-equiv",
    "lang",
    "language",
    "link",
    "media",
    "method",
    "multiple",
    "nohref",
    "noresize",
    "noshade",
    "nowrap",
    "readonly",
    "rel",
    "rev",
    "rules",
    "scope",
    "scrolling",
    "selected",
    "shape",
    "target",
    "text",
    "type",
    "valign",
    "valuetype",
    "vlink",
];

fn passes_attribute(tree: &Tree, id: Id, test: &AttributeTest, namespace: Option<Namespace>) -> bool {
    let html = tree.element(id).namespace == Namespace::HTML && !tree.dialect.has_exact_names();
    tree.attributes(id).iter().any(|attribute| {
        has_tested_name(tree, html, *attribute, test, namespace) && {
            let Some((comparison, wanted)) = &test.value else { return true };
            let caseless = || html && CASE_INSENSITIVE.iter().any(|name| name.eq_ignore_ascii_case(&test.name));
            let case = test.case.unwrap_or_else(|| !caseless());
            let value = tree.decoded_value(*attribute);
            if case {
                compare(*comparison, &value, wanted)
            } else {
                compare(*comparison, &value.to_ascii_lowercase(), &wanted.to_ascii_lowercase())
            }
        }
    })
}

/// Returns whether the attribute has the tested name and namespace.
fn has_tested_name(
    tree: &Tree,
    html: bool,
    attribute: Attribute,
    test: &AttributeTest,
    namespace: Option<Namespace>,
) -> bool {
    let written = tree.attribute_name(attribute);
    let (prefix, local) = match written.split_once(':') {
        // In components, a colon is part of the name: `on:click`, `v-slot:item`.
        Some((prefix, local))
            if tree.dialect.is_xml()
                || !html && !tree.dialect.is_component() && matches!(prefix, "xlink" | "xml" | "xmlns") =>
        {
            (prefix, local)
        }
        _ => ("", written),
    };
    // In HTML, case is ignored, because browsers correct the case of SVG attributes such as `viewBox`.
    let named =
        if tree.dialect.has_exact_names() { local == test.name } else { local.eq_ignore_ascii_case(&test.name) };
    named
        && match namespace {
            None => true,
            Some(Namespace::NONE) => prefix.is_empty(),
            Some(_) => matches!(&test.prefix, Prefix::Named(wanted) if wanted == prefix),
        }
}

fn compare(comparison: Comparison, value: &str, wanted: &str) -> bool {
    match comparison {
        Comparison::Equal => value == wanted,
        Comparison::Includes => !wanted.is_empty() && value.split_ascii_whitespace().any(|word| word == wanted),
        Comparison::DashMatch => {
            value.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        }
        Comparison::StartsWith => !wanted.is_empty() && value.starts_with(wanted),
        Comparison::EndsWith => !wanted.is_empty() && value.ends_with(wanted),
        Comparison::Contains => !wanted.is_empty() && value.contains(wanted),
    }
}
