//! Creates missing values, together with the missing mappings and sequences around them, in the style of the file.

use marquetry_jsonpath::{MissingTarget, NewStep, Tree, ValueEditor, locations, push_string};
use marquetry_sdk::{Edit, Position, Result, items::are_sorted};

use crate::{
    edit::{Editor, as_item},
    edit_errors::alias_error,
    parse,
    placement::{PlacedContent, Slot, place_content},
    source::{NodeRef, Source},
    table::Kind,
};

impl Editor<'_> {
    /// Returns the edits that create the value.
    pub(crate) fn create_missing(&self, missing: &MissingTarget<NodeRef>, content: &str) -> Result<Vec<Edit>> {
        let (source, inside) = (self.source, missing.container);
        if inside.via_alias != 0 {
            return Err(alias_error(source, inside));
        }
        let root = source.root_id();
        let Some(place) = locations(&source, root, &[inside.id]).pop() else { return Ok(Vec::new()) };
        let kind = source.kind_of(inside.id);
        let in_flow = self.parent(&place).is_some_and(|parent| source.kind_of(parent).is_flow());
        let flow = in_flow || (kind.is_flow() && source.table.extra(inside.id) > 0);
        let (first, below) = missing.steps.split_first().map_or((None, &[][..]), |(first, below)| (Some(first), below));
        let mut made = content.to_owned();
        for step in below.iter().rev() {
            made = self.wrap_in_container(step, &made, flow)?;
        }
        let null = !kind.is_collection();
        match first {
            Some(step) if flow && null => self.replace(&place, &self.wrap_in_container(step, &made, true)?),
            Some(NewStep::Member(name)) => {
                let member = if flow {
                    self.format_flow_pair(name, &self.to_flow(&made)?)
                } else {
                    self.format_entry(name, &made)?
                };
                let keys = source.pairs(inside.id).map(|(key, _)| source.key_name(key));
                let sorted = kind.is_mapping() && are_sorted(keys);
                self.insert_into(&place, &member, if sorted { Position::Sorted } else { Position::Last })
            }
            _ if kind == Kind::Stream => self.insert_into(&place, &made, Position::Last),
            Some(step) if !flow => {
                self.insert_into(&place, &self.wrap_in_container(step, &made, false)?, Position::Last)
            }
            _ => self.insert_into(&place, &self.to_flow(&made)?, Position::Last),
        }
    }

    /// Returns a mapping or sequence that contains only this value.
    fn wrap_in_container(&self, step: &NewStep, value: &str, flow: bool) -> Result<String> {
        match step {
            NewStep::Member(name) if flow => Ok(format!("{{{}}}", self.format_flow_pair(name, &self.to_flow(value)?))),
            NewStep::Element if flow => Ok(format!("[{}]", self.to_flow(value)?)),
            NewStep::Member(name) => self.format_entry(name, value),
            NewStep::Element => Ok(as_item(&self.parse_content(value)?)),
        }
    }

    /// Returns a key with its value, without indentation.
    fn format_entry(&self, name: &str, value: &str) -> Result<String> {
        let (unit, sequence) = (self.style.unit(), self.style.sequence());
        let slot = Slot { parent: Some(0), mapping: unit, sequence, compact: None };
        let content = self.parse_content(value)?;
        let end = if content.text.ends_with('\n') { "\n" } else { "" };
        let key = format!("{}:", self.format_key(name, false));
        Ok(format!("{}{end}", after_indicator(&key, place_content(&content, slot))))
    }

    /// Returns a value in flow style, with its comments. A line break follows a comment at the end.
    fn to_flow(&self, value: &str) -> Result<String> {
        let content = self.parse_content(value)?;
        let above: String = content.comments_above().iter().map(|comment| format!("{comment}\n")).collect();
        let after = content.comments_after();
        let end = if after.is_empty() { "" } else { "\n" };
        Ok(format!("{above}{}{after}{end}", content.to_flow()?))
    }

    fn format_flow_pair(&self, name: &str, value: &str) -> String {
        format!("{}: {value}", self.format_key(name, true))
    }

    /// Returns the key for a name. It is plain if possible, unless the keys of the file are quoted.
    fn format_key(&self, name: &str, flow: bool) -> String {
        let source = self.source;
        let mut keys = (0..source.table.len()).filter(|id| source.kind_of(*id).is_mapping());
        let shown = keys.find_map(|mapping| source.pairs(mapping).next()).map(|(key, _)| source.kind_of(key));
        if !matches!(shown, Some(Kind::DoubleQuoted | Kind::SingleQuoted)) && is_plain_key(name, flow) {
            return name.to_owned();
        }
        if shown == Some(Kind::SingleQuoted) && !name.contains(['\n', '\r', '\t']) && !name.contains(char::is_control) {
            return format!("'{}'", name.replace('\'', "''"));
        }
        let mut out = String::new();
        push_string(&mut out, name);
        out
    }
}

/// Returns whether the name without quotes is parsed as a key with that name.
fn is_plain_key(name: &str, flow: bool) -> bool {
    let text = if flow { format!("{{{name}: x}}") } else { format!("{name}: x") };
    let (table, problems) = parse::parse(&text);
    let source = Source { text: &text, table: &table };
    let root = source.root();
    let pairs: Vec<_> = source.pairs(root.id).collect();
    problems.is_empty()
        && name != "<<"
        && source.kind_of(root.id) == if flow { Kind::FlowMapping } else { Kind::BlockMapping }
        && matches!(pairs.as_slice(), [(key, _)] if source.kind_of(*key) == Kind::Plain && source.key_name(*key) == name)
}

/// Puts a content after an indicator (a key with its colon, or a dash), or on the lines below it.
fn after_indicator(indicator: &str, content: PlacedContent) -> String {
    match content {
        PlacedContent::Below { head, lines } if head.is_empty() => format!("{indicator}\n{lines}"),
        other => format!("{indicator} {}", other.text_after_indicator()),
    }
}
