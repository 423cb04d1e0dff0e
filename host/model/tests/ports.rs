//! Tests the default methods of the ports, with test doubles that implement only the required methods.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use marquetry_model::{
    Change, ChangeEffects, Edit, EditSet, Error, Interface, Kind, Result, Span, Work,
    lookups::Lookups,
    pack::{
        Dependency, Description, Destination, EditOptions, Embedded, FindResult, Form, Node, Operation, PackDiagnostic,
        Query, SpecifierRequest, Target, View,
    },
    ports::{Document, EntryKind, FileStamp, Files, Pack, Packs, PastChange, PluginInfo, Source, version},
    servers::{
        RequestedServer, Server, ServerAnswer, ServerDiagnostic, ServerEdits, ServerHover, ServerLocation,
        ServerQuestion, ServerSymbol, Servers,
    },
};

/// Files in memory, by path. The hash of a file is its text.
struct TextFiles(BTreeMap<String, String>);

fn text_files(files: &[(&str, &str)]) -> TextFiles {
    TextFiles(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect())
}

fn files(files: &[(&str, &str)]) -> Arc<dyn Files> {
    Arc::new(text_files(files))
}

fn not_called<T>() -> Result<T> {
    Err(Error::internal("not called by these tests"))
}

impl Files for TextFiles {
    fn root(&self) -> &str {
        "/r"
    }

    fn is_on_disk(&self) -> bool {
        false
    }
    fn locate(&self, path: &str) -> Result<String> {
        Ok(path.to_owned())
    }
    fn read(&self, path: &str) -> Result<Source> {
        let text = self.0.get(path).ok_or_else(|| Error::new(Kind::FileNotFound, format!("no file `{path}`")))?;
        let (hash, size) = (text.clone(), text.len() as u64);
        Ok(Source { path: path.to_owned(), text: text.as_str().into(), hash, size })
    }
    fn read_bytes(&self, path: &str) -> Result<Vec<u8>> {
        Ok(self.read(path)?.text.as_bytes().to_vec())
    }
    fn stat(&self, path: &str) -> Option<EntryKind> {
        let below = format!("{path}/");
        if self.0.contains_key(path) {
            return Some(EntryKind::File);
        }
        self.0.keys().any(|file| file.starts_with(&below)).then_some(EntryKind::Directory)
    }
    fn entries(&self, _path: &str) -> Vec<(String, EntryKind)> {
        Vec::new()
    }
    fn walk(&self, below: &str) -> Result<Vec<FileStamp>> {
        let found = self.0.iter().filter(|(path, _)| marquetry_model::is_below(path, below));
        let stamp =
            |(path, text): (&String, &String)| FileStamp { path: path.clone(), size: text.len() as u64, modified: 0 };
        Ok(found.map(stamp).collect())
    }
    fn apply(&self, _change: &Change, _dry_run: bool, _work: &Work) -> Result<ChangeEffects> {
        not_called()
    }
    fn undo(&self, _id: Option<&str>, _dry_run: bool, _work: &Work) -> Result<(PastChange, ChangeEffects)> {
        not_called()
    }
    fn history(&self, _limit: usize) -> Result<Vec<PastChange>> {
        not_called()
    }
}

/// The same files, with their sizes.
struct SizedFiles(TextFiles);

impl Files for SizedFiles {
    fn root(&self) -> &str {
        self.0.root()
    }

    fn is_on_disk(&self) -> bool {
        false
    }
    fn locate(&self, path: &str) -> Result<String> {
        self.0.locate(path)
    }
    fn read(&self, path: &str) -> Result<Source> {
        self.0.read(path)
    }
    fn read_bytes(&self, path: &str) -> Result<Vec<u8>> {
        self.0.read_bytes(path)
    }
    fn size(&self, path: &str) -> Option<u64> {
        Some(self.0.read(path).ok()?.size)
    }
    fn stat(&self, path: &str) -> Option<EntryKind> {
        self.0.stat(path)
    }
    fn entries(&self, path: &str) -> Vec<(String, EntryKind)> {
        self.0.entries(path)
    }
    fn walk(&self, below: &str) -> Result<Vec<FileStamp>> {
        self.0.walk(below)
    }
    fn apply(&self, change: &Change, dry_run: bool, work: &Work) -> Result<ChangeEffects> {
        self.0.apply(change, dry_run, work)
    }
    fn undo(&self, id: Option<&str>, dry_run: bool, work: &Work) -> Result<(PastChange, ChangeEffects)> {
        self.0.undo(id, dry_run, work)
    }
    fn history(&self, limit: usize) -> Result<Vec<PastChange>> {
        self.0.history(limit)
    }
}

