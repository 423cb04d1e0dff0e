//! Creates missing values with the mappings and sequences around them, in the style of the file.

use marquetry_jsonpath::{Missing, NewStep, Tree, ValueEditor, places, push_string};
use marquetry_sdk::{Edit, Position, Result, items::are_sorted};

use crate::{
    edit::{Editor, refuse_alias},
    parse,
    place::{Shaped, Slot, shaped},
    source::{Ref, Source},
    table::Kind,
};

impl Editor<'_> {
    /// Returns the edits that create the value.
    pub(crate) fn make(&self, missing: &Missing<Ref>, content: &str) -> Result<Vec<Edit>> {
        let (source, inside) = (self.source, missing.inside);
        if inside.via != 0 {
            return Err(refuse_alias(source, inside));
        }
        let root = source.root_id();
        let Some(place) = places(&source, root, &[inside.id]).pop() else { return Ok(Vec::new()) };
        let kind = source.kind_of(inside.id);
        let in_flow = self.parent(&place).is_some_and(|parent| source.kind_of(parent).is_flow());
        let flow = in_flow || (kind.is_flow() && source.table.extra(inside.id) > 0);
        let (first, below) = missing.steps.split_first().map_or((None, &[][..]), |(first, below)| (Some(first), below));
        let mut made = content.to_owned();
        for step in below.iter().rev() {
            made = self.around(step, &made, flow)?;
        }
        let null = !kind.is_collection();
        match first {
            Some(step) if flow && null => self.replace(&place, &self.around(step, &made, true)?),
            Some(NewStep::Member(name)) => {
                let member = if flow { self.pair(name, &self.flow(&made)?) } else { self.labelled(name, &made)? };
                let keys = source.pairs(inside.id).map(|(key, _)| source.key_name(key));
                let sorted = kind.is_mapping() && are_sorted(keys);
                self.insert_into(&place, &member, if sorted { Position::Sorted } else { Position::Last })
            }
            _ if kind == Kind::Stream => self.insert_into(&place, &made, Position::Last),
            Some(step) if !flow => self.insert_into(&place, &self.around(step, &made, false)?, Position::Last),
            _ => self.insert_into(&place, &self.flow(&made)?, Position::Last),
        }
    }

    /// Returns a mapping or sequence with only this value.
    fn around(&self, step: &NewStep, value: &str, flow: bool) -> Result<String> {
        match step {
            NewStep::Member(name) if flow => Ok(format!("{{{}}}", self.pair(name, &self.flow(value)?))),
            NewStep::Element if flow => Ok(format!("[{}]", self.flow(value)?)),
            NewStep::Member(name) => self.labelled(name, value),
            NewStep::Element => {
                let slot = Slot { parent: Some(0), mapping: 2, sequence: 2, compact: Some(2) };
                Ok(behind("-", shaped(&self.content(value)?, slot)))
            }
        }
    }

    /// Returns the value after a key, without indentation.
    fn labelled(&self, name: &str, value: &str) -> Result<String> {
        let (unit, sequence) = (self.style.unit(), self.style.sequence());
        let slot = Slot { parent: Some(0), mapping: unit, sequence, compact: None };
        Ok(behind(&format!("{}:", self.key(name, false)), shaped(&self.content(value)?, slot)))
    }

    fn flow(&self, value: &str) -> Result<String> {
        self.content(value)?.flow()
    }

    fn pair(&self, name: &str, value: &str) -> String {
        format!("{}: {value}", self.key(name, true))
    }

    /// Returns the key for a name: plain if possible, unless the keys of the file are quoted.
    fn key(&self, name: &str, flow: bool) -> String {
        let source = self.source;
        let mut keys = (0..source.table.len()).filter(|id| source.kind_of(*id).is_mapping());
        let shown = keys.find_map(|mapping| source.pairs(mapping).next()).map(|(key, _)| source.kind_of(key));
        if !matches!(shown, Some(Kind::DoubleQuoted | Kind::SingleQuoted)) && is_plain(name, flow) {
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

/// Returns whether the unquoted name is parsed as a key of that name.
fn is_plain(name: &str, flow: bool) -> bool {
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

/// Puts a content after a key or dash, or on the lines below it.
fn behind(indicator: &str, content: Shaped) -> String {
    match content {
        Shaped::Below { head, lines } if head.is_empty() => format!("{indicator}\n{lines}"),
        other => format!("{indicator} {}", other.behind_indicator()),
    }
}
