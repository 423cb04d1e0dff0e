//! Component files: `.vue`, `.svelte` and `.astro`. Their scripts are one module, which is parsed with everything else
//! blanked out, so that every byte keeps its offset. `component_code` adds the code of the template. The rest is not
//! parsed: names and paths in it are only found as words.

use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_span::SourceType;

use crate::syntax::{component_code, dialect};

/// A kind of component file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Vue,
    Svelte,
    /// Has its script between lines of `---` at the start. Each `script` element has a separate scope.
    Astro,
}

pub(crate) fn kind_of(path: &str) -> Option<Kind> {
    let (_, extension) = path.rsplit_once('.')?;
    match extension.to_ascii_lowercase().as_str() {
        "vue" => Some(Kind::Vue),
        "svelte" => Some(Kind::Svelte),
        "astro" => Some(Kind::Astro),
        _ => None,
    }
}

/// Returns whether a path is that of a component file.
pub(crate) fn is_component(path: &str) -> bool {
    kind_of(path).is_some()
}

/// The text to parse for a component file.
pub(crate) struct ComponentText {
    /// The scripts, with everything else blanked out, so that the text has the same length.
    pub(crate) script: String,
    pub(crate) grammar: SourceType,
    template: Template,
}

/// The template of a component.
pub(super) struct Template {
    pub(super) kind: Kind,
    pub(super) parts: Vec<Range<usize>>,
    /// True if the names of the script are visible in the template, as with `<script setup>`.
    pub(super) is_setup: bool,
    /// Start of the first script.
    pub(super) script_start: usize,
    pub(super) styles: Vec<Range<usize>>,
    /// True if a script or a template is in a language that the pack does not read.
    is_foreign: bool,
}

impl ComponentText {
    /// Adds the code of the template to the program of the scripts. Returns whether all of it could be read.
    pub(crate) fn add_template<'a>(&self, arena: &'a Allocator, text: &str, program: &mut Program<'a>) -> bool {
        component_code::add_template(arena, &self.template, text, program) && !self.template.is_foreign
    }
}

/// Returns the text to parse for a component file. `None` for other files.
pub(crate) fn component_text(path: &str, text: &str) -> Option<ComponentText> {
    let kind = kind_of(path)?;
    let parts = parts_of(kind, text);
    let mut read: Vec<u8> = text.bytes().map(|byte| if matches!(byte, b'\n' | b'\r') { byte } else { b' ' }).collect();
    for script in &parts.scripts {
        read[script.clone()].copy_from_slice(&text.as_bytes()[script.clone()]);
    }
    let template = Template {
        kind,
        parts: parts.templates,
        is_setup: parts.is_setup || parts.scripts.is_empty(),
        script_start: parts.scripts.first().map_or(0, |script| script.start),
        styles: parts.styles,
        is_foreign: parts.is_foreign,
    };
    // Whole characters were copied, and the rest is ASCII.
    Some(ComponentText { script: String::from_utf8(read).ok()?, grammar: parts.grammar, template })
}

/// Returns the scripts of a component file. `None` for other files.
pub(crate) fn scripts_of(path: &str, text: &str) -> Option<Vec<Range<usize>>> {
    kind_of(path).map(|kind| parts_of(kind, text).scripts)
}

/// The template and the styles of a component.
pub(crate) struct ComponentOutline {
    pub(crate) templates: Vec<Range<usize>>,
    pub(crate) styles: Vec<Range<usize>>,
    /// Values of `src` of the blocks of a Vue component: files that have their content.
    pub(crate) sources: Vec<Range<usize>>,
}

/// Returns the template and the styles of a component file. `None` for other files.
pub(crate) fn outline_of(path: &str, text: &str) -> Option<ComponentOutline> {
    let parts = parts_of(kind_of(path)?, text);
    Some(ComponentOutline { templates: parts.templates, styles: parts.styles, sources: parts.sources })
}

/// Returns the language of the style whose content starts at an offset; `None` for one that no pack reads.
pub(crate) fn style_language(text: &str, start: usize) -> Option<&'static str> {
    let tag = &text[text[..start].rfind('<')?..start];
    match attribute(tag, "lang").unwrap_or("css") {
        "css" | "postcss" => Some("css"),
        "scss" => Some("scss"),
        "less" => Some("less"),
        _ => None,
    }
}

/// Language of the markup of component files. The name of the file shows the framework.
pub(crate) const MARKUP_LANGUAGE: &str = "component-html";

/// Returns other forms of a name that a component file may contain: `base-card` of a component `BaseCard`, `$count` of a
/// store.
pub(crate) fn other_forms(path: &str, name: &str) -> Vec<String> {
    match kind_of(path) {
        Some(Kind::Vue) => {
            let kebab = kebab_case(name);
            if kebab == name { Vec::new() } else { vec![kebab] }
        }
        Some(Kind::Svelte) => vec![format!("${name}")],
        Some(Kind::Astro) | None => Vec::new(),
    }
}

