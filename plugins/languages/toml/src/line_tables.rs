//! Tables that consist of lines: entries below headers, and tables that dotted keys name.

use std::collections::BTreeMap;

use marquetry_sdk::{Edit, Failure, FailureKind, Position, Result, Span, fail, items::sorted_index};

use crate::{
    content::{self, ContentLines, NewEntry},
    edit::{Editor, Location},
    scalar::print_key,
    sections::{SectionPosition, insert_lines},
    table::{Id, Kind},
};

/// Formats a header, `[a.b]` or `[[a.b]]`.
pub(crate) fn format_header(path: &[String], is_element: bool) -> String {
    let (open, close) = if is_element { ("[[", "]]") } else { ("[", "]") };
    format!("{open}{}{close}", dotted_key(path))
}

/// Formats a dotted key such as `a.b`.
pub(crate) fn dotted_key(path: &[String]) -> String {
    path.iter().map(|name| print_key(name)).collect::<Vec<String>>().join(".")
}

fn empty_content_error() -> Failure {
    fail(FailureKind::InvalidArgument, "the content is empty").hint("give lines of `key = value`, or a section")
}

fn comments_not_allowed_error() -> Failure {
    fail(FailureKind::InvalidArgument, "comments are not allowed in these braces").hint("remove the comments")
}

