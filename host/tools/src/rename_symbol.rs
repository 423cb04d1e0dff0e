//! Renaming a symbol in every file that can see it: the packs say what a name is in one file, and whom to ask next.

use std::{collections::BTreeMap, sync::Arc};

use marquetry_graph::Need;
use marquetry_model::{
    Edit, Error, Kind, Result,
    pack::{Renaming, Subject},
    text::Lines,
};

use crate::{
    relink::FileLinks,
    spread::Spread,
    workbench::{Opened, Workbench},
};

/// What a rename does in all files.
#[derive(Debug, Default)]
pub(crate) struct Renamed {
    pub(crate) files: BTreeMap<String, FileLinks>,
    /// The old name.
    pub(crate) name: String,
    /// `file:line:column` of places with the same spelling that were left.
    pub(crate) left: Vec<String>,
    /// Why it may not be all.
    pub(crate) partial: Option<String>,
}

impl Workbench {
    /// The splices of a rename in all files; with `only_here` in the file alone.
    pub(crate) fn rename_everywhere(
        &self,
        opened: &Opened,
        subject: Subject,
        new_name: &str,
        only_here: bool,
    ) -> Result<Renamed> {
        if !opened.pack.has("symbols") {
            return Err(Error::new(
                Kind::Unsupported,
                format!("{} files have no symbols to rename", opened.pack.description().name),
            )
            .hint("edit the places by their addresses"));
        }
        let workspace = if only_here { None } else { Some(self.workspace(&opened.files, Need::Names)?) };
        let mut spread = Spread::new(&opened.files, workspace, &opened.source.path, subject);
        let mut done = Renamed::default();
        self.ask_all(
            "renaming",
            &mut spread,
            |document, subject| document.rename(subject, new_name),
            |opened, renaming, spread| done.add(opened, renaming, spread),
        )?;
        done.partial = done.partial.or(spread.unread());
        for file in done.files.values_mut() {
            file.edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
            file.edits.dedup();
        }
        done.left.sort();
        done.left.dedup();
        Ok(done)
    }
}

impl Renamed {
    /// Take one file's answer over, and follow where it leads.
    fn add(&mut self, opened: &Opened, renaming: Renaming, spread: &mut Spread) -> Result<()> {
        let file = &opened.source.path;
        if self.name.is_empty() {
            self.name.clone_from(&renaming.name);
        }
        let lines = Lines::new(&opened.source.text);
        for span in &renaming.left {
            let position = lines.position(span.start);
            self.left.push(format!("{file}:{}:{}", position.line, position.column));
        }
        if let Some((path, offset)) = &renaming.elsewhere {
            if !spread.is_wide() {
                return Err(Error::new(
                    Kind::RefactorFailed,
                    format!("`{}` is declared in {path}, and `scope` is `file`", renaming.name),
                )
                .hint("rename it with `scope: \"workspace\"`, or in the file that declares it"));
            }
            spread.ask(path, Subject::At(*offset));
            return Ok(());
        }
        self.splice(opened, &renaming.edits);
        if !spread.is_wide() && (!renaming.exported.is_empty() || renaming.declared.is_some() || renaming.shared) {
            self.partial = Some("`scope` is `file`, and other files can see the name".to_owned());
        }
        for (old, _) in &renaming.exported {
            spread.exported(file, old, &renaming.name);
        }
        if let Some(member) = &renaming.declared {
            spread.member(member, &renaming.name);
        }
        if renaming.shared {
            spread.shared(&renaming.name);
        }
        Ok(())
    }

    fn splice(&mut self, opened: &Opened, edits: &[Edit]) {
        if edits.is_empty() {
            return;
        }
        let source = &opened.source;
        let file = self.files.entry(source.path.clone()).or_insert_with(|| FileLinks {
            text: Arc::clone(&source.text),
            hash: source.hash.clone(),
            edits: Vec::new(),
            changes: Vec::new(),
        });
        file.edits.extend(edits.iter().cloned());
    }
}
