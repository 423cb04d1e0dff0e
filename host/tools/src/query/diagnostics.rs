//! `diagnostics`: diagnostics of syntax, links and names. Uncertain results are not reported.

use std::{
    collections::{BTreeSet, HashSet},
    sync::{Arc, OnceLock},
};

use globset::{GlobBuilder, GlobMatcher};
use marquetry_graph::{Entry, Workspace, parallel_map};
use marquetry_model::{
    Error, Interface, Kind, Result,
    hover::{CheckArea, Inspection, SemanticDiagnostic},
    pack::{PackDiagnostic, Severity},
    ports::EntryKind,
    servers::ServerDiagnostic,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Answer, QueryArgs, QueryResult,
    diagnostic_conditions::{Verdict, WorkspaceFacts, judged},
    diagnostic_types::{Diagnostic, RawDiagnostic, severity_name, to_diagnostics},
};
use crate::{
    document::OpenFile,
    reference_search::SearchScope,
    result_types::{pluralized, skipped_file},
    session::Session,
    target::supports_only_lines,
    unread_languages::extensions,
};

/// Diagnostics of one file or many files.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Diagnostics {
    /// The diagnostics, grouped by file.
    pub diagnostics: Vec<Diagnostic>,
    /// The reported severities: `error`, `warning and worse` …
    pub reported: String,
    /// Checked areas: `syntax`, `links`, `names`. Only language servers check types.
    pub checked: Vec<&'static str>,
    /// Number of checked files.
    pub files: usize,
    /// Files that could not be checked, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<String>,
}

/// Maximum number of diagnostics for the whole workspace.
const MAX_DIAGNOSTICS: usize = 2_000;
/// Maximum number of skipped files to list.
const MAX_SKIPPED: usize = 50;

/// Filter for diagnostics.
pub(super) struct DiagnosticFilter {
    least: Severity,
    only: bool,
    areas: Vec<CheckArea>,
}

/// Diagnostics of one file.
#[derive(Default)]
pub(crate) struct FileFindings {
    pub(crate) diagnostics: Vec<RawDiagnostic>,
    /// Undeclared names that a file outside of the root may declare.
    pub(crate) uncertain: Vec<RawDiagnostic>,
    /// The areas that were checked.
    pub(crate) checked: BTreeSet<CheckArea>,
}

impl Session {
    pub(super) fn diagnostics(&self, args: &QueryArgs) -> Result<QueryResult> {
        let filter = DiagnosticFilter::from_args(args)?;
        let below = args.path.as_deref().and_then(|path| self.glob_below(path));
        match &args.path {
            Some(_) if below.is_some() => self.all_diagnostics(args, &filter, below.as_deref()),
            Some(path) if !self.is_glob(path) => {
                let file = self.open(path)?;
                if supports_only_lines(file.description()) {
                    let message = format!("no language pack checks {}", file.path());
                    return Err(Error::new(Kind::Unsupported, message)
                        .hint("`engine: \"server\"` asks a language server, `engine: \"editor\"` an attached editor"));
                }
                let (diagnostics, checked) = self.file_diagnostics(&file, &filter.areas)?;
                let found = filter.format(&file.source.path, file.text(), diagnostics);
                let collected =
                    CollectedDiagnostics { found, checked, files: 1, skipped: Vec::new(), incomplete: None };
                Ok(self.answer(args, &filter, collected, file.engine()))
            }
            path => self.all_diagnostics(args, &filter, path.as_deref()),
        }
    }

    /// Returns the glob for all files below a directory.
    fn glob_below(&self, path: &str) -> Option<String> {
        let path = self.files.locate(path).ok()?;
        let is_directory = self.files.stat(&path) == Some(EntryKind::Directory);
        is_directory.then(|| if path.is_empty() { "**".to_owned() } else { format!("{path}/**") })
    }

    /// Returns whether a path is a glob.
    pub(super) fn is_glob(&self, path: &str) -> bool {
        path.contains(['*', '?', '[', '{']) && self.files.stat(path).is_none()
    }

    /// Returns the diagnostics of one file, and the areas that were checked.
    pub(super) fn file_diagnostics(
        &self,
        file: &OpenFile,
        areas: &[CheckArea],
    ) -> Result<(Vec<RawDiagnostic>, BTreeSet<CheckArea>)> {
        let names = OnceLock::new();
        let workspace = || self.workspace_names(&names);
        let FileFindings { mut diagnostics, checked, .. } = self.diagnostics_within(file, areas, &workspace)?;
        if checked.contains(&CheckArea::Names) && file.has(Interface::Symbols) {
            diagnostics.extend(self.unused_exports(file.path(), workspace()?.as_ref())?);
        }
        Ok((diagnostics, checked))
    }

