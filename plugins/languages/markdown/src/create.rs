//! Creates missing sections at the level and in the style of their neighbors.

use marquetry_sdk::{
    Edit, EditOptions, FailureKind, Insertion, NodeId, Operation, Position, Result, Target, TargetKind, fail,
    failure::MAX_CANDIDATES, items,
};

use crate::blocks::{Kind, NONE};
use crate::document::MarkdownDocument;
use crate::errors::unsupported_operation;
use crate::insertion::{line_breaks, trim_blank_lines};
use crate::target::{self, Segment};

/// The deepest level of headings.
pub(crate) const MAX_LEVEL: u8 = 6;

impl MarkdownDocument {
    /// Returns the edits that create the missing sections of a path of headings.
    pub(crate) fn create_section(&self, target: &Target, content: &str) -> Result<Vec<Edit>> {
        let value = target.value.trim();
        if target.kind == TargetKind::Path {
            return self.add_key(value, content);
        }
        if target.kind != TargetKind::Heading {
            return Err(unsupported_operation("upsert", "region", "name a section by its `heading`"));
        }
        if let Some(found) = self.resolve(value, false)?.first() {
            let address = self.address(*found);
            return Err(fail(FailureKind::InvalidArgument, format!("`{address}` already exists"))
                .hint("use `replace`, `replace_body` or `insert_into`")
                .candidates([address]));
        }
        let segments = target::parse(value)?;
        let (section, known) = self.deepest_section(&segments)?;
        let new = &segments[known..];
        let names = new.iter().map(heading_text).collect::<Result<Vec<String>>>()?;
        let section = section.or_else(|| self.default_parent_section(new[0].heading.level));
        let first = self.new_level(section, &new[0])?;
        let text = self.section_text(new, &names, first, content)?;
        let edits = match section {
            Some(section) => self.append_to(section, text)?,
            None => vec![self.append(&text)],
        };
        self.check_created(value, &edits)?;
        Ok(edits)
    }

    /// Returns the section of the longest prefix of the path that exists, and the number of segments of that prefix.
    /// The prefix is shorter than the path.
    fn deepest_section(&self, segments: &[Segment]) -> Result<(Option<NodeId>, usize)> {
        for known in (1..segments.len()).rev() {
            let found = self.resolve_segments(&segments[..known]);
            let sections: Vec<NodeId> = found.iter().copied().filter(|id| self.tree().heading(*id).is_some()).collect();
            match sections.as_slice() {
                [] => {}
                [only] => return Ok((Some(*only), known)),
                several => {
                    let path: Vec<&str> = segments[..known].iter().map(|segment| segment.raw.as_str()).collect();
                    let message = format!("`{}` names {} sections", path.join(" > "), several.len());
                    return Err(fail(FailureKind::AmbiguousTarget, message)
                        .hint("begin the path with one of the candidates")
                        .candidates(several.iter().map(|id| self.address(*id)).take(MAX_CANDIDATES)));
                }
            }
        }
        Ok((None, 0))
    }

    /// Returns the parent of a new section whose path names only the section itself. If the target has a level, this is
    /// the last section of a higher level; otherwise, the section of the title if the document has only one.
    fn default_parent_section(&self, level: Option<u8>) -> Option<NodeId> {
        let tree = self.tree();
        let sections = |parent: u32| -> Vec<u32> {
            tree.children(parent).filter(|block| self.block(*block).kind == Kind::Heading).collect()
        };
        let level_of = |block: u32| tree.heading(block).map_or(MAX_LEVEL, |heading| heading.level);
        let Some(level) = level else {
            let top = sections(NONE);
            return top.first().copied().filter(|title| top.len() == 1 && level_of(*title) == 1);
        };
        let mut found = None;
        let mut inside = sections(NONE);
        while let Some(last) = inside.iter().rev().find(|block| level_of(**block) < level) {
            found = Some(*last);
            inside = sections(*last);
        }
        found
    }

    /// Returns the level of a new section in this section, or at the top of the document.
    fn new_level(&self, section: Option<NodeId>, segment: &Segment) -> Result<u8> {
        let tree = self.tree();
        let inside = section.unwrap_or(NONE);
        let last = tree.children(inside).filter_map(|block| tree.heading(block)).last();
        let above = section.and_then(|section| tree.heading(section)).map_or(0, |heading| heading.level);
        let level = segment.heading.level.or(last.map(|heading| heading.level)).unwrap_or(above + 1);
        if level <= above {
            let message = format!("the heading level of `{}` is not below that of the parent section", segment.raw);
            return Err(fail(FailureKind::InvalidTarget, message).hint("leave out the `#` to use the level that fits"));
        }
        Ok(level)
    }

