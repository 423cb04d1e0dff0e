//! Operations on entries and sections. They change the value of an entry, or insert and delete whole lines.

use std::borrow::Cow;

use marquetry_sdk::{
    Diagnostic, Edit, EditOptions, Failure, FailureKind, Insertion, NodeId, Operation, Position, Result, Severity,
    Wrapper, fail, indent,
    items::sorted_index,
    lines,
    span::{apply, apply_within},
};

use crate::{
    dialect::Continuation,
    document::{PropertiesDocument, TOP_ADDRESS, item_path},
    keys,
    parse::{Item, line_start, parse},
};

/// Returns the edits of one operation on all the nodes, sorted.
pub(crate) fn edit(
    document: &PropertiesDocument,
    nodes: &[NodeId],
    operation: &Operation,
    options: EditOptions,
) -> Result<Vec<Edit>> {
    let mut all: Vec<Edit> = Vec::new();
    for node in nodes {
        let (index, item) = document.item(*node)?;
        let editor = Editor { document, index, item };
        if let Operation::Replace(content) = operation
            && !options.force
        {
            editor.refuse_lost_entries(content)?;
        }
        let edits = editor.edit(operation)?;
        if !options.force && !edits.is_empty() {
            editor.verify(operation, &edits)?;
        }
        all.extend(edits);
    }
    all.sort_by_key(|edit| edit.span.start);
    if all.windows(2).any(|pair| pair[0].span.end > pair[1].span.start) {
        return Err(Failure::unsupported("one of the targets is inside another")
            .hint("edit either the section or the entries in it"));
    }
    Ok(all)
}

/// Returns the edits that create a missing entry at the end of its section.
pub(crate) fn insert_missing(document: &PropertiesDocument, wanted: &str, content: &str) -> Result<Vec<Edit>> {
    let items = document.items();
    let key_in = |section: usize| wanted.strip_prefix(items[section].name.as_str())?.strip_prefix('.');
    let sections = (1..items.len()).filter(|index| items[*index].is_section() && key_in(*index).is_some());
    // If the file has both `[a]` and `[a.b]`, `a.b.c` belongs to the longer one.
    let section = sections.max_by_key(|index| items[*index].name.len());
    let index = section.unwrap_or(0);
    let namesakes = items.iter().filter(|item| item.is_section() && item.name == items[index].name).count();
    if namesakes > 1 || (section.is_none() && document.dialect().sections && wanted.contains('.')) {
        let message = format!("it is not clear which section `{wanted}` belongs to");
        return Err(fail(FailureKind::InvalidTarget, message)
            .hint("use `insert_into` with a section as its target, or `.` for the entries above the first section"));
    }
    if let Some(key) = document.numbered_key(wanted) {
        let count = document.items_named(key).len();
        let message = format!("`{wanted}` is the address of one of several `{key}`, and the file has {count}");
        return Err(fail(FailureKind::InvalidTarget, message)
            .hint(format!("use `insert_after` with the target `{key}`, and `force`, to add a key a second time")));
    }
    let editor = Editor { document, index, item: &items[index] };
    let (key, content) = (section.and_then(key_in).unwrap_or(wanted), content.trim());
    let made = |key: &str, path: &str| {
        let line = format!("{key}{}{content}", editor.separator_style());
        let edits = vec![editor.insert_into(&line, Position::Last)];
        let after = apply(editor.text(), &edits);
        let parsed = parse(&after, document.dialect());
        let is_right = parsed_values(&after, &parsed.items).contains(&(Cow::Borrowed(path), content));
        (line, edits, is_right)
    };
    let (mut line, mut edits, mut is_right) = made(key, wanted);
    if let Some(escaped) = keys::escaped_key(key, document.dialect()).filter(|_| !is_right) {
        (line, edits, is_right) = made(&escaped, &escaped);
    }
    if !is_right {
        return Err(fail(FailureKind::InvalidArgument, format!("`{line}` would not be parsed as this key and value"))
            .hint(
                "quote or continue the value as the format requires, and give the key as it is written in the file",
            ));
    }
    editor.verify(&Operation::InsertInto(Insertion { content: line, position: Position::Last }), &edits)?;
    Ok(edits)
}

struct Editor<'d> {
    document: &'d PropertiesDocument,
    index: usize,
    item: &'d Item,
}

