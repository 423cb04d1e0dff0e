//! Names that MDX imports, and the elements that use them. A renamed import is changed to `import { New as Old }` if
//! something other than elements may use the name. The rest of the file then keeps its meaning.

use std::{collections::HashSet, ops::Range};

use marquetry_sdk::{Edit, ImportKey, Span, lines, urls};

use crate::blocks::{InlineKind, Kind};
use crate::document::MarkdownDocument;
use crate::{js, tag};

/// A name that this file imports.
pub(super) struct Import {
    imported: js::Taken,
    /// Start of the block that contains the import.
    start: usize,
}

impl Import {
    pub(super) fn span(&self) -> Span {
        Span::new(self.start + self.imported.span.start, self.start + self.imported.span.end)
    }
}

impl MarkdownDocument {
    /// Returns the imports and re-exports of a name of another file.
    pub(super) fn imports_of(&self, key: &ImportKey) -> Vec<Import> {
        if !self.is_mdx {
            return Vec::new();
        }
        let mut found = Vec::new();
        for block in self.tree().blocks.iter().filter(|block| matches!(block.kind, Kind::Import | Kind::Export)) {
            let start = block.span.range().start;
            let all = js::taken(block.span.slice(&self.text)).into_iter();
            let meant = all.filter(|taken| taken.name == key.name && key.specifiers.contains(&taken.specifier));
            found.extend(meant.map(|taken| Import { imported: taken, start }));
        }
        found
    }

    /// Returns the edits that rename an imported name.
    pub(super) fn renamed_imports(&self, imports: &[Import], new_name: &str) -> Vec<Edit> {
        let mut edits = Vec::new();
        for import in imports {
            let name = import.imported.name.as_str();
            let span = import.span();
            if !import.imported.is_shorthand {
                edits.push(Edit::new(span, new_name));
                continue;
            }
            match self.component_tags(import, name).filter(|_| import.imported.is_import && self.is_free_name(new_name))
            {
                Some(places) => {
                    edits.push(Edit::new(span, new_name));
                    edits.extend(places.into_iter().map(|place| Edit::new(place, new_name)));
                }
                None => edits.push(Edit::new(span, format!("{new_name} as {name}"))),
            }
        }
        edits.sort_by_key(|edit| edit.span.start);
        edits.dedup();
        edits
    }

    /// Returns the positions where the file may use the name through a namespace import, or re-exports the namespace.
    pub(super) fn namespace_uses(&self, key: &ImportKey) -> Vec<Span> {
        let mut found = Vec::new();
        for block in self.tree().blocks.iter().filter(|block| matches!(block.kind, Kind::Import | Kind::Export)) {
            let start = block.span.range().start;
            for (specifier, local, place) in js::wholes(block.span.slice(&self.text)) {
                match local {
                    _ if !key.specifiers.contains(&specifier) => {}
                    Some(local) => {
                        let of_whole = |at: &usize| self.text[..*at].ends_with(&format!("{local}."));
                        let uses = word_offsets(&self.text, &key.name).filter(of_whole);
                        found.extend(uses.map(|at| Span::new(at, at + key.name.len())));
                    }
                    None => found.push(Span::new(start + place.start, start + place.end)),
                }
            }
        }
        found.sort_by_key(|span| span.start);
        found
    }

    /// Returns the positions where code of the file may use an imported name under its local name.
    pub(super) fn possible_uses(&self, key: &ImportKey) -> Vec<Span> {
        let mut found = Vec::new();
        let blocks = || self.tree().blocks.iter().filter(|block| block.kind == Kind::Import);
        let code = self.block_ranges(|kind| matches!(kind, Kind::Code | Kind::Import));
        let modules = self.block_ranges(|kind| matches!(kind, Kind::Export | Kind::Expression));
        let tags = self.tree().inlines.iter().filter(|inline| inline.kind == InlineKind::Html);
        let tags: Vec<Range<usize>> = tags.map(|inline| inline.span.range()).collect();
        for (specifier, name, local) in blocks().flat_map(|block| js::locals(block.span.slice(&self.text))) {
            if name != key.name || !key.specifiers.contains(&specifier) {
                continue;
            }
            let may_be_it = |at: &usize| {
                !contains_offset(&code, *at)
                    && (contains_offset(&modules, *at) || contains_offset(&tags, *at) || self.may_be_code(*at))
            };
            found.extend(word_offsets(&self.text, &local).filter(may_be_it).map(|at| Span::new(at, at + local.len())));
        }
        found
    }

    /// Returns whether an element can have this name, and the file does not contain the name yet.
    fn is_free_name(&self, name: &str) -> bool {
        name.starts_with(char::is_uppercase) && word_offsets(&self.text, name).next().is_none()
    }

