//! The pack for `.note` files, and a plain text pack for the others.

use std::sync::{Arc, Mutex};

use marquetry_model::{
    Edit, EditSet, Error, Interface, Kind, Result, Span,
    pack::{
        Dependency, Description, Destination, EditOptions, Embedded, ExportedName, Facts, FindResult, Form,
        ImportedName, Link, Node, Occurrence, Operation, PackDiagnostic, Query, RenameResult, Resolution, Severity,
        SharedName, SpecifierRequest, Subject, Target, View,
    },
    ports::{Document, Files, Pack, Packs, PluginInfo},
};

use super::Log;

/// The packs of every test project.
pub struct Notes {
    description: Mutex<Arc<Description>>,
    /// Another pack, with the extension of its files.
    other: Mutex<Option<(Arc<Description>, String)>>,
    log: Log,
}

impl Notes {
    pub fn new(log: &Log) -> Notes {
        Notes { description: Mutex::new(description("notes", "1")), other: Mutex::default(), log: Arc::clone(log) }
    }

    /// Replaces the plugin with another version.
    pub fn replace(&self, version: &str) {
        *self.description.lock().unwrap() = description("notes", version);
    }

    /// Installs another pack, which reads files with this extension as notes.
    pub fn install(&self, ending: &str) {
        *self.other.lock().unwrap() = Some((description("other", "1"), ending.to_owned()));
    }

    pub fn uninstall(&self) {
        *self.other.lock().unwrap() = None;
    }
}

fn description(id: &str, version: &str) -> Arc<Description> {
    Arc::new(Description {
        id: id.to_owned(),
        name: "Notes".to_owned(),
        version: version.to_owned(),
        ..Description::default()
    })
}

impl Packs for Notes {
    fn for_path(&self, files: &Arc<dyn Files>, path: &str) -> Result<Arc<dyn Pack>> {
        let other = self.other.lock().unwrap().clone().filter(|(_, ending)| path.ends_with(ending));
        if path.ends_with(".bin") && other.is_none() {
            return Err(Error::new(Kind::Unsupported, "no pack takes it"));
        }
        let knows = path.ends_with(".note") || other.is_some();
        let description = other.map_or_else(|| Arc::clone(&self.description.lock().unwrap()), |(other, _)| other);
        Ok(Arc::new(NotePack { description, knows, files: Arc::clone(files), log: Arc::clone(&self.log) }))
    }

    fn for_language(&self, files: &Arc<dyn Files>, language: &str) -> Result<Arc<dyn Pack>> {
        self.for_path(files, language)
    }

    fn descriptions(&self, _files: &Arc<dyn Files>) -> Vec<Arc<Description>> {
        let other = self.other.lock().unwrap().clone();
        let notes = Arc::clone(&self.description.lock().unwrap());
        [notes].into_iter().chain(other.map(|(other, _)| other)).collect()
    }

    fn identities(&self, files: &Arc<dyn Files>) -> Vec<String> {
        let packs = self.descriptions(files).into_iter().map(|description| description.identity());
        let ending = self.other.lock().unwrap().as_ref().map(|(_, ending)| format!("other takes {ending}"));
        packs.chain(ending).collect()
    }

    fn plugins(&self, _files: &Arc<dyn Files>) -> Vec<PluginInfo> {
        vec![]
    }
}

struct NotePack {
    description: Arc<Description>,
    knows: bool,
    files: Arc<dyn Files>,
    log: Log,
}

impl NotePack {
    fn log(&self, what: &str, path: &str) {
        self.log.lock().unwrap().push(format!("{what} {path}"));
    }

    fn lead(&self, from: &str, specifier: &str) -> Destination {
        if let Some(alias) = specifier.strip_prefix('@') {
            let aliases = self.files.read("aliases.note").map(|source| source.text.to_string()).unwrap_or_default();
            let target = aliases.lines().find_map(|line| line.strip_prefix(&format!("@{alias} = ")).map(str::to_owned));
            return target.map_or(Destination::External, |path| Destination::Inside { path, suffix: String::new() });
        }
        let folder = from.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        let path = format!("{folder}{}", specifier.trim_start_matches("./"));
        let note = format!("{path}.note");
        match [note, path.clone()].into_iter().find(|path| self.files.stat(path).is_some()) {
            Some(path) => Destination::Inside { path, suffix: String::new() },
            None => Destination::Missing(path),
        }
    }
}