impl Editor<'_> {
    /// Parses the content as lines; an inline table is converted to lines.
    pub(crate) fn parse_table_lines(&self, content: &str) -> Result<ContentLines> {
        if content.trim_start().starts_with('{') {
            ContentLines::from_inline_table(content)
        } else {
            ContentLines::parse(content, self.options.force)
        }
    }

    /// Replaces a table or an array of tables. If the content has no header, the header of the table is kept.
    pub(crate) fn replace_sections(&self, place: &Location<'_>, content: &str) -> Result<Vec<Edit>> {
        let (source, id) = (self.source, place.id);
        let (span, path, kind) = (source.span(id), source.header_path(id), source.kind_of(id));
        let lines = self.parse_table_lines(content)?;
        self.refuse_only_comments(place, &lines)?;
        let own = source.table.own_section(id);
        let begins = own.is_some_and(|own| source.table.sections[own].start == span.start);
        let has_top = !lines.entries().is_empty();
        if !lines.has_headers() {
            return match kind {
                _ if begins => self.replace_below_header(place, lines.text()),
                Kind::ImpliedTable if source.table.node(id).extended_by_dotted_keys => Err(fail(
                    FailureKind::InvalidArgument,
                    format!("`{}` has dotted keys in another section, so it cannot get a header", place.address),
                )
                .hint("replace its sections and keys one by one, or use `insert_into`")),
                Kind::ImpliedTable => {
                    let at = self.indent(span.range().start);
                    let text = format!("{}\n{}", format_header(&path, false), lines.text().trim());
                    Ok(vec![Edit::new(span, ContentLines::indent_text(&text, at))])
                }
                Kind::ArrayOfTables => Err(fail(FailureKind::InvalidArgument, "the content has no header").hint(
                    format!("give sections that begin with `{}`, or replace one element", format_header(&path, true)),
                )),
                _ => Err(fail(
                    FailureKind::InvalidArgument,
                    format!("parts of `{}` come before its header", place.address),
                )
                .hint("give all sections with their headers, or use `replace_body` or `insert_into`")),
            };
        }
        self.check_headers(&lines, &path, kind, has_top)?;
        if has_top && begins {
            return self.replace_below_header(place, lines.text());
        }
        if has_top && !self.options.force {
            return Err(fail(
                FailureKind::InvalidArgument,
                "keys above the first header would belong to another table",
            )
            .hint(format!("begin with `{}`", format_header(&path, kind == Kind::ArrayOfTables))));
        }
        Ok(vec![Edit::new(span, ContentLines::indent_text(lines.text().trim(), self.indent(span.range().start)))])
    }

    /// Checks that the headers of a content name this table or tables in it.
    fn check_headers(&self, lines: &ContentLines, path: &[String], kind: Kind, below_own: bool) -> Result<()> {
        if self.options.force {
            return Ok(());
        }
        let is_element = matches!(kind, Kind::ArrayElement | Kind::ArrayOfTables);
        let headers = lines.headers();
        let first = (path, is_element);
        let begins = headers.first().is_some_and(|(names, element)| (names.as_slice(), *element) == first);
        let again = headers.iter().skip(1).any(|(names, _)| names == path) && kind == Kind::ArrayElement;
        let wrong = headers.iter().find(|(names, _)| !names.starts_with(path) || (below_own && names == path));
        let wrong = wrong.or(headers.first().filter(|_| is_element && !below_own && !begins));
        match wrong {
            None if !again => Ok(()),
            _ => {
                let shown =
                    wrong.map_or_else(|| format_header(path, true), |(names, element)| format_header(names, *element));
                let own = format_header(path, is_element);
                Err(fail(FailureKind::InvalidArgument, format!("`{shown}` is not part of `{own}`"))
                    .hint(format!("give only the keys, or `{own}` with the sections below it")))
            }
        }
    }

    /// Replaces the text below a header.
    pub(crate) fn replace_below_header(&self, place: &Location<'_>, content: &str) -> Result<Vec<Edit>> {
        let (source, id) = (self.source, place.id);
        let lines = self.parse_table_lines(content)?;
        self.check_headers(&lines, &source.header_path(id), source.kind_of(id), true)?;
        let (Some(section), Some(body)) = (source.table.own_section(id), source.body(id)) else {
            return Ok(Vec::new());
        };
        let head = source.header_line_end(section);
        let text = lines.text().trim();
        if text.is_empty() {
            return Ok(vec![Edit::remove(head..body.range().end.max(head))]);
        }
        if body.is_empty() {
            return Ok(self.insert_entries(section, 0, text));
        }
        Ok(vec![Edit::new(body, ContentLines::indent_text(text, self.indent(body.range().start)))])
    }

    /// Replaces the entries of a table that dotted keys name.
    pub(crate) fn replace_dotted(&self, place: &Location<'_>, content: &str) -> Result<Vec<Edit>> {
        let (source, id) = (self.source, place.id);
        let (span, home) = (source.span(id), source.written_container(id));
        let apart = source.items(id).any(|item| !span.contains(source.span(item)));
        if apart && !self.options.force {
            return Err(Failure::unsupported(format!("the keys of `{}` are not next to each other", place.address))
                .hint("replace them one by one, or delete them and insert the new ones"));
        }
        let in_braces = source.kind_of(home) == Kind::InlineTable;
        let prefix = source.header_path(id).split_off(source.header_path(home).len());
        let lines = if content.trim_start().starts_with('{') { None } else { ContentLines::parse(content, false).ok() };
        let Some(lines) = lines.filter(|lines| !lines.has_headers() && !lines.is_empty()) else {
            let value = content::parse_value(content, self.options.force)?;
            let key = source.table.key(id).map_or(span.end, |key| key.1);
            let value = content::reindent_value(value, self.indent(span.range().start), self.detected_unit.as_deref());
            let glue = self.key_separator(home);
            return Ok(vec![Edit::new(Span { start: key, end: span.end }, format!("{glue}{value}"))]);
        };
        let pieces = lines.entries();
        let commented = pieces.iter().any(|piece| piece.has_comments);
        let named = pieces.iter().filter(|piece| piece.names.len() > prefix.len() && piece.names.starts_with(&prefix));
        let texts: Vec<String> = match named.count() {
            count if count == pieces.len() => pieces.into_iter().map(|piece| piece.text).collect(),
            0 => pieces.iter().map(|piece| with_key_prefix(piece, &prefix)).collect(),
            _ => {
                return Err(fail(
                    FailureKind::InvalidArgument,
                    "only some of the new keys have the prefix of the keys that they replace",
                )
                .hint(format!("start all of them with `{}.`, or none", dotted_key(&prefix))));
            }
        };
        let at = self.indent(span.range().start);
        if in_braces && commented && !self.options.force {
            return Err(comments_not_allowed_error());
        }
        let text = if in_braces { texts.join(", ") } else { ContentLines::indent_text(&texts.join("\n"), at) };
        Ok(vec![Edit::new(span, text)])
    }

    /// Returns the text between a key and its value, as the container writes it.
    pub(crate) fn key_separator(&self, container: Id) -> &str {
        let source = self.source;
        let between = |id: Id| {
            let key = source.table.key(id)?;
            let glue = source.text.get(key.1 as usize..source.table.node(id).start as usize)?;
            (glue.trim() == "=" && !glue.contains('\n') && glue.len() < 4).then_some(glue)
        };
        let own = source.items(container).take(100).find_map(between);
        own.or_else(|| source.table.entries.iter().take(100).find_map(|entry| between(entry.node))).unwrap_or(" = ")
    }

    /// Inserts keys and sections into a table that consists of lines.
    pub(crate) fn insert_into_table(
        &self,
        place: &Location<'_>,
        content: &str,
        position: Position,
    ) -> Result<Vec<Edit>> {
        let (source, id) = (self.source, place.id);
        let lines = self.parse_table_lines(content)?;
        let pieces = lines.entries();
        self.refuse_existing_keys(id, &pieces)?;
        if lines.text().trim().is_empty() {
            return Err(empty_content_error());
        }
        let mut edits = Vec::new();
        if !lines.text_above_headers().trim().is_empty() {
            edits.extend(match source.table.own_section(id) {
                _ if source.table.node(id).extended_by_dotted_keys => {
                    self.insert_dotted(id, lines.text_above_headers(), position)?
                }
                None => {
                    let text = format!(
                        "{}\n{}",
                        format_header(&source.header_path(id), false),
                        lines.text_above_headers().trim()
                    );
                    let first = source.table.sections_within(id).next().unwrap_or_default();
                    self.insert_sections(SectionPosition::Before(first), &text)
                }
                Some(section) => match position {
                    Position::First => self.insert_entries(section, 0, lines.text_above_headers().trim()),
                    Position::Last => self.insert_entries(section, usize::MAX, lines.text_above_headers().trim()),
                    Position::Sorted => self.insert_sorted(section, id, pieces),
                },
            });
        }
        if lines.has_headers() {
            self.check_headers_below(id, &lines)?;
            edits.extend(self.insert_sections(self.section_position(id, &lines, position), lines.text_from_headers()));
        }
        Ok(edits)
    }

    /// Checks that the headers of the content name tables inside of this table.
    fn check_headers_below(&self, id: Id, lines: &ContentLines) -> Result<()> {
        let path = self.source.header_path(id);
        let wrong =
            lines.headers().into_iter().find(|(names, _)| !names.starts_with(&path) || names.len() == path.len());
        match wrong.filter(|_| !self.options.force && id != 0) {
            None => Ok(()),
            Some((names, element)) => Err(fail(
                FailureKind::InvalidArgument,
                format!("`{}` is not a table in `{}`", format_header(&names, element), format_header(&path, false)),
            )
            .hint(format!("write headers as in the file: `{}`", {
                let mut inner = path.clone();
                inner.extend(names.last().cloned());
                format_header(&inner, element)
            }))),
        }
    }

    fn insert_sorted(&self, section: usize, table: Id, pieces: Vec<NewEntry>) -> Vec<Edit> {
        let source = self.source;
        let depth = source.header_path(table).len();
        let own = source.table.entries_of(section).map(|index| source.table.entries[index].node);
        let keys: Vec<String> = own.map(|node| source.header_path(node).split_off(depth).join(".")).collect();
        let mut at: BTreeMap<usize, Vec<NewEntry>> = BTreeMap::new();
        for piece in pieces {
            let index = sorted_index(keys.iter().map(String::as_str), &piece.names.join("."));
            at.entry(index).or_default().push(piece);
        }
        let edits = at.into_iter().flat_map(|(index, mut pieces)| {
            pieces.sort_by_cached_key(|piece| (piece.names.join(".").to_lowercase(), piece.names.clone()));
            let texts: Vec<String> = pieces.into_iter().map(|piece| piece.text).collect();
            self.insert_entries(section, index, &texts.join("\n"))
        });
        edits.collect()
    }

    /// Returns where new sections of a table are inserted.
    fn section_position(&self, id: Id, lines: &ContentLines, position: Position) -> SectionPosition {
        let (source, table) = (self.source, self.source.table);
        let own = table.own_section(id);
        let below: Vec<usize> = table.sections_within(id).filter(|index| Some(*index) != own).collect();
        let behind = SectionPosition::After(below.last().copied().or(own).unwrap_or_default());
        let name = |names: &[String]| names.join(".").to_lowercase();
        let before = match position {
            Position::First => below.first(),
            Position::Last => None,
            Position::Sorted => {
                let wanted = lines.headers().first().map(|(names, _)| name(names)).unwrap_or_default();
                below.iter().find(|index| name(&source.header_path(table.sections[**index].node)) > wanted)
            }
        };
        before.map_or(behind, |before| SectionPosition::Before(*before))
    }

    /// Inserts keys, sections or elements before the child with this index.
    pub(crate) fn insert_before_child(&self, container: Id, index: usize, content: &str) -> Result<Vec<Edit>> {
        let (source, table) = (self.source, self.source.table);
        let child = table.children(container).nth(index);
        let first = child.and_then(|child| table.sections_within(child).next());
        let behind = SectionPosition::After(table.sections_within(container).next_back().unwrap_or_default());
        let before = first.map_or(behind, SectionPosition::Before);
        match source.kind_of(container) {
            Kind::ArrayOfTables => {
                return Ok(self.insert_sections(before, &self.parse_table_elements(container, content)?));
            }
            Kind::DottedTable => return self.insert_dotted_before(container, child, content),
            _ => {}
        }
        let lines = self.parse_table_lines(content)?;
        self.refuse_existing_keys(container, &lines.entries())?;
        if lines.text().trim().is_empty() {
            return Err(empty_content_error());
        }
        let mut edits = Vec::new();
        let keys = lines.text_above_headers().trim();
        if !keys.is_empty() && table.node(container).extended_by_dotted_keys {
            edits.extend(self.insert_dotted_before(container, child, keys)?);
        } else if !keys.is_empty() {
            let Some(section) = table.own_section(container) else {
                let text = format!("{}\n{keys}", format_header(&source.header_path(container), false));
                let first = table.sections_within(container).next().unwrap_or_default();
                return Ok(self.insert_sections(SectionPosition::Before(first), &text));
            };
            let own = table.entries_of(section);
            let before = own.clone().position(|entry| child.is_some_and(|child| table.entries[entry].node >= child));
            edits.extend(self.insert_entries(section, before.unwrap_or(own.len()), keys));
        }
        if lines.has_headers() {
            self.check_headers_below(container, &lines)?;
            let own = table.own_section(container).map_or(behind, SectionPosition::After);
            let at = if first.is_none() && child.is_some() { own } else { before };
            edits.extend(self.insert_sections(at, lines.text_from_headers()));
        }
        Ok(edits)
    }

    /// Parses the content as elements of an array of tables.
    fn parse_table_elements(&self, array: Id, content: &str) -> Result<String> {
        let path = self.source.header_path(array);
        let lines = self.parse_table_lines(content)?;
        let text = lines.text().trim();
        let own = format_header(&path, true);
        let mut headers = lines.headers().into_iter();
        let is_own = |(names, element): &(Vec<String>, bool)| *element && *names == path;
        if lines.entries().is_empty() && headers.next().as_ref().is_some_and(is_own) {
            self.check_headers(&lines, &path, Kind::ArrayOfTables, false)?;
            return Ok(text.to_owned());
        }
        self.check_headers(&lines, &path, Kind::HeaderTable, true)?;
        Ok(format!("{own}\n{text}").trim_end().to_owned())
    }

    pub(crate) fn insert_element(&self, array: Id, content: &str, position: Position) -> Result<Vec<Edit>> {
        let mut sections = self.source.table.sections_within(array);
        let beside = match position {
            Position::First => SectionPosition::Before(sections.next().unwrap_or_default()),
            // Elements of an array of tables are not sorted.
            Position::Last | Position::Sorted => SectionPosition::After(sections.next_back().unwrap_or_default()),
        };
        Ok(self.insert_sections(beside, &self.parse_table_elements(array, content)?))
    }

    /// Inserts keys into a table that dotted keys name.
    pub(crate) fn insert_dotted(&self, table: Id, content: &str, position: Position) -> Result<Vec<Edit>> {
        let first = self.source.items(table).min_by_key(|id| self.source.table.node(*id).entry_start);
        let before = if position == Position::First { first } else { None };
        self.insert_dotted_before(table, before, content)
    }

    pub(crate) fn insert_dotted_before(&self, table: Id, before: Option<Id>, content: &str) -> Result<Vec<Edit>> {
        let source = self.source;
        let pieces = content::parse_members(content, self.options.force)?;
        self.refuse_existing_keys(table, &pieces)?;
        let home = source.written_container(table);
        if source.kind_of(home) == Kind::InlineTable {
            return self.insert_dotted_in_braces(table, home, before, &pieces);
        }
        let entries = &source.table.entries;
        let within = source.table.subtree(table);
        // Sections below the table also have entries of it, with shorter keys. New keys are not written there.
        let is_own = |entry: &usize| !within.contains(&source.table.sections[source.table.section_of(*entry)].node);
        let entries_of = |value: Id| {
            let inside = source.table.subtree(value);
            (0..entries.len()).filter(move |index| inside.contains(&entries[*index].node)).filter(is_own)
        };
        let next = before.and_then(|before| entries_of(before).next());
        let Some(entry) = next.or_else(|| entries_of(table).next_back()) else {
            return Err(Failure::unsupported("the keys of this table are not written as lines")
                .hint("use `insert_into` on the enclosing table"));
        };
        let section = source.table.section_of(entry);
        let depth = source.header_path(source.table.sections[section].node).len();
        let prefix = source.header_path(table).split_off(depth);
        let texts: Vec<String> = pieces.iter().map(|piece| with_key_prefix(piece, &prefix)).collect();
        let index = entry - source.table.entries_of(section).start;
        let text = texts.join("\n");
        if next.is_some() {
            return Ok(self.insert_entries(section, index, &text));
        }
        // Insert after the last entry of the table, so that its keys stay together.
        let mut own = self.entry_items(section);
        own.items.drain(..index);
        own.items.truncate(1);
        Ok(insert_lines(&own, usize::MAX, &text))
    }

    /// Inserts keys into a table that dotted keys name in an inline table.
    fn insert_dotted_in_braces(
        &self,
        table: Id,
        home: Id,
        before: Option<Id>,
        pieces: &[NewEntry],
    ) -> Result<Vec<Edit>> {
        let source = self.source;
        if pieces.iter().any(|piece| piece.has_comments) && !self.options.force {
            return Err(comments_not_allowed_error());
        }
        let prefix = source.header_path(table).split_off(source.header_path(home).len());
        let texts: Vec<String> = pieces.iter().map(|piece| with_key_prefix(piece, &prefix)).collect();
        let within = source.table.subtree(table);
        let own = self.bracket_items(home);
        let at = |id: &Id| before.map_or(within.contains(id), |before| source.table.subtree(before).contains(id));
        let index = match before {
            Some(_) => own.iter().position(at).unwrap_or(own.len()),
            None => own.iter().rposition(at).map_or(own.len(), |last| last + 1),
        };
        Ok(self.items(home).insert(index, &texts.join(", ")))
    }
}

/// Returns the entry with a prefix of names before its key.
fn with_key_prefix(piece: &NewEntry, prefix: &[String]) -> String {
    let (comments, entry) = piece.text.split_at(piece.key_start);
    format!("{comments}{}.{entry}", dotted_key(prefix))
}
