//! Checks that edits add no syntax errors to embedded parts, such as the style of a page.

use std::sync::Arc;

use marquetry_model::{
    Edit, EditSet, Result, Span,
    pack::{Embedded, PackDiagnostic, Severity, TargetKind},
};

use super::OpenFile;
use crate::{draft::refuse_added_errors, session::Session, target::default_kind};

/// Refuses edits that add syntax errors to an embedded part. Code in prose is not checked: an example in Markdown is
/// often incomplete.
pub(crate) fn check_embedded_syntax(session: &Session, file: &OpenFile, edits: &EditSet) -> Result<()> {
    if edits.is_empty() || default_kind(file.description()) == TargetKind::Heading {
        return Ok(());
    }
    let before = file.ask(|document| document.embedded())?;
    let touches = |edit: &Edit, part: &Embedded| edit.span.start <= part.span.end && part.span.start <= edit.span.end;
    let is_changed = |part: &&Embedded| edits.as_slice().iter().any(|edit| touches(edit, part));
    let changed: Vec<&Embedded> = before.iter().filter(is_changed).collect();
    if changed.is_empty() {
        return Ok(());
    }
    let after: Arc<str> = Arc::from(edits.apply(file.text()));
    let parts = Arc::clone(&file.whole().pack).open(file.path(), &after)?.embedded()?;
    let is_old = |part: &Embedded| before.iter().any(|old| old.span.slice(file.text()) == part.span.slice(&after));
    for part in parts.iter().filter(|part| !is_old(part)) {
        let old = changed.iter().filter(|old| old.language == part.language);
        let old = old.map(|old| errors(session, file.path(), file.text(), old)).collect::<Result<Vec<_>>>()?.concat();
        refuse_added_errors(&old, &errors(session, file.path(), &after, part)?, &after)?;
    }
    Ok(())
}

/// The syntax errors of an embedded part, with their places in the whole text.
fn errors(session: &Session, path: &str, text: &str, part: &Embedded) -> Result<Vec<PackDiagnostic>> {
    let Some(pack) = session.pack_of_language(&part.language)? else { return Ok(Vec::new()) };
    let own: Arc<str> = Arc::from(part.span.slice(text));
    let mut found = pack.open(&format!("{path}.{}", part.language), &own)?.diagnostics()?;
    found.retain(|problem| problem.severity == Severity::Error);
    for problem in &mut found {
        let Span { start, end } = problem.span;
        problem.span = Span::new(start + part.span.start, end + part.span.start);
    }
    Ok(found)
}
