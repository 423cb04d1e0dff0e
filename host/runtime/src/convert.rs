//! Converts generated types to the model's. This module validates everything that a guest returns, before other code
//! sees it: spans are in bounds and on character boundaries, nodes nest, edits do not overlap, and the size of answers
//! is limited.

use std::cell::OnceCell;

use marquetry_model::{
    Edit, EditSet, Error, Interface, Kind, Relocation, Result, Span,
    escape::{escape_line, escape_text},
    is_below, limits, pack,
    text::Lines,
};

use crate::bindings::marquetry::language::types as wit;

#[path = "convert/describe.rs"]
mod describe;
#[path = "convert/hover.rs"]
mod hover;
#[path = "convert/item_limits.rs"]
mod item_limits;
#[path = "convert/mentions.rs"]
mod mentions;
#[path = "convert/names.rs"]
pub(crate) mod names;
#[path = "convert/outline.rs"]
mod outline;
#[path = "convert/refactors.rs"]
mod refactors;
#[path = "convert/search.rs"]
mod search;

use item_limits::ItemKind;

/// Validates and converts the answers of one plugin about one text.
pub(crate) struct AnswerValidator<'a> {
    plugin: &'a str,
    text: &'a str,
    /// The lines of the text, computed once when first needed.
    lines: OnceCell<Lines<'a>>,
    /// Called regularly; fails if the call was cancelled or its time is over.
    may_continue: Option<&'a dyn Fn() -> Result<()>>,
}

/// Number of items converted between two checks whether the call may continue.
const CHECK_INTERVAL: usize = 1_024;

