//! Creates missing values, together with the missing objects and arrays around them, in the style of their neighbors.

use marquetry_jsonpath::{MissingTarget, NewStep, Tree, ValueEditor, locations, push_string};
use marquetry_sdk::{Edit, Position, Result, indent, items::are_sorted};

use crate::{comments::has_line_comment, content, edit::Editor, table::Id};

impl Editor<'_> {
    /// Returns the edits that create the value.
    pub(crate) fn create_missing(&self, missing: &MissingTarget<Id>, content: &str) -> Result<Vec<Edit>> {
        let source = self.source;
        let Some(place) = locations(&source, 0, &[missing.container]).pop() else { return Ok(Vec::new()) };
        let items = self.items(missing.container);
        let block = !self.is_json_lines && (items.items.is_empty() || items.in_block());
        let colon = self.key_separator(missing.container);
        let (value, comments) = content::parse_value(content, false)?;
        let value = indent::reindent_with_unit(&value, "", Some(&self.unit), |_| false);
        let can_join = !block && !has_line_comment(&value);
        let mut made = if can_join { content::join_on_one_line(&value) } else { value };
        made += &comments;
        let (first, below) = missing.steps.split_first().map_or((None, &[][..]), |(first, below)| (Some(first), below));
        for step in below.iter().rev() {
            made = self.wrap_in_container(step, &made, &colon, block);
        }
        let empty = source.raw(missing.container).is_empty();
        match first {
            // There is `null` instead of a container, or the file is empty.
            Some(step) if empty || !source.table.is_container(source.text, missing.container) => {
                self.replace(&place, &self.wrap_in_container(step, &made, &colon, block))
            }
            Some(NewStep::Member(name)) => {
                let member = format!("{}{colon}{made}", quote_name(name));
                self.insert_into(&place, &member, self.insert_position(missing.container))
            }
            _ => self.insert_into(&place, &made, Position::Last),
        }
    }

    /// Returns an object or array that contains only this value.
    fn wrap_in_container(&self, step: &NewStep, value: &str, colon: &str, block: bool) -> String {
        let (open, label, close) = match step {
            NewStep::Member(name) => ("{", format!("{}{colon}", quote_name(name)), "}"),
            NewStep::Element => ("[", String::new(), "]"),
        };
        if (block && open == "{") || value.contains('\n') || has_line_comment(value) {
            let unit = &self.unit;
            return format!("{open}\n{unit}{label}{}\n{close}", indent::reindent(value, unit, |_| false));
        }
        let space = if open == "{" && self.source.text.contains("{ ") { " " } else { "" };
        format!("{open}{space}{label}{value}{space}{close}")
    }

    /// Returns the text between a key and its value in this container. If it has no members, returns that of the first
    /// container that has one.
    pub(crate) fn key_separator(&self, container: Id) -> String {
        let source = self.source;
        let between = |container: Id| {
            source.children_of(container).find_map(|child| {
                let key = source.table.range(child.key?);
                let glue = source.text.get(key.end..source.table.range(child.value).start)?;
                (glue.trim() == ":" && !glue.contains('\n')).then(|| glue.to_owned())
            })
        };
        let objects = (0..source.table.next_id()).filter(|id| source.is_object(*id));
        between(container).or_else(|| objects.take(100).find_map(between)).unwrap_or_else(|| ": ".to_owned())
    }

    /// Returns the position for a new member: sorted if the existing keys are sorted, otherwise last.
    fn insert_position(&self, object: Id) -> Position {
        let keys = self.source.members(object).map(|(name, _)| name);
        if are_sorted(keys) { Position::Sorted } else { Position::Last }
    }
}

fn quote_name(name: &str) -> String {
    let mut out = String::new();
    push_string(&mut out, name);
    out
}
