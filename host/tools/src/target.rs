//! Targets as callers give them, and the kinds of targets that a pack supports.

use marquetry_model::{
    Error, Result,
    pack::{Description, Target, TargetKind},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The arguments that name a part of a file. Give the one that fits the file's format; a second one is looked up inside
/// the part that the first one names (`heading` with `symbol`: a symbol in a code block under the heading).
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub struct TargetArgs {
    /// A symbol, JSONPath, selector, XPath or heading: the format's default kind.
    pub target: Option<String>,
    /// Code: `UserService`, `UserService.findById`, `config.routes.home`, `"suite" > "case"`.
    pub symbol: Option<String>,
    /// Data: a JSONPath, e.g. `$.scripts.build`.
    pub path: Option<String>,
    /// Pages: a CSS selector, or `selector@attribute`. Stylesheets: the selector of a rule, an at-rule, or `selector@property`.
    pub selector: Option<String>,
    /// XML: an XPath with the document's prefixes.
    pub xpath: Option<String>,
    /// Documents: a heading, or a path of headings `Guide > Install`.
    pub heading: Option<String>,
    /// A named region: `imports`, `exports`, `front-matter`, `head` …
    pub region: Option<String>,
    /// Lines: `7` or `7-12`, from 1, inclusive.
    pub lines: Option<String>,
}

/// A stretch of text: lines from 1, columns from 0 in UTF-16 code units, the end exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SelectionRange {
    /// From 1.
    pub start_line: usize,
    /// From 0.
    #[serde(default)]
    pub start_column: usize,
    /// From 1.
    pub end_line: usize,
    /// From 0, exclusive.
    pub end_column: Option<usize>,
}

impl TargetArgs {
    /// The text of the target for messages.
    pub(crate) fn name(&self) -> String {
        let values = [&self.target, &self.symbol, &self.path, &self.selector, &self.xpath, &self.heading, &self.region];
        let mut names: Vec<String> = values.into_iter().flatten().cloned().collect();
        names.extend(self.lines.iter().map(|lines| format!("lines {lines}")));
        names.join(" / ")
    }

    /// Returns the address of the symbol to rename, from any argument that has one: a heading is a symbol of its
    /// document.
    pub(crate) fn address(&self) -> Option<&str> {
        let values = [&self.symbol, &self.target, &self.heading, &self.path, &self.selector, &self.xpath];
        values.into_iter().find_map(|value| value.as_deref())
    }

    /// The targets that were given: the plain one first, then in the order of their kinds.
    pub(crate) fn given_targets(&self, description: &Description) -> Vec<Target> {
        let plain = self.target.iter().map(|value| Target { kind: default_kind(description), value: value.clone() });
        let values = [&self.symbol, &self.path, &self.selector, &self.xpath, &self.heading, &self.region, &self.lines];
        let pairs = TargetKind::ALL.into_iter().zip(values);
        plain.chain(pairs.filter_map(|(kind, value)| Some(Target { kind, value: value.clone()? }))).collect()
    }
}

/// Returns the default kind of target of a pack.
pub(crate) fn default_kind(description: &Description) -> TargetKind {
    description.targets.first().map_or(TargetKind::Lines, |target| target.kind)
}

/// Returns whether the pack supports only lines, which means that it is the pack for text files without a language
/// pack.
pub(crate) fn supports_only_lines(description: &Description) -> bool {
    description.targets.iter().all(|target| target.kind == TargetKind::Lines)
}

/// Returns whether a pack supports a kind of target. Lines are always supported.
pub(crate) fn supports_kind(description: &Description, kind: TargetKind) -> bool {
    kind == TargetKind::Lines || description.targets.iter().any(|target| target.kind == kind)
}

/// Moves the target for the file's own pack to the front, before the targets for embedded parts.
pub(crate) fn own_target_first(description: &Description, mut given: Vec<Target>) -> Vec<Target> {
    if given.len() > 1 {
        let own = given.iter().position(|target| supports_kind(description, target.kind)).unwrap_or(0);
        let first = given.remove(own);
        given.insert(0, first);
    }
    given
}

/// Error for a kind of target that the pack does not support.
pub(crate) fn unsupported_kind(description: &Description, target: &Target) -> Error {
    let ways = description.targets.iter().map(|help| {
        let example = help.examples.first().map(|example| format!(": {example:?}")).unwrap_or_default();
        format!("{}{example}", help.kind.name())
    });
    let lines = "lines: \"7-12\"".to_owned();
    let lines = description.targets.iter().all(|help| help.kind != TargetKind::Lines).then_some(lines);
    Error::argument(format!("{} files do not support targets by `{}`", description.name, target.kind.name()))
        .hint("use one of the candidates as an argument")
        .candidates(ways.chain(lines))
}

/// Fails if there are more than `most` targets.
pub(crate) fn check_target_count(given: &[Target], most: usize) -> Result<()> {
    if given.len() <= most {
        return Ok(());
    }
    let names: Vec<&str> = given.iter().map(|target| target.kind.name()).collect();
    Err(Error::argument(format!("too many targets: {}", names.join(", ")))
        .hint("give one target, or two where the second is inside the first"))
}