    /// Returns the diagnostics of one file without unused exports. Calls `workspace` only if a diagnostic depends on
    /// other files.
    pub(crate) fn diagnostics_within(
        &self,
        file: &OpenFile,
        areas: &[CheckArea],
        workspace: &dyn Fn() -> Result<Arc<Workspace>>,
    ) -> Result<FileFindings> {
        let engine = file.engine().to_owned();
        let FileFindings { mut diagnostics, mut uncertain, mut checked } = FileFindings::default();
        if areas.contains(&CheckArea::Syntax) {
            checked.insert(CheckArea::Syntax);
            let pack_diagnostics = file.ask(|document| document.diagnostics())?;
            diagnostics.extend(pack_diagnostics.into_iter().map(|diagnostic| RawDiagnostic {
                diagnostic,
                source: engine.clone(),
                fix: None,
            }));
        }
        if areas.contains(&CheckArea::Links) && file.has(Interface::Links) {
            checked.insert(CheckArea::Links);
            diagnostics.extend(self.broken_links(file)?);
        }
        if file.has(Interface::Hover) && areas.iter().any(|area| *area != CheckArea::Syntax) {
            let beyond = file.ask(|document| document.semantic_diagnostics())?;
            checked.extend(beyond.checked.into_iter().filter(|area| areas.contains(area)));
            let semantic: Vec<SemanticDiagnostic> =
                beyond.diagnostics.into_iter().filter(|found| areas.contains(&found.area)).collect();
            let depends = semantic.iter().any(|found| !found.conditions.is_empty());
            let workspace = depends.then(workspace).transpose()?;
            let facts = workspace.as_deref().map(WorkspaceFacts::new);
            let (mut certain, mut possible) = (Vec::new(), Vec::new());
            for found in semantic {
                let Some((verdict, diagnostic, fix)) = judged(found, facts.as_ref(), file.path()) else { continue };
                let list = if verdict == Verdict::Certain { &mut certain } else { &mut possible };
                list.push(RawDiagnostic { diagnostic, source: engine.clone(), fix });
            }
            add_new(&mut diagnostics, certain.into_iter());
            uncertain = possible;
        }
        Ok(FileFindings { diagnostics, uncertain, checked })
    }

    /// Returns the diagnostics of the files that match a glob, or of all files.
    fn all_diagnostics(&self, args: &QueryArgs, filter: &DiagnosticFilter, glob: Option<&str>) -> Result<QueryResult> {
        let scope = self.whole_workspace()?;
        let Some(workspace) = scope.workspace.clone() else { return Err(Error::internal("there is no index")) };
        let glob = glob.map(compile_glob).transpose()?;
        let paths: Vec<&str> = workspace.files().map(|entry| entry.path.as_str()).collect();
        let paths: Vec<&str> =
            paths.into_iter().filter(|path| glob.as_ref().is_none_or(|glob| glob.is_match(path))).collect();
        if paths.is_empty() && glob.is_some() {
            let pattern = args.path.as_deref().unwrap_or_default();
            return Err(Error::new(Kind::FileNotFound, format!("no file matches `{pattern}`"))
                .hint("a glob is matched with paths from the root: `src/**/*.ts`"));
        }
        let without_language = self.files_without_language(&workspace)?;
        let is_unread: HashSet<&str> = without_language.iter().map(|entry| entry.path.as_str()).collect();
        let (unread, paths): (Vec<&str>, Vec<&str>) = paths.into_iter().partition(|path| is_unread.contains(path));
        let stage = self.work.stage("checking files", paths.len());
        let inspected = parallel_map(&paths, |path| {
            stage.step().and_then(|()| self.inspect_file(&scope, &workspace, path, filter))
        });
        let facts = WorkspaceFacts::new(&workspace);
        let mut collected = CollectedDiagnostics {
            found: Vec::new(),
            checked: BTreeSet::new(),
            files: 0,
            skipped: Vec::new(),
            incomplete: None,
        };
        for (path, inspected) in paths.iter().zip(inspected) {
            match inspected {
                Ok(inspected) => {
                    collected.files += 1;
                    self.add_file(inspected, filter, &facts, &mut collected)?;
                }
                Err(error) if matches!(error.kind(), Kind::Unsupported | Kind::FileNotFound) => {}
                Err(error) if error.kind() == Kind::Cancelled => return Err(error),
                Err(error) => collected.skipped.push(skipped_file(path, &error)),
            }
            if collected.found.len() > MAX_DIAGNOSTICS {
                collected.incomplete =
                    Some(format!("the first {MAX_DIAGNOSTICS} problems; name a `path` for the rest"));
                collected.found.truncate(MAX_DIAGNOSTICS);
                break;
            }
        }
        if !collected.skipped.is_empty() && collected.incomplete.is_none() {
            collected.incomplete =
                Some(format!("{} could not be checked", pluralized(collected.skipped.len(), "file")));
        }
        if collected.files == 0 && !unread.is_empty() && collected.incomplete.is_none() {
            let entries: Vec<&Entry> =
                without_language.into_iter().filter(|entry| unread.contains(&entry.path.as_str())).collect();
            collected.incomplete = Some(format!("not checked: no language pack reads {} files", extensions(&entries)));
        }
        collected.skipped.truncate(MAX_SKIPPED);
        Ok(self.answer(args, filter, collected, "packs"))
    }

