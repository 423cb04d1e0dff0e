//! Updates package clauses, imports and type names after files have moved.

use std::collections::{BTreeMap, BTreeSet};

use marquetry_code::{
    CodeDocument, ParseContext,
    layout::Content,
    regions::{self, Region},
};
use marquetry_sdk::{
    Edit, FileMoves, Relocation, Rewrite, Span,
    paths::{folder, relative_to},
    workspace,
};

use crate::{
    access::{Hidden, TYPES},
    links::file_of_name,
    packages::{
        Header, below, file_in_package, file_of_type, files_of, folders_of, header, header_of, package_of, roots, stem,
    },
    references::{Import, TypeName, clause, exported_packages, imports, type_names},
    table::JAVA,
};

/// The effect of moves on one document. The workspace still has the state before the moves.
pub(crate) fn relink(document: &CodeDocument, moves: &FileMoves) -> Rewrite {
    let own = header(document.text_str());
    let roots = roots(document.path(), &own.package);
    let mut relink = Relink {
        document,
        moves: &moves.relocations,
        path: moves.path.clone(),
        package: own.package.clone(),
        own,
        roots,
        stars: BTreeMap::new(),
        added: BTreeSet::new(),
        result: Rewrite::default(),
    };
    relink.clause();
    let imports = imports(document);
    imports.iter().for_each(|import| relink.import(import));
    exported_packages(document).iter().for_each(|(package, span)| relink.package(package, *span));
    type_names(document).iter().for_each(|name| relink.name(name));
    relink.insert(&imports);
    let mut result = relink.result;
    result.edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    result.unresolved.sort_by_key(|span| (span.start, span.end));
    result.unresolved.dedup();
    result
}

struct Relink<'d> {
    document: &'d CodeDocument,
    moves: &'d [Relocation],
    /// The path of the document after the moves.
    path: String,
    own: Header,
    roots: Vec<String>,
    /// The package of the document after the moves.
    package: String,
    /// The packages that are imported with `*` or exported and that move as a whole: the names before and after the
    /// moves.
    stars: BTreeMap<String, String>,
    /// The types for which an import is added.
    added: BTreeSet<String>,
    result: Rewrite,
}

