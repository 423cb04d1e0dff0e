//! Edits between brackets: elements of arrays, and members of inline tables.

use std::{borrow::Cow, collections::BTreeMap};

use marquetry_jsonpath::Tree;
use marquetry_sdk::{
    Edit, FailureKind, Position, Result, Span, fail,
    items::{EmptyStyle, HASH, Items, NewItem, sorted_index},
    lines,
};

use crate::{
    comments,
    content::{self, NewEntry},
    edit::Editor,
    table::{Id, Kind},
};

impl Editor<'_> {
    /// Returns the items between the brackets in text order. Each value of a dotted key is a separate item.
    pub(crate) fn bracket_items(&self, container: Id) -> Vec<Id> {
        let mut items: Vec<Id> = self.source.items(container).collect();
        items.sort_by_key(|id| self.source.table.node(*id).entry_start);
        items
    }

    pub(crate) fn items(&self, container: Id) -> Items<'_> {
        let source = self.source;
        let inner = source.body(container).unwrap_or(source.span(container));
        let mut gap = inner.range().start;
        let item = |id: Id| {
            let node = source.table.node(id);
            let (start, end) = (node.entry_start as usize, node.end as usize);
            let doc = comments::attached_comments(source.text, gap, start);
            gap = end;
            Span::new(doc.map_or(start, |doc| doc.range().start), end)
        };
        let items = self.bracket_items(container).into_iter().map(item).collect();
        Items {
            text: source.text,
            inner,
            items,
            separator: ",",
            terminated: false,
            comments: HASH,
            unit: &self.unit,
            empty: if source.kind_of(container) == Kind::InlineTable {
                self.empty_brace_style()
            } else {
                EmptyStyle::Tight
            },
            breaks: 1,
        }
    }

    /// Returns how to write a pair of braces that is filled. The style is that of the first inline table of the file,
    /// by default with spaces.
    fn empty_brace_style(&self) -> EmptyStyle {
        let source = self.source;
        let filled = (0..source.table.len())
            .find(|id| source.kind_of(*id) == Kind::InlineTable && source.table.node(*id).count > 0);
        let tight = filled.is_some_and(|id| !source.raw(id)[1..].starts_with(char::is_whitespace));
        if tight { EmptyStyle::Tight } else { EmptyStyle::Padded }
    }

    /// Parses the content as items of the container.
    pub(crate) fn parse_entries(&self, container: Id, content: &str) -> Result<Vec<NewEntry>> {
        let force = self.options.force;
        let pieces = if self.source.kind_of(container) == Kind::Array {
            content::parse_elements(content, force)?
        } else {
            content::parse_members(content, force)?
        };
        let own = self.bracket_items(container);
        let in_lines =
            own.iter().all(|id| lines::starts_line(self.text(), self.source.table.node(*id).entry_start as usize));
        let alone = !in_lines || own.is_empty();
        let is_array = self.source.kind_of(container) == Kind::Array;
        let ends_open = |piece: &NewEntry| piece.ends_with_comment && !is_array;
        if !force && pieces.iter().any(|piece| ends_open(piece) || (alone && piece.has_comments)) {
            return Err(fail(FailureKind::InvalidArgument, "a comment would comment out what follows it on this line")
                .hint("leave out the comment, or put each value on its own line first"));
        }
        Ok(pieces)
    }

    /// Joins entries so that they can be inserted together into the container.
    pub(crate) fn join_entries(&self, items: &Items<'_>, pieces: &[NewEntry]) -> String {
        let indent = items.indent();
        let block = !items.items.is_empty() && items.in_block();
        let at = if block { indent.as_str() } else { self.indent(items.inner.range().start) };
        let texts: Vec<String> =
            pieces.iter().map(|piece| piece.reindented(at, self.detected_unit.as_deref())).collect();
        if block { texts.join(&format!(",\n{indent}")) } else { texts.join(", ") }
    }

    fn insert_pieces(&self, items: &Items<'_>, index: usize, pieces: &[NewEntry]) -> Vec<Edit> {
        let text = self.join_entries(items, pieces);
        let is_table = self.text()[..items.inner.range().start].ends_with('{');
        if is_table && items.items.is_empty() && items.inner.slice(self.text()).trim().is_empty() {
            // Braces stay on one line, because line breaks in them are allowed only since TOML 1.1.
            return vec![Edit::new(items.inner, padded(&text, items.empty))];
        }
        let comments = comments_after(pieces, &self.piece_indent(items));
        items.insert(index, NewItem { text: &text, comments: &comments })
    }

    fn piece_indent(&self, items: &Items<'_>) -> String {
        match items.items.is_empty() || items.in_block() {
            true => items.indent(),
            false => format!("{}{}", self.indent(items.inner.range().start), self.unit),
        }
    }

    /// Inserts a comment after a value between brackets, at the end of its line.
    pub(crate) fn insert_comment_after(&self, container: Id, end: usize, comment: &str) -> Result<Edit> {
        if self.source.kind_of(container) == Kind::InlineTable && !self.options.force {
            return Err(fail(FailureKind::InvalidArgument, "a comment would comment out what follows it on this line")
                .hint("leave out the comment, or write the table with a header"));
        }
        Ok(self.items(container).insert_comments_after(end, comment))
    }

    pub(crate) fn insert_into_brackets(&self, container: Id, content: &str, position: Position) -> Result<Vec<Edit>> {
        let pieces = self.parse_entries(container, content)?;
        self.refuse_existing_keys(container, &pieces)?;
        let items = self.items(container);
        let mut at: BTreeMap<usize, Vec<NewEntry>> = BTreeMap::new();
        for piece in pieces {
            let index = match position {
                Position::First => 0,
                Position::Last => items.items.len(),
                Position::Sorted => self.sorted_index(container, &piece),
            };
            at.entry(index).or_default().push(piece);
        }
        let edits = at.into_iter().flat_map(|(index, mut pieces)| {
            if position == Position::Sorted {
                pieces.sort_by_cached_key(|piece| (piece.names.join(".").to_lowercase(), piece.names.clone()));
            }
            self.insert_pieces(&items, index, &pieces)
        });
        Ok(edits.collect())
    }

    /// Inserts items before the child with this index.
    pub(crate) fn insert_before_in_brackets(&self, container: Id, index: usize, content: &str) -> Result<Vec<Edit>> {
        let pieces = self.parse_entries(container, content)?;
        self.refuse_existing_keys(container, &pieces)?;
        let items = self.items(container);
        let child = self.source.table.children(container).nth(index);
        let own = self.bracket_items(container);
        let index = child.map_or(own.len(), |child| own.iter().position(|id| *id >= child).unwrap_or(own.len()));
        Ok(self.insert_pieces(&items, index, &pieces))
    }

    /// Deletes the children with these ids. A child may have several parts, because dotted keys can add to it.
    pub(crate) fn delete_in_brackets(&self, container: Id, children: &[Id]) -> Vec<Edit> {
        let gone = |id: &Id| children.iter().any(|child| self.source.table.subtree(*child).contains(id));
        let own = self.bracket_items(container);
        let indices: Vec<usize> = (0..own.len()).filter(|index| gone(&own[*index])).collect();
        match self.source.body(container) {
            Some(body) if indices.len() == own.len() && !body.slice(self.text()).contains(['#', '\n']) => {
                vec![Edit::remove(body)]
            }
            _ => self.items(container).delete(&indices),
        }
    }

    /// Replaces everything between the brackets.
    pub(crate) fn replace_bracket_body(&self, container: Id, body: Span, content: &str) -> Result<Vec<Edit>> {
        if content.trim().is_empty() {
            return Ok(vec![Edit::remove(body)]);
        }
        let pieces = self.parse_entries(container, content)?;
        let old = self.items(container);
        let block = old.in_block() || content.trim().contains('\n');
        let is_array = self.source.kind_of(container) == Kind::Array;
        let empty = if block && is_array { EmptyStyle::Block } else { old.empty };
        let items = Items { inner: Span::at(body.range().start), items: Vec::new(), empty, ..self.items(container) };
        let text = if block && is_array {
            let indent = items.indent();
            let texts = pieces.iter().map(|piece| piece.reindented(&indent, self.detected_unit.as_deref()));
            // If each item is on a separate line, the last one also gets a comma, as formatters write it.
            texts.collect::<Vec<_>>().join(&format!(",\n{indent}")) + ","
        } else {
            self.join_entries(&items, &pieces)
        };
        if !is_array && !body.slice(self.text()).contains('\n') {
            return Ok(vec![Edit::new(body, padded(&text, items.empty))]);
        }
        let comments = comments_after(&pieces, &items.indent());
        let new = NewItem { text: &text, comments: &comments };
        Ok(items.insert(0, new).into_iter().map(|edit| Edit::new(body, edit.text)).collect())
    }

    /// Returns the index at which a new entry is inserted. Members are sorted by key, and elements by value.
    fn sorted_index(&self, container: Id, piece: &NewEntry) -> usize {
        let source = self.source;
        let own = self.bracket_items(container);
        if source.kind_of(container) == Kind::InlineTable {
            let depth = source.header_path(container).len();
            let keys: Vec<String> = own.iter().map(|id| source.header_path(*id)[depth..].join(".")).collect();
            return sorted_index(keys.iter().map(String::as_str), &piece.names.join("."));
        }
        if let Ok(number) = piece.text.replace('_', "").parse::<f64>() {
            return own.iter().position(|id| source.number(*id) > number).unwrap_or(own.len());
        }
        let values: Vec<Cow<'_, str>> = own.iter().map(|id| source.text(*id)).collect();
        sorted_index(values.iter().map(AsRef::as_ref), &crate::scalar::decode_string(&piece.text))
    }
}

/// Returns the comments after the last of the entries, with this indentation.
fn comments_after(pieces: &[NewEntry], indent: &str) -> String {
    let comments = pieces.last().map_or("", |piece| &piece.comments);
    let line = |(number, line): (usize, &str)| match number {
        0 => line.trim_end().to_owned(),
        _ => format!("{indent}{}", line.trim()),
    };
    comments.lines().enumerate().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns the members of an inline table with the white space inside of its braces.
fn padded(text: &str, style: EmptyStyle) -> String {
    if style == EmptyStyle::Padded { format!(" {text} ") } else { text.to_owned() }
}
