//! Names of tags and attributes in the templates of Vue.

use std::ops::Range;

use super::markup::{camel_case, pascal_case};
use super::names::ScriptNames;

/// Elements and components that are not declared by the program.
const PLATFORM: &str = "a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption \
cite code col colgroup component data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure \
footer form g h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label legend li line link main \
map mark math menu meta meter nav noscript object ol optgroup option output p param path picture pre progress q rect \
rp rt ruby s samp script search section select slot small source span strong style sub summary sup svg table tbody td \
template text textarea tfoot th thead time title tr track u ul use var video wbr \
Transition transition TransitionGroup transition-group KeepAlive keep-alive Teleport teleport Suspense suspense \
RouterLink router-link RouterView router-view";

/// Returns whether a tag names a component that the script neither imports nor registers.
pub(super) fn is_unbound(tag: &str, names: &ScriptNames) -> bool {
    let forms = [tag.to_owned(), camel_case(tag), pascal_case(tag)];
    let is_known = |name: &String| names.bound.contains(name) || names.registered.contains(name);
    tag != "component" && !tag.contains(['.', ':']) && !is_platform(tag) && !forms.iter().any(is_known)
}

pub(super) fn is_platform(tag: &str) -> bool {
    PLATFORM.split(' ').any(|known| known == tag)
}

/// Meaning of an attribute, with the range of the name in it.
pub(super) enum Meaning {
    /// `:name`, `v-bind:name`, `v-model:name`, `v-model`
    Prop(Range<usize>),
    /// `@name`, `v-on:name`
    Event(Range<usize>),
    /// `v-bind="…"`
    Spread,
    /// `v-name`
    Directive,
    Static,
}

pub(super) fn meaning_of(name: &str) -> Meaning {
    let until = |start: usize| start..start + name[start..].find('.').unwrap_or(name.len() - start);
    for prefix in ["v-bind:", "v-model:", ":", "."] {
        if name.starts_with(prefix) {
            return Meaning::Prop(until(prefix.len()));
        }
    }
    for prefix in ["v-on:", "@"] {
        if name.starts_with(prefix) {
            return Meaning::Event(until(prefix.len()));
        }
    }
    match name.split('.').next() {
        Some("v-model") => Meaning::Prop("v-model".len().."v-model".len()),
        Some("v-bind" | "v-on") => Meaning::Spread,
        Some(other) if other.starts_with("v-") => Meaning::Directive,
        _ => Meaning::Static,
    }
}

/// Returns whether an attribute has the same meaning for every component.
pub(super) fn is_of_all_elements(name: &str) -> bool {
    matches!(name, "class" | "style" | "key" | "ref" | "is" | "slot") || name.starts_with("data-")
}

pub(super) fn starts_upper(name: &str) -> bool {
    name.starts_with(|c: char| c.is_uppercase())
}
