//! Operations inside of flow collections, `[…]` and `{…}`.

use marquetry_sdk::{
    Edit, Result, Span,
    items::{EmptyStyle, HASH, Items, NewItem},
};

use crate::{
    content::{Content, NewEntry, dedent_rest, indent_rest},
    edit::{Editor, Location},
    placement::Keep,
    table::{Id, Kind},
};

impl Editor<'_> {
    /// Replaces a value inside of brackets.
    pub(crate) fn replace_in_flow(&self, place: &Location<'_>, content: &Content, keep: Keep) -> Result<Vec<Edit>> {
        let (source, margin) = (self.source, self.flow_min_indent(place.id));
        let mut span = source.span(place.id);
        if keep == Keep::Nothing {
            span.start = source.start(place.id) as u32;
        }
        let above: String = content.comments_above().iter().map(|comment| format!("{comment}\n")).collect();
        let new = indent_rest(&dedent_rest(&format!("{above}{}", content.to_flow()?)), margin);
        let at = span.range().start;
        let edit = match place.key {
            Some(key) if span.is_empty() && source.colon_end(key).is_none_or(|colon| colon > at) => {
                Edit::insert(source.end(key), format!(": {new}"))
            }
            _ if !span.is_empty() => Edit::new(span, new),
            _ if source.text[at..].starts_with(' ') => Edit::insert(at + 1, new),
            _ => Edit::insert(at, format!(" {new}")),
        };
        let comments = content.comments_after();
        let (Some(parent), false) = (self.parent(place), comments.is_empty()) else { return Ok(vec![edit]) };
        let lines: Vec<&str> = comments.lines().map(str::trim).collect();
        let comments = format!(" {}", lines.join("\n"));
        let behind = self.items(parent).insert_comments_after(edit.span.range().end, &comments);
        Ok(vec![edit, with_margin(behind, margin)])
    }

    /// Inserts entries into a flow collection.
    pub(crate) fn insert_in_flow(&self, collection: Id, index: usize, pieces: &[NewEntry]) -> Vec<Edit> {
        let (text, comments) = self.join_entries(collection, pieces);
        let edits = self.items(collection).insert(index, NewItem { text: &text, comments: &comments });
        let margin = self.flow_min_indent(collection);
        edits.into_iter().map(|edit| with_margin(edit, margin)).collect()
    }

    /// Replaces everything between brackets by entries.
    pub(crate) fn replace_in_brackets(&self, collection: Id, body: Span, pieces: &[NewEntry]) -> Vec<Edit> {
        let items = Items { inner: Span::at(body.range().start), items: Vec::new(), ..self.items(collection) };
        let (text, comments) = self.join_entries(collection, pieces);
        let filled = items.insert(0, NewItem { text: &text, comments: &comments });
        let margin = self.flow_min_indent(collection);
        filled.into_iter().map(|edit| with_margin(Edit::new(body, edit.text), margin)).collect()
    }

    /// Replaces null inside of brackets by a mapping that contains the content.
    pub(crate) fn fill_null_in_flow(&self, place: &Location<'_>, content: &str) -> Result<Vec<Edit>> {
        let pieces = self.parse_flow_entries(Kind::FlowMapping, content)?;
        let (text, comments) = self.join_entries(place.id, &pieces);
        let end = if comments.is_empty() { "" } else { "\n" };
        let parsed = self.parse_content(&format!("{{{text}{comments}{end}}}"))?;
        self.replace_value(place, &parsed)
    }

    pub(crate) fn parse_flow_entries(&self, kind: Kind, content: &str) -> Result<Vec<NewEntry>> {
        let (open, close) = if kind.is_mapping() { ('{', '}') } else { ('[', ']') };
        // For flow collections, try to parse the content inside brackets first.
        let content = content.trim().trim_end_matches(',');
        let bracketed = format!("{open} {content}\n{close}");
        match Content::parse(&bracketed, false) {
            Ok(whole) if whole.kind() == kind && (kind.is_mapping() || !content.starts_with("- ")) => {
                if !kind.is_mapping() || !content.starts_with('{') {
                    return Ok(whole.entries_in_brackets());
                }
                let inner = self.parse_content(content)?;
                match inner.kind() {
                    Kind::FlowMapping if inner.properties().is_empty() => Ok(inner.entries_in_brackets()),
                    _ => inner.flow_entries(true),
                }
            }
            _ => self.parse_content(content)?.flow_entries(kind.is_mapping()),
        }
    }

    /// Returns the indentation that the lines of a flow collection get. It depends on the block collection around it.
    pub(crate) fn flow_min_indent(&self, id: Id) -> usize {
        let source = self.source;
        let (mut at, mut column) = (source.root_id(), None);
        loop {
            if source.kind_of(at).is_block_collection() {
                column = Some(source.entry_column(at));
            }
            let mut inside = source.table.children(at);
            match inside.find(|child| marquetry_jsonpath::ValueTable::subtree_end(&source, *child) > id) {
                Some(next) if next < id => at = next,
                _ => return column.map_or(0, |column| column + self.style.unit()),
            }
        }
    }

    /// Joins entries so that they can be inserted together inside flow brackets. Returns them, and the comments after the
    /// last one.
    fn join_entries(&self, collection: Id, pieces: &[NewEntry]) -> (String, String) {
        let margin = self.flow_min_indent(collection);
        let texts: Vec<String> = pieces.iter().map(|piece| indent_rest(&dedent_rest(&piece.text), margin)).collect();
        (texts.join(", "), pieces.last().map_or(String::new(), |piece| piece.comments.clone()))
    }

    /// Returns the items of a flow collection.
    pub(crate) fn items(&self, collection: Id) -> Items<'_> {
        let source = self.source;
        let padded = self.source.text.contains("{ ");
        Items {
            text: self.source.text,
            inner: source.bracket_body(collection).unwrap_or(source.span(collection)),
            items: source
                .entries_of(collection)
                .iter()
                .map(|entry| Span { start: entry.start_with_comment() as u32, ..entry.span })
                .collect(),
            separator: ",",
            terminated: false,
            comments: HASH,
            unit: "  ",
            empty: if source.kind_of(collection).is_mapping() && padded {
                EmptyStyle::Padded
            } else {
                EmptyStyle::Tight
            },
            breaks: 1,
        }
    }
}

/// Returns an edit whose lines, except the first one, have at least this indentation, so that they are inside the block
/// collection around the brackets.
fn with_margin(edit: Edit, margin: usize) -> Edit {
    let line = |(number, line): (usize, &str)| {
        let depth = line.len() - line.trim_start_matches(' ').len();
        if number == 0 { line.to_owned() } else { format!("{}{line}", " ".repeat(margin.saturating_sub(depth))) }
    };
    let lines: Vec<String> = edit.text.split('\n').enumerate().map(line).collect();
    Edit { text: lines.join("\n"), ..edit }
}
