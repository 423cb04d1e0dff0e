//! `file_read`: show this one thing.

use marquetry_model::{
    Error, Kind, Result, Span, limits,
    pack::{Form, Node, Target, TargetKind, View},
    text::Lines,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{
    open_document::{Place, nodes, shifted},
    shape::{Range, range},
    target::{TargetArgs, at_most, default_kind},
    workbench::{Opened, Workbench},
};

/// Arguments of `file_read`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadArgs {
    /// Absolute path of the project; by default the root the server was started with.
    pub root: Option<String>,
    /// The file, relative to the root or absolute.
    pub file: String,
    /// What to read. Without a target: the file, or its outline when it is large.
    #[serde(flatten)]
    pub target: TargetArgs,
    /// Several symbols at once.
    pub symbols: Option<Vec<String>>,
    /// Lines around a target, or around a text that occurs in the file.
    pub around: Option<Around>,
    /// `full` (default), `signature`, `body`, or `summary`.
    pub format: Option<Format>,
    /// Include kind, signature and dependencies (default true).
    pub include_metadata: Option<bool>,
    /// The attached doc comment is part of the range.
    #[serde(default)]
    pub include_doc: bool,
    /// Show at most so many lines of each match.
    pub max_lines: Option<usize>,
    /// Return at most so many matches (default 50); `matchCount` counts all.
    pub limit: Option<usize>,
    /// Also give the parsed value of each match (data formats).
    #[serde(default)]
    pub values: bool,
}

/// A target and how many lines to show above and below it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Around {
    /// A target of the format's default kind, or a text that occurs in the file.
    pub target: String,
    /// Lines above and below (default 3).
    pub context: Option<usize>,
}

/// How much of a match to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// All of it.
    Full,
    /// Its head.
    Signature,
    /// Its inside.
    Body,
    /// Its shape.
    Summary,
}

/// Result of `file_read`. `content` and `range` are those of the first match.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadResult {
    /// The file.
    pub file: String,
    /// What was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<TargetEcho>,
    /// The text of the first match.
    pub content: String,
    /// Where it stands: exactly what `file_edit` replaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its head on one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// What it uses of other files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dependencies: Option<Vec<DependencyShape>>,
    /// The comment attached to it, which is not part of the range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation: Option<Documentation>,
    /// The value of an expression that names no place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Box<RawValue>>,
    /// Every match.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<Match>,
    /// How many matches there are in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_count: Option<usize>,
    /// Symbols that were asked for and are not there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Missing>,
    /// What was left out, and the call that gets it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated: Option<String>,
    /// How the content was made, unless it is the full text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// The hash of the file: give it back as `expectedHash`.
    pub hash: String,
    /// Which plugin answered.
    pub engine: String,
}

/// What was asked for.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TargetEcho {
    /// The kind of target.
    pub r#type: &'static str,
    /// Its value.
    pub value: String,
}

/// One match.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Match {
    /// Finds exactly this place again.
    pub address: String,
    /// What it is.
    pub kind: String,
    /// Its text.
    pub content: String,
    /// Where it stands.
    pub range: Range,
    /// Its parsed value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Box<RawValue>>,
    /// The comment attached to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation: Option<Documentation>,
}

/// A comment attached to a match.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Documentation {
    /// Its text.
    pub content: String,
    /// Where it stands.
    pub range: Range,
}

/// A name that another file brings in.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DependencyShape {
    /// The name in the other file.
    pub symbol: String,
    /// The specifier as written.
    pub from: String,
}

/// A symbol that is not there.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Missing {
    /// The symbol.
    pub symbol: String,
    /// Why.
    pub message: String,
    /// The nearest ones there are.
    pub candidates: Vec<String>,
}

impl Workbench {
    /// Read a file, or what a target names in it.
    pub fn read(&self, args: &ReadArgs) -> Result<ReadResult> {
        let opened = self.open(args.root.as_deref(), &args.file)?;
        let given = args.target.given(opened.pack.description());
        let symbols = args.symbols.as_deref().unwrap_or_default();
        let asked = given.len() + usize::from(!symbols.is_empty()) + usize::from(args.around.is_some());
        if asked > 1 && (args.around.is_some() || !symbols.is_empty()) {
            return Err(Error::argument("`symbols`, `around` and the other targets exclude each other"));
        }
        at_most(&given, limits::EMBEDDED_DEPTH)?;
        let lines = Lines::new(&opened.source.text);
        let reading = Reading { bench: self, opened: &opened, args, lines };
        if let Some(around) = &args.around {
            return reading.around(around);
        }
        if !symbols.is_empty() {
            return reading.symbols(symbols);
        }
        if given.is_empty() { reading.whole() } else { reading.target(given) }
    }
}

/// One read under way.
struct Reading<'a> {
    bench: &'a Workbench,
    opened: &'a Opened,
    args: &'a ReadArgs,
    lines: Lines<'a>,
}

