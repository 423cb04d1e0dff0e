//! Rename by the language server, if the caller requests it or no pack reads the file. The edits of the server are
//! checked in the same way as those of a pack: they must be at the name, must fit the text and must not add syntax
//! errors. Other occurrences of the name are listed.

use marquetry_graph::DetailLevel;
use marquetry_model::{Edit, EditSet, Error, Kind, Result, ports::Source, servers::ServerQuestion, text::Lines};

use crate::{
    document::OpenFile,
    draft::{check_syntax, validated_edits},
    query::engine_name,
    reference_search::SymbolQuery,
    rename_symbol::{RenameOutcome, RenameScope},
    result_types::Location,
    session::Session,
    unresolved_list::unresolved_entries,
    words::whole_word_offsets,
};

/// Part of the hint in errors of packs without type information: the caller can request a language server. The hints of
/// other refusals do not contain it.
const RECOMMENDATION: &str = "engine: \"server\"";

/// Returns whether the error of a pack recommends a language server because the pack cannot find the uses of a symbol.
pub(crate) fn recommends_server(error: &Error) -> bool {
    let hint = error.content().hint.as_ref();
    error.kind() == Kind::Unsupported && hint.is_some_and(|hint| hint.contains(RECOMMENDATION))
}

impl Session {
    pub(super) fn rename_by_server(
        &self,
        file: &OpenFile,
        place: &SymbolQuery<'_>,
        new_name: &str,
        only_here: bool,
    ) -> Result<(RenameOutcome, String)> {
        if only_here {
            return Err(Error::new(Kind::Unsupported, "a language server renames in all files")
                .hint("leave out `scope`, or `engine`"));
        }
        let server = self.server_for(file.path())?;
        let offset = self.offset_of(file, place.symbol, place.line, place.column)?;
        let question = ServerQuestion { files: &self.files, source: &file.source, offset, work: &self.work };
        let answer = server.rename(question, new_name)?;
        let mut renamed = RenameOutcome { partial: answer.incomplete, ..RenameOutcome::default() };
        for (source, edits) in answer.answer {
            let set = validated_edits(&source.path, &source.text, edits)?;
            check_names(server.id(), &source, &set, new_name)?;
            if let Some(edit) = set.as_slice().first().filter(|_| renamed.name.is_empty()) {
                renamed.name = edit.span.slice(&source.text).to_owned();
            }
            let edited = self.open_source(source)?;
            check_syntax(&edited, &set)?;
            renamed.draft.edit(&edited.source, set)?;
        }
        renamed.unresolved = self.other_occurrences(file.path(), &renamed)?;
        Ok((renamed, engine_name(server.id())))
    }

    /// Renames with the approved language server of the file, if its pack recommends that because it cannot find the
    /// uses of the symbol. Otherwise, or if the server fails, returns the error of the pack.
    pub(super) fn rename_instead(
        &self,
        file: &OpenFile,
        place: &SymbolQuery<'_>,
        (new_name, reach): (&str, RenameScope),
        error: Error,
    ) -> Result<(RenameOutcome, String)> {
        if !reach.asks_servers
            || !recommends_server(&error)
            || !matches!(self.optional_server(file.path()), Ok(Some(_)))
        {
            return Err(error);
        }
        self.rename_by_server(file, place, new_name, reach.single_file).map_err(|other| match other.kind() {
            Kind::Cancelled | Kind::Stale => other,
            _ => {
                self.work.add_note(format!("the language server was not used: {other}"));
                error
            }
        })
    }

    /// Lists the occurrences of the old name that the server did not edit: first those in files of the same kind, then
    /// the numbers of others by file.
    fn other_occurrences(&self, path: &str, renamed: &RenameOutcome) -> Result<Vec<String>> {
        let workspace = self.workspace(DetailLevel::Links)?;
        let mut places = Vec::new();
        for entry in workspace.files().filter(|entry| entry.may_hold(&renamed.name)) {
            // Binary files and files that no longer exist have no text.
            let Ok(text) = self.files.text(&entry.path) else { continue };
            let edits = renamed.draft.edits_of(&entry.path);
            let is_edited =
                |at: usize| edits.is_some_and(|edits| edits.as_slice().iter().any(|edit| edit.span.start == at));
            let others = whole_word_offsets(&text, &renamed.name).into_iter().filter(|at| !is_edited(*at));
            let lines = Lines::new(&text);
            places.extend(others.map(|at| Location::new(&entry.path, lines.position(at))));
        }
        let extension = |path: &str| path.rsplit('.').next().map(str::to_owned);
        let own = extension(path);
        Ok(unresolved_entries(places, |other| extension(other) == own))
    }
}

/// Refuses edits that do not replace a name with the new name.
fn check_names(server: &str, source: &Source, edits: &EditSet, new_name: &str) -> Result<()> {
    let is_word = |text: &str| text.chars().all(|c| c.is_alphanumeric() || "_$@.:-?!\"'` ".contains(c));
    let last = new_name.rsplit(['.', ':', '$', '@']).next().unwrap_or(new_name);
    let is_name = |edit: &&Edit| {
        edit.text.contains(last)
            && is_word(edit.span.slice(&source.text))
            && is_word(&edit.text.replace(new_name, "").replace(last, ""))
    };
    let wrong = edits.as_slice().iter().find(|edit| !is_name(edit));
    match wrong {
        None => Ok(()),
        Some(edit) => {
            let at = Lines::new(&source.text).position(edit.span.start);
            let message = format!(
                "the server `{server}` would edit {}:{}:{}, which is not a name",
                source.path, at.line, at.column
            );
            Err(Error::new(Kind::PluginFailed, message).hint("edit the places yourself; nothing was written"))
        }
    }
}
