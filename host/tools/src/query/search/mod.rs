//! `search`: places by text, by the structure of code, or by a target, in all files or some.
//!
//! Every file is looked into once, on all cores, and only counted. What is shown is looked for again in the few files that
//! have it: so memory and the work of making addresses grow with the answer, not with what there is.

mod asked;
mod look;
mod show;
mod text;

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

use marquetry_graph::on_all_cores_with;
use marquetry_model::{Error, Kind, Result, limits, pack::TargetKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::{asked::Asked, look::Look};
use super::{Answer, QueryArgs, QueryResult};
use crate::{
    page::Room,
    session::Session,
    shape::{Range, counted},
};

/// What `search` looks for, and where. Exactly one of `text`, `regex`, `pattern` and the targets says what.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
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
    /// Marked-up data: an XPath with the document's own prefixes.
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

/// What was found.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Matches {
    /// The places, by file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matches: Option<Vec<Match>>,
    /// How many there are in all.
    pub match_count: usize,
    /// In how many files.
    pub file_count: usize,
    /// So many files were looked into.
    pub searched: usize,
    /// How many each file has, those with most first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<FileCount>,
    /// Files that are no text, and were passed over.
    #[serde(skip_serializing_if = "is_zero")]
    pub binary: usize,
    /// What could not be searched, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<String>,
    /// Where nothing was found: what would have been.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub near: Vec<String>,
}

/// One place.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Match {
    /// The file.
    pub path: String,
    /// The innermost addressable thing around it: give it back to `file_read` and `file_edit` …
    pub address: String,
    /// … as this argument: `symbol`, `path`, `selector`, `xpath`, `heading` or `lines`.
    pub target: &'static str,
    /// What that is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Where the match itself stands.
    pub range: Range,
    /// The line it starts on.
    pub preview: String,
    /// The lines above.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// The lines below.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// What stands for the holes and groups, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub captures: BTreeMap<String, String>,
}

/// How many matches a file has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileCount {
    /// The file.
    pub path: String,
    /// So many.
    pub count: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde hands over")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Matches that are shown unless the caller says otherwise.
const SHOWN: usize = 100;
/// Files that are counted one by one in an answer that shows matches.
const MOST_COUNTS: usize = 100;
/// Files of one kind of trouble that are named.
const MOST_NAMED: usize = 20;

/// What one file has.
enum Seen {
    Matches(usize),
    /// It is no text.
    Binary,
    /// It went away, or the time was over.
    Unseen,
    Failed(Error),
}

/// What all files have.
#[derive(Default)]
pub(super) struct Tally {
    /// Files with matches, in their order.
    found: Vec<(String, usize)>,
    searched: usize,
    binary: usize,
    skipped: Vec<String>,
    /// What the files that failed had to say, once for each pack.
    failures: Vec<Error>,
    unseen: usize,
}

impl Tally {
    fn total(&self) -> usize {
        self.found.iter().map(|(_, count)| count).sum()
    }
}

impl Session {
    pub(super) fn search(&self, args: &QueryArgs) -> Result<QueryResult> {
        let asked = Asked::of(self, args)?;
        let look = Look::new(self, &asked)?;
        let tally = self.tally(&look)?;
        let all_failed = tally.searched == 0 && tally.total() == 0;
        if let Some(error) = tally.failures.first().filter(|_| all_failed) {
            return Err(error.clone());
        }
        let near = if tally.total() == 0 { self.near(&asked)? } else { Vec::new() };
        self.found(args, &asked, &look, tally, near)
    }

    /// How many matches each file has.
    fn tally(&self, look: &Look<'_>) -> Result<Tally> {
        let stage = self.work.stage("searching", look.files.len());
        let (since, late) = (Instant::now(), AtomicBool::new(false));
        let seen = on_all_cores_with(
            &look.files,
            || self.files.reader(),
            |reader, file| {
                stage.step()?;
                if late.load(Ordering::Relaxed) || since.elapsed() > limits::SEARCH {
                    late.store(true, Ordering::Relaxed);
                    return Ok(Seen::Unseen);
                }
                match look.count(reader.as_mut(), file) {
                    Ok(count) => Ok(Seen::Matches(count)),
                    Err(error) => match error.kind() {
                        Kind::Cancelled => Err(error),
                        Kind::Unsupported => Ok(Seen::Binary),
                        Kind::FileNotFound => Ok(Seen::Matches(0)),
                        _ => Ok(Seen::Failed(error)),
                    },
                }
            },
        );
        let mut tally = Tally { skipped: look.skipped.clone(), ..Tally::default() };
        for (file, seen) in look.files.iter().zip(seen) {
            match seen? {
                Seen::Matches(count) => {
                    tally.searched += 1;
                    tally.found.extend((count > 0).then(|| (file.path.clone(), count)));
                }
                Seen::Binary => tally.binary += 1,
                Seen::Unseen => tally.unseen += 1,
                Seen::Failed(error) => {
                    tally.skipped.push(format!("{}: {error}", file.path));
                    tally.failures.push(error);
                }
            }
        }
        Ok(tally)
    }