impl Pack for NotePack {
    fn description(&self) -> &Arc<Description> {
        &self.description
    }

    fn has_interface(&self, interface: Interface) -> bool {
        self.knows && matches!(interface, Interface::Links | Interface::Symbols)
    }

    fn open(self: Arc<Self>, path: &str, text: &Arc<str>) -> Result<Box<dyn Document>> {
        self.log("open", path);
        if text.lines().any(|line| line == "broken") {
            return Err(Error::new(Kind::PluginFailed, format!("cannot open {path}")));
        }
        Ok(Box::new(Note { pack: self, path: path.to_owned(), text: Arc::clone(text) }))
    }

    fn resolve(&self, from: &str, requests: &[(String, String)]) -> Result<Vec<Destination>> {
        self.log("resolve", from);
        if requests.iter().any(|(_, specifier)| specifier.starts_with('!')) {
            return Err(Error::new(Kind::PluginFailed, format!("cannot follow the links of {from}")));
        }
        Ok(requests.iter().map(|(_, specifier)| self.lead(from, specifier)).collect())
    }

    fn format_specifiers(&self, _requests: &[SpecifierRequest]) -> Result<Vec<Result<String>>> {
        none()
    }
}

fn none<T>() -> Result<T> {
    Err(Error::new(Kind::Unsupported, "notes have none"))
}

struct Note {
    pack: Arc<NotePack>,
    path: String,
    text: Arc<str>,
}

impl Note {
    /// The words of each statement with this keyword.
    fn statements<'t>(&'t self, keyword: &'t str) -> impl Iterator<Item = Vec<&'t str>> {
        let lines = self.text.lines();
        lines
            .filter_map(move |line| line.strip_prefix(keyword)?.strip_prefix(' '))
            .map(|rest| rest.split(' ').collect())
    }

    fn words(&self, keyword: &str) -> Vec<String> {
        self.statements(keyword).flatten().map(str::to_owned).collect()
    }

    /// Uses of a member, each with whether its owner is known. Reads the files that are used.
    fn uses(&self, name: &str) -> Vec<(Span, bool)> {
        let mut known = self.words("def");
        for link in self.statements("use") {
            if let Destination::Inside { path, .. } = self.pack.lead(&self.path, link[0])
                && let Ok(source) = self.pack.files.read(&path)
            {
                known.extend(source.text.lines().filter_map(|line| line.strip_prefix("def ")).map(str::to_owned));
            }
        }
        let suffix = format!(".{name}");
        let mut uses = Vec::new();
        let mut start = 0;
        for line in self.text.split_inclusive('\n') {
            if let Some(owner) = line.trim_end().strip_suffix(&suffix) {
                let at = start + owner.len() + 1;
                uses.push((Span::new(at, at + name.len()), known.iter().any(|known| known == owner)));
            }
            start += line.len();
        }
        uses
    }
}

fn name_of(subject: &Subject) -> &str {
    match subject {
        Subject::Member(member) => &member.name,
        Subject::Address(name) | Subject::Exported(name) => name,
        Subject::Shared(shared) => &shared.name,
        _ => "",
    }
}

fn noted(name: String) -> SharedName {
    SharedName { namespace: "note".to_owned(), name }
}

impl Document for Note {
    /// Members of unknown owners, and broken links.
    fn diagnostics(&mut self) -> Result<Vec<PackDiagnostic>> {
        self.pack.log("problems", &self.path);
        let problem =
            |span: Span, message: String| PackDiagnostic { severity: Severity::Warning, span, message, code: None };
        let mut found = Vec::new();
        for link in self.statements("use") {
            if let Destination::Missing(path) = self.pack.lead(&self.path, link[0]) {
                found.push(problem(Span::new(0, 0), format!("nothing is at {path}")));
            }
        }
        let text = Arc::clone(&self.text);
        for (owner, name) in
            text.lines().filter_map(|line| line.split_once('.')).filter(|(owner, _)| !owner.contains(' '))
        {
            let unknown = self.uses(name).into_iter().filter(|(_, certain)| !certain);
            found.extend(unknown.map(|(span, _)| problem(span, format!("nobody knows `{owner}`"))));
        }
        Ok(found)
    }

