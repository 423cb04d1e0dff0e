//! Wraps a value: puts text before and after it, and indents it as needed.
//!
//! The same text has different meanings at different positions. So several layouts are tried. The first one whose value
//! is that of the wrapper, with the old value in its place, is used.

use marquetry_jsonpath::{json_text_within, push_string};
use marquetry_sdk::{Edit, Failure, FailureKind, Result, Wrapper, fail, lines, span::apply};

use crate::{
    content::{Content, dedent, indent_rest},
    edit::{Editor, Location},
    edit_errors::several_documents_error,
    parse,
    source::{NodeRef, Source},
    table::Kind,
    verify,
};

/// Scalar that stands for the wrapped value when the value of the wrapper is computed.
const PLACEHOLDER: &str = "wrapped-value-0";

impl Editor<'_> {
    pub(crate) fn wrap_value(&self, place: &Location<'_>, wrapper: &Wrapper) -> Result<Vec<Edit>> {
        let source = self.source;
        if source.kind_of(place.id) == Kind::Stream {
            return Err(several_documents_error());
        }
        let value = self.value_text(place);
        let spaced = with_space_after_indicator(wrapper).filter(|_| source.kind_of(place.id).is_block_collection());
        let wrapper = spaced.as_ref().unwrap_or(wrapper);
        let expected = self.expected_values(place, wrapper);
        let mut refused = None;
        let mut layouts = self.layouts(&value, wrapper);
        if self.parent(place).is_some_and(|parent| source.kind_of(parent).is_flow()) {
            layouts.extend(flow_layout(&value, wrapper));
        }
        for text in layouts {
            let content = self.parse_content(&text);
            match content.and_then(|content| self.replace_value(place, &content)) {
                Ok(edits) if self.options.force || is_wrapped(source, place, &edits, &expected) => return Ok(edits),
                Ok(_) => {}
                Err(failure) => refused = refused.or(Some(failure)),
            }
        }
        Err(refused.filter(|_| expected.is_empty()).unwrap_or_else(|| cannot_wrap_error(place)))
    }

    /// Returns the text of a value without the indentation of its lines.
    fn value_text(&self, place: &Location<'_>) -> String {
        let span = self.source.span(place.id);
        let start = span.range().start;
        let column = start - lines::line_start(self.source.text, start);
        let text = span.slice(self.source.text);
        if self.source.kind_of(place.id).is_block_scalar() {
            // The lines of the scalar are indented more than its header; a digit in the header says by how many columns.
            let (header, rest) = text.split_once('\n').unwrap_or((text, ""));
            let header = header.trim_end_matches('\r');
            let given = header.split([' ', '#']).next().and_then(|header| header.chars().find_map(|c| c.to_digit(10)));
            return match given {
                None => indent_rest(&format!("{header}\n{}", dedent(rest)), self.style.unit()),
                Some(given) => {
                    let outer = (self.source.table.extra(place.id)).saturating_sub(given) as usize;
                    let inner = |line: &str| line.get(outer..).unwrap_or_default().to_owned();
                    let lines: Vec<String> = rest.lines().map(inner).collect();
                    format!("{header}\n{}", lines.join("\n"))
                }
            };
        }
        let text = dedent(&format!("{}{text}", " ".repeat(column)));
        if text.is_empty() { "null".to_owned() } else { text }
    }

    /// Returns possible texts of the wrapped value, the most literal first.
    fn layouts(&self, value: &str, wrapper: &Wrapper) -> Vec<String> {
        let before = wrapper.before.trim_end_matches([' ', '\t']);
        let given = wrapper.before.len() - before.len();
        let after = wrapper.after.trim_matches(['\n', '\r']);
        let is_broken = before.ends_with('\n');
        let head = before.trim_end_matches(['\n', '\r']);
        let last = head.lines().last().unwrap_or_default();
        let margin = last.len() - last.trim_start().len();
        let below = |column: usize| {
            let end = if after.is_empty() { String::new() } else { format!("\n{after}") };
            format!("{head}\n{}{}{end}", " ".repeat(column), indent_rest(value, column))
        };
        let column = wrapper.before.len() - margin_start(&wrapper.before);
        let beside = format!("{}{}{after}", wrapper.before, indent_rest(value, column));
        let literal = format!("{}{value}{}", wrapper.before, wrapper.after);
        let deeper = margin + self.style.unit();
        let dash = last.trim_start().starts_with('-') && last.trim_start().trim_start_matches(['-', ' ']).is_empty();
        let is_block_scalar = value.starts_with(['|', '>']) && value.contains('\n');
        match (is_broken, value.contains('\n')) {
            _ if is_block_scalar => {
                let end = if after.is_empty() { String::new() } else { format!("\n{after}") };
                let start = if is_broken { format!("{head} ") } else { wrapper.before.clone() };
                vec![format!("{start}{}{end}", indent_rest(value, margin)), below(deeper)]
            }
            (true, _) if given > 0 => vec![below(given), below(deeper), below(margin)],
            (true, _) => vec![below(deeper), below(margin)],
            (false, true) if dash => vec![beside, below(deeper)],
            (false, true) => vec![below(deeper), below(margin), beside, literal],
            (false, false) => vec![literal, below(deeper), below(margin)],
        }
    }

    /// Returns the possible values of the result as JSON: the value of the wrapper with the old value in place of a
    /// scalar. Empty if the wrapper cannot be parsed.
    fn expected_values(&self, place: &Location<'_>, wrapper: &Wrapper) -> Vec<String> {
        let source = self.source;
        let most = verify::max_json_length(source);
        let node = NodeRef { id: place.id, via_alias: 0 };
        let Some(old) = json_text_within(&source, node, most) else { return Vec::new() };
        // Other layouts than the literal one could hide the placeholder's surroundings, such as a comment.
        let tried = if wrapper.before.trim_end_matches([' ', '\t']).ends_with('\n') { 3 } else { 1 };
        let template = self.layouts(PLACEHOLDER, wrapper).into_iter().take(tried).find_map(|text| {
            let content = Content::parse(&text, false).ok()?;
            let json = json_text_within(&content.source(), NodeRef { id: content.root(), via_alias: 0 }, most)?;
            (json.matches(PLACEHOLDER).count() == 1).then_some(json)
        });
        let Some(template) = template else { return Vec::new() };
        let kind = source.kind_of(place.id);
        let mut text = String::new();
        if !kind.is_collection() && kind != Kind::Alias {
            push_string(&mut text, &crate::scalar::decode_text(source.text, source.table, place.id));
        }
        let quoted = format!("\"{PLACEHOLDER}\"");
        if template.contains(&quoted) {
            // Quotes and tags turn a number into text.
            let values = [Some(old), Some(text).filter(|text| !text.is_empty())];
            return values.into_iter().flatten().map(|value| template.replace(&quoted, &value)).collect();
        }
        match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
            Some(inner) => vec![template.replace(PLACEHOLDER, inner)],
            None => Vec::new(),
        }
    }
}

