//! Strings that name an export which a refactor takes out of its module: `patch("shop.money.total")`. No import refers
//! to them, so the packs of importers do not see them.

use std::collections::BTreeSet;

use marquetry_graph::Workspace;
use marquetry_model::{Interface, Result, Span, text::Lines};

use crate::{
    contributions::{Contributions, UnresolvedPlace},
    document::OpenFile,
    generated_files::is_generated,
    mentioned_names::is_in_quotes,
    module_mentions::module_stem,
    session::Session,
    words::{is_whole_word, whole_word_offsets},
};

/// Separators between the name of a module and the name of an export.
const SEPARATORS: [&str; 5] = ["::", ".", "#", ":", "/"];

impl Session {
    /// Lists the strings that name exports which the file has no longer after the edits so far. Places that a pack has
    /// listed already are not listed again.
    ///
    /// # Errors
    /// Fails if the call is cancelled, and if the pack of the file fails.
    pub(crate) fn list_lost_exports(
        &self,
        file: &OpenFile,
        workspace: &Workspace,
        done: &mut Contributions<'_>,
    ) -> Result<()> {
        let Some(edits) = done.draft.edits_of(file.path()).filter(|_| file.has(Interface::Symbols)) else {
            return Ok(());
        };
        let mut source = file.source.clone();
        source.text = edits.apply(file.text()).into();
        let exports = |file: &OpenFile| -> Result<BTreeSet<String>> {
            let facts = file.ask(|document| document.exports_and_imports())?;
            Ok(facts.exports.into_iter().map(|export| export.name).collect())
        };
        let (before, after) = (exports(file)?, exports(&self.open_source(source)?)?);
        let module = module_stem(file.path());
        for name in before.difference(&after) {
            for entry in workspace.files().filter(|entry| entry.may_hold(name) && !is_generated(&entry.path)) {
                self.work.check()?;
                // Binary files and files that no longer exist have no text.
                let Ok(text) = self.files.text(&entry.path) else { continue };
                let named = whole_word_offsets(&text, name).into_iter().filter(|at| names_export(&text, *at, module));
                let new: Vec<usize> = named.filter(|at| !is_known(done, &entry.path, *at)).collect();
                let lines = Lines::new(&text);
                done.unresolved.extend(new.into_iter().map(|at| UnresolvedPlace {
                    path: entry.path.clone(),
                    span: Span::new(at, at + name.len()),
                    position: lines.position(at),
                    text: name.clone(),
                }));
            }
        }
        Ok(())
    }
}

/// Returns whether a pack has changed or listed the place.
fn is_known(done: &Contributions<'_>, path: &str, at: usize) -> bool {
    let contains = |span: Span| span.start <= at && at < span.end;
    done.unresolved.iter().any(|place| place.path == path && contains(place.span))
        || done.draft.edits_of(path).is_some_and(|edits| edits.as_slice().iter().any(|edit| contains(edit.span)))
}

/// Returns whether the name at an offset is in quotes and follows the name of the module.
fn names_export(text: &str, at: usize, module: &str) -> bool {
    let before = &text[..at];
    let module_end = SEPARATORS.iter().find_map(|separator| before.strip_suffix(separator));
    let start = module_end.and_then(|before| before.len().checked_sub(module.len()));
    start.is_some_and(|start| text.is_char_boundary(start) && is_whole_word(text, start, module))
        && is_in_quotes(text, at)
}

#[cfg(test)]
mod tests {
    use super::names_export;

    #[track_caller]
    fn check(text: &str, expected: bool) {
        let at = text.rfind("total").expect("the name");
        assert_eq!(names_export(text, at, "money"), expected, "{text}");
    }

    #[test]
    fn strings_with_module_and_name_are_found() {
        for text in ["patch('shop.money.total')", "x = \"money:total\"", "see `money::total`", "\"shop/money#total\""] {
            check(text, true);
        }
        for text in ["money.total", "'total'", "'my_money.total'", "'money total'", "'é.total'", "'.total'"] {
            check(text, false);
        }
    }
}