impl Relink<'_> {
    /// The path of a file after the moves. The innermost moved folder determines it.
    fn after(&self, path: &str) -> String {
        let moved = self.moves.iter().filter_map(|one| Some((one, relative_to(&one.from, path)?)));
        let innermost = moved.filter(|(one, _)| !one.from.is_empty()).max_by_key(|(one, _)| one.from.len());
        match innermost {
            Some((one, "")) => one.to.clone(),
            Some((one, rest)) => below(&one.to, rest),
            None => path.to_owned(),
        }
    }

    /// The package of a file after the moves. `None` if its new folder does not match any package.
    fn package_after(&self, path: &str, before: &str) -> Option<String> {
        let after = self.after(path);
        if folder(&after) == folder(path) {
            return Some(before.to_owned());
        }
        let moved = self.roots.iter().map(|root| self.after(root)).filter(|root| !self.roots.contains(root));
        let known: Vec<String> = self.roots.iter().cloned().chain(moved).collect();
        package_of(&after, &known)
    }

    fn unresolved(&mut self, span: Span) {
        self.result.unresolved.push(span);
    }

    /// Updates the package clause of a file that moves, and lists types whose name or users the move breaks.
    fn clause(&mut self) {
        let (before, path) = (self.document.path().to_owned(), self.path.clone());
        let clause = clause(self.document);
        let first = Span { start: 0, end: 0 };
        if path == before {
            return;
        }
        match self.package_after(&before, &self.own.package.clone()) {
            Some(package) => self.package = package,
            None => return self.unresolved(clause.map_or(first, |(_, span)| span)),
        }
        let types = self.document.symbols().symbols.iter().filter(|symbol| symbol.parent.is_none());
        let types: Vec<(String, Span)> = types
            .filter(|symbol| TYPES.contains(&symbol.kind))
            .map(|symbol| (symbol.name.clone(), symbol.selection))
            .collect();
        for (name, span) in types {
            // The main type must be named after the file. Other types are found only through the files of their
            // package.
            let is_main = name == stem(&before);
            let is_renamed = is_main && stem(&path) != name;
            if is_renamed || !is_main && self.package != self.own.package && self.is_used_beside(&name) {
                self.unresolved(span);
            }
        }
        match clause {
            Some((name, span)) if name != self.package && !self.package.is_empty() => {
                self.result.edits.push(Edit::new(span, self.package.clone()));
            }
            Some((name, span)) if name != self.package => self.unresolved(span),
            _ => {}
        }
    }

    /// Returns whether another file of the old package contains a word and does not move to the same folder as this
    /// file.
    fn is_used_beside(&self, word: &str) -> bool {
        let before = self.document.path();
        let folders = folders_of(&self.own.package, &self.roots);
        let others = folders.iter().flat_map(|own| files_of(own)).filter(|path| path != before);
        let staying = others.filter(|path| folder(&self.after(path)) != folder(&self.path));
        let mut texts = staying.filter_map(|path| workspace::read(&path).ok());
        texts.any(|text| crate::notations::tokens(&text).iter().any(|token| token.text == word))
    }

    fn import(&mut self, import: &Import) {
        if import.is_star && !import.is_static {
            return self.package(&import.path, import.span);
        }
        let Some((file, count)) = file_of_type(&import.path, &self.roots) else { return };
        self.qualified(import.span, &import.path, &file, count);
    }

    /// Updates the qualified name of a type that `file` declares.
    fn qualified(&mut self, span: Span, name: &str, file: &str, count: usize) {
        let after = self.after(file);
        if after == file {
            return;
        }
        let parts: Vec<&str> = name.split('.').collect();
        let package = parts[..count - 1].join(".");
        let new = self.package_after(file, &package).filter(|package| !package.is_empty());
        match new {
            Some(new) if stem(&after) == stem(file) => {
                let path = format!("{new}.{}", parts[count - 1..].join("."));
                if path != name {
                    self.result.edits.push(Edit::new(span, path));
                }
                if new != self.package && self.package == package {
                    self.check_access(file, span);
                }
            }
            _ => self.unresolved(span),
        }
    }

    /// Updates a package that is imported with `*` or exported by a module, if all its files move to one other package.
    fn package(&mut self, package: &str, span: Span) {
        let folders = folders_of(package, &self.roots);
        let files: Vec<String> = folders.iter().flat_map(|own| files_of(own)).collect();
        let packages: BTreeSet<Option<String>> = files.iter().map(|file| self.package_after(file, package)).collect();
        let mut packages = packages.into_iter();
        if let (Some(Some(new)), None) = (packages.next(), packages.next())
            && new != package
            && !new.is_empty()
        {
            self.result.edits.push(Edit::new(span, new.clone()));
            self.stars.insert(package.to_owned(), new);
        }
    }

    fn name(&mut self, found: &TypeName) {
        if found.name.contains('.') {
            let Some((file, count)) = file_of_type(&found.name, &self.roots) else { return };
            return self.qualified(found.span, &found.name, &file, count);
        }
        if self.own.import_of(&found.name).is_some() {
            // The import of the type is updated instead.
            return;
        }
        let Some(file) = file_of_name(&self.own, &self.roots, &found.name) else { return };
        let is_own = file_in_package(&self.own.package, &found.name, &self.roots).is_some();
        let before = header_of(&file).package;
        let after = self.after(&file);
        let Some(package) = self.package_after(&file, &before) else { return self.unresolved(found.span) };
        if stem(&after) != stem(&file) {
            return self.unresolved(found.span);
        }
        let is_visible = if is_own {
            package == self.package
        } else {
            // An import with `*` changes only if its whole package moves.
            let followed = self.stars.get(&before).unwrap_or(&before);
            package == *followed || package == self.package
        };
        if is_visible {
            return;
        }
        match package.as_str() {
            "" => self.unresolved(found.span),
            _ => {
                self.added.insert(format!("{package}.{}", found.name));
            }
        }
        if before == self.own.package {
            self.check_access(&file, found.span);
        }
    }

    /// Lists uses of package-private and protected names of a type that is no longer in the package of the document.
    fn check_access(&mut self, file: &str, span: Span) {
        let Ok(text) = workspace::read(file) else { return };
        let hidden = Hidden::new(&CodeDocument::open(&JAVA, file, text), stem(file));
        if hidden.is_type {
            self.unresolved(span);
        }
        let uses = hidden.uses(self.document, stem(file));
        self.result.unresolved.extend(uses);
    }

    /// Inserts the added imports, and a package clause if the file has none.
    fn insert(&mut self, imports: &[Import]) {
        let is_new = |path: &&String| !imports.iter().any(|import| import.path == **path && !import.is_static);
        let mut lines: Vec<String> = self.added.iter().filter(is_new).map(|path| format!("import {path};")).collect();
        let region: Region = regions::imports(self.document);
        if clause(self.document).is_none() && !self.package.is_empty() && self.path != self.document.path() {
            let start = regions::top_statements(self.document).first().copied();
            let start = start.map_or(0, |first| {
                let own = self.document.arena().node(first).span.range().start;
                marquetry_code::blocks::attached_comment(self.document, own).map_or(own, |doc| doc.range().start)
            });
            let mut text = format!("package {};\n\n", self.package);
            if !lines.is_empty() && region.statements().is_empty() {
                text += &format!("{}\n\n", lines.join("\n"));
                lines.clear();
            }
            self.result.edits.push(Edit::insert(start, text));
        }
        if lines.is_empty() {
            return;
        }
        let content = Content::new(&JAVA, self.document.path(), &lines.join("\n"), ParseContext::Items);
        match region.insert(self.document, region.statements().end, &content) {
            Ok(edits) => self.result.edits.extend(edits),
            Err(_) => self.unresolved(region.span),
        }
    }
}
