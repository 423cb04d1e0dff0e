//! Structural search.

use std::cell::RefCell;
use std::rc::Rc;

use marquetry_sdk::{Capture, Context, PatternInfo, Result, Search, Span, StructureMatch, StructureMatches};

use crate::structure::{self, FlatTree, Match, Pattern};
use crate::syntax::dialect;
use crate::{TypeScript, TypeScriptDocument};

/// Key and result of the last parsed pattern: text, whether it was parsed as JSX, and the pattern.
type CachedPattern = (String, bool, Result<Rc<Pattern>>);

thread_local! {
    /// One call searches many documents for the same pattern, so the last one is cached.
    static LAST_PATTERN: RefCell<Option<CachedPattern>> = const { RefCell::new(None) };
}

impl Search for TypeScript {
    fn read_pattern(context: &Context, pattern: &str) -> Result<PatternInfo> {
        let read = parse_cached(pattern, dialect::source_type(&context.path).is_jsx())?;
        Ok(PatternInfo { words: read.words.clone(), captures: read.names.clone() })
    }

    fn matches(document: &TypeScriptDocument, pattern: &str, limit: u32) -> Result<StructureMatches> {
        let pattern = parse_cached(pattern, document.tree.grammar().is_jsx())?;
        let text = document.tree.text();
        let code = document.tree.with(|parsed| FlatTree::from_program(parsed.program, text));
        let found = structure::find_matches(&pattern, &code)?;
        let total = u32::try_from(found.len()).unwrap_or(u32::MAX);
        let shown = found.iter().take(limit as usize).map(|found| to_structure_match(&pattern, found));
        Ok(StructureMatches { matches: shown.collect(), total })
    }
}

fn parse_cached(pattern: &str, jsx: bool) -> Result<Rc<Pattern>> {
    LAST_PATTERN.with_borrow_mut(|latest| match latest {
        Some((known, as_jsx, read)) if known == pattern && *as_jsx == jsx => read.clone(),
        _ => {
            let read = structure::parse_pattern(pattern, jsx).map(Rc::new);
            *latest = Some((pattern.to_owned(), jsx, read.clone()));
            read
        }
    })
}

fn to_structure_match(pattern: &Pattern, found: &Match) -> StructureMatch {
    let span = |(start, end): (u32, u32)| Span { start, end };
    let capture =
        |(name, part): &(usize, (u32, u32))| Capture { name: pattern.names[*name].clone(), span: span(*part) };
    StructureMatch {
        span: span(found.part),
        captures: found.captures.iter().map(capture).collect(),
        unmatched: found.omitted.iter().copied().map(span).collect(),
    }
}
