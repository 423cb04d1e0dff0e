//! `file_edit` with a `refactor`: changes that keep the meaning, in all files that they touch.

mod questions;
mod request;
mod rewrite;
mod second;

pub(crate) use request::{PlaceArgs, inner, within};

use marquetry_model::{Error, Kind, Result};

use request::RENAME;

use crate::{
    edit::{Affected, EditArgs, EditResult, check_hash, shown},
    exports::Exports,
    page::Room,
    rename_symbol::Reach,
    session::{Session, Writing},
    shape::counted,
    spread::SymbolPlace,
    turns::Scope,
};

impl Session {
    pub(crate) fn refactor(&self, name: &str, args: &EditArgs) -> Result<EditResult> {
        match (name == RENAME, Session::wants_server(args.engine.as_deref())?) {
            (true, _) => self.rename_symbol(args),
            (false, false) => self.rewrite(name, args),
            (false, true) => Err(Error::new(Kind::Unsupported, format!("no language server is asked for `{name}`"))
                .hint("leave out `engine`; a server is asked for `rename_symbol`")),
        }
    }

    fn rename_symbol(&self, args: &EditArgs) -> Result<EditResult> {
        let symbol = args.edit.place.symbol.as_deref().or(args.edit.place.target.as_deref());
        let path = match (&args.file, symbol) {
            (Some(file), _) => file.clone(),
            (None, Some(symbol)) => self.only_file_with(symbol)?,
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
                return Err(
                    Error::argument(format!("no scope `{other}`")).candidates(["workspace", "file"].map(str::to_owned))
                );
            }
        };
        let reach = Reach { only_here, exports: Exports::of(args.exports.as_deref())? };
        let writing = Writing { scope: Scope::Root, dry_run: args.is_dry(), pinned: args.expected_hash.is_some() };
        self.change(writing, || self.rename_symbol_once(&path, new_name, reach, args))
    }

    fn rename_symbol_once(&self, path: &str, new_name: &str, reach: Reach, args: &EditArgs) -> Result<EditResult> {
        let file = self.open(path)?;
        check_hash(&file, args.expected_hash.as_deref())?;
        let symbol = args.edit.place.symbol.as_deref().or(args.edit.place.target.as_deref());
        let place = SymbolPlace { symbol, line: args.line, column: args.column };
        let by_server = Session::wants_server(args.engine.as_deref())?;
        let (renamed, engine) = if by_server {
            self.rename_by_server(&file, &place, new_name, reach.only_here)?
        } else {
            let renamed = self.rename_everywhere(&file, place.subject(file.text())?, new_name, reach)?;
            (renamed, file.engine().to_owned())
        };
        if renamed.draft.is_empty() {
            return Err(Error::new(Kind::RefactorFailed, format!("there is nothing to rename to `{new_name}`"))
                .hint("name a symbol of the project by its address"));
        }
        let completeness = renamed.completeness();
        let (files, total) = (renamed.draft.edited(), renamed.draft.edits());
        let summary = format!(
            "Renamed {} → {new_name} ({}, {})",
            renamed.name,
            counted(files.len(), "file"),
            counted(total, "edit")
        );
        let commit = args.commit();
        let committed = renamed.draft.commit(self, summary.clone(), commit)?;
        let mut room = Room::new(args.max_bytes.or(self.most_bytes));
        let left = room.list("places of `left`", renamed.left);
        let mentions = room.list("places of `mentions`", renamed.mentions);
        let kept = room.list("places of `kept`", renamed.kept);
        let files = room.list("paths of `filesAffected`", files);
        Ok(EditResult {
            success: true,
            refactor: Some(RENAME.to_owned()),
            file: Some(file.path().to_owned()),
            symbol: Some(renamed.name),
            new_name: Some(new_name.to_owned()),
            files_affected: Affected::Files(files),
            total_edits: total,
            id: committed.id(),
            hash: committed.hash_of(file.path()),
            dry_run: args.is_dry(),
            completeness: Some(completeness),
            left,
            mentions,
            kept,
            engine,
            summary,
            ..shown(committed, &mut room)
        })
    }
}