#[test]
fn defaults_of_the_port_derive_from_the_text_of_a_file() {
    let files = files(&[("a/x.ts", "one"), ("b.ts", "two")]);
    assert_eq!(files.text("b.ts").as_deref(), Ok("two"));
    assert_eq!(files.text("c.ts").map_err(|error| error.kind()), Err(Kind::FileNotFound));
    assert_eq!(files.version("b.ts"), Some(version("two")));
    assert_eq!(files.version("c.ts"), None);
    assert_ne!(files.layout(), files.layout());
    assert_eq!(files.resolve_links("a/../b.ts"), "a/../b.ts");
    assert_eq!((files.exporters("x"), files.size("b.ts"), files.is_ignored("b.ts")), (vec![], None, false));
    assert!(files.work().is_none());
    assert_eq!(files.reader().text("b.ts", 9).map(|text| text.is_none()), Ok(true), "the size is unknown");
}

#[test]
fn decoded_text_is_hashed_as_its_bytes() {
    let files = files(&[]);
    assert_eq!(files.decode("a", "\u{feff}é".as_bytes()).as_deref(), Ok("é"), "without the byte order mark");
    assert_eq!(files.decode("a", b"\xff").map_err(|error| error.kind()), Err(Kind::Unsupported));
    // Published values of FNV-1a with 64 bits.
    assert_eq!([files.hash(b""), files.hash(b"a")], ["cbf29ce484222325", "af63dc4c8601ec8c"]);
}

#[test]
fn changed_lookups_are_those_with_another_entry() {
    let files = files(&[("a/x.ts", "")]);
    let known = [
        ("a/x.ts", Some(EntryKind::File)),
        ("a", Some(EntryKind::Directory)),
        ("a/y.ts", None),
        ("a/x", Some(EntryKind::File)),
        ("b", None),
    ];
    let mut lookups: Lookups = known.map(|(path, kind)| (path.to_owned(), kind)).into_iter().collect();
    assert_eq!(files.changed_lookups(&mut lookups), ["a/x"]);
}

#[test]
fn reader_skips_files_that_are_too_large() {
    let files = SizedFiles(text_files(&[("a", "four")]));
    for (path, most, expected) in [("a", 4, Some("four")), ("a", 5, Some("four")), ("a", 3, None), ("b", 9, None)] {
        let read = files.reader().text(path, most).map(|text| text.map(std::borrow::Cow::into_owned));
        assert_eq!(read, Ok(expected.map(str::to_owned)), "{path} up to {most} bytes");
    }
}

#[test]
fn walks_without_reasons_skip_nothing() {
    let files = files(&[("a/x.ts", "one"), ("b.ts", "four")]);
    let walked = files.walk_with_skipped("").expect("a walk");
    assert_eq!(
        walked.files.iter().map(|file| (file.path.as_str(), file.size)).collect::<Vec<_>>(),
        [("a/x.ts", 3), ("b.ts", 4)]
    );
    assert!(walked.skipped.is_empty());
    let names = files.walk_names("a").expect("a walk");
    assert_eq!((names.files, names.skipped), (vec!["a/x.ts".to_owned()], vec![]));
}