    fn inspect_file<'a>(
        &self,
        scope: &SearchScope,
        workspace: &Workspace,
        path: &'a str,
        filter: &DiagnosticFilter,
    ) -> Result<FileInspection<'a>> {
        let inspection = scope.survey.inspect(path)?;
        let entry = workspace.file(path).filter(|_| filter.areas.contains(&CheckArea::Links));
        let pairs =
            entry.into_iter().flat_map(|entry| entry.links.iter().flatten().zip(entry.targets.iter().flatten()));
        let broken_links = pairs
            .filter_map(|(link, target)| self.broken_link((&link.kind, &link.specifier, link.span()), target, path));
        Ok(FileInspection { path, inspection, broken_links: broken_links.collect() })
    }

    /// Adds the diagnostics of one file to the result.
    fn add_file(
        &self,
        inspected: FileInspection<'_>,
        filter: &DiagnosticFilter,
        facts: &WorkspaceFacts<'_>,
        collected: &mut CollectedDiagnostics,
    ) -> Result<()> {
        let FileInspection { path, inspection, broken_links } = inspected;
        let entry = facts.workspace.file(path);
        let mut diagnostics = broken_links;
        let has_syntax_errors = filter.areas.contains(&CheckArea::Syntax) && !inspection.syntax.is_empty();
        // The index identifies packs by their content; users know them by name.
        let engine = match has_syntax_errors || !inspection.semantic.diagnostics.is_empty() {
            true => self.packs.for_path(&self.files, path)?.description().id.clone(),
            false => String::new(),
        };
        if filter.areas.contains(&CheckArea::Syntax) {
            collected.checked.insert(CheckArea::Syntax);
            let raw = |diagnostic: &PackDiagnostic| RawDiagnostic {
                diagnostic: diagnostic.clone(),
                source: engine.clone(),
                fix: None,
            };
            diagnostics.extend(inspection.syntax.iter().map(raw));
        }
        if entry.is_some_and(|entry| entry.links.as_ref().is_some_and(|links| !links.is_empty())) {
            collected.checked.extend(filter.areas.iter().filter(|area| **area == CheckArea::Links));
        }
        let found = inspection.semantic.diagnostics.iter().filter(|found| filter.areas.contains(&found.area));
        let found = found.filter_map(|found| judged(found.clone(), Some(facts), path));
        let found = found.filter(|(verdict, ..)| *verdict == Verdict::Certain);
        let found = found.map(|(_, diagnostic, fix)| RawDiagnostic { diagnostic, source: engine.clone(), fix });
        add_new(&mut diagnostics, found);
        let takes_hints = filter.includes(Severity::Hint) && filter.areas.contains(&CheckArea::Names);
        if takes_hints && inspection.semantic.checked.contains(&CheckArea::Names) {
            diagnostics.extend(self.unused_exports(path, facts.workspace)?);
        }
        collected.checked.extend(inspection.semantic.checked.iter().filter(|area| filter.areas.contains(area)));
        diagnostics.retain(|raw| filter.includes(raw.diagnostic.severity));
        if !diagnostics.is_empty() {
            let text = self.files.read(path)?.text;
            collected.found.extend(filter.format(path, &text, diagnostics));
        }
        Ok(())
    }

    fn answer(
        &self,
        args: &QueryArgs,
        filter: &DiagnosticFilter,
        collected: CollectedDiagnostics,
        engine: &str,
    ) -> QueryResult {
        let page = args.page(self, collected.found);
        let reported = filter.reported();
        let checked: Vec<&str> = collected.checked.iter().map(|area| area.name()).collect();
        let completeness = match collected.incomplete {
            Some(why) => format!("partial: {why}"),
            None => format!("syntactic: checked {}; types were not checked", checked.join(", ")),
        };
        let (files, skipped) = (collected.files, collected.skipped);
        let data = Answer::Diagnostics(Diagnostics { diagnostics: page.items, reported, checked, files, skipped });
        QueryResult::new(data, completeness, engine).paged(page.total, page.truncated)
    }
}

