//! Converts generated types to the model's. Everything a guest returns is validated here before other code sees it:
//! spans are in bounds and on character boundaries, nodes nest, edits do not overlap, and the size of answers is
//! limited.

use std::cell::OnceCell;

use marquetry_model::{
    Edit, EditSet, Error, Kind, Result, Span,
    escape::{escape_line, escape_text},
    limits, pack,
    text::Lines,
};

use crate::bindings::marquetry::language::types as wit;

#[path = "convert/bounds.rs"]
mod bounds;
#[path = "convert/describe.rs"]
mod describe;
#[path = "convert/insight.rs"]
mod insight;
#[path = "convert/names.rs"]
pub(crate) mod names;
#[path = "convert/refactors.rs"]
mod refactors;
#[path = "convert/search.rs"]
mod search;

use bounds::Of;

/// Converts what one plugin returns about one text.
pub(crate) struct Checked<'a> {
    plugin: &'a str,
    text: &'a str,
    /// The lines of the text, computed once when first needed.
    lines: OnceCell<Lines<'a>>,
    /// Called regularly; fails if the call was cancelled or its time is over.
    goes_on: Option<&'a dyn Fn() -> Result<()>>,
}

/// Number of items converted between two checks whether the call may continue.
const LOOK: usize = 1_024;