#[test]
fn host_without_a_history_has_nothing_to_repair() {
    let files = files(&[]);
    assert_eq!((files.damaged_entries(), files.notices(), files.unfinished()), (Ok(vec![]), vec![], Ok(vec![])));
    for (refused, expected) in [
        (files.give_up("7").map(|_| ()), "`7` is not an interrupted change"),
        (files.roll_back_copy("7").map(|_| ()), "`7` is not an interrupted change"),
        (files.replaced_files("7").map(|_| ()), "`7` is not a change of the history"),
    ] {
        let error = refused.expect_err("no such change");
        assert_eq!((error.kind(), error.content().message.as_str()), (Kind::InvalidArgument, expected));
    }
}

/// Servers that give the same answer for every file.
struct SameAnswer(Option<Error>);

struct TestServer;

impl Servers for SameAnswer {
    fn for_path(&self, _files: &Arc<dyn Files>, _path: &str) -> Result<Arc<dyn Server>> {
        match &self.0 {
            Some(error) => Err(error.clone()),
            None => Ok(Arc::new(TestServer)),
        }
    }
}

impl Server for TestServer {
    fn id(&self) -> &str {
        "test"
    }
    fn hover(&self, _place: ServerQuestion<'_>) -> Result<ServerAnswer<Option<ServerHover>>> {
        not_called()
    }
    fn references(&self, _place: ServerQuestion<'_>, _with: bool) -> Result<ServerAnswer<Vec<ServerLocation>>> {
        not_called()
    }
    fn diagnostics(&self, _place: ServerQuestion<'_>) -> Result<ServerAnswer<Vec<ServerDiagnostic>>> {
        not_called()
    }
    fn symbols(&self, _place: ServerQuestion<'_>) -> Result<ServerAnswer<Vec<ServerSymbol>>> {
        not_called()
    }
    fn rename(&self, _place: ServerQuestion<'_>, _name: &str) -> Result<ServerAnswer<Vec<ServerEdits>>> {
        not_called()
    }
}

#[test]
fn missing_server_is_an_error_only_if_asked_for() {
    let files = files(&[]);
    for (kind, expected) in [
        (None, Ok(Some("test".to_owned()))),
        (Some(Kind::Unsupported), Ok(None)),
        (Some(Kind::FileNotFound), Ok(None)),
        (Some(Kind::LimitExceeded), Err(Kind::LimitExceeded)),
        (Some(Kind::Cancelled), Err(Kind::Cancelled)),
    ] {
        let servers = SameAnswer(kind.map(|kind| Error::new(kind, "no server")));
        let found = servers.available_for_path(&files, "a.ts");
        let found = found.map(|server| server.map(|server| server.id().to_owned())).map_err(|error| error.kind());
        assert_eq!(found, expected, "{kind:?}");
    }
}

#[test]
fn server_is_detected_if_it_has_detection_commands() {
    let server = |detection_commands: Vec<Vec<String>>| RequestedServer {
        id: "ts".to_owned(),
        command: Vec::new(),
        detection_commands,
        files: Vec::new(),
        languages: BTreeMap::new(),
        settings: "{}".to_owned(),
        memory: 0,
        idle: Duration::ZERO,
        time: Duration::ZERO,
        refusal: None,
    };
    assert!(!server(Vec::new()).is_detected());
    let detected = server(vec![vec!["node_modules/.bin/ls".to_owned()]]);
    assert!(detected.is_detected());
    let with_program = |server: &RequestedServer, program: &str| {
        RequestedServer { command: vec![program.to_owned()], ..server.clone() }.is_on_path()
    };
    assert!(with_program(&detected, "/usr/bin/ls") && !with_program(&detected, "node_modules/.bin/ls"));
    assert!(!detected.is_on_path() && !with_program(&server(Vec::new()), "/usr/bin/ls"));
}

/// A project with one pack, `notes 1.2.0`.
struct OnePack(Arc<Description>);

fn one_pack() -> Arc<OnePack> {
    let description = Description { id: "notes".to_owned(), version: "1.2.0".to_owned(), ..Description::default() };
    Arc::new(OnePack(Arc::new(description)))
}

