//! Finds the nodes of a target.

use marquetry_sdk::{Failure, FailureKind, FindResult, NodeId, Nodes, Query, Result, TargetKind, fail};

use crate::anchor::split_custom_anchor;
use crate::blocks::{Heading, Kind, NONE, collapse_space};
use crate::commonmark;
use crate::document::MarkdownDocument;
use crate::region;
use crate::target::{self, BlockQuery, HeadingQuery, Segment};

/// Ways to compare a target with the text of a heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MatchMode {
    /// Compare with the rendered text.
    Exact,
    /// Compare with the rendered text or with the source.
    Source,
    /// Ignore case, a `{#name}` at the end, and square brackets.
    Loose,
}

impl MatchMode {
    const ALL: [MatchMode; 3] = [MatchMode::Exact, MatchMode::Source, MatchMode::Loose];
}

impl MarkdownDocument {
    /// Returns the nodes of a query.
    pub(crate) fn find_nodes(&self, query: &Query) -> Result<FindResult> {
        let value = query.target.value.trim();
        let region_first = match query.target.kind {
            TargetKind::Heading => false,
            TargetKind::Region => true,
            _ => {
                return Err(fail(FailureKind::Unsupported, "Markdown is addressed by `heading`, `region` or `lines`")
                    .hint("use `path`, such as `$.title`, for front matter"));
            }
        };
        let ids = self.resolve(value, region_first)?;
        if ids.is_empty() {
            return Err(self.not_found(value, region_first));
        }
        let total = ids.len() as u32;
        let nodes = ids.into_iter().take(query.limit as usize).map(|id| self.node(id)).collect::<Result<_>>()?;
        Ok(FindResult::Nodes(Nodes { nodes, total }))
    }

    pub(crate) fn resolve(&self, value: &str, region_first: bool) -> Result<Vec<NodeId>> {
        let named = |name: &str| self.regions_named(name);
        if region_first && !named(value).is_empty() {
            return Ok(named(value));
        }
        let segments = target::parse(value);
        for mode in MatchMode::ALL {
            let found = segments.as_ref().map_or(Vec::new(), |segments| self.path_nodes(segments, mode, region_first));
            if !found.is_empty() {
                return Ok(found);
            }
        }
        // The whole target may be the text of one heading that looks like a path or ends with a number in brackets.
        let whole = HeadingQuery { level: None, text: value.to_owned(), number: None };
        for mode in MatchMode::ALL {
            let found = self.matching_headings(&whole, mode, false);
            if !found.is_empty() {
                return Ok(found);
            }
        }
        segments?;
        match value.strip_prefix('#') {
            Some(anchor) => Ok(self.heading_with_anchor(anchor).into_iter().collect()),
            None => Ok(named(value)),
        }
    }

    /// Returns the nodes of a path of headings. The texts are compared exactly first; if nothing is found, less
    /// strictly.
    pub(crate) fn resolve_segments(&self, segments: &[Segment]) -> Vec<NodeId> {
        MatchMode::ALL
            .into_iter()
            .map(|mode| self.path_nodes(segments, mode, false))
            .find(|found| !found.is_empty())
            .unwrap_or_default()
    }

    fn path_nodes(&self, segments: &[Segment], mode: MatchMode, region_first: bool) -> Vec<NodeId> {
        let mut scopes = vec![None];
        for segment in segments {
            let headings = self.matching_headings(&segment.heading, mode, segment.quoted);
            let one = |scope: &Option<u32>| self.segment_nodes(segment, &headings, *scope, region_first);
            let mut found: Vec<u32> = scopes.iter().flat_map(one).collect();
            found.sort_unstable();
            found.dedup();
            scopes = found.into_iter().map(Some).collect();
        }
        scopes.into_iter().flatten().collect()
    }

    /// Returns the nodes of one segment in a scope. `headings` contains all headings with the text of the segment.
    fn segment_nodes(&self, segment: &Segment, headings: &[u32], scope: Option<u32>, region_first: bool) -> Vec<u32> {
        let headings = || {
            let (first, end) = scope.map_or((0, u32::MAX), |scope| (scope + 1, self.block(scope).end));
            let from = headings.partition_point(|block| *block < first);
            let inside = &headings[from..from + headings[from..].partition_point(|block| *block < end)];
            match segment.heading.number {
                Some(number) => inside.get(number - 1).copied().into_iter().collect(),
                None => inside.to_vec(),
            }
        };
        let Some(like) = segment.block.as_ref().filter(|_| !segment.quoted) else { return headings() };
        let as_block = like.has_brackets || region_first;
        let found = if as_block { self.matching_blocks(like, scope) } else { headings() };
        match (found.is_empty(), as_block) {
            (false, _) => found,
            (true, true) => headings(),
            (true, false) => self.matching_blocks(like, scope),
        }
    }

    /// Returns the headings with this text, in document order.
    fn matching_headings(&self, named: &HeadingQuery, mode: MatchMode, quoted: bool) -> Vec<u32> {
        let tree = self.tree();
        let text = collapse_space(&named.text);
        let plain = if quoted { text.clone() } else { rendered_heading(&text) };
        let mut found: Vec<&Heading> = match mode {
            MatchMode::Exact => {
                let exact = [&text, &plain].into_iter().flat_map(|name| self.headings_named(name));
                exact.map(|index| &tree.headings[*index as usize]).collect()
            }
            MatchMode::Source => {
                let alike = |heading: &&Heading| {
                    let name = tree.name(heading);
                    name == text || name == plain || self.source_text(heading) == text
                };
                tree.headings.iter().filter(alike).collect()
            }
            MatchMode::Loose => {
                let wanted = [text.to_lowercase(), plain.to_lowercase()];
                let is_wanted = |name: &str| {
                    let bare = remove_brackets(name);
                    wanted.iter().any(|wanted| name == wanted.as_str() || bare == wanted.as_str())
                };
                let alike = |heading: &&Heading| {
                    [tree.name(heading).to_lowercase(), self.source_text(heading).to_lowercase()].iter().any(|name| {
                        is_wanted(name) || split_custom_anchor(name).is_some_and(|(text, _)| is_wanted(text))
                    })
                };
                tree.headings.iter().filter(alike).collect()
            }
        };
        found.retain(|heading| named.level.is_none_or(|level| level == heading.level));
        let mut blocks: Vec<u32> = found.into_iter().map(|heading| heading.block).collect();
        blocks.sort_unstable();
        blocks.dedup();
        blocks
    }

