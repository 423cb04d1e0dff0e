//! Creates missing values, together with the missing tables and arrays around them, in the style of their neighbors.

use marquetry_jsonpath::{MissingTarget, NewStep, ValueEditor, locations};
use marquetry_sdk::{Edit, FailureKind, Position, Result, fail, items::are_sorted};

use crate::{
    content::{self, ContentLines},
    edit::{Editor, Location},
    line_tables::format_header,
    scalar::print_key,
    table::{Id, Kind},
};

/// Content to create: a value, or the keys of a table.
enum NewContent {
    Value(String),
    Keys(ContentLines),
}

impl NewContent {
    /// Returns the content as one value. The keys of a table become an inline table.
    fn value(&self) -> String {
        match self {
            NewContent::Value(value) => value.clone(),
            NewContent::Keys(lines) => {
                let entries: Vec<String> = lines.entries().into_iter().map(|piece| piece.text).collect();
                if entries.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", entries.join(", ")) }
            }
        }
    }

    /// Returns whether the content has comments between keys. Inline tables do not allow such comments.
    fn has_comments(&self) -> bool {
        matches!(self, NewContent::Keys(lines) if lines.entries().iter().any(|piece| piece.has_comments))
    }

    fn is_table(&self) -> bool {
        matches!(self, NewContent::Keys(_))
    }
}

