//! The rename of a symbol that has the name of its file, such as a module: the file is renamed, and links follow.

use marquetry_model::{Relocation, Relocations, Result};

use super::{PACKS, RelocationRequest, check_file_name, extension::last};
use crate::{
    edit::{Affected, EditArgs, EditResult},
    pagination::ByteBudget,
    refactor::RENAME,
    result_types::pluralized,
    session::Session,
};

/// The symbol and its file.
pub(crate) struct SymbolFile<'a> {
    pub(crate) symbol: &'a str,
    /// Path of the file that declares the symbol.
    pub(crate) declaring: &'a str,
    /// Path of the file or folder that has the name of the symbol.
    pub(crate) path: &'a str,
}

impl Session {
    /// Renames the file of a symbol. The file keeps its extension.
    pub(crate) fn rename_symbol_file(
        &self,
        named: &SymbolFile<'_>,
        new_name: &str,
        args: &EditArgs,
    ) -> Result<EditResult> {
        check_file_name(new_name)?;
        let from = self.existing_path(named.path)?;
        let to = renamed_path(&from, new_name);
        let request = RelocationRequest {
            moves: Relocations::new(vec![Relocation { from: from.clone(), to: to.clone() }])?,
            renamed: None,
            warnings: Vec::new(),
            update: true,
            overwrite: false,
            exports: None,
            main_export: false,
            commit: args.commit(),
            declaring: Some(named.declaring),
            room: ByteBudget::of_change(args.max_bytes.or(self.max_bytes)),
        };
        let symbol = named.symbol;
        let done = self.relocate(request, &to, |links, files, _| {
            let (links, files) = (pluralized(links, "link"), pluralized(files, "file"));
            format!("Renamed {symbol} → {new_name} (moved {from} to {to}, updated {links} in {files})")
        })?;
        let mut files = vec![to];
        files.extend(done.imports_updated.iter().map(|updated| updated.file.clone()));
        files.sort();
        files.dedup();
        Ok(EditResult {
            success: true,
            refactor: Some(RENAME.to_owned()),
            file: Some(named.declaring.to_owned()),
            symbol: Some(symbol.to_owned()),
            new_name: Some(new_name.to_owned()),
            files_affected: Affected::Files(files),
            total_edits: done.changes.iter().map(|file| file.edits.len()).sum(),
            changes: done.changes,
            hash: done.hash,
            completeness: Some(done.completeness),
            unresolved: done.unresolved,
            engine: PACKS.to_owned(),
            summary: done.summary,
            report: done.report,
            ..EditResult::default()
        })
    }
}

/// The path with another name before the extension.
fn renamed_path(path: &str, new_name: &str) -> String {
    let own = last(path);
    let extension = own.find('.').map_or("", |at| &own[at..]);
    format!("{}{new_name}{extension}", &path[..path.len() - own.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renamed_file_keeps_folder_and_extension() {
        for (path, renamed) in [
            ("src/cart.rs", "src/basket.rs"),
            ("cart", "basket"),
            ("a.b/cart", "a.b/basket"),
            ("cart.d.ts", "basket.d.ts"),
        ] {
            assert_eq!(renamed_path(path, "basket"), renamed);
        }
    }
}