    /// Returns the positions of the name in the tags of a component, or `None` if anything else in the file may use the
    /// name.
    pub(super) fn component_tags(&self, import: &Import, name: &str) -> Option<Vec<Span>> {
        if !self.tree().problems.is_empty() {
            return None;
        }
        let mut places = Vec::new();
        let mut tags = Vec::new();
        let mut open = 0_usize;
        for inline in self.tree().inlines.iter().filter(|inline| inline.kind == InlineKind::Html) {
            let source = inline.span.slice(&self.text);
            tags.push(inline.span.range());
            if tag::tag_name(source).split('.').next() != Some(name) {
                continue;
            }
            let at = inline.span.range().start + source.find(name)?;
            places.push(Span::new(at, at + name.len()));
            open += usize::from(!tag::is_self_closing(source));
        }
        let opened: HashSet<usize> = places.iter().map(|place| place.range().start).collect();
        let code = self.block_ranges(|kind| kind == Kind::Code);
        let modules = self.block_ranges(|kind| matches!(kind, Kind::Import | Kind::Export | Kind::Expression));
        let mut known = self.module_specifiers();
        known.push(import.span().range());
        let is_known = |at: &usize| known.iter().any(|range| range.contains(at));
        for at in word_offsets(&self.text, name).filter(|at| !is_known(at) && !contains_offset(&code, *at)) {
            if opened.contains(&at) {
                continue;
            }
            if self.text[..at].trim_end().ends_with("</") {
                places.push(Span::new(at, at + name.len()));
                open = open.checked_sub(1)?;
            } else if contains_offset(&tags, at) || contains_offset(&modules, at) || self.may_be_code(at) {
                return None;
            }
        }
        (open == 0).then_some(places)
    }

    /// Returns the ranges of the blocks of the wanted kinds.
    fn block_ranges(&self, wanted: impl Fn(Kind) -> bool) -> Vec<Range<usize>> {
        let blocks = self.tree().blocks.iter().filter(|block| wanted(block.kind));
        blocks.map(|block| block.span.range()).collect()
    }

    /// Returns the specifiers in imports and exports.
    fn module_specifiers(&self) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        for block in self.tree().blocks.iter().filter(|block| matches!(block.kind, Kind::Import | Kind::Export)) {
            let start = block.span.range().start;
            let modules = js::modules(block.span.slice(&self.text)).into_iter().flatten();
            let specifiers = modules.filter_map(|module| module.specifier);
            found.extend(specifiers.map(|range| start + range.start..start + range.end));
        }
        found
    }

    /// Returns whether the lines of text around an offset contain an expression.
    fn may_be_code(&self, at: usize) -> bool {
        // An expression within a paragraph never contains a blank line, so only the lines up to the next blank lines
        // count.
        let is_empty = |line: &&str| line.trim().is_empty();
        let before = self.text[..at].lines().rev().skip(1).take_while(|line| !is_empty(line));
        let behind = self.text[at..].lines().skip(1).take_while(|line| !is_empty(line));
        let start = lines::line_start(&self.text, at);
        let own = &self.text[start..lines::line_end(&self.text, at)];
        before.chain(behind).chain([own]).any(|line| line.contains('{'))
    }
}

/// Returns whether one of the sorted, disjoint ranges contains the offset.
fn contains_offset(ranges: &[Range<usize>], at: usize) -> bool {
    let next = ranges.partition_point(|range| range.start <= at);
    next > 0 && ranges[next - 1].contains(&at)
}

/// Returns the offsets of a name as a word in a text.
fn word_offsets<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let alone = move |at: &usize| !text[..*at].ends_with(part) && !text[at + name.len()..].starts_with(part);
    text.match_indices(name).map(|(at, _)| at).filter(alone)
}

/// Kind of the names in another file. It is determined by the links to that file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OtherNames {
    /// Headings with generated anchors.
    Pages,
    /// Ids, as in SVG and XML files.
    Ids,
    /// Names that MDX imports.
    Code,
}

impl MarkdownDocument {
    /// Returns the kind of the names that a key imports from other files into this one.
    pub(super) fn other_names(&self, key: &ImportKey) -> OtherNames {
        let is_ids = |specifier: &String| {
            let path = urls::split(specifier).0.to_ascii_lowercase();
            path.ends_with(".svg") || path.ends_with(".xml")
        };
        let imports = || {
            let written = |range: Range<usize>| key.specifiers.iter().any(|known| *known == self.text[range.clone()]);
            self.module_specifiers().into_iter().any(written)
        };
        match () {
            () if key.specifiers.iter().all(is_ids) => OtherNames::Ids,
            () if self.is_mdx && imports() => OtherNames::Code,
            () => OtherNames::Pages,
        }
    }
}
