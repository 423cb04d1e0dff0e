//! Parses anchors, tags and aliases.

use super::{Parser, is_blank, is_flow_indicator};
use crate::table::{Properties, Tag};

/// Prefix of the tags of the core schema.
const CORE_TAG_PREFIX: &str = "tag:yaml.org,2002:";

impl<'t> Parser<'t> {
    /// Parses the anchor or tag at the current position.
    pub(super) fn parse_property(&mut self, properties: &mut Properties, in_flow: bool) {
        let start = self.at;
        let place = if self.peek() == Some(b'&') {
            self.skip_name("an anchor");
            let place = (start as u32, self.at as u32);
            if properties.has_anchor() {
                self.report_error(start..self.at, "a node can have only one anchor");
            }
            properties.anchor = place;
            self.at
        } else {
            let meaning = self.parse_tag(in_flow);
            if properties.has_tag() {
                self.report_error(start..self.at, "a node can have only one tag");
            }
            (properties.tag, properties.meaning) = ((start as u32, self.at as u32), meaning);
            self.at
        };
        self.end = self.end.max(place);
        let flow_end = in_flow && self.peek().is_some_and(is_flow_indicator);
        if !self.is_blank_at(self.at) && !flow_end {
            self.report_error(self.at..self.at + 1, "expected white space after an anchor or tag");
        }
    }

    /// Combines properties of one node that are on different lines.
    pub(super) fn merge_properties(&mut self, outer: Properties, inner: Properties) -> Properties {
        if (outer.has_anchor() && inner.has_anchor()) || (outer.has_tag() && inner.has_tag()) {
            let start = inner.start().unwrap_or(self.at);
            self.report_error(start..inner.end().max(start), "a node can have only one anchor and one tag");
        }
        let tagged = if inner.has_tag() { inner } else { outer };
        let anchor = if inner.has_anchor() { inner.anchor } else { outer.anchor };
        Properties { anchor, tag: tagged.tag, meaning: tagged.meaning }
    }

    /// Skips `&name` or `*name` and returns the name.
    pub(super) fn skip_name(&mut self, what: &str) -> &'t str {
        let start = self.at + 1;
        let rest = &self.bytes[start..];
        let length = rest.iter().position(|byte| is_blank(*byte) || is_flow_indicator(*byte)).unwrap_or(rest.len());
        self.at = start + length;
        if length == 0 {
            self.report_error(start - 1..start, format!("{what} needs a name"));
        }
        &self.text[start..self.at]
    }

    /// Skips a tag and returns its effect on a value.
    fn parse_tag(&mut self, in_flow: bool) -> Tag {
        let start = self.at;
        if self.bytes[start..].starts_with(b"!<") {
            let end = self.line_end();
            let line = &self.text[start + 2..end];
            let length = line.find(['>', ' ']).filter(|at| line[*at..].starts_with('>') && *at > 0);
            let Some(length) = length else {
                self.report_error(start..end, "expected `!<tag>`");
                self.at = end;
                return Tag::None;
            };
            self.at = start + 2 + length + 1;
            if !is_uri(&line[..length]) {
                self.report_error(start..self.at, "the tag is not a URI");
            }
            return tag_meaning(&line[..length], "");
        }
        let rest = &self.bytes[start..];
        let stop = |byte: &u8| is_blank(*byte) || (in_flow && is_flow_indicator(*byte));
        self.at = start + rest.iter().position(stop).unwrap_or(rest.len());
        let tag = &self.text[start..self.at];
        let handle = tag[1..].find('!').map_or("!", |at| &tag[..at + 2]);
        let suffix = &tag[handle.len()..];
        let good = is_uri(suffix) && !suffix.contains(['!', ',', '[', ']']);
        if !good || !super::is_handle(handle) || (handle.len() > 1 && suffix.is_empty()) {
            self.report_error(start..self.at, format!("`{tag}` is not a tag"));
            return Tag::None;
        }
        let declared = self.handles.iter().find(|(known, _)| *known == handle).map(|(_, prefix)| *prefix);
        match (declared, handle) {
            (Some(prefix), _) => tag_meaning(prefix, suffix),
            (None, "!!") => tag_meaning(CORE_TAG_PREFIX, suffix),
            (None, "!") => Tag::Text,
            (None, _) => {
                self.report_undeclared(
                    start..start + handle.len(),
                    format!("the tag handle `{handle}` is not declared"),
                );
                Tag::Text
            }
        }
    }
}

/// Returns whether the text contains only characters that are allowed in a URI. Each `%` must be followed by two
/// hexadecimal digits.
pub(super) fn is_uri(text: &str) -> bool {
    let escaped = |rest: &str| rest.bytes().take(2).filter(u8::is_ascii_hexdigit).count() == 2;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"%-#;/?:@&=+$,_.!~*'()[]".contains(&byte);
    text.bytes().all(plain) && text.split('%').skip(1).all(escaped)
}

fn tag_meaning(prefix: &str, suffix: &str) -> Tag {
    let whole = format!("{prefix}{suffix}");
    match whole.strip_prefix(CORE_TAG_PREFIX) {
        Some("int" | "float" | "bool" | "null") => Tag::Plain,
        _ => Tag::Text,
    }
}
