//! `file_edit` with a `refactor`: changes in all affected files that preserve the behavior of the code.

mod language_server;
mod request;
mod rewrite;

pub(crate) use language_server::recommends_server;
pub(crate) use request::{PlaceArgs, RENAME, embedded_part_at, selection_in_part};

use marquetry_model::{Error, Interface, Kind, Result, pack::Subject};

use crate::{
    change_queue::Scope,
    document::OpenFile,
    edit::{Affected, EditArgs, EditResult, check_hash, edit_result},
    exports::ReExportMode,
    pagination::ByteBudget,
    query::is_server_engine,
    reference_search::SymbolQuery,
    relocate::SymbolFile,
    rename_symbol::{RenameOutcome, RenameScope},
    result_types::pluralized,
    session::{Session, Writing},
    words::whole_word_offsets,
};

impl Session {
    pub(crate) fn refactor(&self, name: &str, args: &EditArgs) -> Result<EditResult> {
        match (name == RENAME, Session::wants_server(args.engine.as_deref())?) {
            (true, _) => self.rename_symbol(args),
            (false, false) => self.rewrite(name, args),
            (false, true) => Err(Error::new(Kind::Unsupported, format!("language servers do not run `{name}`"))
                .hint("leave out `engine`; language servers only do `rename_symbol`")),
        }
    }

    fn rename_symbol(&self, args: &EditArgs) -> Result<EditResult> {
        let symbol = args.edit.place.address();
        let path = match (&args.file, symbol) {
            (Some(file), _) => file.clone(),
            (None, Some(symbol)) => self.only_declaring_file(symbol)?,
            (None, None) => {
                return Err(Error::argument("`file` is missing").hint("name the file, or a `symbol` of the workspace"));
            }
        };
        let new_name = args
            .new_name
            .as_deref()
            .ok_or_else(|| Error::argument("`newName` is missing").hint("give the new name as `newName`"))?;
        let only_here = match args.scope.as_deref() {
            None | Some("workspace") => false,
            Some("file") => true,
            Some(other) => {
                let known = ["workspace", "file"].map(str::to_owned);
                return Err(Error::argument(format!("unknown scope `{other}`")).candidates(known));
            }
        };
        let reach = RenameScope {
            single_file: only_here,
            exports: ReExportMode::parse(args.exports.as_deref())?,
            asks_servers: args.engine.is_none(),
        };
        let writing =
            Writing { scope: Scope::Root, dry_run: args.is_dry(), hash_expected: args.expected_hash.is_some() };
        self.run_change(writing, || self.rename_symbol_once(&path, new_name, reach, args))
    }