    /// Returns the text to insert: the new headings, each nested in the previous one, and the content below the last
    /// heading.
    fn section_text(&self, new: &[Segment], names: &[String], first: u8, content: &str) -> Result<String> {
        let mut level = first;
        let mut parts = Vec::new();
        for (index, (segment, name)) in new.iter().zip(names).enumerate() {
            if index > 0 {
                level = segment.heading.level.unwrap_or(level + 1);
            }
            if level > MAX_LEVEL {
                return Err(fail(FailureKind::Unsupported, "headings have at most 6 levels")
                    .hint("use a shorter path, or a list"));
            }
            parts.push(self.heading_line(level, name));
        }
        let mut content = trim_blank_lines(content);
        let parsed = MarkdownDocument::new(self.sample_file_name(), content.to_owned());
        let heading = parsed.tree().headings.first().filter(|heading| heading.block == 0);
        if let (Some(heading), Some(name)) = (heading, names.last())
            && parsed.tree().name(heading) == name
        {
            // The content starts with its own heading, so this heading is not repeated.
            content = trim_blank_lines(&content[heading.line_end as usize..]);
        }
        let parsed = MarkdownDocument::new(self.sample_file_name(), content.to_owned());
        if let Some(heading) = parsed.tree().headings.iter().find(|heading| heading.level <= level) {
            let message = format!(
                "`{}` in the content is a heading of level {}, which ends the new section of level {level}",
                parsed.tree().name(heading),
                heading.level
            );
            return Err(fail(FailureKind::InvalidArgument, message)
                .hint(format!("begin the headings in the content with at least {} `#`", level + 1)));
        }
        if !content.is_empty() {
            parts.push(content.to_owned());
        }
        Ok(parts.join("\n\n"))
    }

    /// Returns a heading in the style of the other headings of its level.
    pub(crate) fn heading_line(&self, level: u8, name: &str) -> String {
        let tree = self.tree();
        let mut alike = tree.headings.iter().filter(|heading| heading.level == level).peekable();
        let underlined = level <= 2
            && alike.peek().is_some()
            && alike.all(|heading| !self.source(heading.block).trim_start().starts_with('#'));
        if underlined {
            let mark = if level == 1 { "=" } else { "-" };
            return format!("{name}\n{}", mark.repeat(name.chars().count().max(3)));
        }
        format!("{} {name}", "#".repeat(usize::from(level)))
    }

    fn append_to(&self, section: NodeId, content: String) -> Result<Vec<Edit>> {
        let tree = self.tree();
        let names = tree.children(section).filter_map(|block| tree.heading(block)).map(|heading| tree.name(heading));
        let position = if items::are_sorted(names) { Position::Sorted } else { Position::Last };
        let options = EditOptions { include_doc: false, force: false };
        self.edit_nodes(&[section], &Operation::InsertInto(Insertion { content, position }), options)
    }

    /// Appends content at the end of the document.
    fn append(&self, content: &str) -> Edit {
        let end = self.text.trim_end().len();
        if self.text[..end].trim_start_matches('\u{feff}').is_empty() {
            return Edit::new(end..self.text.len(), format!("{content}\n"));
        }
        let edit = self.before_definitions(NONE, content);
        edit.unwrap_or_else(|| Edit::insert(end, format!("{}{content}", line_breaks(2, ""))))
    }

    /// Checks that the path now finds exactly one section.
    fn check_created(&self, value: &str, edits: &[Edit]) -> Result<()> {
        let after = self.with_text(marquetry_sdk::span::apply(&self.text, edits));
        if after.resolve(value, false).is_ok_and(|found| found.len() == 1) {
            return Ok(());
        }
        Err(fail(
            FailureKind::InvalidTarget,
            format!("a heading written as `{value}` would not be found under that name"),
        )
        .hint("use the text without Markdown syntax, or use `insert_into` with the heading in the content"))
    }

    /// Returns a document of the same kind with another text.
    pub(crate) fn with_text(&self, text: String) -> MarkdownDocument {
        MarkdownDocument::new(self.sample_file_name(), text)
    }

    /// Returns a file name with the extension of this document, for documents that are parsed to check an edit.
    fn sample_file_name(&self) -> &'static str {
        if self.is_mdx { "new.mdx" } else { "new.md" }
    }
}

/// Returns the text of a new heading.
fn heading_text(segment: &Segment) -> Result<String> {
    let heading = &segment.heading;
    let block = segment.block.is_some() && !segment.quoted;
    let anchor = !segment.quoted && heading.level.is_none() && heading.text.starts_with('#');
    let is_path = !segment.quoted && (heading.text.starts_with("$.") || heading.text.starts_with("$["));
    if is_path || !segment.quoted && heading.text.contains(" >> ") {
        let message = format!("`{}` is not a heading but a path in data", segment.raw);
        return Err(fail(FailureKind::InvalidTarget, message).hint(
            "name the code block by `heading` and the value in it by `path`; put a heading like this in quotes",
        ));
    }
    if block || anchor || heading.number.is_some() || heading.text.is_empty() || heading.text.contains(['\n', '\r']) {
        return Err(fail(
            FailureKind::InvalidTarget,
            format!("`{}` is not a heading that can be created", segment.raw),
        )
        .hint("write the text of the new heading; put it in quotes if it looks like a block, such as `\"code\"`"));
    }
    Ok(heading.text.clone())
}
