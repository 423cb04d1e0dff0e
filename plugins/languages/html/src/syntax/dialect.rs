//! Dialects of markup. They differ in how tags, names, and code between tags are read.

/// A dialect of markup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Html,
    /// XHTML.
    Xml,
    /// Markup of a Vue component.
    Vue,
    /// Markup of a Svelte component.
    Svelte,
    /// Markup of an Astro component.
    Astro,
}

/// Extension of the markup of a component, after the name of its file: `App.vue.component-html`. There are no such
/// files: the pack that reads the scripts of the component opens its markup as a part with this extension.
const COMPONENT: &str = ".component-html";

/// Extensions of documents that are not HTML.
const EXTENSIONS: [(&str, Dialect); 5] = [
    ("xhtml", Dialect::Xml),
    ("xht", Dialect::Xml),
    ("vue", Dialect::Vue),
    ("svelte", Dialect::Svelte),
    ("astro", Dialect::Astro),
];

/// Prefixes of directives in Svelte that an element can have several times.
const REPEATABLE: [&str; 7] = ["animate:", "in:", "let:", "on:", "out:", "transition:", "use:"];

impl Dialect {
    /// Dialect of the document at a path.
    pub(crate) fn of_path(path: &str) -> Dialect {
        let path = path.strip_suffix(COMPONENT).unwrap_or(path);
        let extension = path.rsplit('.').next().unwrap_or_default();
        let found = EXTENSIONS.iter().find(|(known, _)| extension.eq_ignore_ascii_case(known));
        found.map_or(Dialect::Html, |(_, dialect)| *dialect)
    }

    /// Returns whether tags, raw text and character references are those of XML.
    pub(crate) fn is_xml(self) -> bool {
        self == Dialect::Xml
    }

    /// Returns whether the document is a component: its elements need end tags or `/>`, its text contains code, and
    /// markup that is not balanced is not read at all.
    pub(crate) fn is_component(self) -> bool {
        matches!(self, Dialect::Vue | Dialect::Svelte | Dialect::Astro)
    }

    /// Returns whether names of elements and attributes are case-sensitive, and `/>` closes every element.
    pub(crate) fn has_exact_names(self) -> bool {
        self != Dialect::Html
    }

    /// Returns whether code is written in single braces, also as the value of an attribute.
    pub(crate) fn has_braces(self) -> bool {
        matches!(self, Dialect::Svelte | Dialect::Astro)
    }

    /// Returns whether an element can have several attributes with this name, such as `on:click` in Svelte.
    pub(crate) fn may_repeat(self, name: &str) -> bool {
        let is_spread = || name.strip_prefix('{').is_some_and(|code| code.trim_start().starts_with(['.', '@']));
        match self {
            Dialect::Svelte => is_spread() || REPEATABLE.iter().any(|prefix| name.starts_with(prefix)),
            Dialect::Astro => is_spread(),
            Dialect::Html | Dialect::Xml | Dialect::Vue => false,
        }
    }

    /// Returns the part of an attribute's name that must be unique in an element: in Svelte, `{value}`, `value` and
    /// `bind:value` set the same attribute.
    pub(crate) fn unique_name(self, name: &str) -> &str {
        if !self.has_braces() {
            return name;
        }
        let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).map_or(name, str::trim);
        let bound = name.strip_prefix("bind:").filter(|bound| self == Dialect::Svelte && *bound != "this");
        bound.unwrap_or(name)
    }

    /// Returns whether an attribute is a directive of Svelte whose value is always code.
    pub(crate) fn is_code_directive(self, name: &str) -> bool {
        let mut prefixes = ["bind:", "class:"].iter().chain(&REPEATABLE);
        self == Dialect::Svelte && prefixes.any(|prefix| name.starts_with(prefix))
    }

    /// Returns whether an attribute is an event handler of Svelte: `onclick` of an element that is not a component.
    pub(crate) fn is_event_handler(self, element: &str, name: &str) -> bool {
        let is_component = element.contains('.') || element.starts_with(|c: char| c.is_ascii_uppercase());
        self == Dialect::Svelte && !is_component && name.len() > "on".len() && name.starts_with("on")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extension_decides_dialect() {
        let component = ["src/A.vue", "a.Svelte", "a.astro", "a.md"].map(|path| format!("{path}.component-html"));
        let paths = ["a.html", "a.XHTML"].into_iter().chain(component.iter().map(String::as_str));
        assert_eq!(
            paths.map(Dialect::of_path).collect::<Vec<_>>(),
            [Dialect::Html, Dialect::Xml, Dialect::Vue, Dialect::Svelte, Dialect::Astro, Dialect::Html]
        );
    }
}
