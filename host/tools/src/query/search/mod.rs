//! `search`: finds text, code structures or targets in all or some files.
//!
//! Every file is searched once, on all cores, and its matches are only counted. The few files that contain the matches
//! of the answer are searched again, so memory and the cost of addresses depend on the size of the answer instead of
//! the number of matches.

mod arguments;
mod file_search;
mod show;
mod text;

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

use marquetry_graph::{DetailLevel, parallel_map_with};
use marquetry_model::{Error, Kind, Result, limits, pack::TargetKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::{
    arguments::{SearchQuery, SearchSubject},
    file_search::FileSearch,
};
use super::{Answer, QueryArgs, QueryResult};
use crate::{
    pagination::ByteBudget,
    result_types::{Range, pluralized, shorten_list, skipped_file},
    session::Session,
};

/// Arguments of `search`. Exactly one of `text`, `regex`, `pattern` and the targets is given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchArgs {
    /// `search`, `files`: paths and globs; `!` excludes.
    pub files: Option<Vec<String>>,
    /// Text to find, taken literally.
    pub text: Option<String>,
    /// Regular expression, matched per line.
    pub regex: Option<String>,
    /// Structural pattern: `$A` is one node, `$$$REST` any number.
    pub pattern: Option<String>,
    /// Pages: a CSS selector, or `selector@attribute`. Stylesheets: the selector of a rule, an at-rule, or `selector@property`.
    pub selector: Option<String>,
    /// XML: an XPath with the document's prefixes.
    pub xpath: Option<String>,
    /// Documents: a heading, or a path of headings `Guide > Install`.
    pub heading: Option<String>,
    /// Search in this region only.
    pub region: Option<String>,
    /// Ignore case.
    #[serde(default)]
    pub ignore_case: bool,
    /// Match whole words only.
    #[serde(default)]
    pub whole_word: bool,
    /// `regex`: match across lines.
    #[serde(default)]
    pub multiline: bool,
    /// Lines around each match.
    pub context: Option<usize>,
    /// Only count matches per file.
    #[serde(default)]
    pub count_only: bool,
}

/// Result of `search`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Matches {
    /// The matches, by file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matches: Option<Vec<Match>>,
    /// Number of all matches.
    pub match_count: usize,
    /// Number of files with matches.
    pub file_count: usize,
    /// Number of files that were searched.
    pub searched: usize,
    /// Number of matches per file, highest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<FileCount>,
    /// Number of files that were skipped because they are not text.
    #[serde(skip_serializing_if = "is_zero")]
    pub binary: usize,
    /// Files that could not be searched, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<String>,
    /// If nothing was found: related searches that would find something.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub near: Vec<String>,
}

/// A match.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Match {
    /// Path of the file.
    pub path: String,
    /// Address of the innermost node around the match, for `file_read` and `file_edit` …
    pub address: String,
    /// … as this argument: `symbol`, `path`, `selector`, `xpath`, `heading` or `lines`.
    pub target: &'static str,
    /// Kind of that node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Range of the match.
    pub range: Range,
    /// Its first line.
    pub preview: String,
    /// Lines above.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// Lines below.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// Captures of metavariables or groups, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub captures: BTreeMap<String, String>,
}

/// Number of matches in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileCount {
    /// Path of the file.
    pub path: String,
    /// Number of matches.
    pub count: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde hands over")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Default for the maximum number of matches.
const DEFAULT_LIMIT: usize = 100;
/// Maximum number of files with counts in an answer that shows matches.
const MAX_COUNTS: usize = 100;
/// Maximum number of skipped files to list.
const MAX_SKIPPED: usize = 20;

/// Result for one file.
enum FileOutcome {
    Matches(usize),
    /// Nothing in the file supports the target.
    Unsupported,
    /// The file is not a text file.
    Binary,
    /// The file was deleted in the meantime, or not searched because of the time limit.
    NotSearched,
    Failed(Error),
}