impl Packs for OnePack {
    fn for_path(&self, _files: &Arc<dyn Files>, _path: &str) -> Result<Arc<dyn Pack>> {
        not_called()
    }
    fn for_language(&self, _files: &Arc<dyn Files>, _language: &str) -> Result<Arc<dyn Pack>> {
        not_called()
    }
    fn descriptions(&self, _files: &Arc<dyn Files>) -> Vec<Arc<Description>> {
        vec![Arc::clone(&self.0)]
    }
    fn plugins(&self, _files: &Arc<dyn Files>) -> Vec<PluginInfo> {
        Vec::new()
    }
}

impl Pack for OnePack {
    fn description(&self) -> &Arc<Description> {
        &self.0
    }
    fn has_interface(&self, _interface: Interface) -> bool {
        false
    }
    fn open(self: Arc<Self>, _path: &str, _text: &Arc<str>) -> Result<Box<dyn Document>> {
        Ok(Box::new(Plain))
    }
    fn resolve(&self, _from: &str, _requests: &[(String, String)]) -> Result<Vec<Destination>> {
        not_called()
    }
    fn format_specifiers(&self, _requests: &[SpecifierRequest]) -> Result<Vec<Result<String>>> {
        not_called()
    }
}

#[test]
fn packs_are_identified_by_name_and_version() {
    let (packs, files) = (one_pack(), files(&[]));
    assert_eq!(packs.0.identity(), "notes 1.2.0");
    assert_eq!(Pack::identity(&*packs), "notes 1.2.0");
    assert_eq!(packs.identities(&files), ["notes 1.2.0"]);
}

#[test]
fn project_without_requests_needs_no_approval() {
    let (packs, files) = (one_pack(), files(&[]));
    packs.prepare(&files);
    assert_eq!((packs.approval_state(&files), packs.servers(&files)), (None, Ok(vec![])));
}

#[test]
fn pack_without_interfaces_answers_with_nothing() {
    let pack = one_pack();
    assert!(pack.may_receive("a.note"));
    assert_eq!(pack.manifest_names(), Ok(vec![]));
    assert_eq!(pack.parse_pattern("a.note", "$A").unwrap_err().kind(), Kind::Unsupported);
    let mut document = pack.open("a.note", &"".into()).unwrap();
    assert_eq!((document.hover_info(0), document.type_definitions(0)), (Ok(None), Ok(vec![])));
    assert_eq!((document.calls("a"), document.supertypes("a")), (Ok(None), Ok(None)));
    assert_eq!(document.subtypes("a"), Ok(None));
    let found = document.structural_matches("a", 9).unwrap();
    assert_eq!((found.matches, found.total), (vec![], 0));
    let checked = document.semantic_diagnostics().unwrap();
    assert_eq!((checked.checked, checked.diagnostics), (vec![], vec![]));
    assert_eq!(document.read_manifest(), Ok(None));
}

/// A document of a pack without optional interfaces.
struct Plain;

impl Document for Plain {
    fn diagnostics(&mut self) -> Result<Vec<PackDiagnostic>> {
        not_called()
    }
    fn parse_errors(&mut self) -> Result<Vec<PackDiagnostic>> {
        not_called()
    }
    fn outline(&mut self) -> Result<Vec<Node>> {
        not_called()
    }
    fn find(&mut self, _query: &Query) -> Result<FindResult> {
        not_called()
    }
    fn view(&mut self, _node: u32, _form: Form) -> Result<View> {
        not_called()
    }
    fn dependencies(&mut self, _node: u32) -> Result<Vec<Dependency>> {
        not_called()
    }
    fn edit(&mut self, _nodes: &[u32], _operation: &Operation, _options: EditOptions) -> Result<EditSet> {
        not_called()
    }
    fn edit_ranges(&mut self, _nodes: &[u32], _operation: &Operation) -> Result<Vec<Span>> {
        not_called()
    }
    fn insert_missing(&mut self, _target: &Target, _content: &str) -> Result<EditSet> {
        not_called()
    }
    fn stays_well_formed(&mut self, _edits: &[Edit]) -> Result<bool> {
        not_called()
    }
    fn embedded(&mut self) -> Result<Vec<Embedded>> {
        not_called()
    }
}
