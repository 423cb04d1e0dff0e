//! Creates missing values with the tables and arrays around them, in the style of their neighbors.

use marquetry_jsonpath::{Missing, NewStep, ValueEditor, places};
use marquetry_sdk::{Edit, FailureKind, Position, Result, fail, items::are_sorted};

use crate::{
    content::{self, Lines},
    edit::{Editor, Place},
    scalar::spelled,
    table::{Id, Kind},
    tables::header,
};

/// Content to create: a value, or the keys of a table.
enum Made {
    Value(String),
    Keys(Lines),
}

impl Made {
    /// Returns it as a value; a table becomes an inline table.
    fn value(&self) -> String {
        match self {
            Made::Value(value) => value.clone(),
            Made::Keys(lines) => {
                let entries: Vec<String> = lines.entries().into_iter().map(|piece| piece.text).collect();
                if entries.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", entries.join(", ")) }
            }
        }
    }

    /// Returns whether it has comments between keys, which inline tables do not allow.
    fn is_commented(&self) -> bool {
        matches!(self, Made::Keys(lines) if lines.entries().iter().any(|piece| piece.commented))
    }

    fn is_table(&self) -> bool {
        matches!(self, Made::Keys(_))
    }
}

impl Editor<'_> {
    /// Returns the edits that create the value.
    pub(crate) fn make(&self, missing: &Missing<Id>, content: &str) -> Result<Vec<Edit>> {
        let source = self.source;
        let Some(place) = places(&source, 0, &[missing.inside]).pop() else { return Ok(Vec::new()) };
        let made = self.made(content)?;
        let kind = source.kind_of(missing.inside);
        let rest = missing.steps.get(1..).unwrap_or_default();
        match (missing.steps.first(), kind) {
            (None, _) => Ok(Vec::new()),
            (Some(NewStep::Element), Kind::Tables) => {
                let text = match rest.split_first() {
                    None => self.keys_of(&made)?,
                    Some((NewStep::Member(name), below)) => self.entry(place.id, name, &nested(below, &made)?),
                    Some((NewStep::Element, _)) => return Err(no_table()),
                };
                self.insert_into(&place, &text, Position::Last)
            }
            (Some(_), Kind::Missing) => self.replace(&place, &nested(&missing.steps, &made)?),
            (Some(NewStep::Element), _) => self.insert_into(&place, &nested(rest, &made)?, Position::Last),
            (Some(NewStep::Member(name)), Kind::Inline | Kind::Dotted) => {
                self.insert_into(&place, &self.entry(place.id, name, &nested(rest, &made)?), self.position(place.id))
            }
            (Some(NewStep::Member(name)), _) => match self.section(&place, &missing.steps, &made)? {
                Some(text) => self.insert_into(&place, &text, Position::Last),
                None => {
                    let entry = self.entry(place.id, name, &nested(rest, &made)?);
                    self.insert_into(&place, &entry, self.position(place.id))
                }
            },
        }
    }

    /// Parses the content: a value, or lines with the keys of a table.
    fn made(&self, content: &str) -> Result<Made> {
        let trimmed = content.trim();
        let wrong = match content::value(trimmed, false) {
            Ok(value) if value.starts_with('{') && !value.contains(['#', '\n']) => {
                return Ok(Made::Keys(Lines::of_braces(value).or_else(|_| Lines::read("", false))?));
            }
            Ok(value) => return Ok(Made::Value(value.to_owned())),
            Err(failure) => failure,
        };
        match Lines::read(content, false) {
            Ok(lines) if !lines.has_headers() && !lines.is_empty() => Ok(Made::Keys(lines)),
            Ok(lines) if lines.has_headers() => {
                Err(fail(FailureKind::InvalidArgument, "the content has its own headers")
                    .hint("give only the value or the keys, or use `insert_into` on the enclosing table"))
            }
            _ => Err(wrong),
        }
    }

    fn keys_of(&self, made: &Made) -> Result<String> {
        match made {
            Made::Keys(lines) => Ok(lines.text().trim().to_owned()),
            Made::Value(value) if value.starts_with('{') => Ok(value.clone()),
            Made::Value(_) => Err(no_table()),
        }
    }

    fn entry(&self, table: Id, name: &str, value: &str) -> String {
        let home = self.source.home(table);
        format!("{}{}{value}", spelled(name), self.glue(home))
    }

    /// Returns the section for the created values if their table gets a header.
    fn section(&self, place: &Place<'_>, steps: &[NewStep], made: &Made) -> Result<Option<String>> {
        let names: Vec<String> = steps
            .iter()
            .map_while(|step| match step {
                NewStep::Member(name) => Some(name.clone()),
                NewStep::Element => None,
            })
            .collect();
        let behind = &steps[names.len()..];
        let is_deep = steps.len() > 1 || made.is_table();
        if !is_deep || !self.has_headers(place.id) {
            return Ok(None);
        }
        let mut path = self.source.path(place.id);
        let line = |name: &str, value: &str| format!("{}{}{value}", spelled(name), self.glue(0));
        let of_keys = |path: &[String], is_element: bool, lines: &Lines| {
            format!("{}\n{}", header(path, is_element), lines.text().trim()).trim_end().to_owned()
        };
        match (behind, made) {
            ([], Made::Keys(lines)) => {
                path.extend(names);
                Ok(Some(of_keys(&path, false, lines)))
            }
            ([NewStep::Element], Made::Keys(lines)) => {
                path.extend(names);
                Ok(Some(of_keys(&path, true, lines)))
            }
            ([NewStep::Element, NewStep::Member(first), below @ ..], _) => {
                path.extend(names);
                Ok(Some(format!("{}\n{}", header(&path, true), line(first, &nested(below, made)?))))
            }
            _ if names.len() > 1 => {
                let (last, above) = names.split_last().map_or(("", &[][..]), |(last, above)| (last.as_str(), above));
                path.extend_from_slice(above);
                Ok(Some(format!("{}\n{}", header(&path, false), line(last, &nested(behind, made)?))))
            }
            _ => Ok(None),
        }
    }

    /// Returns whether new tables in this one get headers: if the existing ones have headers, or if the file has no
    /// tables yet.
    fn has_headers(&self, table: Id) -> bool {
        let source = self.source;
        let mut tables = source.table.children(table).map(|id| source.kind_of(id));
        let tables: Vec<Kind> = tables.by_ref().filter(|kind| kind.is_table() || *kind == Kind::Tables).collect();
        match source.kind_of(table) {
            _ if source.table.node(table).extended => false,
            Kind::Implied => true,
            Kind::Root => tables.is_empty() || tables.iter().any(|kind| kind.is_sectioned()),
            _ => tables.iter().any(|kind| kind.is_sectioned()),
        }
    }

    /// Returns the last position, or the sorted one if the keys are sorted.
    fn position(&self, table: Id) -> Position {
        let source = self.source;
        let names = source.table.children(table).filter(|id| !source.kind_of(*id).is_sectioned());
        let names = names.filter_map(|id| Some(source.key_name(source.table.key(id)?)));
        if are_sorted(names) { Position::Sorted } else { Position::Last }
    }
}

/// Returns tables and arrays with only this value.
fn nested(steps: &[NewStep], made: &Made) -> Result<String> {
    if made.is_commented() {
        return Err(fail(FailureKind::InvalidArgument, "comments are not allowed in the inline table that this creates")
            .hint("remove the comments, or create the enclosing table first"));
    }
    Ok(steps.iter().rev().fold(made.value(), |value, step| match step {
        NewStep::Member(name) => format!("{{ {} = {value} }}", spelled(name)),
        NewStep::Element => format!("[{value}]"),
    }))
}

fn no_table() -> marquetry_sdk::Failure {
    fail(FailureKind::InvalidArgument, "an element of an array of tables is a table")
        .hint("give lines of `key = value`, or `{ … }`")
}
