//! Pseudo-classes of forms, links and media. They are evaluated for the state that a page has directly after loading.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::ast::Pseudo;
use super::input_ranges;
use crate::syntax::{Id, Name, Namespace, Tree};

/// Returns whether an element matches a pseudo-class. The pseudo-classes that [`matching_elements`] supports never
/// match in this function.
pub(super) fn matches_pseudo(tree: &Tree, id: Id, pseudo: Pseudo) -> bool {
    let element = tree.element(id);
    if element.namespace != Namespace::HTML {
        let svg_link = element.namespace == Namespace::SVG && element.name == Name::A;
        return match pseudo {
            Pseudo::AnyLink => svg_link && (tree.has_attribute(id, "href") || tree.has_attribute(id, "xlink:href")),
            Pseudo::Defined | Pseudo::ReadOnly => true,
            _ => false,
        };
    }
    let name = element.name;
    match pseudo {
        Pseudo::AnyLink => matches!(name, Name::A | Name::AREA) && tree.has_attribute(id, "href"),
        Pseudo::Defined => !is_custom(tree.name(id)) && !tree.has_attribute(id, "is"),
        Pseudo::Disabled => can_be_disabled(name) && is_disabled(tree, id),
        Pseudo::Enabled => can_be_disabled(name) && !is_disabled(tree, id),
        Pseudo::Open => matches!(name, Name::DETAILS | Name::DIALOG) && tree.has_attribute(id, "open"),
        Pseudo::Muted => matches!(name, Name::AUDIO | Name::VIDEO) && tree.has_attribute(id, "muted"),
        Pseudo::Paused => matches!(name, Name::AUDIO | Name::VIDEO),
        Pseudo::Required => is_required(tree, id),
        Pseudo::Optional => matches!(name, Name::INPUT | Name::SELECT | Name::TEXTAREA) && !is_required(tree, id),
        Pseudo::ReadWrite => is_writable(tree, id),
        Pseudo::ReadOnly => !is_writable(tree, id),
        Pseudo::PlaceholderShown => shows_placeholder(tree, id),
        Pseudo::InRange => is_limited(tree, id) && !input_ranges::is_outside(tree, id, &input_type(tree, id)),
        Pseudo::OutOfRange => is_limited(tree, id) && input_ranges::is_outside(tree, id, &input_type(tree, id)),
        Pseudo::Checked | Pseudo::Default | Pseudo::Indeterminate => false,
        Pseudo::Empty | Pseudo::Root | Pseudo::Never => false,
    }
}

/// Returns the matching elements, for pseudo-classes that depend on other elements. `None` for all other
/// pseudo-classes.
pub(super) fn matching_elements(tree: &Tree, pseudo: Pseudo) -> Option<Vec<Id>> {
    match pseudo {
        Pseudo::Checked => Some(checked_elements(tree)),
        Pseudo::Default => Some(default_elements(tree)),
        Pseudo::Indeterminate => Some(indeterminate_elements(tree)),
        _ => None,
    }
}

/// Returns whether a name is that of a custom element: it contains a dash, and it is not the name of an element of SVG
/// or MathML.
fn is_custom(name: &str) -> bool {
    const RESERVED_NAMES: [&str; 8] = [
        "annotation-xml",
        "color-profile",
        "font-face",
        "font-face-src",
        "font-face-uri",
        "font-face-format",
        "font-face-name",
        "missing-glyph",
    ];
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.contains('-') && !RESERVED_NAMES.contains(&name)
}

/// Returns the type of an `input`, in lower case.
pub(super) fn input_type(tree: &Tree, id: Id) -> Cow<'_, str> {
    tree.attribute_value(id, "type").map_or(Cow::Borrowed("text"), |kind| Cow::Owned(kind.to_ascii_lowercase()))
}

fn is_input(tree: &Tree, id: Id, kinds: &[&str]) -> bool {
    tree.is_html_element(id, Name::INPUT) && kinds.contains(&input_type(tree, id).as_ref())
}