/// Returns the wrapper with a space after the colon or dash at its end.
fn with_space_after_indicator(wrapper: &Wrapper) -> Option<Wrapper> {
    let last = wrapper.before.lines().last().unwrap_or_default();
    let is_indicator = wrapper.before.ends_with(':') || wrapper.before.ends_with('-') && last.trim() == "-";
    is_indicator.then(|| Wrapper { before: format!("{} ", wrapper.before), after: wrapper.after.clone() })
}

/// Returns the wrapped value in flow style, for a wrapper that is a key or a dash on one line.
fn flow_layout(value: &str, wrapper: &Wrapper) -> Option<String> {
    let before = wrapper.before.trim();
    let is_alone = wrapper.after.trim().is_empty() && !before.contains('\n');
    match before.strip_suffix(':') {
        Some(key) if is_alone => Some(format!("{{{key}: {value}}}")),
        None if is_alone && before == "-" => Some(format!("[{value}]")),
        _ => None,
    }
}

/// Returns the start of the last line.
fn margin_start(text: &str) -> usize {
    text.rfind('\n').map_or(0, |at| at + 1)
}

/// Returns whether the value at the place is one of the expected ones after the edits, and other values are unchanged.
fn is_wrapped(source: Source<'_>, place: &Location<'_>, edits: &[Edit], expected: &[String]) -> bool {
    let text = apply(source.text, edits);
    let (table, _) = parse::parse(&text);
    let after = Source { text: &text, table: &table };
    let Some(node) = verify::node_at(after, &place.address) else { return false };
    let found = json_text_within(&after, node, verify::max_json_length(after).max(verify::max_json_length(source)));
    found.is_some_and(|found| expected.contains(&found)) && verify::others_unchanged(source, after, place.id)
}

fn cannot_wrap_error(place: &Location<'_>) -> Failure {
    fail(FailureKind::InvalidArgument, format!("in this wrapper, `{}` would be parsed as another value", place.address))
        .hint(
            "end `before` with a line break to put the value on its own lines, such as `key:` or `-`; \
         brackets can contain only flow style; or use `replace`",
        )
}