/// Result for all files.
#[derive(Default)]
pub(super) struct MatchTotals {
    /// Files with matches, in order.
    found: Vec<(String, usize)>,
    searched: usize,
    binary: usize,
    skipped: Vec<String>,
    /// Failures, one per pack.
    failures: Vec<Error>,
    not_searched: usize,
}

impl MatchTotals {
    fn total(&self) -> usize {
        self.found.iter().map(|(_, count)| count).sum()
    }
}

impl Session {
    pub(super) fn search(&self, args: &QueryArgs) -> Result<QueryResult> {
        let query = SearchQuery::parse(self, args)?;
        let look = FileSearch::new(self, &query)?;
        let tally = self.count_matches(&look)?;
        let all_failed = tally.searched == 0 && tally.total() == 0;
        if let Some(error) = tally.failures.first().filter(|_| all_failed) {
            return Err(error.clone());
        }
        if all_failed && tally.binary == 0 && tally.not_searched == 0 {
            look.check_support()?;
        }
        let near = if tally.total() == 0 { self.suggestions(&query)? } else { Vec::new() };
        self.search_result(args, &query, &look, tally, near)
    }

    /// Counts the matches in each file.
    fn count_matches(&self, look: &FileSearch<'_>) -> Result<MatchTotals> {
        let stage = self.work.stage("searching", look.files.len());
        let (since, late) = (Instant::now(), AtomicBool::new(false));
        let seen = parallel_map_with(
            &look.files,
            || self.files.reader(),
            |reader, file| {
                stage.step()?;
                if late.load(Ordering::Relaxed) || since.elapsed() > limits::SEARCH_TIME {
                    late.store(true, Ordering::Relaxed);
                    return Ok(FileOutcome::NotSearched);
                }
                match look.count(reader.as_mut(), file) {
                    Ok(Some(count)) => Ok(FileOutcome::Matches(count)),
                    Ok(None) => Ok(FileOutcome::Unsupported),
                    Err(error) => match error.kind() {
                        Kind::Cancelled => Err(error),
                        Kind::Unsupported if look.may_match_undecoded(&file.path)? => Ok(FileOutcome::Failed(error)),
                        Kind::Unsupported => Ok(FileOutcome::Binary),
                        Kind::FileNotFound => Ok(FileOutcome::Matches(0)),
                        _ => Ok(FileOutcome::Failed(error)),
                    },
                }
            },
        );
        let mut tally = MatchTotals { skipped: look.skipped.clone(), ..MatchTotals::default() };
        for (file, seen) in look.files.iter().zip(seen) {
            match seen? {
                FileOutcome::Matches(count) => {
                    tally.searched += 1;
                    tally.found.extend((count > 0).then(|| (file.path.clone(), count)));
                }
                FileOutcome::Unsupported => {}
                FileOutcome::Binary => tally.binary += 1,
                FileOutcome::NotSearched => tally.not_searched += 1,
                FileOutcome::Failed(error) => {
                    tally.skipped.push(skipped_file(&file.path, &error));
                    tally.failures.push(error);
                }
            }
        }
        Ok(tally)
    }

    /// Suggestions if nothing was found: results of less strict searches.
    fn suggestions(&self, query: &SearchQuery) -> Result<Vec<String>> {
        let mut near = Vec::new();
        for (looser, change) in query.relaxed() {
            let tally = self.count_matches(&FileSearch::new(self, &looser)?)?;
            if tally.total() > 0 {
                let files = pluralized(tally.found.len(), "file");
                near.push(format!("{} in {files} {change}", match_count_text(tally.total())));
            }
        }
        near.extend(query.advice());
        near.extend(self.regions(query));
        Ok(near)
    }