    fn parse_errors(&mut self) -> Result<Vec<PackDiagnostic>> {
        Ok(Vec::new())
    }

    fn outline(&mut self) -> Result<Vec<Node>> {
        self.pack.log("outline", &self.path);
        let node = |name: String| {
            let at = self.text.find(&format!("def {name}")).unwrap_or(0);
            let (span, address) = (Span::new(at, at + 4 + name.len()), name.clone());
            Node {
                kind: "note".to_owned(),
                name,
                address,
                span,
                selection: Span::new(at + 4, span.end),
                ..Node::default()
            }
        };
        Ok(self.words("def").into_iter().map(node).collect())
    }

    fn find(&mut self, _query: &Query) -> Result<FindResult> {
        none()
    }

    fn view(&mut self, _node: u32, _form: Form) -> Result<View> {
        none()
    }

    fn dependencies(&mut self, _node: u32) -> Result<Vec<Dependency>> {
        none()
    }

    fn edit(&mut self, _nodes: &[u32], _operation: &Operation, _options: EditOptions) -> Result<EditSet> {
        none()
    }

    fn edit_ranges(&mut self, _nodes: &[u32], _operation: &Operation) -> Result<Vec<Span>> {
        Ok(Vec::new())
    }

    fn insert_missing(&mut self, _target: &Target, _content: &str) -> Result<EditSet> {
        none()
    }

    fn stays_well_formed(&mut self, _edits: &[Edit]) -> Result<bool> {
        none()
    }

    fn embedded(&mut self) -> Result<Vec<Embedded>> {
        none()
    }

    fn links(&mut self) -> Result<Vec<Link>> {
        self.pack.log("links", &self.path);
        let link = |words: Vec<&str>| Link {
            kind: "use".to_owned(),
            specifier: words[0].to_owned(),
            names: words[1..].iter().map(|name| (*name).to_owned()).collect(),
            ..Link::default()
        };
        Ok(self.statements("use").map(link).collect())
    }

    fn exports_and_imports(&mut self) -> Result<Facts> {
        self.pack.log("facts", &self.path);
        let export = |name: String| ExportedName { name, ..ExportedName::default() };
        let imports = self.statements("use").flat_map(|words| {
            let specifier = words[0].to_owned();
            let import = move |name: &str| ImportedName {
                specifier: specifier.clone(),
                name: name.to_owned(),
                ..ImportedName::default()
            };
            words[1..].iter().map(|name| import(name)).collect::<Vec<_>>()
        });
        Ok(Facts {
            exports: self.words("def").into_iter().map(export).collect(),
            imports: imports.collect(),
            shared: self.words("shared").into_iter().map(noted).collect(),
            free: self.words("free").into_iter().map(noted).collect(),
        })
    }

    fn resolve_symbol(&mut self, subject: &Subject) -> Result<Resolution> {
        self.pack.log("uses", &self.path);
        let name = name_of(subject).to_owned();
        let occurrence = |(span, certain)| Occurrence { span, usage: "read", certain };
        let declared = if let Subject::Member(member) = subject { Some(member.clone()) } else { None };
        let occurrences = self.uses(&name).into_iter().map(occurrence).collect();
        Ok(Resolution { name, kind: "member".to_owned(), occurrences, member: declared, ..Resolution::default() })
    }

    fn rename(&mut self, subject: &Subject, new_name: &str) -> Result<RenameResult> {
        self.pack.log("rename", &self.path);
        if self.text.lines().any(|line| line == "refuse") {
            return Err(Error::new(Kind::RefactorFailed, format!("{} refuses", self.path)));
        }
        let name = name_of(subject).to_owned();
        let (certain, left): (Vec<_>, Vec<_>) = self.uses(&name).into_iter().partition(|(_, certain)| *certain);
        let edit = |(span, _)| Edit { span, text: new_name.to_owned() };
        Ok(RenameResult {
            edits: EditSet::new(&self.text, certain.into_iter().map(edit).collect())?,
            unresolved: left.into_iter().map(|(span, _)| span).collect(),
            declared: if let Subject::Member(member) = subject { Some(member.clone()) } else { None },
            name,
            ..RenameResult::default()
        })
    }
}
