//! Results of `open` as text, for users at a terminal if no editor is attached.

use marquetry_model::Result;
use serde::Serialize;

use super::{ItemResult, OpenArgs, ResolvedItem, error_summary, failed_item, item_result};
use crate::session::Session;

/// Result of showing items as text.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ShowResult {
    /// True if all items were found.
    pub success: bool,
    /// Errors of the items that were not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Result of each item, in order.
    pub results: Vec<Shown>,
    /// Warnings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// One item with its text.
#[derive(Debug, Clone, Serialize)]
pub struct Shown {
    /// The resolved item.
    #[serde(flatten)]
    pub item: ItemResult,
    /// Lines of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// A unified diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

impl Session {
    /// Resolves items and returns their text.
    pub(crate) fn show_items(&self, args: &OpenArgs) -> Result<ShowResult> {
        let mut results = Vec::new();
        for item in args.items()? {
            self.work.check()?;
            let shown = item.resolve(self).and_then(|prepared| self.shown(item_result(&item, &prepared), &prepared));
            results.push(shown.unwrap_or_else(|error| Shown {
                item: failed_item(&item, &error),
                content: None,
                diff: None,
            }));
        }
        let items: Vec<ItemResult> = results.iter().map(|shown| shown.item.clone()).collect();
        let error = error_summary(&items);
        Ok(ShowResult { success: error.is_none(), error, results, warnings: Vec::new() })
    }

    fn shown(&self, item: ItemResult, prepared: &ResolvedItem) -> Result<Shown> {
        match prepared {
            ResolvedItem::Diff(pair) => Ok(Shown { item, content: None, diff: Some(pair.unified()) }),
            ResolvedItem::File { path, part, .. } => {
                let text = self.files.read(path)?.text;
                let lines = part.as_ref().map_or((1, usize::MAX), |part| (part.range.start.line, part.range.end.line));
                let kept = text.split_inclusive('\n').skip(lines.0 - 1).take(lines.1.saturating_sub(lines.0 - 1));
                Ok(Shown { item, content: Some(kept.collect()), diff: None })
            }
        }
    }
}