impl Editor<'_> {
    fn edit(&self, operation: &Operation) -> Result<Vec<Edit>> {
        let (item, section) = (self.item, self.item.is_section());
        let edit = match operation {
            Operation::ReplaceBody(content) if item.inner.slice(self.text()) == content => return Ok(Vec::new()),
            Operation::Replace(content) if section && (self.index == 0 || self.has_header(content)) => {
                self.replace_section(content)
            }
            // If the content is empty, delete the header too, not only the entries of the section.
            Operation::Replace(content) if section && content.trim().is_empty() => Edit::remove(item.whole),
            Operation::Replace(content) | Operation::ReplaceBody(content) if section && item.value.is_empty() => {
                self.insert_into(content, Position::Last)
            }
            Operation::Replace(content) if section => Edit::new(item.value, trim_line_breaks(content)),
            Operation::Replace(content) => Edit::new(item.value, self.with_separator(self.value_of_content(content))),
            Operation::ReplaceBody(content) if section => Edit::new(item.value, trim_line_breaks(content)),
            Operation::ReplaceBody(content) => Edit::new(item.inner, self.with_separator(trim_line_breaks(content))),
            // The entries above the first section have no header, so text inserted before or after them becomes one of
            // them.
            Operation::InsertBefore(content) if self.index == 0 => self.insert_into(content, Position::First),
            Operation::InsertAfter(content) if self.index == 0 => self.insert_into(content, Position::Last),
            Operation::InsertBefore(content) => self.insert_before(self.index, content),
            Operation::InsertAfter(content) => self.insert_after(self.index, content),
            Operation::InsertInto(Insertion { content, position }) if section => self.insert_into(content, *position),
            Operation::InsertInto(_) => {
                return Err(Failure::unsupported("cannot insert into a value")
                    .hint("use `insert_before` or `insert_after`, or `insert_into` on the section"));
            }
            Operation::Wrap(_) if section => {
                return Err(Failure::unsupported("a section cannot be wrapped").hint("wrap a value instead"));
            }
            Operation::Wrap(Wrapper { before, after }) => {
                let value = item.value.slice(self.text());
                Edit::new(item.value, self.with_separator(&format!("{before}{value}{after}")))
            }
            Operation::Delete if self.index == 0 && item.value.is_empty() => {
                return Err(fail(FailureKind::TargetNotFound, "there are no entries above the first section")
                    .hint("name a section or an entry"));
            }
            Operation::Delete => self.delete(),
        };
        Ok(vec![edit])
    }

    fn text(&self) -> &str {
        marquetry_sdk::Document::text(self.document)
    }

    /// Returns the value in the content. If the content repeats the key, this is the part after the key; otherwise, all
    /// of it.
    fn value_of_content<'c>(&self, content: &'c str) -> &'c str {
        let content = content.trim();
        match parse(content, self.document.dialect()).items.as_slice() {
            [_, entry]
                if entry.name == self.item.name
                    && entry.whole.len() == content.len()
                    && content[..entry.value.range().start].trim_end().ends_with(['=', ':']) =>
            {
                entry.value.slice(content)
            }
            _ => content,
        }
    }

    /// Adds the separator if the entry has none. If the first value of an entry follows ` =`, adds a space.
    fn with_separator(&self, value: &str) -> String {
        if !self.item.value.is_empty() || value.is_empty() {
            return value.to_owned();
        }
        let before = &self.text()[self.item.whole.range().start..self.item.value.range().start];
        let separators = self.document.dialect().separators;
        match before.strip_suffix(separators) {
            Some(key) if key.ends_with([' ', '\t']) && !before.ends_with([' ', '\t']) => format!(" {value}"),
            Some(_) => value.to_owned(),
            None if before.trim_end().ends_with(separators) => value.to_owned(),
            None => format!("{}{value}", separators[0]),
        }
    }

    /// Returns the text between the key and the value of the section's last entry. If the section has no entries, uses
    /// the last entry of the file.
    fn separator_style(&self) -> &str {
        let items = self.document.items();
        let entry = self.section_entries().next_back().or_else(|| items.iter().rposition(|item| !item.is_section()));
        let written = entry.and_then(|index| {
            let entry = &items[index];
            let before = &self.text()[entry.whole.range().start..entry.value.range().start];
            Some(&before[before.rfind(&entry.name)? + entry.name.len()..])
        });
        written.filter(|written| !written.is_empty() && !written.contains(['\n', '\r'])).unwrap_or("=")
    }

    fn section_entries(&self) -> impl DoubleEndedIterator<Item = usize> {
        let items = self.document.items();
        (1..items.len()).filter(move |index| items[*index].section == Some(self.index))
    }

    /// Replaces a section with its header. Entries above the first section have no header.
    fn replace_section(&self, content: &str) -> Edit {
        if self.index == 0 && self.item.value.is_empty() {
            return self.insert_into(content, Position::Last);
        }
        Edit::new(self.item.whole, trim_line_breaks(content))
    }

    /// Returns whether the content has the header of a section.
    fn has_header(&self, content: &str) -> bool {
        parse(content, self.document.dialect()).items.iter().skip(1).any(Item::is_section)
    }

    fn insert_into(&self, content: &str, position: Position) -> Edit {
        let items = self.document.items();
        let keys: Vec<usize> = self.section_entries().collect();
        let before = match position {
            Position::First => keys.first(),
            Position::Last => None,
            Position::Sorted => {
                let parsed = parse(content, self.document.dialect());
                let key = parsed.items.get(1).map_or("", |item| item.name.as_str());
                keys.get(sorted_index(keys.iter().map(|index| items[*index].name.as_str()), key))
            }
        };
        match (before, keys.last()) {
            (Some(next), _) => self.insert_before(*next, content),
            (None, Some(last)) => self.insert_after(*last, content),
            (None, None) if self.index > 0 => self.insert_below(self.item.whole.range().end, trim_line_breaks(content)),
            // The first item has no entries: insert above the first section, or at the end of a file without
            // sections.
            (None, None) if items.len() > 1 => self.insert_before(1, content),
            (None, None) => self.insert_below(self.text().len(), trim_line_breaks(content)),
        }
    }

    fn insert_before(&self, index: usize, content: &str) -> Edit {
        let item = &self.document.items()[index];
        let start = item.doc.unwrap_or(item.whole).range().start;
        let gap = if item.is_section() { "\n" } else { "" };
        let content = self.indent_like(item, content);
        Edit::insert(line_start(self.text(), start), format!("{content}\n{gap}"))
    }

    fn insert_after(&self, index: usize, content: &str) -> Edit {
        let item = &self.document.items()[index];
        let gap = if item.is_section() { "\n" } else { "" };
        self.insert_below(item.whole.range().end, &format!("{gap}{}", self.indent_like(item, content)))
    }

    /// Inserts lines below the line of an offset.
    fn insert_below(&self, offset: usize, content: &str) -> Edit {
        let end = lines::line_end(self.text(), offset);
        match lines::next_line(self.text(), end) {
            next if next > end || lines::line_start(self.text(), end) == end => {
                Edit::insert(next, format!("{content}\n"))
            }
            // The last line has no line break, so the new last line gets none either.
            next => Edit::insert(next, format!("\n{content}")),
        }
    }

    /// Refuses content that would destroy the entries of a section, such as a comment or a value, or that would add
    /// entries to the section before it.
    fn refuse_lost_entries(&self, content: &str) -> Result<()> {
        if !self.item.is_section() || content.trim().is_empty() {
            return Ok(());
        }
        let name = if self.index == 0 { Cow::Borrowed(TOP_ADDRESS) } else { self.document.address(self.index) };
        let parsed = parse(content, self.document.dialect());
        if self.has_header(content) {
            if self.index == 0 || parsed.items.get(1).is_none_or(Item::is_section) {
                return Ok(());
            }
            return Err(fail(
                FailureKind::InvalidArgument,
                format!("entries above the first header would not belong to `{name}`"),
            )
            .hint(format!("begin with `[{}]`, or give only the entries", self.item.name)));
        }
        let own: Vec<&Item> = self.section_entries().map(|index| &self.document.items()[index]).collect();
        let may_be_bare = own.iter().any(|entry| entry.is_bare());
        if own.is_empty() || parsed.items.iter().any(|entry| !entry.is_section() && (may_be_bare || !entry.is_bare())) {
            return Ok(());
        }
        let line = content.trim().lines().next().unwrap_or_default();
        Err(fail(
            FailureKind::InvalidArgument,
            format!("`{line}` is not an entry, and would replace all entries of `{name}`"),
        )
        .hint("give the entries as `key = value`, with or without the header; `force` writes it anyway"))
    }

    /// Indents the content like its neighbour.
    fn indent_like(&self, neighbour: &Item, content: &str) -> String {
        let content = trim_line_breaks(content);
        match lines::indent_at(self.text(), neighbour.whole.range().start) {
            "" => content.to_owned(),
            indent => format!("{indent}{}", indent::reindent(content, indent, |_| false)),
        }
    }

    /// Deletes whole lines and the comment above them. If there are blank lines on both sides, deletes one of them.
    fn delete(&self) -> Edit {
        let (text, item) = (self.text(), self.item);
        let start = line_start(text, item.doc.unwrap_or(item.whole).range().start);
        let end = lines::next_line(text, item.whole.range().end);
        let is_blank = |line: usize| text[line..lines::line_end(text, line)].trim().is_empty();
        let above = lines::previous_line(text, start);
        let after_blank = above.is_none_or(is_blank);
        match above {
            _ if after_blank && end < text.len() && is_blank(end) => Edit::remove(start..lines::next_line(text, end)),
            Some(above) if after_blank && end == text.len() => Edit::remove(above..end),
            _ => Edit::remove(start..end),
        }
    }

    /// Parses the text after the edits and checks that it has the intended values. Refuses content that would be parsed
    /// differently, such as a line break in a value.
    fn verify(&self, operation: &Operation, edits: &[Edit]) -> Result<()> {
        let after = apply(self.text(), edits);
        let parsed = parse(&after, self.document.dialect());
        let (old, new) = (parsed_values(self.text(), self.document.items()), parsed_values(&after, &parsed.items));
        let known = |key: &str| old.iter().any(|(old, _)| old == key);
        for (key, _) in new.iter().filter(|(key, _)| !known(key)) {
            keys::check_new_key(key, self.document.dialect())?;
        }
        let own = self.index..self.section_entries().next_back().unwrap_or(self.index) + 1;
        let (before, rest) = (&old[..own.start], &old[own.end..]);
        let others_stay = new.len() >= before.len() + rest.len() && new.starts_with(before) && new.ends_with(rest);
        let own_left = (new.len() + own.len()).saturating_sub(old.len());
        let ok = match operation {
            Operation::InsertBefore(_) | Operation::InsertAfter(_) | Operation::InsertInto(_) => {
                let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
                let added = new.len().saturating_sub(old.len());
                self.refuse_existing_keys(&new[same..same + added])?;
                new.len() >= old.len() && old[same..] == new[same + added..]
            }
            // The first item, for the entries above the first section, exists even without such entries.
            Operation::Delete => others_stay && own_left == usize::from(self.index == 0),
            _ if self.item.is_section() => others_stay,
            _ => others_stay && own_left == 1 && self.has_new_value(edits, &new[self.index]),
        };
        if ok && count_errors(&parsed.problems) <= count_errors(&marquetry_sdk::Document::diagnostics(self.document)) {
            return Ok(());
        }
        let hint = match self.document.dialect().continuation {
            Continuation::None => "a value is one line, and ` #` or ` ;` starts a comment; `force` writes it anyway",
            Continuation::Quotes => "put the value in quotes; `force` writes it anyway",
            Continuation::Backslash => "end each line of a value but the last with `\\`; `force` writes it anyway",
            Continuation::Indentation => {
                "indent each line of a value but the first deeper than the key; `force` writes it anyway"
            }
        };
        Err(fail(FailureKind::InvalidArgument, "in the file, the content would get another meaning").hint(hint))
    }

    /// Returns whether the entry still has its path, and the value that was written.
    fn has_new_value(&self, edits: &[Edit], (key, value): &(Cow<'_, str>, &str)) -> bool {
        let written = apply_within(self.text(), self.item.value.range(), edits);
        let written = if self.item.value.is_empty() { written.trim_start_matches(['=', ' ']) } else { &written };
        // Parsers of `.env` disagree about a `#` in an unquoted value: some end the value at any `#`, others only at
        // one after a space.
        let unsure = self.document.dialect().continuation == Continuation::Quotes
            && written.contains('#')
            && !written.starts_with(['"', '\'', '`']);
        *key == item_path(self.document.items(), self.index) && *value == written && !unsure
    }

    fn refuse_existing_keys(&self, added: &[(Cow<'_, str>, &str)]) -> Result<()> {
        let known = parsed_values(self.text(), self.document.items());
        for (key, _) in added {
            if let Some(index) = known.iter().skip(1).position(|(known, _)| known == key) {
                let address = self.document.address(index + 1).into_owned();
                return Err(fail(FailureKind::InvalidArgument, format!("`{key}` already exists"))
                    .hint("replace its value, or add it a second time with `force`")
                    .candidates([address]));
            }
        }
        Ok(())
    }
}

fn count_errors(problems: &[Diagnostic]) -> usize {
    problems.iter().filter(|problem| problem.severity == Severity::Error).count()
}

/// Removes the line breaks around the content.
fn trim_line_breaks(content: &str) -> &str {
    content.trim_matches(['\n', '\r'])
}

/// Returns the path and the value of each item.
fn parsed_values<'t>(text: &'t str, items: &'t [Item]) -> Vec<(Cow<'t, str>, &'t str)> {
    let value = |item: &Item| if item.is_section() { "" } else { item.value.slice(text) };
    items.iter().enumerate().map(|(index, item)| (item_path(items, index), value(item))).collect()
}