fn can_be_disabled(name: Name) -> bool {
    matches!(
        name,
        Name::BUTTON | Name::INPUT | Name::SELECT | Name::TEXTAREA | Name::OPTGROUP | Name::OPTION | Name::FIELDSET
    )
}

fn is_disabled(tree: &Tree, id: Id) -> bool {
    if tree.has_attribute(id, "disabled") {
        return true;
    }
    match tree.element(id).name {
        Name::OPTGROUP => false,
        Name::OPTION => tree.parent(id).is_some_and(|parent| {
            tree.is_html_element(parent, Name::OPTGROUP) && tree.has_attribute(parent, "disabled")
        }),
        _ => in_disabled_fieldset(tree, id),
    }
}

/// Returns whether the element is in a disabled `fieldset`, except in its first `legend`.
fn in_disabled_fieldset(tree: &Tree, id: Id) -> bool {
    let mut below = id;
    for above in tree.self_and_ancestors(id).skip(1) {
        if tree.is_html_element(above, Name::FIELDSET) && tree.has_attribute(above, "disabled") {
            let legend = tree.children(above).find(|child| tree.is_html_element(*child, Name::LEGEND));
            if legend != Some(below) {
                return true;
            }
        }
        below = above;
    }
    false
}

fn is_required(tree: &Tree, id: Id) -> bool {
    const NEVER: [&str; 7] = ["hidden", "range", "color", "submit", "image", "reset", "button"];
    match tree.element(id).name {
        Name::SELECT | Name::TEXTAREA => tree.has_attribute(id, "required"),
        Name::INPUT => tree.has_attribute(id, "required") && !is_input(tree, id, &NEVER),
        _ => false,
    }
}

/// Types of `input` that do not accept text.
const NOT_WRITABLE: [&str; 10] =
    ["hidden", "range", "color", "checkbox", "radio", "file", "submit", "image", "reset", "button"];

fn is_writable(tree: &Tree, id: Id) -> bool {
    let field = match tree.element(id).name {
        Name::TEXTAREA => true,
        Name::INPUT if !is_input(tree, id, &NOT_WRITABLE) => true,
        Name::INPUT => return false,
        _ => false,
    };
    if field {
        return !tree.has_attribute(id, "readonly") && !is_disabled(tree, id);
    }
    let editable = tree.self_and_ancestors(id).find_map(|id| tree.attribute_value(id, "contenteditable"));
    editable.is_some_and(|value| !value.eq_ignore_ascii_case("false"))
}

fn shows_placeholder(tree: &Tree, id: Id) -> bool {
    const NEVER: [&str; 15] = [
        "hidden",
        "range",
        "color",
        "checkbox",
        "radio",
        "file",
        "submit",
        "image",
        "reset",
        "button",
        "date",
        "month",
        "week",
        "time",
        "datetime-local",
    ];
    let empty = match tree.element(id).name {
        Name::TEXTAREA => matches!(crate::text::text_content(tree, id).as_str(), "" | "\n"),
        Name::INPUT if !is_input(tree, id, &NEVER) => {
            tree.attribute_value(id, "value").is_none_or(|value| value.is_empty())
        }
        _ => return false,
    };
    empty && tree.has_attribute(id, "placeholder")
}

/// Returns whether the value of the element is limited to a range: the element is validated, and it has a minimum or a
/// maximum.
fn is_limited(tree: &Tree, id: Id) -> bool {
    const KINDS: [&str; 7] = ["number", "range", "date", "month", "week", "time", "datetime-local"];
    let limited = || is_input(tree, id, &["range"]) || input_ranges::has_limits(tree, id, &input_type(tree, id));
    let barred = || {
        tree.has_attribute(id, "readonly")
            || is_disabled(tree, id)
            || tree.self_and_ancestors(id).any(|id| tree.is_html_element(id, Name::DATALIST))
    };
    is_input(tree, id, &KINDS) && limited() && !barred()
}