impl Session {
    /// Formats the diagnostics of a language server.
    pub(super) fn server_diagnostics(
        &self,
        args: &QueryArgs,
        file: &OpenFile,
        from_server: Vec<ServerDiagnostic>,
        completeness: String,
        engine: &str,
    ) -> Result<QueryResult> {
        if !args.checks.is_empty() {
            return Err(Error::new(Kind::Unsupported, "`checks` does not apply to a language server")
                .hint("leave out `checks`, or `engine`"));
        }
        let filter = DiagnosticFilter::from_args(args)?;
        let diagnostics = from_server.into_iter().map(|diagnostic| {
            let ServerDiagnostic { span, severity, message, source, code } = diagnostic;
            let source = if source.is_empty() { engine.to_owned() } else { source };
            RawDiagnostic { diagnostic: PackDiagnostic { severity, span, message, code }, source, fix: None }
        });
        let page = args.page(self, filter.format(file.path(), file.text(), diagnostics.collect()));
        let (reported, checked) = (filter.reported(), vec!["types"]);
        let data = Diagnostics { diagnostics: page.items, reported, checked, files: 1, skipped: Vec::new() };
        Ok(QueryResult::new(Answer::Diagnostics(data), completeness, engine).paged(page.total, page.truncated))
    }
}

/// Adds diagnostics, except those with the code and span of an earlier one, which has more detail.
fn add_new(diagnostics: &mut Vec<RawDiagnostic>, found: impl Iterator<Item = RawDiagnostic>) {
    let place = |raw: &RawDiagnostic| Some((raw.diagnostic.span, raw.diagnostic.code.clone()?));
    let mut known: HashSet<_> = diagnostics.iter().filter_map(place).collect();
    diagnostics.extend(found.filter(|raw| place(raw).is_none_or(|place| known.insert(place))));
}

/// Diagnostics of one file, before their conditions on other files are checked.
struct FileInspection<'a> {
    path: &'a str,
    inspection: Arc<Inspection>,
    /// The broken links of the file.
    broken_links: Vec<RawDiagnostic>,
}

/// Collected result of a call.
struct CollectedDiagnostics {
    found: Vec<Diagnostic>,
    checked: BTreeSet<CheckArea>,
    files: usize,
    skipped: Vec<String>,
    incomplete: Option<String>,
}

impl DiagnosticFilter {
    pub(super) fn from_args(args: &QueryArgs) -> Result<DiagnosticFilter> {
        let area = |name: &String| {
            CheckArea::ALL.into_iter().find(|area| area.name() == name).ok_or_else(|| {
                Error::argument(format!("unknown check `{name}`"))
                    .hint("types are checked by language servers only: `engine: \"server\"`")
                    .candidates(CheckArea::ALL.map(|area| area.name().to_owned()))
            })
        };
        let areas = match args.checks.as_slice() {
            [] => CheckArea::ALL.to_vec(),
            some => some.iter().map(area).collect::<Result<_>>()?,
        };
        match (&args.severity, &args.only) {
            (Some(_), Some(_)) => Err(Error::argument("`severity` and `only` exclude each other")
                .hint("`severity` is a minimum, `only` is an exact severity")),
            (_, Some(only)) => Ok(DiagnosticFilter { least: parse_severity(Some(only))?, only: true, areas }),
            (least, None) => Ok(DiagnosticFilter { least: parse_severity(least.as_deref())?, only: false, areas }),
        }
    }

    /// Describes which severities are reported.
    pub(super) fn reported(&self) -> String {
        let name = severity_name(self.least);
        match (self.only, self.least) {
            (true, _) | (_, Severity::Error) => name.to_owned(),
            (false, Severity::Hint) => "all".to_owned(),
            (false, _) => format!("{name} and worse"),
        }
    }

    fn includes(&self, severity: Severity) -> bool {
        if self.only { severity == self.least } else { severity <= self.least }
    }

    /// Filters the diagnostics of a file by severity and formats them.
    pub(super) fn format(&self, path: &str, text: &str, mut diagnostics: Vec<RawDiagnostic>) -> Vec<Diagnostic> {
        diagnostics.retain(|raw| self.includes(raw.diagnostic.severity));
        to_diagnostics(path, text, diagnostics)
    }
}

fn compile_glob(pattern: &str) -> Result<GlobMatcher> {
    let glob = GlobBuilder::new(pattern.trim_start_matches("./")).literal_separator(true).build();
    glob.map(|glob| glob.compile_matcher())
        .map_err(|error| Error::argument(format!("`{pattern}` is not a glob: {}", error.kind())))
}

fn parse_severity(name: Option<&str>) -> Result<Severity> {
    Ok(match name {
        Some("error") => Severity::Error,
        Some("warning") => Severity::Warning,
        Some("info") => Severity::Info,
        None | Some("hint") => Severity::Hint,
        Some(other) => {
            return Err(Error::argument(format!("unknown severity `{other}`"))
                .candidates(["error", "warning", "info", "hint"].map(str::to_owned)));
        }
    })
}