pub(crate) use component_code::camel_case;

/// Returns the name as templates write it: `user-name` for `userName`.
pub(crate) fn kebab_case(name: &str) -> String {
    let mut kebab = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !kebab.is_empty() {
            kebab.push('-');
        }
        kebab.push(c.to_ascii_lowercase());
    }
    kebab
}

/// The parts of a component file that are read.
#[derive(Default)]
struct Parts {
    scripts: Vec<Range<usize>>,
    templates: Vec<Range<usize>>,
    /// The grammar of all scripts: they are one module.
    grammar: SourceType,
    is_setup: bool,
    styles: Vec<Range<usize>>,
    /// Values of `src` of the blocks of a Vue component.
    sources: Vec<Range<usize>>,
    is_foreign: bool,
}

fn parts_of(kind: Kind, text: &str) -> Parts {
    match kind {
        Kind::Astro => {
            let script = frontmatter(text);
            let body =
                script.as_ref().map_or(0, |script| script.end + text[script.end..].find('\n').map_or(0, |end| end + 1));
            let (templates, styles) = templates_and_styles(text, body);
            Parts {
                scripts: script.into_iter().collect(),
                templates,
                grammar: SourceType::ts().with_module(true),
                is_setup: true,
                styles,
                sources: Vec::new(),
                is_foreign: false,
            }
        }
        Kind::Vue | Kind::Svelte => elements(kind, text),
    }
}

/// Returns the part between the lines of `---` at the start of a text.
fn frontmatter(text: &str) -> Option<Range<usize>> {
    let open = text.len() - text.trim_start().len();
    let start = open + text[open..].strip_prefix("---")?.find('\n').map(|end| "---".len() + end + 1)?;
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some(start..at);
        }
        at += line.len();
    }
    None
}

/// Returns the parts of a text that are not in a script or a style, and the styles.
fn templates_and_styles(text: &str, from: usize) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let (mut parts, mut styles) = (Vec::new(), Vec::new());
    let (mut at, mut outside) = (from, from);
    while let Some(open) = text[at..].find('<').map(|open| at + open) {
        if text[open..].starts_with("<!--") {
            at = text[open..].find("-->").map_or(text.len(), |end| open + end);
            continue;
        }
        at = open + 1;
        let Some(name) = ["script", "style"].iter().find(|name| is_tag(&text[at..], name)) else { continue };
        let Some(head) = tag_end(&text[at..]).map(|end| at + end) else { break };
        parts.push(outside..open);
        at = head;
        if !text[open..head].ends_with("/>") {
            at = closing_tag(&text[head..], name).map_or(text.len(), |end| head + end);
            styles.extend((*name == "style").then_some(head..at));
        }
        outside = at;
    }
    parts.push(outside..text.len());
    (parts, styles)
}

/// Returns the contents of `script` elements with code, of templates and of styles.
fn elements(kind: Kind, text: &str) -> Parts {
    let mut parts = Parts { grammar: SourceType::mjs().with_jsx(true), ..Parts::default() };
    let (mut at, mut outside) = (0, 0);
    while let Some(open) = text[at..].find('<').map(|open| at + open) {
        if text[open..].starts_with("<!--") {
            at = text[open..].find("-->").map_or(text.len(), |end| open + end);
            continue;
        }
        at = open + 1;
        let names: &[&str] = if kind == Kind::Vue { &["script", "style", "template"] } else { &["script", "style"] };
        let Some(name) = names.iter().find(|name| is_tag(&text[at..], name)) else { continue };
        let Some(head) = tag_end(&text[at..]).map(|end| at..at + end) else { break };
        if let Some(source) = attribute(&text[head.clone()], "src").filter(|_| kind == Kind::Vue) {
            let start = source.as_ptr() as usize - text.as_ptr() as usize;
            parts.sources.push(start..start + source.len());
        }
        if text[head.clone()].trim_end_matches('>').ends_with('/') {
            at = head.end;
            continue;
        }
        let end = match *name {
            // Templates can be nested.
            "template" => text[head.end..].rfind("</template").map_or(text.len(), |end| head.end + end),
            name => closing_tag(&text[head.end..], name).map_or(text.len(), |end| head.end + end),
        };
        match *name {
            "script" => {
                if let Some(own) = grammar_of(&text[head.clone()]) {
                    parts.scripts.push(head.end..end);
                    parts.is_setup |= has_attribute(&text[head.clone()], "setup");
                    if own.is_typescript() {
                        parts.grammar = own;
                    }
                } else {
                    parts.is_foreign = true;
                }
            }
            "template" if attribute(&text[head.clone()], "lang").is_none_or(|lang| lang == "html") => {
                parts.templates.push(head.end..end);
            }
            "template" => parts.is_foreign = true,
            "style" => parts.styles.push(head.end..end),
            _ => {}
        }
        if kind == Kind::Svelte {
            parts.templates.push(outside..open);
            outside = end;
        }
        at = end;
    }
    if kind == Kind::Svelte {
        parts.templates.push(outside..text.len());
    }
    parts
}