fn checked_elements(tree: &Tree) -> Vec<Id> {
    let mut found = Vec::new();
    for id in 0..tree.element_count() {
        match tree.element(id).name {
            Name::INPUT if is_input(tree, id, &["checkbox", "radio"]) && tree.has_attribute(id, "checked") => {
                found.push(id)
            }
            Name::SELECT if tree.is_html_element(id, Name::SELECT) => found.extend(selected_options(tree, id)),
            // An option outside a `select` depends only on its own attribute.
            Name::OPTION
                if tree.is_html_element(id, Name::OPTION)
                    && tree.has_attribute(id, "selected")
                    && !is_in_list(tree, id) =>
            {
                found.push(id);
            }
            _ => {}
        }
    }
    found
}

fn is_in_list(tree: &Tree, id: Id) -> bool {
    tree.self_and_ancestors(id).any(|above| tree.is_html_element(above, Name::SELECT))
}

/// Returns the options of a `select` that are shown as selected.
fn selected_options(tree: &Tree, select: Id) -> Vec<Id> {
    let options: Vec<Id> = tree.descendants(select).filter(|id| tree.is_html_element(*id, Name::OPTION)).collect();
    let mut selected: Vec<Id> = options.iter().copied().filter(|id| tree.has_attribute(*id, "selected")).collect();
    if tree.has_attribute(select, "multiple") {
        return selected;
    }
    if let Some(last) = selected.pop() {
        return vec![last];
    }
    let size = tree.attribute_value(select, "size").and_then(|size| size.trim().parse::<u32>().ok()).unwrap_or(1);
    let first = options.into_iter().find(|id| !is_disabled(tree, *id));
    first.into_iter().filter(|_| size <= 1).collect()
}

/// Returns the form that an element belongs to.
fn form_owner(tree: &Tree, id: Id, forms: &BTreeMap<String, Id>) -> Option<Id> {
    match tree.attribute_value(id, "form") {
        Some(form) => forms.get(form.as_ref()).copied(),
        None => tree.self_and_ancestors(id).find(|above| tree.is_html_element(*above, Name::FORM)),
    }
}

fn forms_by_id(tree: &Tree) -> BTreeMap<String, Id> {
    let mut forms = BTreeMap::new();
    for id in (0..tree.element_count()).filter(|id| tree.is_html_element(*id, Name::FORM)) {
        if let Some(name) = tree.attribute_value(id, "id") {
            forms.entry(name.into_owned()).or_insert(id);
        }
    }
    forms
}

fn default_elements(tree: &Tree) -> Vec<Id> {
    let forms = forms_by_id(tree);
    let mut with_button = BTreeSet::new();
    let is_default = |id: &Id| {
        let id = *id;
        let button = match tree.element(id).name {
            Name::INPUT if is_input(tree, id, &["checkbox", "radio"]) => return tree.has_attribute(id, "checked"),
            Name::OPTION => return tree.is_html_element(id, Name::OPTION) && tree.has_attribute(id, "selected"),
            Name::INPUT => is_input(tree, id, &["submit", "image"]),
            Name::BUTTON => !matches!(input_type(tree, id).as_ref(), "reset" | "button"),
            _ => false,
        };
        button && form_owner(tree, id, &forms).is_some_and(|form| with_button.insert(form))
    };
    (0..tree.element_count()).filter(is_default).collect()
}

fn indeterminate_elements(tree: &Tree) -> Vec<Id> {
    let forms = forms_by_id(tree);
    let group = |id: Id| {
        let name = tree.attribute_value(id, "name").unwrap_or_default();
        // A radio button without a name is alone in its group.
        let alone = if name.is_empty() { Some(id) } else { None };
        (form_owner(tree, id, &forms), name.into_owned(), alone)
    };
    let radios = || (0..tree.element_count()).filter(|id| is_input(tree, *id, &["radio"]));
    let decided: BTreeSet<_> = radios().filter(|id| tree.has_attribute(*id, "checked")).map(group).collect();
    let mut found: Vec<Id> = radios().filter(|id| !decided.contains(&group(*id))).collect();
    found.extend(
        (0..tree.element_count())
            .filter(|id| tree.is_html_element(*id, Name::PROGRESS) && !tree.has_attribute(*id, "value")),
    );
    found
}
