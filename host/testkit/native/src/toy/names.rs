//! Links and symbols of the fixture language. Names outside of sections are exported.

use marquetry_sdk::{
    Context, Destination, Edit, ExportedName, FailureKind, FileLocation, FileMoves, ImportedName, InterfaceFacts, Link,
    Linking, Occurrence, RenameResult, RenamedExport, Request, Resolution, Resolved, Result, Rewrite, Span,
    SpecifierRequest, Subject, Symbols, Usage, fail, lines, types as wit, workspace,
};

use super::{Line, LineKind, Toy, ToyDocument};

/// Returns the path that a specifier refers to; `None` if it is outside of the root.
pub(super) fn join_paths(from: &str, file: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.rsplit_once('/').map_or(Vec::new(), |(folder, _)| folder.split('/').collect());
    for part in file.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

impl Linking for Toy {
    fn links(document: &ToyDocument) -> Vec<Link> {
        let uses = document.lines.iter().filter(|line| line.kind == LineKind::Use);
        let link = |line: &Line| Link {
            kind: "use".to_owned(),
            span: line.name,
            statement: Span::new(line.span.range().start, lines::next_line(&document.text, line.span.range().end)),
            specifier: line.name.slice(&document.text).to_owned(),
            names: document.imported_names(line).into_iter().map(|(name, _)| name).collect(),
            type_only: false,
        };
        uses.map(link).collect()
    }

    fn resolve(context: &Context, requests: &[Request]) -> Vec<Destination> {
        let lead = |request: &Request| match join_paths(&context.path, &request.specifier) {
            _ if request.specifier.contains("://") => Destination::External,
            Some(path) if workspace::stat(&path).is_some() => {
                Destination::Inside(Resolved { path, suffix: String::new() })
            }
            Some(path) => Destination::Missing(path),
            None => Destination::Unknown("it leads out of the root".to_owned()),
        };
        requests.iter().map(lead).collect()
    }

    /// Returns paths that are relative to the folder of the importing file, such as `../lib/a.toy`.
    fn format_specifiers(_context: &Context, requests: &[SpecifierRequest]) -> Vec<Result<String>> {
        let spell = |request: &SpecifierRequest| {
            let mut from: Vec<&str> = request.from.split('/').collect();
            from.pop();
            let to: Vec<&str> = request.to.split('/').collect();
            let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            let mut parts = vec![".."; from.len() - common];
            parts.extend(&to[common..]);
            Ok(parts.join("/"))
        };
        requests.iter().map(spell).collect()
    }

    fn relink(document: &ToyDocument, moves: &FileMoves) -> Result<Rewrite> {
        document.relink(moves)
    }

    fn unlink(document: &ToyDocument, links: &[u32]) -> Result<Rewrite> {
        let all = Toy::links(document);
        Ok(links.iter().map(|index| Edit::remove(all[*index as usize].statement)).collect::<Vec<_>>().into())
    }
}

impl ToyDocument {
    /// Returns the names that a `use` imports, with their spans.
    fn imported_names(&self, line: &Line) -> Vec<(String, Span)> {
        self.words(line.inside).into_iter().map(|span| (span.slice(&self.text).to_owned(), span)).collect()
    }

    fn words(&self, within: Span) -> Vec<Span> {
        let text = within.slice(&self.text);
        let start = within.range().start;
        let words = text.split([' ', ',']).filter(|word| !word.is_empty());
        let at = |word: &str| start + (word.as_ptr() as usize - text.as_ptr() as usize);
        words.map(|word| Span::new(at(word), at(word) + word.len())).collect()
    }

    /// Returns all occurrences of a name: declarations, imports and uses.
    fn occurrences(&self, name: &str) -> Vec<(Span, Usage)> {
        let mut places = Vec::new();
        for line in &self.lines {
            match line.kind {
                LineKind::Value if line.section.is_none() && line.name.slice(&self.text) == name => {
                    places.push((line.name, Usage::Declaration));
                }
                LineKind::Use => {
                    let used = self.imported_names(line).into_iter().filter(|(known, _)| known == name);
                    places.extend(used.map(|(_, span)| (span, Usage::Imported)));
                }
                _ => {}
            }
            if line.kind == LineKind::Value {
                let uses = self
                    .words(line.inside)
                    .into_iter()
                    .filter(|word| word.slice(&self.text).strip_prefix('$').is_some_and(|known| known == name));
                places.extend(uses.map(|word| (Span { start: word.start + 1, ..word }, Usage::Read)));
            }
        }
        places.sort_by_key(|(span, _)| span.start);
        places.dedup_by_key(|(span, _)| span.start);
        places
    }

    /// Returns the requested name; `None` if the file does not use it.
    fn requested_name(&self, subject: &Subject) -> Result<Option<String>> {
        let missing = |name: &str| fail(FailureKind::TargetNotFound, format!("no name `{name}`"));
        Ok(match subject {
            Subject::At(offset) => {
                let names = self.lines.iter().flat_map(|line| {
                    let words = self.words(if line.kind == LineKind::Section { Span::at(0) } else { line.inside });
                    words.into_iter().chain([line.name])
                });
                let found = names.into_iter().find(|span| span.touches(*offset as usize) && !span.is_empty());
                let name = |span: Span| span.slice(&self.text).trim_start_matches('$').to_owned();
                Some(found.map(name).ok_or_else(|| missing("here"))?)
            }
            Subject::Address(name) | Subject::Exported(name) => {
                if self.occurrences(name).is_empty() {
                    return Err(missing(name));
                }
                Some(name.clone())
            }
            Subject::Imported(key) => {
                let here = |line: &&Line| {
                    line.kind == LineKind::Use && key.specifiers.iter().any(|s| s == line.name.slice(&self.text))
                };
                let takes = |line: &Line| self.imported_names(line).iter().any(|(known, _)| *known == key.name);
                self.lines.iter().filter(here).any(takes).then(|| key.name.clone())
            }
            _ => None,
        })
    }

    /// Returns the import and the declaration of an imported name.
    fn imported_declaration(&self, name: &str) -> Option<(ImportedName, FileLocation)> {
        let takes = |line: &&Line| {
            line.kind == LineKind::Use && self.imported_names(line).iter().any(|(known, _)| known == name)
        };
        let file = self.lines.iter().find(takes)?.name.slice(&self.text);
        let path = join_paths(&self.path, file)?;
        let text = workspace::read(&path).ok()?;
        let offset = super::read(&text).iter().find(|line| line.address == name)?.name.start;
        Some((import_of(file, name), FileLocation { path, offset }))
    }
}

impl ToyDocument {
    /// If the document contains a directive to misbehave (`redirect`, `member`, `share`, `file`), returns the wrong answer that
    /// every rename then gives.
    fn misbehaving_rename(&self) -> Option<RenameResult> {
        let nothing = |name: &str| RenameResult {
            edits: Vec::new(),
            exported: Vec::new(),
            unresolved: Vec::new(),
            elsewhere: None,
            declared: None,
            shared: None,
            file: None,
            name: name.to_owned(),
        };
        let place = |path: &str, offset: &str| FileLocation {
            path: path.to_owned(),
            offset: offset.parse().unwrap_or_default(),
        };
        if let Some(&[path, offset, name]) = self.directive("redirect").as_deref() {
            return Some(RenameResult { elsewhere: Some(place(path, offset)), ..nothing(name) });
        }
        if let Some(&[path, offset, name]) = self.directive("member").as_deref() {
            let key =
                wit::DeclaredKey { name: name.to_owned(), locations: vec![place(path, offset)], forms: Vec::new() };
            return Some(RenameResult { declared: Some(key), ..nothing(name) });
        }
        if let Some(&[path, name]) = self.directive("file").as_deref() {
            return Some(RenameResult { file: Some(path.to_owned()), ..nothing(name) });
        }
        match self.directive("share").as_deref() {
            Some(&[space, name]) => Some(RenameResult { shared: Some(space.to_owned()), ..nothing(name) }),
            _ => None,
        }
    }
}

fn import_of(file: &str, name: &str) -> ImportedName {
    let (specifier, name) = (file.to_owned(), name.to_owned());
    ImportedName { specifier, local: Some(name.clone()), name, exported: None, type_only: false }
}

impl Symbols for Toy {
    fn facts(document: &ToyDocument) -> InterfaceFacts {
        let text = &document.text;
        let values = document.lines.iter().filter(|line| line.kind == LineKind::Value && line.section.is_none());
        let export = |line: &Line| ExportedName {
            name: line.name.slice(text).to_owned(),
            local: Some(line.name.slice(text).to_owned()),
            span: line.name,
            kind: "value".to_owned(),
            type_only: false,
        };
        let uses = document.lines.iter().filter(|line| line.kind == LineKind::Use);
        let import = |line: &Line| -> Vec<ImportedName> {
            document.imported_names(line).iter().map(|(name, _)| import_of(line.name.slice(text), name)).collect()
        };
        InterfaceFacts {
            exports: values.map(export).collect(),
            imports: uses.flat_map(import).collect(),
            shared: Vec::new(),
            free: Vec::new(),
        }
    }

    fn resolve_symbol(document: &ToyDocument, subject: Subject) -> Result<Resolution> {
        let name = document.requested_name(&subject)?.unwrap_or_default();
        let places = document.occurrences(&name);
        let declared = places.iter().any(|(_, usage)| *usage == Usage::Declaration);
        let elsewhere = document.imported_declaration(&name);
        let occurrence = |(span, usage)| Occurrence { span, usage, certain: true };
        Ok(Resolution {
            kind: "value".to_owned(),
            address: declared.then(|| name.clone()),
            occurrences: places.into_iter().map(occurrence).collect(),
            exported_as: if declared { vec![name.clone()] } else { Vec::new() },
            origin: elsewhere.as_ref().map(|(origin, _)| origin.clone()),
            incomplete: None,
            declared: None,
            shared: None,
            elsewhere: elsewhere.map(|(_, place)| place),
            name,
        })
    }

    fn rename(document: &ToyDocument, subject: Subject, new_name: &str) -> Result<RenameResult> {
        if let Some(renaming) = document.misbehaving_rename() {
            return Ok(renaming);
        }
        let name = document.requested_name(&subject)?.unwrap_or_default();
        if !document.occurrences(new_name).is_empty() {
            return Err(fail(FailureKind::RefactorFailed, format!("`{new_name}` is taken")));
        }
        let asks_for_origin = !matches!(subject, Subject::Imported(_));
        let elsewhere = document.imported_declaration(&name).filter(|_| asks_for_origin).map(|(_, place)| place);
        let places = if elsewhere.is_some() { Vec::new() } else { document.occurrences(&name) };
        let declared = places.iter().any(|(_, usage)| *usage == Usage::Declaration);
        let renamed = RenamedExport { old: name.clone(), new: new_name.to_owned() };
        Ok(RenameResult {
            edits: places.into_iter().map(|(span, _)| Edit::new(span, new_name)).collect(),
            exported: if declared { vec![renamed] } else { Vec::new() },
            unresolved: Vec::new(),
            elsewhere,
            declared: None,
            shared: None,
            file: None,
            name,
        })
    }
}
