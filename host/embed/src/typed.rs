//! The tools as methods, with the types of their arguments and results.

use marquetry_model::Result;
use marquetry_tools::{
    CreateArgs, CreateResult, DeleteArgs, DeleteResult, DuplicateArgs, DuplicateResult, EditArgs, EditResult,
    HistoryArgs, HistoryResult, MoveArgs, MoveResult, OpenArgs, OpenResult, QueryArgs, QueryResult, ReadAnswer,
    ReadArgs, RenameArgs, RenameResult, UndoArgs, UndoResult,
};

use crate::Host;

/// Generates a method for each tool.
macro_rules! calls {
    ($($(#[$doc:meta])* $tool:ident: $args:ty => $result:ty;)*) => {
        impl Host {
            $(
                $(#[$doc])*
                pub fn $tool(&self, arguments: &$args) -> Result<$result> {
                    self.call_typed(stringify!($tool), arguments)
                }
            )*
        }

        /// The names of the methods, which a test compares with the catalog.
        #[cfg(test)]
        const METHODS: &[&str] = &[$(stringify!($tool)),*];
    };
}

calls! {
    /// Reads a file, or a target in it.
    ///
    /// # Errors
    /// Fails with the kind, hint and candidates of the tool's error.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use marquetry::{Host, ReadArgs, TargetArgs};
    ///
    /// # fn main() -> marquetry::Result<()> {
    /// # let host = Host::builder().root("/projects/shop").build()?;
    /// let target = TargetArgs { symbol: Some("Cart.total".into()), ..TargetArgs::default() };
    /// let args = ReadArgs { file: Some("src/cart.ts".into()), target, ..ReadArgs::default() };
    /// println!("{}", host.file_read(&args)?.one.unwrap_or_default().content);
    /// # Ok(())
    /// # }
    /// ```
    file_read: ReadArgs => ReadAnswer;
    /// Edits a target in a file, several files, or runs a refactor.
    ///
    /// # Errors
    /// Fails with the kind, hint and candidates of the tool's error. Nothing is written in that case.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use marquetry::{EditArgs, Host, OneEdit, OperationName, TargetArgs};
    ///
    /// # fn main() -> marquetry::Result<()> {
    /// # let host = Host::builder().root("/projects/shop").build()?;
    /// let edit = OneEdit {
    ///     place: TargetArgs { path: Some("$.version".into()), ..TargetArgs::default() },
    ///     operation: Some(OperationName::Replace),
    ///     content: Some("\"2.0.0\"".into()),
    ///     ..OneEdit::default()
    /// };
    /// let changed = host.file_edit(&EditArgs { file: Some("package.json".into()), edit, ..EditArgs::default() })?;
    /// # Ok(())
    /// # }
    /// ```
    file_edit: EditArgs => EditResult;
    /// Creates a file.
    ///
    /// # Errors
    /// Fails with the kind, hint and candidates of the tool's error. Nothing is written in that case.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry::{CreateArgs, Host, MemoryFiles};
    ///
    /// # fn main() -> marquetry::Result<()> {
    /// let host = Host::builder().files(MemoryFiles::default()).build()?;
    /// let args = CreateArgs { path: "a.txt".into(), content: Some("one".into()), ..CreateArgs::default() };
    /// assert!(host.file_create(&args)?.success);
    /// # Ok(())
    /// # }
    /// ```
    file_create: CreateArgs => CreateResult;
    /// Deletes files or folders, and the imports of them.
    ///
    /// # Errors
    /// Fails with the kind, hint and candidates of the tool's error. Nothing is written in that case.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry::{DeleteArgs, Host, MemoryFiles};
    ///
    /// # fn main() -> marquetry::Result<()> {
    /// let files = MemoryFiles::new([("a.txt", ""), ("b.txt", "")]);
    /// let host = Host::builder().files(files.clone()).build()?;
    /// host.file_delete(&DeleteArgs { path: Some("a.txt".into()), ..DeleteArgs::default() })?;
    /// assert_eq!(files.paths(), ["b.txt"]);
    /// # Ok(())
    /// # }
    /// ```
    file_delete: DeleteArgs => DeleteResult;
    /// Moves files or folders; links and imports follow.
    ///
    /// # Errors
    /// Fails with the kind, hint and candidates of the tool's error. Nothing is written in that case.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry::{Host, MemoryFiles, MoveArgs};
    ///
    /// # fn main() -> marquetry::Result<()> {
    /// let files = MemoryFiles::new([("a.txt", "")]);
    /// let host = Host::builder().files(files.clone()).build()?;
    /// let (source, destination) = (Some("a.txt".into()), Some("docs/a.txt".into()));
    /// host.file_move(&MoveArgs { source, destination, ..MoveArgs::default() })?;
    /// assert_eq!(files.paths(), ["docs/a.txt"]);
    /// # Ok(())
    /// # }
    /// ```
    file_move: MoveArgs => MoveResult;
    /// Renames a file or folder in its folder; links and imports follow.
    ///
    /// # Errors
    /// Fails with the kind, hint and candidates of the tool's error. Nothing is written in that case.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry::{Host, MemoryFiles, RenameArgs};
    ///
    /// # fn main() -> marquetry::Result<()> {
    /// let files = MemoryFiles::new([("docs/a.txt", "")]);
    /// let host = Host::builder().files(files.clone()).build()?;
    /// host.file_rename(&RenameArgs { path: "docs/a.txt".into(), new_name: "b.txt".into(), ..RenameArgs::default() })?;
    /// assert_eq!(files.paths(), ["docs/b.txt"]);
    /// # Ok(())
    /// # }
    /// ```
    file_rename: RenameArgs => RenameResult;
    /// Copies a file. Links in the copy keep their destinations.
    ///
    /// # Errors
    /// Fails with the kind, hint and candidates of the tool's error. Nothing is written in that case.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry::{DuplicateArgs, Host, MemoryFiles};
    ///
    /// # fn main() -> marquetry::Result<()> {
    /// let files = MemoryFiles::new([("a.txt", "")]);
    /// let host = Host::builder().files(files.clone()).build()?;
    /// let (source, destination) = ("a.txt".into(), "b.txt".into());
    /// host.file_duplicate(&DuplicateArgs { source, destination, ..DuplicateArgs::default() })?;
    /// assert_eq!(files.paths(), ["a.txt", "b.txt"]);
    /// # Ok(())
    /// # }
    /// ```
    file_duplicate: DuplicateArgs => DuplicateResult;
    /// Answers a question about the workspace: symbols, references, diagnostics, searches.
    ///
    /// # Errors
    /// Fails with the kind, hint and candidates of the tool's error.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry::{Host, MemoryFiles, QueryArgs};
    ///
    /// # fn main() -> marquetry::Result<()> {
    /// let host = Host::builder().files(MemoryFiles::new([("a.txt", "")])).build()?;
    /// let files = host.query(&QueryArgs { r#type: "files".into(), ..QueryArgs::default() })?;
    /// assert_eq!(files.completeness, "complete");
    /// # Ok(())
    /// # }
    /// ```
    query: QueryArgs => QueryResult;
    /// Shows files, diffs and symbols in an editor.
    ///
    /// # Errors
    /// Fails with `Unsupported` if no editor is attached, and like the requests to the editor.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry::{Host, Kind, MemoryFiles, OpenArgs, OpenItem};
    ///
    /// # fn main() -> marquetry::Result<()> {
    /// let host = Host::builder().files(MemoryFiles::new([("a.txt", "")])).build()?;
    /// let item = OpenItem { r#type: Some("file".into()), path: Some("a.txt".into()), ..OpenItem::default() };
    /// let error = host.open(&OpenArgs { item, ..OpenArgs::default() }).unwrap_err();
    /// assert_eq!(error.kind(), Kind::Unsupported);
    /// # Ok(())
    /// # }
    /// ```
    open: OpenArgs => OpenResult;
    /// Undoes a change by its id, or the latest one.
    ///
    /// # Errors
    /// Fails if a file changed since. Nothing is written in that case.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry::{DeleteArgs, Host, MemoryFiles, UndoArgs};
    ///
    /// # fn main() -> marquetry::Result<()> {
    /// let files = MemoryFiles::new([("a.txt", "one")]);
    /// let host = Host::builder().files(files.clone()).build()?;
    /// host.file_delete(&DeleteArgs { path: Some("a.txt".into()), ..DeleteArgs::default() })?;
    /// host.file_undo(&UndoArgs::default())?;
    /// assert_eq!(files.text("a.txt").as_deref(), Some("one"));
    /// # Ok(())
    /// # }
    /// ```
    file_undo: UndoArgs => UndoResult;
    /// Lists the changes of a root, latest first.
    ///
    /// # Errors
    /// Fails if the history cannot be read.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry::{HistoryArgs, Host, MemoryFiles};
    ///
    /// # fn main() -> marquetry::Result<()> {
    /// let host = Host::builder().files(MemoryFiles::default()).build()?;
    /// assert!(host.file_history(&HistoryArgs::default())?.changes.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    file_history: HistoryArgs => HistoryResult;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryFiles;

    #[test]
    fn each_tool_has_a_method() {
        let host = Host::builder().files(MemoryFiles::default()).build().expect("built");
        let mut tools: Vec<&str> = host.tools().iter().map(|tool| tool.name).collect();
        let mut methods = METHODS.to_vec();
        tools.sort_unstable();
        methods.sort_unstable();
        assert_eq!(methods, tools);
    }
}