    /// Lists the existing regions if the search uses one.
    fn regions(&self, query: &SearchQuery) -> Option<String> {
        let is_asked = query.region.is_some()
            || matches!(&query.what, SearchSubject::Target(target) if target.kind == TargetKind::Region);
        if !is_asked {
            return None;
        }
        let descriptions = self.packs.descriptions(&self.files);
        let mut names: Vec<&str> =
            descriptions.iter().flat_map(|known| &known.regions).map(|region| region.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        Some(format!("existing regions: {}", names.join(", ")))
    }

    fn search_result(
        &self,
        args: &QueryArgs,
        query: &SearchQuery,
        look: &FileSearch<'_>,
        tally: MatchTotals,
        near: Vec<String>,
    ) -> Result<QueryResult> {
        let (total, file_count) = (tally.total(), tally.found.len());
        let mut counts: Vec<FileCount> =
            tally.found.iter().map(|(path, count)| FileCount { path: path.clone(), count: *count }).collect();
        counts.sort_by(|a, b| (b.count, &a.path).cmp(&(a.count, &b.path)));
        let mut answer = Matches {
            match_count: total,
            file_count,
            searched: tally.searched,
            binary: tally.binary,
            near,
            ..Matches::default()
        };
        let mut completeness = completeness(&tally);
        if let SearchSubject::Target(target) = &query.what
            && target.kind == TargetKind::Symbol
            && completeness == "complete"
            && query.files.is_none()
        {
            let name = target.value.rsplit(['.', '#']).next().unwrap_or(&target.value);
            let workspace = self.workspace(DetailLevel::Links)?;
            if let Some(why) = self.unread_declarations(&workspace, name)? {
                completeness = format!("partial: {why}");
            }
        }
        answer.skipped = shorten_list(tally.skipped, MAX_SKIPPED);
        let mut engine = "text".to_owned();
        let (page_total, truncated);
        if args.search.count_only {
            let page = args.page(self, counts);
            (page_total, truncated) = (page.total, page.truncated);
            answer.counts = page.items;
        } else {
            let mut room = ByteBudget::new(args.max_bytes.or(self.max_bytes));
            // Counts are additional information: they use at most a quarter of the size limit.
            let mut aside = room.share(4);
            let few: Vec<FileCount> = if file_count > 1 { counts } else { Vec::new() };
            let listed = few.len().min(MAX_COUNTS);
            answer.counts = aside.list("counts", few.into_iter().take(listed).collect());
            let window = (args.offset.unwrap_or(0), args.limit.unwrap_or(DEFAULT_LIMIT));
            let outlines = self.graph.outlines(&self.files, self.packs.as_ref());
            let showing =
                show::MatchPages { session: self, look, asked: query, outlines: &outlines, engine: &mut engine };
            let shown = showing.page(&tally.found, window, &mut room)?;
            self.graph.keep_outlines(self.files.as_ref(), outlines);
            (page_total, truncated) = (total, show::omitted_matches(window.0, shown.matches.len(), total));
            if let Some(changed) = shown.changed {
                completeness = format!("partial: {changed}");
            }
            answer.matches = Some(shown.matches);
        }
        if let FileSearch {
            subject: file_search::PreparedSubject::Structure { .. } | file_search::PreparedSubject::Target(_),
            ..
        } = look
            && engine == "text"
        {
            engine = "packs".to_owned();
        }
        Ok(QueryResult::new(Answer::Matches(answer), completeness, &engine).paged(page_total, truncated))
    }
}

fn completeness(tally: &MatchTotals) -> String {
    if tally.not_searched > 0 {
        let (seconds, searched) = (limits::SEARCH_TIME.as_secs(), tally.searched);
        let left = pluralized(tally.not_searched, "file");
        return format!(
            "partial: the time limit of {seconds} seconds was reached: {searched} searched, {left} not; name fewer in \
             `files`"
        );
    }
    match tally.skipped.len() {
        0 => "complete".to_owned(),
        // The list `skipped` contains these places with the reasons.
        places => format!("partial: {} could not be searched", pluralized(places, "place")),
    }
}

/// `1 match`, `3 matches`.
pub(crate) fn match_count_text(count: usize) -> String {
    if count == 1 { "1 match".to_owned() } else { format!("{count} matches") }
}
