//! Tables that consist of lines: entries below headers, and tables named by dotted keys.

use std::collections::BTreeMap;

use marquetry_sdk::{Edit, Failure, FailureKind, Position, Result, Span, fail, items::sorted_index};

use crate::{
    content::{self, Lines, Piece},
    edit::{Editor, Place},
    scalar::spelled,
    sections::{Beside, insert_lines},
    table::{Id, Kind},
};

/// `[a.b]`, or `[[a.b]]`.
pub(crate) fn header(path: &[String], is_element: bool) -> String {
    let (open, close) = if is_element { ("[[", "]]") } else { ("[", "]") };
    format!("{open}{}{close}", dotted(path))
}

/// `a.b`
pub(crate) fn dotted(path: &[String]) -> String {
    path.iter().map(|name| spelled(name)).collect::<Vec<String>>().join(".")
}

fn empty() -> Failure {
    fail(FailureKind::InvalidArgument, "the content is empty").hint("give lines of `key = value`, or a section")
}

fn no_comments() -> Failure {
    fail(FailureKind::InvalidArgument, "comments are not allowed in these braces").hint("remove the comments")
}

impl Editor<'_> {
    /// Parses the content as lines; an inline table is converted to lines.
    pub(crate) fn table_lines(&self, content: &str) -> Result<Lines> {
        if content.trim_start().starts_with('{') {
            Lines::of_braces(content)
        } else {
            Lines::read(content, self.options.force)
        }
    }

    /// Replaces a table or an array of tables. The content may have the header; otherwise the header is kept.
    pub(crate) fn replace_sections(&self, place: &Place<'_>, content: &str) -> Result<Vec<Edit>> {
        let (source, id) = (self.source, place.id);
        let (span, path, kind) = (source.span(id), source.path(id), source.kind_of(id));
        let lines = self.table_lines(content)?;
        let own = source.table.own_section(id);
        let begins = own.is_some_and(|own| source.table.sections[own].start == span.start);
        let has_top = !lines.entries().is_empty();
        if !lines.has_headers() {
            return match kind {
                _ if begins => self.replace_below_header(place, lines.text()),
                Kind::Implied => {
                    let at = self.indent(span.range().start);
                    let text = format!("{}\n{}", header(&path, false), lines.text().trim());
                    Ok(vec![Edit::new(span, Lines::laid(&text, at))])
                }
                Kind::Tables => Err(fail(FailureKind::InvalidArgument, "the content has no header")
                    .hint(format!("give sections that begin with `{}`, or replace one element", header(&path, true)))),
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
            return Err(fail(FailureKind::InvalidArgument, "keys above the first header would belong to another table")
                .hint(format!("begin with `{}`", header(&path, kind == Kind::Tables))));
        }
        Ok(vec![Edit::new(span, Lines::laid(lines.text().trim(), self.indent(span.range().start)))])
    }

    /// Checks that the headers of a content belong to the table or tables in it.
    fn check_headers(&self, lines: &Lines, path: &[String], kind: Kind, below_own: bool) -> Result<()> {
        if self.options.force {
            return Ok(());
        }
        let is_element = matches!(kind, Kind::Element | Kind::Tables);
        let headers = lines.headers();
        let first = (path, is_element);
        let begins = headers.first().is_some_and(|(names, element)| (names.as_slice(), *element) == first);
        let again = headers.iter().skip(1).any(|(names, _)| names == path) && kind == Kind::Element;
        let wrong = headers.iter().find(|(names, _)| !names.starts_with(path) || (below_own && names == path));
        let wrong = wrong.or(headers.first().filter(|_| is_element && !below_own && !begins));
        match wrong {
            None if !again => Ok(()),
            _ => {
                let shown = wrong.map_or_else(|| header(path, true), |(names, element)| header(names, *element));
                let own = header(path, is_element);
                Err(fail(FailureKind::InvalidArgument, format!("`{shown}` is not part of `{own}`"))
                    .hint(format!("give only the keys, or `{own}` with the sections below it")))
            }
        }
    }

    /// Replaces the text below a header.
    pub(crate) fn replace_below_header(&self, place: &Place<'_>, content: &str) -> Result<Vec<Edit>> {
        let (source, id) = (self.source, place.id);
        let lines = self.table_lines(content)?;
        self.check_headers(&lines, &source.path(id), source.kind_of(id), true)?;
        let (Some(section), Some(body)) = (source.table.own_section(id), source.body(id)) else {
            return Ok(Vec::new());
        };
        let head = source.end_of_head(section);
        let text = lines.text().trim();
        if text.is_empty() {
            return Ok(vec![Edit::remove(head..body.range().end.max(head))]);
        }
        if body.is_empty() {
            return Ok(self.insert_entries(section, 0, text));
        }
        Ok(vec![Edit::new(body, Lines::laid(text, self.indent(body.range().start)))])
    }

    /// Replaces the entries of a table named by dotted keys.
    pub(crate) fn replace_dotted(&self, place: &Place<'_>, content: &str) -> Result<Vec<Edit>> {
        let (source, id) = (self.source, place.id);
        let (span, home) = (source.span(id), source.home(id));
        let apart = source.items(id).any(|item| !span.holds(source.span(item)));
        if apart && !self.options.force {
            return Err(Failure::unsupported(format!("the keys of `{}` are not next to each other", place.address))
                .hint("replace them one by one, or delete them and insert the new ones"));
        }
        let in_braces = source.kind_of(home) == Kind::Inline;
        let prefix = source.path(id).split_off(source.path(home).len());
        let lines = if content.trim_start().starts_with('{') { None } else { Lines::read(content, false).ok() };
        let Some(lines) = lines.filter(|lines| !lines.has_headers() && !lines.is_empty()) else {
            let value = content::value(content, self.options.force)?;
            let key = source.table.key(id).map_or(span.end, |key| key.1);
            let value = content::fitted(value, self.indent(span.range().start), self.shown.as_deref());
            let glue = self.glue(home);
            return Ok(vec![Edit::new(Span { start: key, end: span.end }, format!("{glue}{value}"))]);
        };
        let pieces = lines.entries();
        let commented = pieces.iter().any(|piece| piece.commented);
        let named = pieces.iter().filter(|piece| piece.names.len() > prefix.len() && piece.names.starts_with(&prefix));
        let texts: Vec<String> = match named.count() {
            count if count == pieces.len() => pieces.into_iter().map(|piece| piece.text).collect(),
            0 => pieces.iter().map(|piece| prefixed(piece, &prefix)).collect(),
            _ => {
                return Err(fail(
                    FailureKind::InvalidArgument,
                    "only some of the new keys have the prefix of the keys that they replace",
                )
                .hint(format!("start all of them with `{}.`, or none", dotted(&prefix))));
            }
        };
        let at = self.indent(span.range().start);
        if in_braces && commented && !self.options.force {
            return Err(no_comments());
        }
        let text = if in_braces { texts.join(", ") } else { Lines::laid(&texts.join("\n"), at) };
        Ok(vec![Edit::new(span, text)])
    }

    /// Returns the text between the keys of a container and their values.
    pub(crate) fn glue(&self, container: Id) -> &str {
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
    pub(crate) fn insert_into_table(&self, place: &Place<'_>, content: &str, position: Position) -> Result<Vec<Edit>> {
        let (source, id) = (self.source, place.id);
        let lines = self.table_lines(content)?;
        let pieces = lines.entries();
        self.refuse_known(id, &pieces)?;
        if lines.text().trim().is_empty() {
            return Err(empty());
        }
        let mut edits = Vec::new();
        if !lines.top().trim().is_empty() {
            edits.extend(match source.table.own_section(id) {
                _ if source.table.node(id).extended => self.insert_dotted(id, lines.top(), position)?,
                None => {
                    let text = format!("{}\n{}", header(&source.path(id), false), lines.top().trim());
                    let first = source.table.sections_within(id).next().unwrap_or_default();
                    self.insert_sections(Beside::Before(first), &text)
                }
                Some(section) => match position {
                    Position::First => self.insert_entries(section, 0, lines.top().trim()),
                    Position::Last => self.insert_entries(section, usize::MAX, lines.top().trim()),
                    Position::Sorted => self.insert_sorted(section, id, pieces),
                },
            });
        }
        if lines.has_headers() {
            self.check_below(id, &lines)?;
            edits.extend(self.insert_sections(self.beside(id, &lines, position), lines.sections()));
        }
        Ok(edits)
    }

    /// Checks that the headers of the content belong to tables in this one.
    fn check_below(&self, id: Id, lines: &Lines) -> Result<()> {
        let path = self.source.path(id);
        let wrong =
            lines.headers().into_iter().find(|(names, _)| !names.starts_with(&path) || names.len() == path.len());
        match wrong.filter(|_| !self.options.force && id != 0) {
            None => Ok(()),
            Some((names, element)) => Err(fail(
                FailureKind::InvalidArgument,
                format!("`{}` is not a table in `{}`", header(&names, element), header(&path, false)),
            )
            .hint(format!("write headers as in the file: `{}`", {
                let mut inner = path.clone();
                inner.extend(names.last().cloned());
                header(&inner, element)
            }))),
        }
    }

    fn insert_sorted(&self, section: usize, table: Id, pieces: Vec<Piece>) -> Vec<Edit> {
        let source = self.source;
        let depth = source.path(table).len();
        let own = source.table.entries_of(section).map(|index| source.table.entries[index].node);
        let keys: Vec<String> = own.map(|node| source.path(node).split_off(depth).join(".")).collect();
        let mut at: BTreeMap<usize, Vec<Piece>> = BTreeMap::new();
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
    fn beside(&self, id: Id, lines: &Lines, position: Position) -> Beside {
        let (source, table) = (self.source, self.source.table);
        let own = table.own_section(id);
        let below: Vec<usize> = table.sections_within(id).filter(|index| Some(*index) != own).collect();
        let behind = Beside::Behind(below.last().copied().or(own).unwrap_or_default());
        let name = |names: &[String]| names.join(".").to_lowercase();
        let before = match position {
            Position::First => below.first(),
            Position::Last => None,
            Position::Sorted => {
                let wanted = lines.headers().first().map(|(names, _)| name(names)).unwrap_or_default();
                below.iter().find(|index| name(&source.path(table.sections[**index].node)) > wanted)
            }
        };
        before.map_or(behind, |before| Beside::Before(*before))
    }

    /// Inserts keys, sections or elements before the child of this index.
    pub(crate) fn insert_beside(&self, container: Id, index: usize, content: &str) -> Result<Vec<Edit>> {
        let (source, table) = (self.source, self.source.table);
        let child = table.children(container).nth(index);
        let first = child.and_then(|child| table.sections_within(child).next());
        let behind = Beside::Behind(table.sections_within(container).next_back().unwrap_or_default());
        let before = first.map_or(behind, Beside::Before);
        match source.kind_of(container) {
            Kind::Tables => {
                return Ok(self.insert_sections(before, &self.element(container, content)?));
            }
            Kind::Dotted => return self.insert_dotted_before(container, child, content),
            _ => {}
        }
        let lines = self.table_lines(content)?;
        self.refuse_known(container, &lines.entries())?;
        if lines.text().trim().is_empty() {
            return Err(empty());
        }
        let mut edits = Vec::new();
        if !lines.top().trim().is_empty() {
            let Some(section) = table.own_section(container) else {
                let text = format!("{}\n{}", header(&source.path(container), false), lines.top().trim());
                let first = table.sections_within(container).next().unwrap_or_default();
                return Ok(self.insert_sections(Beside::Before(first), &text));
            };
            let own = table.entries_of(section);
            let before = own.clone().position(|entry| child.is_some_and(|child| table.entries[entry].node >= child));
            edits.extend(self.insert_entries(section, before.unwrap_or(own.len()), lines.top().trim()));
        }
        if lines.has_headers() {
            self.check_below(container, &lines)?;
            let own = table.own_section(container).map_or(behind, Beside::Behind);
            let at = if first.is_none() && child.is_some() { own } else { before };
            edits.extend(self.insert_sections(at, lines.sections()));
        }
        Ok(edits)
    }

    /// Parses the content as elements of an array of tables.
    fn element(&self, array: Id, content: &str) -> Result<String> {
        let path = self.source.path(array);
        let lines = self.table_lines(content)?;
        let text = lines.text().trim();
        let own = header(&path, true);
        let mut headers = lines.headers().into_iter();
        let is_own = |(names, element): &(Vec<String>, bool)| *element && *names == path;
        if lines.entries().is_empty() && headers.next().as_ref().is_some_and(is_own) {
            self.check_headers(&lines, &path, Kind::Tables, false)?;
            return Ok(text.to_owned());
        }
        self.check_headers(&lines, &path, Kind::Headed, true)?;
        Ok(format!("{own}\n{text}").trim_end().to_owned())
    }

    pub(crate) fn insert_element(&self, array: Id, content: &str, position: Position) -> Result<Vec<Edit>> {
        let mut sections = self.source.table.sections_within(array);
        let beside = match position {
            Position::First => Beside::Before(sections.next().unwrap_or_default()),
            // Elements are not sorted.
            Position::Last | Position::Sorted => Beside::Behind(sections.next_back().unwrap_or_default()),
        };
        Ok(self.insert_sections(beside, &self.element(array, content)?))
    }

    /// Inserts keys into a table named by dotted keys.
    pub(crate) fn insert_dotted(&self, table: Id, content: &str, position: Position) -> Result<Vec<Edit>> {
        let first = self.source.items(table).min_by_key(|id| self.source.table.node(*id).lead);
        let before = if position == Position::First { first } else { None };
        self.insert_dotted_before(table, before, content)
    }

    pub(crate) fn insert_dotted_before(&self, table: Id, before: Option<Id>, content: &str) -> Result<Vec<Edit>> {
        let source = self.source;
        let home = source.home(table);
        let home = if home == table { source.table.node(table).parent } else { home };
        let prefix = source.path(table).split_off(source.path(home).len());
        let pieces = content::members(content, self.options.force)?;
        self.refuse_known(table, &pieces)?;
        let texts: Vec<String> = pieces.iter().map(|piece| prefixed(piece, &prefix)).collect();
        let within = source.table.within(table);
        if source.kind_of(home) == Kind::Inline {
            if pieces.iter().any(|piece| piece.commented) && !self.options.force {
                return Err(no_comments());
            }
            let own = self.bracketed(home);
            let at = |id: &Id| before.map_or(within.contains(id), |before| source.table.within(before).contains(id));
            let index = match before {
                Some(_) => own.iter().position(at).unwrap_or(own.len()),
                None => own.iter().rposition(at).map_or(own.len(), |last| last + 1),
            };
            return Ok(self.items(home).insert(index, &texts.join(", ")));
        }
        let entries = &source.table.entries;
        let inside = before.map_or(within, |before| source.table.within(before));
        let mut of_table = (0..entries.len()).filter(|index| inside.contains(&entries[*index].node));
        let found = if before.is_some() { of_table.next() } else { of_table.next_back() };
        let Some(entry) = found else {
            return Err(Failure::unsupported("the keys of this table are not written as lines")
                .hint("use `insert_into` on the enclosing table"));
        };
        let section = source.table.section_of(entry);
        let index = entry - source.table.entries_of(section).start;
        let text = texts.join("\n");
        if before.is_some() {
            return Ok(self.insert_entries(section, index, &text));
        }
        // After its last entry, so that the table is continued.
        let mut own = self.entries(section);
        own.items.drain(..index);
        own.items.truncate(1);
        Ok(insert_lines(&own, usize::MAX, &text))
    }
}

/// Returns the entry with more names before its key.
fn prefixed(piece: &Piece, prefix: &[String]) -> String {
    let (comments, entry) = piece.text.split_at(piece.lead);
    format!("{comments}{}.{entry}", dotted(prefix))
}