    fn rename_symbol_once(
        &self,
        path: &str,
        new_name: &str,
        reach: RenameScope,
        args: &EditArgs,
    ) -> Result<EditResult> {
        let file = self.open_or_symbol(path)?;
        check_hash(&file, args.expected_hash.as_deref())?;
        let symbol = args.edit.place.address();
        let place = SymbolQuery { symbol, line: args.line, column: args.column };
        let by_server =
            Session::wants_server(args.engine.as_deref())? || args.engine.is_none() && file.is_read_by_server();
        let (renamed, engine) = if by_server {
            self.rename_by_server(&file, &place, new_name, reach.single_file)?
        } else {
            let renamed = self.rename_by_packs(&file, &place, new_name, reach);
            renamed.or_else(|error| self.rename_instead(&file, &place, (new_name, reach), error))?
        };
        if let Some(own) = &renamed.file {
            let named = SymbolFile { symbol: &renamed.name, declaring: file.path(), path: own };
            return self.rename_symbol_file(&named, new_name, args);
        }
        if renamed.draft.is_empty() {
            return Err(Error::new(Kind::RefactorFailed, format!("nothing was found to rename to `{new_name}`"))
                .hint("name a symbol of the project by its address"));
        }
        let completeness = match &renamed.partial {
            None if is_server_engine(&engine) => "syntactic: the places are those of the language server".to_owned(),
            _ => renamed.completeness(),
        };
        let (files, total) = (renamed.draft.edited(), renamed.draft.edits());
        let summary = format!(
            "Renamed {} → {new_name} ({}, {})",
            renamed.name,
            pluralized(files.len(), "file"),
            pluralized(total, "edit")
        );
        let commit = args.commit();
        let mut draft = renamed.draft;
        if !renamed.unrenamed_exports.is_empty() && args.exports.is_none() {
            let exports = pluralized(renamed.unrenamed_exports.len(), "export");
            draft.warn(format!(
                "the name `{}` stays in {exports} (`kept`): `exports: \"rename\"` also renames exports",
                renamed.name
            ));
        }
        let committed = draft.commit(self, summary.clone(), commit)?;
        let mut room = ByteBudget::of_change(args.max_bytes.or(self.max_bytes));
        let unresolved = room.list("places of `unresolved`", renamed.unresolved);
        let mentions = room.list("places of `mentions`", renamed.mentions);
        let kept = room.list("places of `kept`", renamed.unrenamed_exports);
        let files = room.list("paths of `filesAffected`", files);
        Ok(EditResult {
            success: true,
            refactor: Some(RENAME.to_owned()),
            file: Some(file.path().to_owned()),
            symbol: Some(renamed.name),
            new_name: Some(new_name.to_owned()),
            files_affected: Affected::Files(files),
            total_edits: total,
            hash: committed.hash_of(file.path()),
            completeness: Some(completeness),
            unresolved,
            mentions,
            kept,
            engine,
            summary,
            ..edit_result(committed, args.is_dry(), &mut room)
        })
    }

    /// Renames with the packs of the files, and with language servers for occurrences that the packs cannot resolve.
    /// Also returns the engine.
    fn rename_by_packs(
        &self,
        file: &OpenFile,
        place: &SymbolQuery<'_>,
        new_name: &str,
        reach: RenameScope,
    ) -> Result<(RenameOutcome, String)> {
        let subject = place.subject(file.text())?;
        let (elsewhere, subject) = self.declaring_file(file, place, subject, reach)?;
        let home = elsewhere.as_ref().unwrap_or(file);
        let mut renamed = self.rename_everywhere(home, subject.clone(), new_name, reach)?;
        // If the pack can rename a symbol but cannot resolve it, the symbol is a key in data. The code that reads the
        // key is unknown.
        if home.ask(|document| document.resolve_symbol(&subject)).is_err() {
            let key =
                format!("only the key `{}` was changed; code that reads it by name was not searched", renamed.name);
            renamed.partial = renamed.partial.or(Some(key));
        }
        let engine = renamed.servers.engine(home.engine());
        Ok((renamed, engine))
    }

    /// Returns the file that declares a symbol, if the caller names the symbol in an importing file, and the subject
    /// for that file. A local alias of an import is renamed only in its own file. With `scope: "file"`, any name is
    /// renamed only in its own file.
    fn declaring_file(
        &self,
        file: &OpenFile,
        place: &SymbolQuery<'_>,
        subject: Subject,
        reach: RenameScope,
    ) -> Result<(Option<OpenFile>, Subject)> {
        if place.symbol.is_none() || place.line.is_some() || !file.has(Interface::Symbols) {
            return Ok((None, subject));
        }
        // The rename itself reports errors about the name.
        let Ok(found) = place.refine_in(file, subject.clone()) else { return Ok((None, subject)) };
        let Ok(known) = file.ask(|document| document.resolve_symbol(&found)) else { return Ok((None, subject)) };
        let elsewhere = known.declaration.filter(|(path, _)| !reach.single_file && path != file.path());
        let Some((path, offset)) = elsewhere else { return Ok((None, found)) };
        let home = self.open(&path)?;
        let is_same =
            home.text().get(offset..).is_some_and(|rest| whole_word_offsets(rest, &known.name).first() == Some(&0));
        if is_same { Ok((Some(home), Subject::At(offset))) } else { Ok((None, found)) }
    }
}