    /// Where nothing was found: what would have been with less said.
    fn near(&self, asked: &Asked) -> Result<Vec<String>> {
        let mut near = Vec::new();
        for (looser, said) in asked.looser() {
            let tally = self.tally(&Look::new(self, &looser)?)?;
            if tally.total() > 0 {
                let files = counted(tally.found.len(), "file");
                near.push(format!("{} in {files} {said}", matches(tally.total())));
            }
        }
        near.extend(asked.advice());
        near.extend(self.regions(asked));
        Ok(near)
    }

    /// The regions that there are, where one was asked for.
    fn regions(&self, asked: &Asked) -> Option<String> {
        let is_asked = asked.region.is_some()
            || matches!(&asked.what, asked::What::Target(target) if target.kind == TargetKind::Region);
        if !is_asked {
            return None;
        }
        let descriptions = self.packs.descriptions(&self.files);
        let mut names: Vec<&str> =
            descriptions.iter().flat_map(|known| &known.regions).map(|region| region.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        Some(format!("the regions that formats have: {}", names.join(", ")))
    }

    fn found(
        &self,
        args: &QueryArgs,
        asked: &Asked,
        look: &Look<'_>,
        tally: Tally,
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
        answer.skipped = named(tally.skipped);
        let mut engine = "text".to_owned();
        let (page_total, truncated);
        if args.search.count_only {
            let page = args.page(self, counts);
            (page_total, truncated) = (page.total, page.truncated);
            answer.counts = page.items;
        } else {
            let mut room = Room::new(args.max_bytes.or(self.most_bytes));
            // The counts are an extra: they take a quarter of the room at most.
            let mut aside = room.share(4);
            let few: Vec<FileCount> = if file_count > 1 { counts } else { Vec::new() };
            let listed = few.len().min(MOST_COUNTS);
            answer.counts = aside.list("counts", few.into_iter().take(listed).collect());
            let window = (args.offset.unwrap_or(0), args.limit.unwrap_or(SHOWN));
            let outlines = self.graph.outlines(&self.files, self.packs.as_ref());
            let showing = show::Showing { session: self, look, asked, outlines: &outlines, engine: &mut engine };
            let shown = showing.page(&tally.found, window, &mut room)?;
            self.graph.keep_outlines(self.files.as_ref(), outlines);
            (page_total, truncated) = (total, show::truncated(window.0, shown.matches.len(), total));
            if let Some(changed) = shown.changed {
                completeness = format!("partial: {changed}");
            }
            answer.matches = Some(shown.matches);
        }
        if let Look { of: look::Of::Structure { .. } | look::Of::Target(_), .. } = look
            && engine == "text"
        {
            engine = "packs".to_owned();
        }
        Ok(QueryResult::new(Answer::Matches(answer), completeness, &engine).paged(page_total, truncated))
    }
}

fn completeness(tally: &Tally) -> String {
    if tally.unseen > 0 {
        let (seconds, searched) = (limits::SEARCH.as_secs(), tally.searched);
        let left = counted(tally.unseen, "file");
        return format!("partial: {seconds} seconds were over: {searched} searched, {left} not; name fewer in `files`");
    }
    match tally.skipped.as_slice() {
        [] => "complete".to_owned(),
        [first, ..] => {
            format!("partial: {} could not be searched, the first: {first}", counted(tally.skipped.len(), "place"))
        }
    }
}

/// The first of a list, with how many there are more.
fn named(mut list: Vec<String>) -> Vec<String> {
    let more = list.len().saturating_sub(MOST_NAMED);
    list.truncate(MOST_NAMED);
    list.extend((more > 0).then(|| format!("and {more} more")));
    list
}

/// `1 match`, `3 matches`.
pub(crate) fn matches(count: usize) -> String {
    if count == 1 { "1 match".to_owned() } else { format!("{count} matches") }
}