impl<'a> Checked<'a> {
    pub(crate) fn new(plugin: &'a str, text: &'a str) -> Checked<'a> {
        Checked { plugin, text, lines: OnceCell::new(), goes_on: None }
    }

    /// Sets a function that can end the call while its answer is checked.
    #[allow(dead_code, reason = "packs that run as libraries in tests have no time limit")]
    pub(crate) fn while_it(self, goes_on: &'a dyn Fn() -> Result<()>) -> Checked<'a> {
        Checked { goes_on: Some(goes_on), ..self }
    }

    /// Converts a list. Fails if it has too many items of its kind or the call may not continue.
    fn each<T, R>(&self, list: Vec<T>, of: Of, mut convert: impl FnMut(T) -> Result<R>) -> Result<Vec<R>> {
        self.count(list.len(), of)?;
        let mut converted = Vec::with_capacity(list.len());
        for (index, item) in list.into_iter().enumerate() {
            self.look(index)?;
            converted.push(convert(item)?);
        }
        Ok(converted)
    }

    /// Checks at every `LOOK`th item whether the call may continue.
    fn look(&self, index: usize) -> Result<()> {
        match self.goes_on {
            Some(goes_on) if index.is_multiple_of(LOOK) => goes_on(),
            _ => Ok(()),
        }
    }

    /// Error about an invalid answer; `what` may quote the guest.
    fn broken(&self, what: impl std::fmt::Display) -> Error {
        let what = escape_line(&what.to_string());
        Error::new(Kind::PluginFailed, format!("plugin `{}` returned {what}", self.plugin))
            .hint("this is a bug in the plugin; report it to its author")
    }

    pub(crate) fn span(&self, span: wit::Span, what: &str) -> Result<Span> {
        let span = Span::new(span.start as usize, span.end as usize);
        if span.fits(self.text) {
            return Ok(span);
        }
        let why = if span.start > span.end {
            "ends before it starts"
        } else if span.end > self.text.len() {
            "is beyond the end of the document"
        } else {
            "splits a character"
        };
        Err(self.broken(format_args!("a {what} at {}..{} that {why}", span.start, span.end)))
    }

    fn optional(&self, span: Option<wit::Span>, what: &str) -> Result<Option<Span>> {
        span.map(|span| self.span(span, what)).transpose()
    }

    /// Limits text written by a guest to a multiple of the document's size.
    fn sized(&self, bytes: usize, what: &str) -> Result<()> {
        let most = limits::MOST_TEXT.saturating_add(self.text.len().saturating_mul(16));
        if bytes > most {
            return Err(self.broken(format_args!("{bytes} bytes of {what}; at most {most} are allowed")));
        }
        Ok(())
    }

    /// Converts the result of a function that may fail.
    pub(crate) fn outcome<R>(&self, answer: std::result::Result<R, wit::Failure>) -> Result<R> {
        answer.map_err(|failure| self.failure(failure))
    }

    /// Fails with `Unsupported` if the plugin does not have the optional interface.
    pub(crate) fn having<R>(&self, interface: &str, answer: Option<R>) -> Result<R> {
        answer.ok_or_else(|| {
            let message = format!("plugin `{}` does not have the interface `{interface}`", self.plugin);
            Error::new(Kind::Unsupported, message)
        })
    }

    pub(crate) fn failure(&self, failure: wit::Failure) -> Error {
        use wit::FailureKind as From;
        let kind = match failure.kind {
            From::TargetNotFound => Kind::TargetNotFound,
            From::AmbiguousTarget => Kind::AmbiguousTarget,
            From::InvalidTarget => Kind::InvalidTarget,
            From::InvalidArgument => Kind::InvalidArgument,
            From::ParseError => Kind::ParseError,
            From::RefactorFailed => Kind::RefactorFailed,
            From::Unsupported => Kind::Unsupported,
            From::LimitExceeded => Kind::LimitExceeded,
        };
        let mut message = line(failure.message, 4_000);
        if let Some(span) = failure.span
            && let Ok(span) = self.span(span, "failure")
        {
            let position = self.lines.get_or_init(|| Lines::new(self.text)).position(span.start);
            message = format!("{message} (line {}, column {})", position.line, position.column);
        }
        let error =
            Error::new(kind, message).candidates(failure.candidates.into_iter().take(50).map(|name| clip(name, 500)));
        match failure.hint {
            Some(hint) => error.hint(lines(hint, 4_000)),
            None => error,
        }
    }

    pub(crate) fn problem(&self, problem: wit::Problem) -> Result<pack::Problem> {
        Ok(pack::Problem {
            severity: match problem.severity {
                wit::Severity::Error => pack::Severity::Error,
                wit::Severity::Warning => pack::Severity::Warning,
                wit::Severity::Info => pack::Severity::Info,
                wit::Severity::Hint => pack::Severity::Hint,
            },
            span: self.span(problem.span, "problem")?,
            message: line(problem.message, 4_000),
            code: problem.code.map(|code| line(code, 200)),
        })
    }

    pub(crate) fn problems(&self, problems: Vec<wit::Problem>) -> Result<Vec<pack::Problem>> {
        self.each(problems, Of::Problems, |problem| self.problem(problem))
    }

    /// Converts the errors among these diagnostics.
    pub(crate) fn errors(&self, mut problems: Vec<wit::Problem>) -> Result<Vec<pack::Problem>> {
        problems.retain(|problem| problem.severity == wit::Severity::Error);
        self.problems(problems)
    }

    fn count(&self, count: usize, of: Of) -> Result<()> {
        let most = of.most(self.text.len());
        if count > most {
            return Err(self.broken(format_args!("{count} {}; at most {most} are allowed", of.name())));
        }
        Ok(())
    }

    fn node(&self, node: wit::Node) -> Result<pack::Node> {
        let span = self.span(node.span, "node")?;
        let selection = self.span(node.selection, "selection")?;
        if node.address.is_empty() {
            return Err(self.broken(format_args!("a node at {}..{} without an address", span.start, span.end)));
        }
        if !span.holds(selection) {
            return Err(self.broken(format_args!("a node `{}` whose selection is outside", clip(node.address, 200))));
        }
        Ok(pack::Node {
            id: node.id,
            parent: node.parent,
            body: self.optional(node.body, "body")?,
            doc: self.optional(node.doc, "comment")?,
            kind: node.kind,
            name: node.name,
            address: node.address,
            span,
            selection,
            level: node.level,
            value: node.value,
        })
    }

    pub(crate) fn outline(&self, nodes: Vec<wit::Node>) -> Result<Vec<pack::Node>> {
        self.count(nodes.len(), Of::Nodes)?;
        let texts = |node: &wit::Node| node.name.len() + node.address.len() + node.kind.len();
        self.sized(nodes.iter().map(texts).sum(), "names and addresses")?;
        let nodes = self.each(nodes, Of::Nodes, |node| self.node(node))?;
        for (index, node) in nodes.iter().enumerate() {
            let Some(parent) = node.parent else { continue };
            if parent as usize >= index {
                return Err(self.broken(format_args!("an outline whose node {index} comes before its parent {parent}")));
            }
            if !nodes[parent as usize].span.holds(node.span) {
                return Err(self.broken(format_args!(
                    "a node `{}` that is outside its parent",
                    clip(node.address.clone(), 200)
                )));
            }
        }
        Ok(nodes)
    }

    pub(crate) fn found(&self, found: wit::Found, limit: usize) -> Result<pack::Found> {
        match found {
            wit::Found::Nodes(found) => {
                let total = found.total as usize;
                let count = found.nodes.len();
                // Matches beyond the limit are only counted, so more can be counted than shown only if the limit is
                // reached.
                let is_wrong =
                    total < count || (total > count && count < limit) || total > Of::Nodes.most(self.text.len());
                if found.nodes.is_empty() || count > limit || is_wrong {
                    return Err(self.broken(format_args!(
                        "{} nodes of {total} where at most {limit} were requested",
                        found.nodes.len()
                    )));
                }
                self.sized(
                    found
                        .nodes
                        .iter()
                        .map(|node| node.value.as_ref().map_or(0, String::len) / 64 + node.address.len())
                        .sum(),
                    "matches",
                )?;
                Ok(pack::Found::Nodes(self.each(found.nodes, Of::Matches(limit), |node| self.node(node))?, total))
            }
            wit::Found::Scalar(scalar) => {
                self.sized(scalar.text.len() + scalar.json.len(), "text")?;
                if serde_json::from_str::<serde::de::IgnoredAny>(&scalar.json).is_err() {
                    return Err(self.broken("a value that is not JSON"));
                }
                Ok(pack::Found::Scalar(pack::Scalar { json: scalar.json, text: scalar.text }))
            }
        }
    }

    pub(crate) fn view(&self, view: wit::View) -> Result<pack::View> {
        match view {
            wit::View::Span(span) => Ok(pack::View::Span(self.span(span, "view")?)),
            wit::View::Text(text) => {
                self.sized(text.len(), "text")?;
                Ok(pack::View::Text(text))
            }
        }
    }

    pub(crate) fn edits(&self, edits: Vec<wit::Edit>) -> Result<EditSet> {
        self.sized(edits.iter().map(|edit| edit.text.len()).sum(), "new text")?;
        let checked =
            self.each(edits, Of::Edits, |edit| Ok(Edit { span: self.span(edit.span, "edit")?, text: edit.text }))?;
        EditSet::new(self.text, checked).map_err(|error| self.broken(format_args!("invalid edits: {error}")))
    }

    pub(crate) fn embedded(&self, parts: Vec<wit::Embedded>) -> Result<Vec<pack::Embedded>> {
        self.each(parts, Of::Embedded, |part| {
            Ok(pack::Embedded { span: self.span(part.span, "embedded part")?, language: line(part.language, 100) })
        })
    }

    /// Converts the ranges in which a pack says that it edits.
    pub(crate) fn ranges(&self, spans: Vec<wit::Span>) -> Result<Vec<Span>> {
        self.each(spans, Of::Edits, |span| self.span(span, "range of an edit"))
    }

    pub(crate) fn dependencies(&self, list: Vec<wit::Dependency>) -> Result<Vec<pack::Dependency>> {
        self.sized(list.iter().map(|d| d.symbol.len() + d.from.len()).sum(), "dependencies")?;
        self.each(list, Of::Dependencies, |d| Ok(pack::Dependency { symbol: d.symbol, from: d.from }))
    }

    pub(crate) fn links(&self, links: Vec<wit::Link>) -> Result<Vec<pack::Link>> {
        let names = |link: &wit::Link| link.names.iter().map(String::len).sum::<usize>();
        self.sized(links.iter().map(|link| link.specifier.len() + link.kind.len() + names(link)).sum(), "links")?;
        self.each(links, Of::Links, |link| {
            Ok(pack::Link {
                span: self.span(link.span, "link")?,
                statement: self.span(link.statement, "statement")?,
                kind: link.kind,
                specifier: link.specifier,
                names: link.names,
                type_only: link.type_only,
            })
        })
    }

    pub(crate) fn destinations(&self, found: Vec<wit::Destination>, asked: usize) -> Result<Vec<pack::Destination>> {
        if found.len() != asked {
            return Err(self.broken(format_args!("{} destinations for {asked} specifiers", found.len())));
        }
        self.each(found, Of::Asked(asked), |destination| {
            Ok(match destination {
                wit::Destination::Inside(resolved) => {
                    pack::Destination::Inside { path: self.path(resolved.path)?, suffix: resolved.suffix }
                }
                wit::Destination::External => pack::Destination::External,
                wit::Destination::Missing(path) => pack::Destination::Missing(path),
                wit::Destination::Unknown(reason) => pack::Destination::Unknown(line(reason, 500)),
            })
        })
    }

    pub(crate) fn spelled(
        &self,
        spelled: Vec<std::result::Result<String, wit::Failure>>,
        asked: usize,
    ) -> Result<Vec<Result<String>>> {
        if spelled.len() != asked {
            return Err(self.broken(format_args!("{} specifiers for {asked}", spelled.len())));
        }
        self.each(spelled, Of::Asked(asked), |answer| Ok(self.outcome(answer)))
    }

    /// Checks that a path given by a guest stays below the root.
    fn path(&self, path: String) -> Result<String> {
        let inside = !path.starts_with('/') && !path.contains(['\0', '\\']) && path.split('/').all(|part| part != "..");
        if inside {
            Ok(path)
        } else {
            Err(self.broken(format_args!("the path `{}`, which is outside the root", clip(path, 200))))
        }
    }

    /// Checks a path that a guest gives to a new file. The path must be printable, must not be a file that decides
    /// which plugins run, and must not hold secrets by convention.
    fn new_path(&self, path: String) -> Result<String> {
        let name = path.rsplit('/').next().unwrap_or(&path);
        if path.is_empty() || escape_line(&path) != path {
            return Err(self.broken(format_args!("a new file with the name `{}`", line(path, 200))));
        }
        if names::is_reserved(name) || names::is_secret(&path) {
            let message =
                format!("plugin `{}` wants to create `{}`, which plugins may not create", self.plugin, line(path, 200));
            return Err(Error::new(Kind::PermissionDenied, message).hint("create the file yourself if you want it"));
        }
        self.path(path)
    }

    pub(crate) fn facts(&self, facts: wit::InterfaceFacts) -> Result<pack::Facts> {
        self.count(facts.exports.len() + facts.imports.len() + facts.shared.len() + facts.free.len(), Of::Names)?;
        let exports = self.each(facts.exports, Of::Names, |export| {
            Ok(pack::ExportedName {
                span: self.span(export.span, "exported name")?,
                name: export.name,
                local: export.local,
                kind: export.kind,
                type_only: export.type_only,
            })
        });
        Ok(pack::Facts {
            exports: exports?,
            imports: self.each(facts.imports, Of::Names, |name| Ok(imported(name)))?,
            shared: self.each(facts.shared, Of::Names, |name| Ok(shared(name)))?,
            free: self.each(facts.free, Of::Names, |name| Ok(shared(name)))?,
        })
    }

    pub(crate) fn resolution(&self, found: wit::Resolution) -> Result<pack::Resolution> {
        let occurrences = self.each(found.occurrences, Of::Occurrences, |occurrence| {
            Ok(pack::Occurrence {
                span: self.span(occurrence.span, "occurrence")?,
                usage: usage(occurrence.usage),
                certain: occurrence.certain,
            })
        });
        Ok(pack::Resolution {
            occurrences: occurrences?,
            name: found.name,
            kind: found.kind,
            address: found.address,
            exported_as: found.exported_as,
            origin: found.origin.map(imported),
            incomplete: found.incomplete.map(|why| line(why, 4_000)),
            declared: found.declared.map(|member| self.member(member)).transpose()?,
            shared: found.shared.map(|space| clip(space, 60)),
            elsewhere: found.elsewhere.map(|place| Ok((self.path(place.path)?, place.offset as usize))).transpose()?,
        })
    }

    pub(crate) fn renaming(&self, renaming: wit::Renaming) -> Result<pack::Renaming> {
        Ok(pack::Renaming {
            edits: self.edits(renaming.edits)?,
            exported: self.each(renaming.exported, Of::Names, |renamed| Ok((renamed.old, renamed.new)))?,
            unresolved: self.each(renaming.unresolved, Of::Occurrences, |span| self.span(span, "place"))?,
            elsewhere: renaming
                .elsewhere
                .map(|place| Ok((self.path(place.path)?, place.offset as usize)))
                .transpose()?,
            declared: renaming.declared.map(|member| self.member(member)).transpose()?,
            shared: renaming.shared.map(|space| clip(space, 60)),
            name: renaming.name,
        })
    }

    fn member(&self, member: wit::DeclaredKey) -> Result<pack::Member> {
        let places =
            self.each(member.places, Of::Relations, |place| Ok((self.path(place.path)?, place.offset as usize)))?;
        self.count(member.forms.len(), Of::Places)?;
        Ok(pack::Member { name: member.name, places, forms: member.forms })
    }
}

