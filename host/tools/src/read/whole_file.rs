//! Reads a file without a target: its text, or its outline if it is large.

use marquetry_model::{
    Kind, Result, Span, limits,
    pack::{Target, TargetKind},
};

use super::{Format, ReadArgs, ReadResult, matches::Reading, overview};
use crate::{line_numbers::line_count, result_types::pluralized, target::default_kind};

/// Maximum depth of an outline.
const OUTLINE_DEPTH: usize = 3;

/// Returns the outline of a file. `None` if the pack could not make it: the file may be too large for the limits of the
/// plugin, and its text can be read nevertheless.
fn if_available<T>(outline: Result<T>) -> Result<Option<T>> {
    match outline {
        Err(error) if matches!(error.kind(), Kind::PluginFailed | Kind::LimitExceeded) => Ok(None),
        outline => outline.map(Some),
    }
}

impl Reading<'_> {
    /// Reads the file, or its outline if it is large.
    pub(super) fn whole(&self) -> Result<ReadResult> {
        let mut result = self.result("file", self.file.path());
        let text = self.text();
        let count = line_count(text);
        let mut form = self.args.format;
        let is_asked = form.is_some() || self.args.max_lines.is_some();
        // The text of a file with few but long lines is not readable, and the outline of much data repeats itself, so an
        // overview is more useful.
        let is_data = default_kind(self.file.description()) == TargetKind::Path;
        let is_dense = (is_data || count <= limits::WHOLE_FILE_LINES) && text.len() > limits::WHOLE_FILE_BYTES;
        if !is_asked && (is_dense || count > limits::WHOLE_FILE_LINES) {
            form = Some(Format::Summary);
        }
        if !is_asked
            && is_dense
            && let Some(shape) = if_available(overview::file_overview(self.session, self.file))?.flatten()
        {
            result.format = Some(Format::Summary);
            result.truncated = Some(format!(
                "an overview of {} bytes in {}; read an address{}",
                text.len(),
                pluralized(count, "line"),
                shape.slice.map_or_else(String::new, |slice| format!(", or a slice such as `path: \"{slice}\"`"))
            ));
            result.content = shape.text;
            return Ok(result);
        }
        if let Some(form @ (Format::Summary | Format::Signature)) = form {
            let outline = self.outline(form == Format::Signature);
            let outline = if is_asked { Some(outline?) } else { if_available(outline)? };
            if let Some(outline) = outline.filter(|outline| !outline.is_empty()) {
                result.format = Some(form);
                result.content = outline;
                if !is_asked {
                    let end = limits::WHOLE_FILE_LINES.min(count);
                    result.truncated =
                        Some(format!("the outline of {count} lines; read an address, or `lines: \"1-{end}\"`"));
                }
                return Ok(result);
            }
        }
        result.format = self.args.format.filter(|form| *form != Format::Full);
        let most = self.args.max_lines.unwrap_or(limits::READ_LINES);
        let end = self.lines.line(most.saturating_add(1)).map_or(text.len(), |line| line.start);
        let mut truncated = (end < text.len())
            .then(|| format!("{most} of {count} lines; read `lines: \"{}-{count}\"` for the rest", most + 1));
        let (content, span) = if self.args.max_lines.is_some() {
            (text[..end].to_owned(), Span::new(0, end))
        } else {
            self.shortened(&text[..end], Span::new(0, end), &mut truncated)
        };
        result.truncated = truncated;
        result.content = content;
        result.range = Some(self.range_of(span));
        Ok(result)
    }

    /// Reads `limit` lines from the line `offset` on, counted from 1: other tools read files so. With a target, the same
    /// arguments select matches.
    pub(super) fn page_of_lines(&self) -> Result<ReadResult> {
        let text = self.text();
        let count = line_count(text);
        let first = self.args.offset.unwrap_or(1).max(1);
        let most = self.args.limit.unwrap_or(limits::READ_LINES).max(1);
        let last = first.saturating_add(most - 1).min(count.max(first));
        let own = ReadArgs { offset: None, limit: None, ..self.args.clone() };
        let lines = Target { kind: TargetKind::Lines, value: format!("{first}-{last}") };
        let mut result = Reading::new(self.session, self.file, &own).target(vec![lines])?;
        if last < count && result.truncated.is_none() {
            result.truncated =
                Some(format!("lines {first} to {last} of {count}; give `offset: {}` for the next", last + 1));
        }
        Ok(result)
    }

    /// Kind, address and line of every node, or only of the outermost ones with `top`.
    fn outline(&self, top: bool) -> Result<String> {
        let nodes = self.file.outline()?;
        let mut depths: Vec<usize> = Vec::with_capacity(nodes.len());
        let mut out = String::new();
        let mut shown = 0;
        for node in &nodes {
            let depth = node.parent.map_or(0, |parent| depths[parent as usize] + 1);
            depths.push(depth);
            if (top && depth > 0) || depth > OUTLINE_DEPTH {
                continue;
            }
            shown += 1;
            if shown > limits::READ_LINES || out.len() > self.bytes_left() {
                out.push_str("…\n");
                break;
            }
            let line = self.lines.position(node.span.start).line;
            out += &format!("{}{} {}  (line {line})\n", "  ".repeat(depth), node.kind, node.address);
        }
        Ok(out)
    }
}
