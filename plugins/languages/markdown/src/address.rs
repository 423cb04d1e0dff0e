//! Unique addresses of blocks.

use std::{borrow::Cow, collections::HashMap};

use crate::blocks::{KIND_NAMES, Kind, NONE};
use crate::document::MarkdownDocument;
use crate::find::rendered_heading;
use crate::region;

impl MarkdownDocument {
    /// Returns the address of a block.
    pub(crate) fn address(&self, id: u32) -> String {
        let block = self.block(id);
        let number = || match self.block_numbers()[id as usize] {
            0 => String::new(),
            number => format!("[{number}]"),
        };
        match block.kind {
            Kind::Heading => self.heading_address(id),
            Kind::FrontMatter => Kind::FrontMatter.name().to_owned(),
            Kind::Header => format!("{} > header", self.address(block.parent)),
            Kind::Row | Kind::Item => format!("{} > {}{}", self.address(block.parent), block.kind.name(), number()),
            kind => {
                let scope = self.counting_scope(id);
                let label = self.label(id);
                let label = if label.is_empty() { String::new() } else { format!("[{}]", quote_label(&label, kind)) };
                let own = format!("{}{label}{}", kind.name(), number());
                if scope == NONE { own } else { format!("{} > {own}", self.address(scope)) }
            }
        }
    }

    fn heading_address(&self, id: u32) -> String {
        let tree = self.tree();
        let Some(heading) = tree.heading(id) else { return String::new() };
        let name = tree.name(heading);
        let same = self.headings_named(name);
        if same.len() == 1 {
            return quote_heading(name).into_owned();
        }
        let section = self.section(id);
        let (start, end) = section.map_or((0, u32::MAX), |section| (section, self.block(section).end));
        let block = |heading: &u32| tree.headings[*heading as usize].block;
        let first = same.partition_point(|heading| block(heading) <= start && section.is_some());
        let last = same.partition_point(|heading| block(heading) < end);
        let own = same.partition_point(|heading| block(heading) < id);
        let number = if last - first == 1 { String::new() } else { format!("[{}]", own - first + 1) };
        match section {
            Some(section) => format!("{} > {}{number}", self.address(section), quote_heading(name)),
            None => format!("{}[{}]", quote_heading(name), own + 1),
        }
    }

    /// Returns the block within which this block is counted; `NONE` for the whole document.
    pub(crate) fn counting_scope(&self, id: u32) -> u32 {
        let above = self.tree().ancestors(id).find(|block| match self.block(*block).kind {
            Kind::Heading => true,
            Kind::Item => self.block(id).kind == Kind::List,
            _ => false,
        });
        match self.block(id).kind {
            Kind::Footnote | Kind::Definition | Kind::Import | Kind::Export => NONE,
            Kind::Row | Kind::Item => self.block(id).parent,
            _ => above.unwrap_or(NONE),
        }
    }

    /// Returns, for each block, its number among the blocks of the same kind and label in its scope, starting with 1.
    /// The number is 0 if the block has a label that is unique in its scope.
    fn block_numbers(&self) -> &[u32] {
        self.numbers.get_or_init(|| {
            let mut counts: HashMap<(u32, Kind, Cow<'_, str>), u32> = HashMap::new();
            let blocks = 0..self.tree().blocks.len() as u32;
            let mut numbers: Vec<u32> = blocks.clone().map(|id| self.count_block(id, &mut counts)).collect();
            for id in blocks {
                let label = self.label(id);
                if !label.is_empty() && counts.get(&(self.counting_scope(id), self.block(id).kind, label)) == Some(&1) {
                    numbers[id as usize] = 0;
                }
            }
            numbers
        })
    }

    /// Counts a block in every enclosing scope. Returns its number in its own scope.
    fn count_block<'d>(&'d self, id: u32, counts: &mut HashMap<(u32, Kind, Cow<'d, str>), u32>) -> u32 {
        let kind = self.block(id).kind;
        let label = self.label(id);
        let mut number = 0;
        let mut scope = self.counting_scope(id);
        loop {
            let mut add = |label| {
                let count = counts.entry((scope, kind, label)).or_default();
                *count += 1;
                *count
            };
            let count = add(label.clone());
            number = if number == 0 { count } else { number };
            // An address without a label counts all blocks of the kind, so count the block without its label, too.
            if !label.is_empty() {
                add(Cow::Borrowed(""));
            }
            if scope == NONE || self.block(scope).kind != Kind::Heading {
                return number;
            }
            scope = self.section(scope).unwrap_or(NONE);
        }
    }
}

/// Returns a heading's name as a segment of an address.
pub(crate) fn quote_heading(name: &str) -> Cow<'_, str> {
    let is_word =
        KIND_NAMES.iter().any(|(_, word)| *word == name) || name == "task-list" || region::REGION_NAMES.contains(&name);
    let unclear = name.is_empty() || name.starts_with(['#', '"']) || name.ends_with(']') || name.contains('>');
    if is_word || unclear || rendered_heading(name) != name { Cow::Owned(quote(name)) } else { Cow::Borrowed(name) }
}

/// Returns a label in brackets. It is quoted if it would otherwise lose white space at its ends or be read as a number.
fn quote_label(label: &str, kind: Kind) -> Cow<'_, str> {
    let digits = label.strip_prefix('+').unwrap_or(label);
    let is_number = kind == Kind::Code && digits.bytes().all(|b| b.is_ascii_digit());
    let unclear = is_number || label.trim() != label || label.contains(['[', ']', '"', '>', '\\']);
    if unclear { Cow::Owned(quote(label)) } else { Cow::Borrowed(label) }
}

fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}
