//! Rename by the language server, if the caller requests it. Its edits are checked like those of a pack: they must fit
//! the text and must not add syntax errors.

use marquetry_model::{Error, Kind, Result, servers::ServerQuestion};

use crate::{
    document::OpenFile,
    draft::{check_syntax, validated_edits},
    query::engine_name,
    reference_search::SymbolQuery,
    rename_symbol::RenameOutcome,
    session::Session,
};

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
            if let Some(edit) = set.as_slice().first().filter(|_| renamed.name.is_empty()) {
                renamed.name = edit.span.slice(&source.text).to_owned();
            }
            let edited = self.open_source(source)?;
            check_syntax(&edited, &set)?;
            renamed.draft.edit(&edited.source, set)?;
        }
        let why = "edits of the language server, not verified";
        renamed.partial = renamed.partial.or(Some(why.to_owned()));
        Ok((renamed, engine_name(server.id())))
    }
}