impl Reading<'_> {
    fn text(&self) -> &str {
        &self.opened.source.text
    }

    fn result(&self) -> ReadResult {
        ReadResult {
            file: self.opened.source.path.clone(),
            hash: self.opened.source.hash.clone(),
            engine: self.opened.pack.description().id.clone(),
            ..ReadResult::default()
        }
    }

    fn limit(&self) -> usize {
        self.args.limit.unwrap_or(limits::MATCHES).max(1)
    }

    fn target(&self, given: Vec<Target>) -> Result<ReadResult> {
        let echo = given.first().map(|target| TargetEcho { r#type: target.kind.name(), value: target.value.clone() });
        let located = self.bench.locate(self.opened, given, self.limit(), self.args.values)?;
        let mut result =
            ReadResult { target: echo, engine: located.place.pack.description().id.clone(), ..self.result() };
        match nodes(located.found) {
            Err(scalar) => {
                result.content = scalar.text;
                result.value = RawValue::from_string(scalar.json).ok();
            }
            Ok((found, total)) => self.fill(&mut result, &located.place, found, total)?,
        }
        Ok(result)
    }

    fn symbols(&self, symbols: &[String]) -> Result<ReadResult> {
        let mut result = self.result();
        let place = Place::file(self.opened);
        let (mut found, mut total, mut last) = (Vec::new(), 0, None);
        for symbol in symbols {
            let target = Target { kind: TargetKind::Symbol, value: symbol.clone() };
            match self.bench.locate(self.opened, vec![target], self.limit(), self.args.values) {
                Ok(located) => {
                    let (nodes, count) = nodes(located.found).map_err(|_| Error::argument("a symbol is a place"))?;
                    found.extend(nodes.into_iter().map(|node| shifted(node, located.place.offset)));
                    total += count;
                }
                Err(error) if error.kind() == Kind::TargetNotFound => {
                    let content = error.content().clone();
                    result.missing.push(Missing {
                        symbol: symbol.clone(),
                        message: content.message,
                        candidates: content.candidates,
                    });
                    last = Some(error);
                }
                Err(error) => return Err(error),
            }
        }
        match last {
            Some(error) if found.is_empty() => Err(error),
            _ => {
                result.target = Some(TargetEcho { r#type: "symbol", value: symbols.join(", ") });
                self.fill(&mut result, &place, found, total)?;
                Ok(result)
            }
        }
    }

    /// The matches, and the first one at top level.
    fn fill(&self, result: &mut ReadResult, place: &Place, found: Vec<Node>, total: usize) -> Result<()> {
        let mut document = place.document()?;
        let form = self.args.format.unwrap_or(Format::Full);
        let shown = found.len();
        for (index, node) in found.into_iter().enumerate() {
            let id = node.id;
            let view = match form {
                Format::Full => View::Span(self.full_span(&node)),
                other => document.view(id, other.into())?,
            };
            if index == 0 {
                result.kind = Some(node.kind.clone());
                if self.args.include_metadata.unwrap_or(true) {
                    result.signature = match document.view(id, Form::Signature) {
                        Ok(View::Text(text)) => Some(text),
                        Ok(View::Span(span)) => Some(span.of(&place.text).to_owned()),
                        Err(_) => None,
                    };
                    let list = document.dependencies(id)?;
                    let list: Vec<_> =
                        list.into_iter().map(|d| DependencyShape { symbol: d.symbol, from: d.from }).collect();
                    result.dependencies = (!list.is_empty()).then_some(list);
                }
            }
            let item = self.matched(shifted(node, place.offset), view, place.offset, &mut result.truncated);
            result.matches.push(item);
        }
        if let Some(first) = result.matches.first() {
            result.content.clone_from(&first.content);
            result.range = Some(first.range);
            result.documentation.clone_from(&first.documentation);
            result.value.clone_from(&first.value);
        }
        result.match_count = Some(total);
        result.format = (form != Format::Full).then_some(form);
        if total > shown {
            result.truncated = Some(format!("{shown} of {total} matches; give `limit: {total}` for all"));
        }
        Ok(())
    }

    fn full_span(&self, node: &Node) -> Span {
        match node.doc {
            Some(doc) if self.args.include_doc => Span::new(doc.start.min(node.span.start), node.span.end.max(doc.end)),
            _ => node.span,
        }
    }

    /// A match; the node is in offsets of the file, the view in those of the part that starts at `offset`.
    fn matched(&self, node: Node, view: View, offset: usize, truncated: &mut Option<String>) -> Match {
        let (content, span) = match view {
            View::Span(span) => {
                let span = span.shifted(offset);
                (span.of(self.text()), span)
            }
            View::Text(ref text) => (text.as_str(), node.span),
        };
        let content = self.cut(content, span, truncated);
        Match {
            content,
            range: range(&self.lines, span),
            documentation: node
                .doc
                .filter(|_| !self.args.include_doc)
                .map(|doc| Documentation { content: doc.of(self.text()).to_owned(), range: range(&self.lines, doc) }),
            value: node.value.and_then(|value| RawValue::from_string(value).ok()),
            address: node.address,
            kind: node.kind,
        }
    }

    /// At most `maxLines` lines, and how to get the rest.
    fn cut(&self, content: &str, span: Span, truncated: &mut Option<String>) -> String {
        let Some(most) = self.args.max_lines else { return content.to_owned() };
        let Some((end, _)) = content.match_indices('\n').nth(most.max(1) - 1) else { return content.to_owned() };
        if end + 1 >= content.len() {
            return content.to_owned();
        }
        let all = content.lines().count();
        let first = self.lines.position(span.start).line;
        *truncated =
            Some(format!("{most} of {all} lines; read `lines: \"{}-{}\"` for the rest", first + most, first + all - 1));
        content[..end].to_owned()
    }

    /// The file; its outline when it is large.
    fn whole(&self) -> Result<ReadResult> {
        let mut result = self.result();
        let (text, count) = (self.text(), self.lines.count());
        let mut form = self.args.format;
        if form.is_none() && self.args.max_lines.is_none() && count > limits::WHOLE_FILE_LINES {
            form = Some(Format::Summary);
        }
        result.format = form.filter(|form| *form != Format::Full);
        if form == Some(Format::Summary) || form == Some(Format::Signature) {
            let outline = self.outline(form == Some(Format::Signature))?;
            if !outline.is_empty() {
                result.content = outline;
                result.truncated = Some(format!(
                    "the outline of {count} lines; read an address, or `lines: \"1-{}\"`",
                    limits::WHOLE_FILE_LINES
                ));
                return Ok(result);
            }
        }
        let most = self.args.max_lines.unwrap_or(limits::READ_LINES);
        let end = self.lines.line(most + 1).map_or(text.len(), |line| line.start);
        let span = Span::new(0, end);
        if end < text.len() {
            result.truncated =
                Some(format!("{most} of {count} lines; read `lines: \"{}-{count}\"` for the rest", most + 1));
        }
        result.content = span.of(text).to_owned();
        result.range = Some(range(&self.lines, span));
        Ok(result)
    }

    /// Kind, address and first line of every node; only the outermost ones with `top`.
    fn outline(&self, top: bool) -> Result<String> {
        let place = Place::file(self.opened);
        let nodes = place.document()?.outline()?;
        let mut depths: Vec<usize> = Vec::with_capacity(nodes.len());
        let mut out = String::new();
        let mut shown = 0;
        for node in &nodes {
            let depth = node.parent.map_or(0, |parent| depths[parent as usize] + 1);
            depths.push(depth);
            if (top && depth > 0) || depth > 3 {
                continue;
            }
            shown += 1;
            if shown > limits::READ_LINES {
                out.push_str("…\n");
                break;
            }
            let line = self.lines.position(node.span.start).line;
            out += &format!("{}{} {}  (line {line})\n", "  ".repeat(depth), node.kind, node.address);
        }
        Ok(out)
    }

    fn around(&self, around: &Around) -> Result<ReadResult> {
        let mut result = self.result();
        let kind = default_kind(self.opened.pack.description());
        let target = Target { kind, value: around.target.clone() };
        let named = self.bench.locate(self.opened, vec![target], 1, false);
        let span = match named.map(|located| nodes(located.found)) {
            Ok(Ok((nodes, _))) if !nodes.is_empty() => {
                result.kind = Some(nodes[0].kind.clone());
                nodes[0].span
            }
            Err(error) if error.kind() == Kind::PluginFailed => return Err(error),
            other => match self.text().find(&around.target) {
                Some(start) => Span::new(start, start + around.target.len()),
                None => {
                    let missing = Error::new(
                        Kind::TargetNotFound,
                        format!("neither a {} nor a text `{}`", kind.name(), around.target),
                    );
                    return Err(other
                        .err()
                        .map_or(missing.clone(), |error| missing.candidates(error.content().candidates.clone())));
                }
            },
        };
        let context = around.context.unwrap_or(3);
        let (first, last) = (self.lines.position(span.start).line, self.lines.position(span.end).line);
        let start = self.lines.line(first.saturating_sub(context).max(1)).map_or(0, |line| line.start);
        let end = self.lines.line((last + context).min(self.lines.count())).map_or(self.text().len(), |line| line.end);
        let shown = Span::new(start, end);
        result.target = Some(TargetEcho { r#type: kind.name(), value: around.target.clone() });
        result.content = self.cut(shown.of(self.text()), shown, &mut result.truncated);
        result.range = Some(range(&self.lines, shown));
        Ok(result)
    }
}

impl From<Format> for Form {
    fn from(format: Format) -> Form {
        match format {
            Format::Full => Form::Full,
            Format::Signature => Form::Signature,
            Format::Body => Form::Body,
            Format::Summary => Form::Summary,
        }
    }
}
