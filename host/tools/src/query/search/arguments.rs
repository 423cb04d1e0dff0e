//! Parses the arguments of `search`, and relaxes them if nothing was found.

use marquetry_model::{
    Error, Result, limits,
    pack::{Target, TargetKind},
};

use super::text::TextQuery;
use crate::{query::QueryArgs, session::Session};

/// A parsed search.
#[derive(Debug, Clone)]
pub(super) struct SearchQuery {
    pub(super) what: SearchSubject,
    /// Paths and globs; `None` for all files.
    pub(super) files: Option<Vec<String>>,
    /// Limits the search to these regions of each file.
    pub(super) region: Option<String>,
    pub(super) context: usize,
}

/// Subject of a search.
#[derive(Debug, Clone)]
pub(super) enum SearchSubject {
    Words(TextQuery),
    /// Structural pattern.
    Structure(String),
    Target(Target),
}

/// Maximum number of context lines above and below a match.
const MAX_CONTEXT: usize = 50;

impl SearchQuery {
    pub(super) fn parse(_session: &Session, args: &QueryArgs) -> Result<SearchQuery> {
        let search = &args.search;
        // `path` is a JSONPath if it starts with `$`, otherwise the place to search in.
        let (json_path, below) = match &args.path {
            Some(path) if path.starts_with('$') => (Some(path.clone()), None),
            other => (None, other.clone()),
        };
        let files = match (&search.files, below) {
            (Some(_), Some(path)) => {
                return Err(Error::argument(format!("`files` and `path: \"{path}\"` both say where to look"))
                    .hint("give it in `files`; a `path` that starts with `$` is a JSONPath to search for"));
            }
            (files, below) => files.clone().or_else(|| below.map(|path| vec![path])),
        };
        let words = |text: &String, is_regex: bool| {
            SearchSubject::Words(TextQuery {
                text: text.clone(),
                is_regex,
                ignore_case: search.ignore_case,
                whole_word: search.whole_word,
                multiline: search.multiline,
            })
        };
        let target = |kind: TargetKind, value: &String| SearchSubject::Target(Target { kind, value: value.clone() });
        let mut subjects: Vec<(&str, SearchSubject)> = Vec::new();
        subjects.extend(search.text.as_ref().map(|text| ("text", words(text, false))));
        subjects.extend(search.regex.as_ref().map(|text| ("regex", words(text, true))));
        subjects.extend(search.pattern.as_ref().map(|text| ("pattern", SearchSubject::Structure(text.clone()))));
        subjects.extend(args.symbol.as_ref().map(|value| ("symbol", target(TargetKind::Symbol, value))));
        subjects.extend(json_path.as_ref().map(|value| ("path", target(TargetKind::Path, value))));
        subjects.extend(search.selector.as_ref().map(|value| ("selector", target(TargetKind::Selector, value))));
        subjects.extend(search.xpath.as_ref().map(|value| ("xpath", target(TargetKind::Xpath, value))));
        subjects.extend(search.heading.as_ref().map(|value| ("heading", target(TargetKind::Heading, value))));
        let mut region = search.region.clone();
        if subjects.is_empty() {
            subjects.extend(region.take().map(|value| ("region", target(TargetKind::Region, &value))));
        }
        if subjects.len() > 1 {
            let names: Vec<&str> = subjects.iter().map(|(name, _)| *name).collect();
            let message = format!("`{}` cannot be combined: each says what to search for", names.join("`, `"));
            return Err(Error::argument(message).hint("give one of them; `files` and `region` say where to look"));
        }
        let Some((_, what)) = subjects.pop() else {
            let ways = ["text", "regex", "pattern", "symbol", "path", "selector", "xpath", "heading", "region"];
            let hint = match &args.query {
                Some(_) => "`query` is an argument of `workspaceSymbols`: give one of the candidates",
                None => "give one of the candidates",
            };
            return Err(Error::argument("nothing to search for").hint(hint).candidates(ways.map(str::to_owned)));
        };
        if let SearchSubject::Structure(pattern) = &what
            && pattern.len() > limits::PATTERN_BYTES
        {
            let (most, has) = (limits::PATTERN_BYTES, pattern.len());
            return Err(Error::argument(format!("the pattern is {has} bytes long; the limit is {most}")));
        }
        let context = search.context.unwrap_or(0).min(MAX_CONTEXT);
        Ok(SearchQuery { what, files, region, context })
    }

    /// Returns less strict variants of the search, with a description of the difference.
    pub(super) fn relaxed(&self) -> Vec<(SearchQuery, &'static str)> {
        let SearchSubject::Words(words) = &self.what else { return Vec::new() };
        let with = |words: TextQuery| SearchQuery { what: SearchSubject::Words(words), ..self.clone() };
        let mut looser = Vec::new();
        if !words.ignore_case {
            looser.push((with(TextQuery { ignore_case: true, ..words.clone() }), "with `ignoreCase`"));
        }
        if words.whole_word {
            looser.push((with(TextQuery { whole_word: false, ..words.clone() }), "without `wholeWord`"));
        }
        looser
    }

    /// Suggests what the caller may have meant.
    pub(super) fn advice(&self) -> Option<String> {
        match &self.what {
            SearchSubject::Words(words) if !words.is_regex && looks_like_regex(&words.text) => {
                Some("`text` is taken literally: `regex` takes a regular expression".to_owned())
            }
            SearchSubject::Words(words) if !words.is_regex && words.text.contains("$$$") => {
                Some("`text` is taken literally: `pattern` takes code with metavariables".to_owned())
            }
            _ => None,
        }
    }
}

fn looks_like_regex(text: &str) -> bool {
    [".*", ".+", "\\w", "\\b", "\\d", "\\s", "\\.", "\\(", "[a-z", "|"].iter().any(|sign| text.contains(sign))
}