impl<'a> AnswerValidator<'a> {
    pub(crate) fn new(plugin: &'a str, text: &'a str) -> AnswerValidator<'a> {
        AnswerValidator { plugin, text, lines: OnceCell::new(), may_continue: None }
    }

    /// Sets a function that can end the call while its answer is checked.
    #[allow(dead_code, reason = "packs that run as libraries in tests have no time limit")]
    pub(crate) fn with_continue_check(self, goes_on: &'a dyn Fn() -> Result<()>) -> AnswerValidator<'a> {
        AnswerValidator { may_continue: Some(goes_on), ..self }
    }

    /// Converts a list. Fails if it has too many items or the call may not continue.
    fn convert_list<T, R>(
        &self,
        list: Vec<T>,
        of: ItemKind,
        mut convert: impl FnMut(T) -> Result<R>,
    ) -> Result<Vec<R>> {
        self.check_count(list.len(), of)?;
        let mut converted = Vec::with_capacity(list.len());
        for (index, item) in list.into_iter().enumerate() {
            self.check_continue(index)?;
            converted.push(convert(item)?);
        }
        Ok(converted)
    }

    /// Checks whether the call may continue, once every `CHECK_INTERVAL` items.
    fn check_continue(&self, index: usize) -> Result<()> {
        match self.may_continue {
            Some(goes_on) if index.is_multiple_of(CHECK_INTERVAL) => goes_on(),
            _ => Ok(()),
        }
    }

    /// Error about an invalid answer; `what` may quote the guest.
    fn invalid_answer(&self, what: impl std::fmt::Display) -> Error {
        let what = escape_line(&what.to_string());
        Error::new(Kind::PluginFailed, format!("plugin `{}` returned {what}", self.plugin))
            .hint("this is a bug in the plugin; report it to its author")
    }

    pub(crate) fn span(&self, span: wit::Span, what: &str) -> Result<Span> {
        let span = Span::new(span.start as usize, span.end as usize);
        if span.is_valid_in(self.text) {
            return Ok(span);
        }
        let why = if span.start > span.end {
            "ends before it starts"
        } else if span.end > self.text.len() {
            "is beyond the end of the document"
        } else {
            "splits a character"
        };
        Err(self.invalid_answer(format_args!("an invalid range {}..{} ({what}): it {why}", span.start, span.end)))
    }

    fn optional_span(&self, span: Option<wit::Span>, what: &str) -> Result<Option<Span>> {
        span.map(|span| self.span(span, what)).transpose()
    }

    /// Limits text written by a guest to a multiple of the document's size.
    fn check_text_size(&self, bytes: usize, what: &str) -> Result<()> {
        let most = limits::MAX_ANSWER_TEXT.saturating_add(self.text.len().saturating_mul(16));
        if bytes > most {
            return Err(self.invalid_answer(format_args!("{bytes} bytes of {what}; at most {most} are allowed")));
        }
        Ok(())
    }

    /// Converts the result of a function that may fail.
    pub(crate) fn outcome<R>(&self, answer: std::result::Result<R, wit::Failure>) -> Result<R> {
        answer.map_err(|failure| self.failure(failure))
    }

    /// Fails with `Unsupported` if the plugin does not have the optional interface.
    pub(crate) fn require_interface<R>(&self, interface: Interface, answer: Option<R>) -> Result<R> {
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
        let mut message = escaped_line(failure.message, 4_000);
        if let Some(span) = failure.span
            && let Ok(span) = self.span(span, "failure")
        {
            let position = self.lines.get_or_init(|| Lines::new(self.text)).position(span.start);
            message = format!("{message} (line {}, column {})", position.line, position.column);
        }
        let error = Error::new(kind, message)
            .candidates(failure.candidates.into_iter().take(50).map(|name| truncate(name, 500)));
        match failure.hint {
            Some(hint) => error.hint(escaped_text(hint, 4_000)),
            None => error,
        }
    }

    pub(crate) fn diagnostic(&self, problem: wit::Diagnostic) -> Result<pack::PackDiagnostic> {
        Ok(pack::PackDiagnostic {
            severity: match problem.severity {
                wit::Severity::Error => pack::Severity::Error,
                wit::Severity::Warning => pack::Severity::Warning,
                wit::Severity::Info => pack::Severity::Info,
                wit::Severity::Hint => pack::Severity::Hint,
            },
            span: self.span(problem.span, "problem")?,
            message: escaped_line(problem.message, 4_000),
            code: problem.code.map(|code| escaped_line(code, 200)),
        })
    }

    pub(crate) fn diagnostics(&self, problems: Vec<wit::Diagnostic>) -> Result<Vec<pack::PackDiagnostic>> {
        self.convert_list(problems, ItemKind::Problems, |problem| self.diagnostic(problem))
    }

    /// Converts the errors among these diagnostics, and the notes about parts that the pack does not read.
    pub(crate) fn errors(&self, mut problems: Vec<wit::Diagnostic>) -> Result<Vec<pack::PackDiagnostic>> {
        problems.retain(|problem| matches!(problem.severity, wit::Severity::Error | wit::Severity::Info));
        self.diagnostics(problems)
    }

    fn check_count(&self, count: usize, of: ItemKind) -> Result<()> {
        let most = of.max_items(self.text.len());
        if count > most {
            return Err(self.invalid_answer(format_args!("{count} {}; at most {most} are allowed", of.name())));
        }
        Ok(())
    }

    pub(crate) fn query_result(&self, found: wit::FindResult, limit: usize) -> Result<pack::FindResult> {
        match found {
            wit::FindResult::Nodes(found) => {
                let total = found.total as usize;
                let count = found.nodes.len();
                // Matches beyond the limit are only counted. So the total may exceed the number of nodes only if the
                // limit is reached.
                let is_wrong = total < count
                    || (total > count && count < limit)
                    || total > ItemKind::Nodes.max_items(self.text.len());
                if found.nodes.is_empty() || count > limit || is_wrong {
                    return Err(self.invalid_answer(format_args!(
                        "{} nodes of {total} where at most {limit} were requested",
                        found.nodes.len()
                    )));
                }
                self.check_text_size(
                    found
                        .nodes
                        .iter()
                        .map(|node| node.value.as_ref().map_or(0, String::len) / 64 + node.address.len())
                        .sum(),
                    "matches",
                )?;
                Ok(pack::FindResult::Nodes(
                    self.convert_list(found.nodes, ItemKind::Matches(limit), |node| self.node(node))?,
                    total,
                ))
            }
            wit::FindResult::Scalar(scalar) => {
                self.check_text_size(scalar.text.len() + scalar.json.len(), "text")?;
                if serde_json::from_str::<serde::de::IgnoredAny>(&scalar.json).is_err() {
                    return Err(self.invalid_answer("a value that is not JSON"));
                }
                Ok(pack::FindResult::Scalar(pack::Scalar { json: scalar.json, text: scalar.text }))
            }
        }
    }

    pub(crate) fn view(&self, view: wit::View) -> Result<pack::View> {
        match view {
            wit::View::Span(span) => Ok(pack::View::Span(self.span(span, "view")?)),
            wit::View::Text(text) => {
                self.check_text_size(text.len(), "text")?;
                Ok(pack::View::Text(text))
            }
        }
    }

    pub(crate) fn edits(&self, edits: Vec<wit::Edit>) -> Result<EditSet> {
        self.check_text_size(edits.iter().map(|edit| edit.text.len()).sum(), "new text")?;
        let checked = self.convert_list(edits, ItemKind::Edits, |edit| {
            Ok(Edit { span: self.span(edit.span, "edit")?, text: edit.text })
        })?;
        EditSet::new(self.text, checked).map_err(|error| self.invalid_answer(format_args!("invalid edits: {error}")))
    }

    pub(crate) fn embedded(&self, parts: Vec<wit::Embedded>) -> Result<Vec<pack::Embedded>> {
        self.convert_list(parts, ItemKind::Embedded, |part| {
            Ok(pack::Embedded {
                span: self.span(part.span, "embedded part")?,
                language: escaped_line(part.language, 100),
            })
        })
    }

    /// Converts the ranges that will contain the pack's edits.
    pub(crate) fn edit_ranges(&self, spans: Vec<wit::Span>) -> Result<Vec<Span>> {
        self.convert_list(spans, ItemKind::Edits, |span| self.span(span, "edit"))
    }

    pub(crate) fn dependencies(&self, list: Vec<wit::Dependency>) -> Result<Vec<pack::Dependency>> {
        self.check_text_size(list.iter().map(|d| d.symbol.len() + d.from.len()).sum(), "dependencies")?;
        self.convert_list(list, ItemKind::Dependencies, |d| {
            Ok(pack::Dependency { symbol: d.symbol, specifier: d.from })
        })
    }

    pub(crate) fn links(&self, links: Vec<wit::Link>) -> Result<Vec<pack::Link>> {
        let names = |link: &wit::Link| link.names.iter().map(String::len).sum::<usize>();
        self.check_text_size(
            links.iter().map(|link| link.specifier.len() + link.kind.len() + names(link)).sum(),
            "links",
        )?;
        self.convert_list(links, ItemKind::Links, |link| {
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

    pub(crate) fn destinations(
        &self,
        found: Vec<wit::Destination>,
        requested: usize,
    ) -> Result<Vec<pack::Destination>> {
        if found.len() != requested {
            return Err(self.invalid_answer(format_args!("{} destinations for {requested} specifiers", found.len())));
        }
        self.convert_list(found, ItemKind::Requested(requested), |destination| {
            Ok(match destination {
                wit::Destination::Inside(resolved) => {
                    pack::Destination::Inside { path: self.relative_path(resolved.path)?, suffix: resolved.suffix }
                }
                wit::Destination::External => pack::Destination::External,
                wit::Destination::Missing(path) => pack::Destination::Missing(path),
                wit::Destination::Unknown(reason) => pack::Destination::Unknown(escaped_line(reason, 500)),
            })
        })
    }

    pub(crate) fn formatted_specifiers(
        &self,
        specifiers: Vec<std::result::Result<String, wit::Failure>>,
        requested: usize,
    ) -> Result<Vec<Result<String>>> {
        if specifiers.len() != requested {
            return Err(self.invalid_answer(format_args!("{} specifiers for {requested}", specifiers.len())));
        }
        self.convert_list(specifiers, ItemKind::Requested(requested), |answer| Ok(self.outcome(answer)))
    }

    /// Checks the moves that belong to the move of a file: they must stay in its folder and in the folder of its new path,
    /// and must not affect hidden files or files that plugins may not create.
    pub(crate) fn additional_moves(&self, moved: &Relocation, found: Vec<wit::Relocation>) -> Result<Vec<Relocation>> {
        let folder = |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
        let [old, new] = [&moved.from, &moved.to].map(|path| folder(path));
        let check = |path: String, folder: &str| {
            let path = self.new_path(path)?;
            let is_plain = path.split('/').all(|part| !part.is_empty() && !part.starts_with('.'));
            match is_plain && is_below(&path, folder) {
                true => Ok(path),
                false => Err(self.invalid_answer(format_args!("a move of `{path}`, which it may not move"))),
            }
        };
        self.convert_list(found, ItemKind::Moves, |one| {
            Ok(Relocation { from: check(one.from, &old)?, to: check(one.to, &new)? })
        })
    }

    /// Checks that a path given by a guest stays below the root.
    fn relative_path(&self, path: String) -> Result<String> {
        let inside = !path.starts_with('/') && !path.contains(['\0', '\\']) && path.split('/').all(|part| part != "..");
        if inside {
            Ok(path)
        } else {
            Err(self.invalid_answer(format_args!("the path `{}`, which is outside the root", truncate(path, 200))))
        }
    }

    /// Checks a path that a guest gives to a new file. The path must be printable, must not be a registry or lock,
    /// because they decide which plugins run, and must not be the name of a file with secrets.
    fn new_path(&self, path: String) -> Result<String> {
        let name = path.rsplit('/').next().unwrap_or(&path);
        if path.is_empty() || escape_line(&path) != path {
            return Err(self.invalid_answer(format_args!("a new file with the name `{}`", escaped_line(path, 200))));
        }
        if names::is_reserved(name) || names::is_secret(&path) {
            let message = format!(
                "plugin `{}` wants to create `{}`, which plugins may not create",
                self.plugin,
                escaped_line(path, 200)
            );
            return Err(Error::new(Kind::PermissionDenied, message).hint("create the file yourself if you want it"));
        }
        self.relative_path(path)
    }

    pub(crate) fn exports_and_imports(&self, facts: wit::InterfaceFacts) -> Result<pack::Facts> {
        self.check_count(
            facts.exports.len() + facts.imports.len() + facts.shared.len() + facts.free.len(),
            ItemKind::Names,
        )?;
        let exports = self.convert_list(facts.exports, ItemKind::Names, |export| {
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
            imports: self.convert_list(facts.imports, ItemKind::Names, |name| Ok(names::imported_name(name)))?,
            shared: self.convert_list(facts.shared, ItemKind::Names, |name| Ok(names::shared_name(name)))?,
            free: self.convert_list(facts.free, ItemKind::Names, |name| Ok(names::shared_name(name)))?,
        })
    }

    pub(crate) fn resolution(&self, found: wit::Resolution) -> Result<pack::Resolution> {
        let occurrences = self.convert_list(found.occurrences, ItemKind::Occurrences, |occurrence| {
            Ok(pack::Occurrence {
                span: self.span(occurrence.span, "occurrence")?,
                usage: names::usage(occurrence.usage),
                certain: occurrence.certain,
            })
        });
        Ok(pack::Resolution {
            occurrences: occurrences?,
            name: found.name,
            kind: found.kind,
            address: found.address,
            exported_as: found.exported_as,
            origin: found.origin.map(names::imported_name),
            incomplete: found.incomplete.map(|why| escaped_line(why, 4_000)),
            member: found.declared.map(|member| self.member(member)).transpose()?,
            namespace: found.shared.map(|space| truncate(space, 60)),
            declaration: found
                .elsewhere
                .map(|place| Ok((self.relative_path(place.path)?, place.offset as usize)))
                .transpose()?,
        })
    }

    pub(crate) fn rename_result(&self, renaming: wit::RenameResult) -> Result<pack::RenameResult> {
        Ok(pack::RenameResult {
            edits: self.edits(renaming.edits)?,
            exported: self
                .convert_list(renaming.exported, ItemKind::Names, |renamed| Ok((renamed.old, renamed.new)))?,
            unresolved: self
                .convert_list(renaming.unresolved, ItemKind::Occurrences, |span| self.span(span, "place"))?,
            elsewhere: renaming
                .elsewhere
                .map(|place| Ok((self.relative_path(place.path)?, place.offset as usize)))
                .transpose()?,
            declared: renaming.declared.map(|member| self.member(member)).transpose()?,
            shared: renaming.shared.map(|space| truncate(space, 60)),
            file: renaming.file.map(|path| self.relative_path(path)).transpose()?,
            name: renaming.name,
        })
    }

    fn member(&self, member: wit::DeclaredKey) -> Result<pack::Member> {
        let places = self.convert_list(member.locations, ItemKind::Relations, |place| {
            Ok((self.relative_path(place.path)?, place.offset as usize))
        })?;
        self.check_count(member.forms.len(), ItemKind::Places)?;
        Ok(pack::Member { name: member.name, locations: places, forms: member.forms })
    }
}

/// Escapes guest text for one line, so that control sequences and line breaks never reach the reader.
fn escaped_line(text: String, most: usize) -> String {
    let text = truncate(text, most);
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) { text } else { escape_line(&text) }
}

/// Escapes guest text that may have several lines.
fn escaped_text(text: String, most: usize) -> String {
    escape_text(&truncate(text, most))
}

fn truncate(mut text: String, most: usize) -> String {
    if text.len() > most {
        let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}

// The path of the module is explicit, because other test crates include this file too.
#[cfg(test)]
#[path = "convert/tests.rs"]
mod tests;