    /// Returns the source text of a heading.
    fn source_text(&self, heading: &Heading) -> String {
        collapse_space(self.block(heading.block).inner.slice(&self.text))
    }

    /// Returns the blocks of a kind within a scope.
    fn matching_blocks(&self, like: &BlockQuery, scope: Option<u32>) -> Vec<u32> {
        let (first, end) =
            scope.map_or((0, self.tree().blocks.len() as u32), |scope| (scope + 1, self.block(scope).end));
        let counts = |id: &u32| self.matches_block(*id, like) && self.counts_in(*id, scope.unwrap_or(NONE));
        let found: Vec<u32> = (first..end).filter(counts).collect();
        let labelled = |exact: bool| -> Vec<u32> {
            let fits = |id: &u32| like.label.as_ref().is_none_or(|label| self.has_label(*id, label, exact));
            found.iter().copied().filter(fits).collect()
        };
        let mut fitting = labelled(true);
        if fitting.is_empty() {
            fitting = labelled(false);
        }
        // If no definition has the label `2`, `definition[2]` means the second definition.
        let number = like.number.or_else(|| like.label.as_ref().filter(|_| fitting.is_empty())?.parse().ok());
        if fitting.is_empty() && number.is_some() && like.number.is_none() {
            fitting = found;
        }
        match number {
            Some(number) => fitting.get(number.wrapping_sub(1)).copied().into_iter().collect(),
            None => fitting,
        }
    }

    fn matches_block(&self, id: u32, like: &BlockQuery) -> bool {
        match like.kind {
            Some(kind) => self.block(id).kind == kind,
            None => self.block(id).kind == Kind::List && self.is_task_list(id),
        }
    }

    /// Returns whether every item of the list has a check box.
    pub(crate) fn is_task_list(&self, list: u32) -> bool {
        self.tree().children(list).all(|item| self.block(item).detail == crate::blocks::Detail::Task)
    }

    /// Returns whether a block is counted in a scope. Items and rows are counted in their list or table, nested lists
    /// in their item, and all other blocks in each section that contains them.
    fn counts_in(&self, id: u32, scope: u32) -> bool {
        match self.block(id).kind {
            Kind::Item | Kind::Row | Kind::Header => self.block(id).parent == scope,
            Kind::List => {
                let own = self.counting_scope(id);
                let in_item = own != NONE && self.block(own).kind == Kind::Item;
                own == scope || !in_item
            }
            _ => true,
        }
    }

    fn has_label(&self, id: u32, label: &str, exact: bool) -> bool {
        let own = self.label(id);
        let caret = |label: &str| label.strip_prefix('^').unwrap_or(label).to_lowercase();
        own == label || (!exact && caret(&own) == caret(&collapse_space(label)))
    }

    fn not_found(&self, value: &str, region: bool) -> Failure {
        let last = target::parse(value).ok().and_then(|mut segments| segments.pop());
        let kind = last.as_ref().and_then(|segment| segment.block.as_ref()).map(|like| like.kind.unwrap_or(Kind::List));
        let known: Vec<String> = match kind {
            Some(kind) => {
                let all = (0..self.tree().blocks.len() as u32).filter(|id| self.block(*id).kind == kind);
                all.take(1000).map(|id| self.address(id)).collect()
            }
            None if region => region::REGION_NAMES
                .iter()
                .filter(|name| !self.regions_named(name).is_empty())
                .map(|n| (*n).to_owned())
                .collect(),
            None => self.tree().headings.iter().take(20_000).map(|heading| self.address(heading.block)).collect(),
        };
        let what = match kind {
            Some(_) => "block",
            None if region => "region",
            None => "heading",
        };
        let mut failure = Failure::not_found(what, value, known.iter().map(String::as_str));
        if let Some(found) = last.and_then(|segment| self.describe_other_level(&segment)) {
            failure = failure.hint(format!("the heading has another level: write `{found}`, or its text without `#`"));
        }
        failure
    }
}

impl MarkdownDocument {
    /// Describes the heading that has the same text at another level.
    fn describe_other_level(&self, segment: &Segment) -> Option<String> {
        segment.heading.level?;
        let named = HeadingQuery { level: None, ..segment.heading.clone() };
        let block = *self.matching_headings(&named, MatchMode::Loose, segment.quoted).first()?;
        let heading = self.tree().heading(block)?;
        Some(format!("{} {}", "#".repeat(heading.level.into()), self.tree().name(heading)))
    }
}

/// Removes brackets, because a definition in the document could make the text in them a link.
fn remove_brackets(text: &str) -> String {
    text.replace(['[', ']'], "")
}

/// Returns the rendered text of a heading, or its source if the rendered text would be empty.
pub(crate) fn rendered_heading(text: &str) -> String {
    if !text.contains(['*', '_', '`', '[', '<', '&', '\\', '~', '#']) {
        return text.to_owned();
    }
    let plain = collapse_space(&commonmark::rendered_line(&format!("# {text}")));
    if plain.is_empty() { text.to_owned() } else { plain }
}
