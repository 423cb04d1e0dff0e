//! Handles moves of files for documents of the fixture language. By default the host replaces specifiers only. A
//! document with one of these lines does something else:
//!
//! - `#! relink statements` rewrites whole `use` lines, and adds a comment to each.
//! - `#! relink wrong` rewrites `use` lines so that they refer to another file.
//! - `#! relink list` reports `use` lines as unresolved.
//! - `#! relink remove` removes `use` lines, because another document refers to the file now.
//! - `#! relink fail` fails.
//! - `#! relink create NAME` creates a file with this name in the new folder of the document.
//! - `#! relink ask PATH` asks the file at the path to replace `$moved` by the new path of the document.

use marquetry_sdk::{Edit, Failure, FileMoves, Linking, Result, Rewrite, Span, SpecifierRequest};

use super::{Toy, ToyDocument};

impl ToyDocument {
    pub(super) fn relink(&self, moves: &FileMoves) -> Result<Rewrite> {
        let mut rewrite = Rewrite::default();
        match self.directive("relink").as_deref() {
            Some(["statements"]) => rewrite.edits = self.statement_edits(moves, |to| to.to_owned())?,
            Some(["wrong"]) => rewrite.edits = self.statement_edits(moves, |to| format!("{to}.toy"))?,
            Some(["list"]) => rewrite.unresolved = self.affected_links(moves).map(|(span, ..)| span).collect(),
            Some(["remove"]) => {
                rewrite.edits = self.affected_links(moves).map(|(span, ..)| Edit::remove(span)).collect();
            }
            Some(["fail"]) => return Err(Failure::unsupported("this document cannot follow moves")),
            Some(["create", name]) => {
                let folder = moves.path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
                rewrite.create(format!("{folder}{name}"), "made = 1\n");
            }
            Some(["ask", path]) => rewrite.ask_file(*path, format!("moved={}", moves.path)),
            _ => {}
        }
        Ok(rewrite)
    }

    /// Edits that replace each affected `use` line, with its names.
    fn statement_edits(&self, moves: &FileMoves, target: impl Fn(&str) -> String) -> Result<Vec<Edit>> {
        let edit = |(line, was, to): (Span, String, String)| {
            let request = SpecifierRequest {
                from: moves.path.clone(),
                to: target(&to),
                was,
                kind: "use".to_owned(),
                specifier: String::new(),
            };
            let context = marquetry_sdk::Context::for_path(&request.from);
            let specifier = Toy::format_specifiers(&context, &[request]).remove(0)?;
            let names = line.slice(&self.text).rsplit('"').next().unwrap_or_default();
            Ok(Edit::new(line, format!("# it moved\nuse \"{specifier}\"{names}")))
        };
        self.affected_links(moves).map(edit).collect()
    }

    /// Affected `use` lines, with the paths of their files before and after.
    fn affected_links(&self, moves: &FileMoves) -> impl Iterator<Item = (Span, String, String)> {
        let links = Toy::links(self);
        moves.links.iter().filter_map(move |moved| {
            let span = links.get(moved.link as usize)?.statement;
            Some((span, moved.from.clone(), moved.to.clone()))
        })
    }
}
