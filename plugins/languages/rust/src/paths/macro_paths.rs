//! Paths in the arguments of macros: names with `::` between them, as code or in strings.

use marquetry_code::{Arena, NodeIndex};
use marquetry_sdk::Span;

use super::{Path, Segment};
use crate::{kinds::K, modules::modules_around};

/// Finds the paths in the arguments of macros and attributes.
pub(super) fn collect(arena: &Arena) -> Vec<Path> {
    let text = &arena.text;
    let mut found: Vec<Path> = Vec::new();
    let mut run: Vec<Segment> = Vec::new();
    let mut close = |run: &mut Vec<Segment>, node: NodeIndex| {
        let segments = std::mem::take(run);
        let Some(first) = segments.first().filter(|_| segments.len() > 1) else { return };
        // `$name` is a parameter of the macro, `$crate` is the crate that declares the macro, and `#name` is a variable
        // in `quote!`.
        if first.name == "crate" || !text[..first.span.range().start].ends_with(['$', '#']) {
            found.push(Path::in_code(segments, node, modules_around(arena, node)));
        }
    };
    let mut last = 0;
    for (node, own) in arena.nodes().filter(|(_, node)| node.kind == K::MACRO_TOKEN.into()) {
        let word = own.span.slice(text);
        if let Some(content) = word.strip_prefix('"').and_then(|word| word.strip_suffix('"')) {
            close(&mut run, last);
            run = in_string(content, own.span.start + 1);
            close(&mut run, node);
            continue;
        }
        if !is_name(word) {
            continue;
        }
        let follows = run.last().is_some_and(|before| {
            text.get(before.span.range().end..own.span.range().start).is_some_and(|between| between.trim() == "::")
        });
        if !follows {
            close(&mut run, last);
        }
        run.push(Segment { name: word.to_owned(), span: own.span });
        last = node;
    }
    close(&mut run, last);
    found
}

/// The segments of a string that consists of a path.
fn in_string(content: &str, start: u32) -> Vec<Segment> {
    let mut found = Vec::new();
    let mut at = start;
    for name in content.split("::") {
        if !is_name(name) {
            return Vec::new();
        }
        let end = at + name.len() as u32;
        found.push(Segment { name: name.to_owned(), span: Span { start: at, end } });
        at = end + 2;
    }
    found
}

/// Returns whether a text is a single name or keyword.
fn is_name(word: &str) -> bool {
    let bare = word.strip_prefix("r#").unwrap_or(word);
    bare.starts_with(|c: char| c.is_alphabetic() || c == '_') && bare.chars().all(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use marquetry_sdk::testing;

    use super::{super::Paths, Path};
    use crate::Rust;

    #[test]
    fn paths_in_macros_are_found() {
        let check = |text: &str, expected: &[&str]| {
            let paths = Paths::new(testing::open::<Rust>("a.rs", text).document().arena()).in_macros;
            let shown = |path: &Path| {
                let names: Vec<&str> = path.segments.iter().map(|segment| segment.span.slice(text)).collect();
                names.join(" ")
            };
            assert_eq!(paths.iter().map(shown).collect::<Vec<_>>(), expected, "{text}");
        };
        check("m!(a::b, c, super :: d::e(f::g));", &["a b", "super d e", "f g"]);
        check("quote!(#a::b c::d);", &["c d"]);
        check("#[serde(with = \"crate::a\", default = \"b\")]\nstruct A;\n", &["crate a"]);
        check("macro_rules! m { ($a:path) => { $crate::b::c($a::d, e.f) } }\n", &["crate b c"]);
    }
}