/// Returns whether a text starts with the name of a tag.
fn is_tag(text: &str, name: &str) -> bool {
    text.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
        && text[name.len()..].starts_with(|c: char| c.is_ascii_whitespace() || matches!(c, '>' | '/'))
}

/// Returns the offset after the `>` that ends a tag.
fn tag_end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at + 1),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if byte == open => quote = None,
            _ => {}
        }
    }
    None
}

/// Returns the offset of the tag that closes an element whose content is not markup.
fn closing_tag(text: &str, name: &str) -> Option<usize> {
    text.match_indices("</").map(|(at, _)| at).find(|at| is_tag(&text[at + 2..], name))
}

/// Returns the value of an attribute in a tag.
fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    tag.match_indices(name).find_map(|(at, _)| {
        let value = tag[at + name.len()..].trim_start().strip_prefix('=')?.trim_start();
        let is_whole = tag[..at].ends_with(|c: char| c.is_ascii_whitespace());
        is_whole.then(|| match value.chars().next() {
            Some(quote @ ('"' | '\'')) => value[1..].split(quote).next().unwrap_or_default(),
            _ => value.split(|c: char| c.is_ascii_whitespace() || c == '>').next().unwrap_or_default(),
        })
    })
}

/// Returns whether a tag has an attribute, with or without a value.
fn has_attribute(tag: &str, name: &str) -> bool {
    tag.split(|c: char| c.is_ascii_whitespace() || matches!(c, '>' | '=')).any(|word| word == name)
}

/// Returns the grammar of a script, by its attributes. `None` if it is not a script that the pack reads.
fn grammar_of(tag: &str) -> Option<SourceType> {
    let kind = attribute(tag, "type").unwrap_or_default();
    let is_code = kind.is_empty() || kind == "module" || kind.ends_with("javascript") || kind.ends_with("typescript");
    let extension = match attribute(tag, "lang").unwrap_or_default() {
        "" if kind.ends_with("typescript") => "mts",
        "" | "js" | "javascript" | "jsx" => "mjs",
        "ts" | "typescript" => "mts",
        "tsx" => "tsx",
        _ => return None,
    };
    is_code.then(|| dialect::source_type(&format!("script.{extension}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str, text: &str) -> String {
        let component = component_text(path, text).expect("a component");
        assert_eq!(component.script.len(), text.len());
        let parts: Vec<&str> = component.script.split_whitespace().collect();
        format!("{}{}", if component.grammar.is_typescript() { "ts: " } else { "" }, parts.join(" "))
    }

    #[test]
    fn scripts_are_read_and_the_rest_is_blank() {
        let vue = "<template><p>{{ a }}</p></template>\n<script setup lang=\"ts\">\nconst a = 1\n</script>\n<style>\n.a {}\n</style>\n";
        assert_eq!(read("a.vue", vue), "ts: const a = 1");
        assert_eq!(read("A.VUE", "<script>\na\n</script>\n<script setup lang='ts'>b</script>"), "ts: a b");
        assert_eq!(read("a.svelte", "<script context=\"module\">a</script><script lang=ts>b</script>é<p/>"), "ts: a b");
        assert_eq!(read("a.svelte", "<!-- <script>a</script> --><script generics=\"T > 1\">b"), "b");
        assert_eq!(read("a.vue", "<style><script></style><script src=\"./a.js\"/><SCRIPT>a</SCRIPT>"), "a");
        assert_eq!(
            read("a.vue", "<script type=\"application/json\">{}</script><script lang=\"coffee\">a</script>"),
            ""
        );
        assert_eq!(read("a.vue", "<scripts>a</scripts><script"), "");
        assert_eq!(read("a.vue", "<script data-lang=\"ts\">a</script>"), "a");
    }

    #[test]
    fn frontmatter_of_astro_is_read() {
        assert_eq!(
            read("a.astro", "---\nimport A from './a'\n---\n<A /><script>b</script>"),
            "ts: import A from './a'"
        );
        assert_eq!(read("a.astro", "\n---ts\r\na\r\n---\r\n---"), "ts: a");
        assert_eq!(read("a.astro", "<p>---</p>"), "ts: ");
        assert_eq!(read("a.astro", "---\nopen"), "ts: ");
    }

    #[test]
    fn other_files_are_not_components() {
        assert!(
            component_text("a.ts", "").is_none() && component_text("vue", "").is_none() && !is_component("a.vue.ts")
        );
    }
}