impl Editor<'_> {
    /// Returns the edits that create the value.
    pub(crate) fn create_missing(&self, missing: &MissingTarget<Id>, content: &str) -> Result<Vec<Edit>> {
        let source = self.source;
        let Some(place) = locations(&source, 0, &[missing.container]).pop() else { return Ok(Vec::new()) };
        let made = self.parse_content(content)?;
        let kind = source.kind_of(missing.container);
        let rest = missing.steps.get(1..).unwrap_or_default();
        match (missing.steps.first(), kind) {
            (None, _) => Ok(Vec::new()),
            (Some(NewStep::Element), Kind::ArrayOfTables) => {
                let text = match rest.split_first() {
                    None => self.keys_text(&made)?,
                    Some((NewStep::Member(name), below)) => {
                        self.format_entry(place.id, name, &wrap_in_containers(below, &made)?)
                    }
                    Some((NewStep::Element, _)) => return Err(not_a_table_error()),
                };
                self.insert_into(&place, &text, Position::Last)
            }
            (Some(_), Kind::Missing) => self.replace(&place, &wrap_in_containers(&missing.steps, &made)?),
            (Some(NewStep::Element), _) => self.insert_into(&place, &wrap_in_containers(rest, &made)?, Position::Last),
            (Some(NewStep::Member(name)), Kind::InlineTable | Kind::DottedTable) => self.insert_into(
                &place,
                &self.format_entry(place.id, name, &wrap_in_containers(rest, &made)?),
                self.insert_position(place.id),
            ),
            (Some(NewStep::Member(name)), _) => match self.format_section(&place, &missing.steps, &made)? {
                Some(text) => self.insert_into(&place, &text, Position::Last),
                None => {
                    let entry = self.format_entry(place.id, name, &wrap_in_containers(rest, &made)?);
                    self.insert_into(&place, &entry, self.insert_position(place.id))
                }
            },
        }
    }

    /// Parses the content: a value, or lines with the keys of a table.
    fn parse_content(&self, content: &str) -> Result<NewContent> {
        let trimmed = content.trim();
        let wrong = match content::parse_commented_value(trimmed, false) {
            Ok((value, comment)) if value.starts_with('{') && !value.contains(['#', '\n']) && comment.is_empty() => {
                return Ok(NewContent::Keys(
                    ContentLines::from_inline_table(value).or_else(|_| ContentLines::parse("", false))?,
                ));
            }
            Ok((value, comment)) => return Ok(NewContent::Value(format!("{value}{comment}"))),
            Err(failure) => failure,
        };
        match ContentLines::parse(content, false) {
            Ok(lines) if !lines.has_headers() && !lines.is_empty() => Ok(NewContent::Keys(lines)),
            Ok(lines) if lines.has_headers() => {
                Err(fail(FailureKind::InvalidArgument, "the content has its own headers")
                    .hint("give only the value or the keys, or use `insert_into` on the enclosing table"))
            }
            _ => Err(wrong),
        }
    }

    fn keys_text(&self, made: &NewContent) -> Result<String> {
        match made {
            NewContent::Keys(lines) => Ok(lines.text().trim().to_owned()),
            NewContent::Value(value) if value.starts_with('{') => Ok(value.clone()),
            NewContent::Value(_) => Err(not_a_table_error()),
        }
    }

    fn format_entry(&self, table: Id, name: &str, value: &str) -> String {
        let home = self.source.written_container(table);
        format!("{}{}{value}", print_key(name), self.key_separator(home))
    }

    /// Returns the section for the created values, or `None` if their table gets no header.
    fn format_section(&self, place: &Location<'_>, steps: &[NewStep], made: &NewContent) -> Result<Option<String>> {
        let names: Vec<String> = steps
            .iter()
            .map_while(|step| match step {
                NewStep::Member(name) => Some(name.clone()),
                NewStep::Element => None,
            })
            .collect();
        let behind = &steps[names.len()..];
        let is_deep = steps.len() > 1 || made.is_table();
        if !is_deep || !self.new_tables_get_headers(place.id) {
            return Ok(None);
        }
        let mut path = self.source.header_path(place.id);
        let line = |name: &str, value: &str| format!("{}{}{value}", print_key(name), self.key_separator(0));
        let of_keys = |path: &[String], is_element: bool, lines: &ContentLines| {
            format!("{}\n{}", format_header(path, is_element), lines.text().trim()).trim_end().to_owned()
        };
        match (behind, made) {
            ([], NewContent::Keys(lines)) => {
                path.extend(names);
                Ok(Some(of_keys(&path, false, lines)))
            }
            ([NewStep::Element], NewContent::Keys(lines)) => {
                path.extend(names);
                Ok(Some(of_keys(&path, true, lines)))
            }
            ([NewStep::Element, NewStep::Member(first), below @ ..], _) => {
                path.extend(names);
                Ok(Some(format!("{}\n{}", format_header(&path, true), line(first, &wrap_in_containers(below, made)?))))
            }
            _ if names.len() > 1 => {
                let (last, above) = names.split_last().map_or(("", &[][..]), |(last, above)| (last.as_str(), above));
                path.extend_from_slice(above);
                Ok(Some(format!("{}\n{}", format_header(&path, false), line(last, &wrap_in_containers(behind, made)?))))
            }
            _ => Ok(None),
        }
    }

    /// Returns whether new tables in this one get headers. They do if the existing tables have headers, or if the file
    /// has no tables yet.
    fn new_tables_get_headers(&self, table: Id) -> bool {
        let source = self.source;
        let mut tables = source.table.children(table).map(|id| source.kind_of(id));
        let tables: Vec<Kind> =
            tables.by_ref().filter(|kind| kind.is_table() || *kind == Kind::ArrayOfTables).collect();
        match source.kind_of(table) {
            _ if source.table.node(table).extended_by_dotted_keys => false,
            Kind::ImpliedTable => true,
            Kind::Root => tables.is_empty() || tables.iter().any(|kind| kind.is_sectioned()),
            _ => tables.iter().any(|kind| kind.is_sectioned()),
        }
    }

    /// Returns the position for a new key: sorted if the existing keys are sorted, otherwise last.
    fn insert_position(&self, table: Id) -> Position {
        let source = self.source;
        let names = source.table.children(table).filter(|id| !source.kind_of(*id).is_sectioned());
        let names = names.filter_map(|id| Some(source.key_name(source.table.key(id)?)));
        if are_sorted(names) { Position::Sorted } else { Position::Last }
    }
}

/// Returns the value inside of new tables and arrays that contain only this value.
fn wrap_in_containers(steps: &[NewStep], made: &NewContent) -> Result<String> {
    if made.has_comments() {
        return Err(fail(
            FailureKind::InvalidArgument,
            "comments are not allowed in the inline table that this creates",
        )
        .hint("remove the comments, or create the enclosing table first"));
    }
    Ok(steps.iter().rev().fold(made.value(), |value, step| match step {
        NewStep::Member(name) => format!("{{ {} = {value} }}", print_key(name)),
        NewStep::Element => format!("[{value}]"),
    }))
}

fn not_a_table_error() -> marquetry_sdk::Failure {
    fail(FailureKind::InvalidArgument, "an element of an array of tables is a table")
        .hint("give lines of `key = value`, or `{ … }`")
}