/// Escapes guest text for one line, so that control sequences and line breaks never reach the reader.
fn line(text: String, most: usize) -> String {
    let text = clip(text, most);
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) { text } else { escape_line(&text) }
}

/// Escapes guest text that may have several lines.
fn lines(text: String, most: usize) -> String {
    escape_text(&clip(text, most))
}

fn clip(mut text: String, most: usize) -> String {
    if text.len() > most {
        let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}

fn imported(name: wit::ImportedName) -> pack::ImportedName {
    pack::ImportedName {
        specifier: name.specifier,
        name: name.name,
        local: name.local,
        exported: name.exported,
        type_only: name.type_only,
    }
}

fn shared(name: wit::SharedName) -> pack::SharedName {
    pack::SharedName { space: name.space, name: name.name }
}

fn usage(usage: wit::Usage) -> &'static str {
    match usage {
        wit::Usage::Declaration => "declaration",
        wit::Usage::Read => "read",
        wit::Usage::Write => "write",
        wit::Usage::Called => "call",
        wit::Usage::TypeUse => "type",
        wit::Usage::Imported => "import",
        wit::Usage::Exported => "export",
        wit::Usage::InString => "string",
        wit::Usage::InComment => "comment",
    }
}

// The path is explicit because product tests include this file in their own crate.
#[cfg(test)]
#[path = "convert/tests.rs"]
mod tests;
