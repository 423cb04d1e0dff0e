//! Entries and sections as lists of lines.

use marquetry_sdk::{
    Edit, Span,
    items::{EmptyStyle, HASH, Items},
    lines,
};

use crate::{comments, content::ContentLines, edit::Editor};

/// The position of new sections: before or after the section with this index.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SectionPosition {
    Before(usize),
    After(usize),
}

impl Editor<'_> {
    /// Returns the entries of a section.
    pub(crate) fn entry_items(&self, section: usize) -> Items<'_> {
        let (source, table) = (self.source, self.source.table);
        let own = &table.sections[section];
        let from =
            if section == 0 { own.header_end as usize } else { lines::next_line(source.text, own.header_end as usize) };
        let item = |index: usize| {
            let entry = &table.entries[index];
            let start = entry.start as usize;
            let doc = comments::attached_comments(source.text, table.previous_end(start), start);
            Span::new(doc.map_or(start, |doc| doc.range().start), entry.end as usize)
        };
        let to = lines::next_line(source.text, own.end as usize).max(from);
        self.line_items(Span::new(from, to), table.entries_of(section).map(item).collect(), 1)
    }

    /// Returns the sections of the file, without the lines above the first header.
    pub(crate) fn section_items(&self) -> Items<'_> {
        let (source, table) = (self.source, self.source.table);
        let item = |section: &crate::table::Section| {
            let start = section.start as usize;
            let doc = comments::attached_comments(source.text, table.previous_end(start), start);
            Span::new(doc.map_or(start, |doc| doc.range().start), (section.end as usize).max(start))
        };
        let start = table.sections[0].start as usize;
        self.line_items(Span::new(start, source.text.len()), table.sections[1..].iter().map(item).collect(), 2)
    }

    fn line_items(&self, inner: Span, items: Vec<Span>, breaks: usize) -> Items<'_> {
        Items {
            text: self.source.text,
            inner,
            items,
            separator: "",
            terminated: false,
            comments: HASH,
            unit: "",
            empty: EmptyStyle::Block,
            breaks,
        }
    }

    /// Inserts entries in a section, before the entry with this index in the section.
    pub(crate) fn insert_entries(&self, section: usize, index: usize, content: &str) -> Vec<Edit> {
        let items = self.entry_items(section);
        if !items.items.is_empty() {
            return insert_lines(&items, index, content);
        }
        let (text, table) = (self.source.text, self.source.table);
        if section > 0 {
            let head = self.source.header_line_end(section);
            let indent = self.entry_indent(section);
            let content = ContentLines::indent_text(content, indent);
            return vec![Edit::insert(head, format!("\n{indent}{content}"))];
        }
        // Insert above the first header. In a file without headers, insert the first entry.
        match self.section_items().items.first() {
            Some(next) => vec![Edit::insert(next.range().start, format!("{content}\n\n"))],
            None => {
                let end = table.sections[0].end as usize;
                let rest = &text[end..];
                let closing = if rest.contains(['\n', '\r']) { "" } else { "\n" };
                let glue = if end > table.sections[0].start as usize { "\n" } else { "" };
                vec![Edit::insert(end, format!("{glue}{content}{closing}"))]
            }
        }
    }

    /// Returns the indentation for entries of an empty section. It is that of the nearest section that has entries.
    fn entry_indent(&self, section: usize) -> &str {
        let (text, table) = (self.source.text, self.source.table);
        let near = (1..table.sections.len()).filter(|other| !table.entries_of(*other).is_empty());
        let near = near.min_by_key(|other| other.abs_diff(section));
        let inner = near.map_or(0, |other| {
            let entry = &table.entries[table.entries_of(other).start];
            let head = lines::indent_at(text, table.sections[other].start as usize).len();
            lines::indent_at(text, entry.start as usize).len().saturating_sub(head)
        });
        let own = lines::indent_at(text, table.sections[section].start as usize);
        match near {
            Some(other) if inner > 0 => {
                lines::indent_at(text, table.entries[table.entries_of(other).start].start as usize)
            }
            _ => own,
        }
    }

    /// Inserts sections before or after another section. If the file has no sections, inserts them at its end.
    pub(crate) fn insert_sections(&self, beside: SectionPosition, content: &str) -> Vec<Edit> {
        let (text, table) = (self.source.text, self.source.table);
        let items = self.section_items();
        match beside {
            SectionPosition::Before(next) if next > 0 && next <= items.items.len() => {
                insert_lines(&items, next - 1, content)
            }
            SectionPosition::After(last) if last > 0 && last <= items.items.len() => {
                // Use the same number of blank lines as before the section that follows now.
                let end = items.items[last - 1].range().end;
                let gap = |next: &Span| text[end..next.range().start].matches('\n').count();
                let breaks = items.items.get(last).map_or(items.breaks, gap).max(1);
                let mut above = Items { breaks, ..items };
                above.items.drain(..last - 1);
                above.items.truncate(1);
                insert_lines(&above, usize::MAX, content)
            }
            _ if !items.items.is_empty() => insert_lines(&items, 0, content),
            _ => {
                let end = table.sections[0].end as usize;
                let glue = if end > table.sections[0].start as usize { "\n\n" } else { "" };
                let closing = if text[end..].contains(['\n', '\r']) { "" } else { "\n" };
                vec![Edit::insert(end, format!("{glue}{content}{closing}"))]
            }
        }
    }

    /// Deletes sections and entries, together with their comments.
    pub(crate) fn delete_lines(&self, sections: &[usize], entries: &[usize]) -> Vec<Edit> {
        let table = self.source.table;
        let indices: Vec<usize> = sections.iter().map(|section| section - 1).collect();
        let mut edits = self.section_items().delete(&indices);
        let mut rest = entries;
        while let Some(first) = rest.first() {
            let section = table.section_of(*first);
            let own = table.entries_of(section);
            let count = rest.iter().take_while(|index| own.contains(index)).count().max(1);
            let (here, after) = rest.split_at(count);
            rest = after;
            if sections.binary_search(&section).is_err() {
                let indices: Vec<usize> = here.iter().map(|index| index - own.start).collect();
                edits.extend(self.entry_items(section).delete(&indices));
            }
        }
        edits
    }
}

/// Inserts lines among items that are lines.
pub(crate) fn insert_lines(items: &Items<'_>, index: usize, content: &str) -> Vec<Edit> {
    let content = ContentLines::indent_text(content, &items.indent());
    if items.in_block() {
        return items.insert(index, &content);
    }
    // An item does not start its line, because a byte order mark or malformed text precedes it.
    vec![match items.items.get(index) {
        Some(next) => Edit::insert(next.range().start, format!("{content}\n")),
        None => {
            let end = items.items.last().map_or(items.inner.range().end, |last| last.range().end);
            Edit::insert(lines::line_end(items.text, end), format!("\n{content}"))
        }
    }]
}
