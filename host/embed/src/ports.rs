//! Traits for programs that provide their own files, packs, editors or templates, and the types in them.
//!
//! ```
//! use marquetry::ports::{EntryKind, Files};
//!
//! let files = marquetry::MemoryFiles::new([("docs/a.md", "# A\n")]);
//! assert_eq!(files.stat("docs"), Some(EntryKind::Directory));
//! assert_eq!(files.read("docs/a.md")?.text.as_ref(), "# A\n");
//! # Ok::<(), marquetry::Error>(())
//! ```

pub use marquetry_model::{
    Change, ChangeEffects, Edit, EditSet, FileEffect, Interface, Origin, Outcome, Relocation, Relocations, Span, Step,
    editor::{Editors, NoEditors},
    pack::Description,
    ports::{
        Document, EntryKind, FileStamp, Files, Pack, Packs, PastChange, PluginInfo, ReplacedFile, Roots, Skipped,
        Source, StoredContent, Templates, WalkedFiles,
    },
    servers::{Server, Servers},
};
