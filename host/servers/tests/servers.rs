//! Tests servers that answer, hang, crash, send invalid answers or flood the host. This test binary is also the fake
//! server.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a server uses the standard streams, and a harness prints results"
)]

#[path = "servers/fake.rs"]
mod fake;

use std::{
    collections::BTreeMap,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use marquetry_files::DiskRoots;
use marquetry_model::{
    EditSet, Error, Kind, Result, Work,
    pack::Description,
    ports::{Files, Pack, Packs, PluginInfo, Roots, Source},
    servers::{RequestedServer, Server, ServerDefinitions, ServerLocation, ServerQuestion, Servers},
};
use marquetry_servers::LanguageServers;
use tempfile::TempDir;

/// A `Packs` port whose project requests the fake server. The mood of the server determines how it misbehaves.
struct RequestingPacks(RequestedServer);

impl Packs for RequestingPacks {
    fn for_path(&self, _: &Arc<dyn Files>, _: &str) -> Result<Arc<dyn Pack>> {
        Err(Error::new(Kind::Unsupported, "no packs here"))
    }
    fn for_language(&self, _: &Arc<dyn Files>, _: &str) -> Result<Arc<dyn Pack>> {
        Err(Error::new(Kind::Unsupported, "no packs here"))
    }
    fn descriptions(&self, _: &Arc<dyn Files>) -> Vec<Arc<Description>> {
        Vec::new()
    }
    fn plugins(&self, _: &Arc<dyn Files>) -> Vec<PluginInfo> {
        Vec::new()
    }
    fn servers(&self, _: &Arc<dyn Files>) -> Result<Vec<RequestedServer>> {
        Ok(vec![self.0.clone()])
    }
}

/// A project with two files and the fake server.
struct Project {
    folder: TempDir,
    files: Arc<dyn Files>,
    servers: LanguageServers,
}

const A: &str = "one two\r\nörtlich one\nbad one";

impl Project {
    fn new(mood: &str) -> Project {
        Project::with(mood, |_| {})
    }

    fn with(mood: &str, change: impl FnOnce(&mut RequestedServer)) -> Project {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("ro ot");
        std::fs::create_dir(&root).expect("made");
        std::fs::write(root.join("a.t"), A).expect("written");
        std::fs::write(root.join("ü b.t"), "one\n").expect("written");
        let program = std::env::current_exe().expect("this program").display().to_string();
        let mut spec = RequestedServer {
            id: "fake".to_owned(),
            command: vec![program, "--serve".to_owned(), mood.to_owned()],
            detection_commands: Vec::new(),
            files: vec!["*.t".to_owned()],
            languages: BTreeMap::from([("t".to_owned(), "test".to_owned())]),
            settings: r#"{"a": {"b": 1}}"#.to_owned(),
            memory: 1 << 30,
            idle: Duration::from_secs(600),
            time: Duration::from_secs(5),
            refusal: None,
        };
        change(&mut spec);
        let files = DiskRoots::new(root, folder.path().join("state")).open(None).expect("a root");
        Project { folder, files, servers: LanguageServers::new(Arc::new(RequestingPacks(spec))) }
    }

    fn source(&self, path: &str) -> Source {
        self.files.read(path).expect("a file")
    }

    fn server(&self) -> Arc<dyn Server> {
        self.servers.for_path(&self.files, "a.t").expect("a server")
    }

    fn ask<T>(&self, offset: usize, ask: impl FnOnce(&dyn Server, ServerQuestion<'_>) -> Result<T>) -> Result<T> {
        self.ask_for(offset, &Work::default(), ask)
    }

    fn ask_for<T>(
        &self,
        offset: usize,
        work: &Work,
        ask: impl FnOnce(&dyn Server, ServerQuestion<'_>) -> Result<T>,
    ) -> Result<T> {
        let source = self.source("a.t");
        ask(self.server().as_ref(), ServerQuestion { files: &self.files, source: &source, offset, work })
    }

    fn hover(&self) -> Result<String> {
        let answer = self.ask(0, |server, place| server.hover(place))?;
        Ok(answer.answer.map(|(text, _)| text).unwrap_or_default())
    }

    fn references(&self) -> Result<(Vec<String>, Option<String>)> {
        let answer = self.ask(0, |server, place| server.references(place, true))?;
        let shown = |place: &ServerLocation| format!("{}:{}", place.path, place.span.start);
        Ok((answer.answer.iter().map(shown).collect(), answer.incomplete))
    }

    /// The definitions at these offsets of `a.t`: `path:offset name` of each, `+1` for one outside of the root, and `-` for
    /// a position without an answer.
    fn definitions(&self, offsets: &[usize]) -> Result<(String, Option<String>)> {
        self.definitions_for(offsets, &Work::default())
    }

    fn definitions_for(&self, offsets: &[usize], work: &Work) -> Result<(String, Option<String>)> {
        let source = self.source("a.t");
        let question = |offset: &usize| ServerQuestion { files: &self.files, source: &source, offset: *offset, work };
        let questions: Vec<ServerQuestion<'_>> = offsets.iter().map(question).collect();
        let answer = self.server().definitions(&questions)?;
        let shown = |found: &Option<ServerDefinitions>| {
            let Some(found) = found else { return "-".to_owned() };
            let inside = found.inside.iter().map(|it| format!("{}:{} {}", it.path, it.span.start, it.name));
            let outside = (found.outside > 0).then(|| format!("+{}", found.outside));
            inside.chain(outside).collect::<Vec<_>>().join(" ")
        };
        Ok((answer.answer.iter().map(shown).collect::<Vec<_>>().join(", "), answer.incomplete))
    }

    fn write(&self, path: &str, text: &str) {
        std::fs::write(Path::new(self.files.root()).join(path), text).expect("written");
    }

    fn failure(&self) -> Error {
        self.hover().expect_err("it fails")
    }
}

#[track_caller]
fn says(error: &Error, kind: Kind, part: &str) {
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.content().message.contains(part), "{error}");
}

fn server_answers_hover() {
    let project = Project::new("good");
    let answer = project.ask(1, |server, place| server.hover(place)).expect("an answer");
    let (text, span) = answer.answer.expect("a hover text");
    assert_eq!((text.as_str(), span.map(|span| span.slice(A))), ("**one** test {\"b\":1}", Some("one")));
    let (references, partial) = project.references().expect("an answer");
    assert_eq!((references.join(" ").as_str(), partial), ("a.t:0 a.t:18 a.t:26 ü b.t:0", None));
    let answer = project.ask(0, |server, place| server.diagnostics(place)).expect("an answer");
    let shown: Vec<_> = answer
        .answer
        .iter()
        .map(|found| (found.span.slice(A), found.message.as_str(), found.source.as_str()))
        .collect();
    assert_eq!(shown, [("bad", "this is bad", "fake")]);
    let answer = project.ask(0, |server, place| server.rename(place, "1")).expect("an answer");
    let after: Vec<String> = answer
        .answer
        .into_iter()
        .map(|(source, edits)| EditSet::new(&source.text, edits).expect("a set").apply(&source.text))
        .collect();
    assert_eq!(after, ["1 two\r\nörtlich 1\nbad 1", "1\n"]);
}

fn changed_documents_are_sent() {
    let project = Project::new("good");
    assert_eq!(project.references().expect("an answer").0.len(), 4);
    project.write("a.t", "one");
    project.write("c.t", "one one");
    let (references, _) = project.references().expect("an answer");
    assert_eq!(references, ["a.t:0", "c.t:0", "c.t:4", "ü b.t:0"]);
    let answer = project.ask(0, |server, place| server.diagnostics(place)).expect("an answer");
    assert!(answer.answer.is_empty(), "the new text has no problem: {:?}", answer.answer);
}

fn answers_while_loading_are_partial() {
    let project = Project::new("loading");
    let (references, partial) = project.references().expect("an answer");
    assert_eq!((references.len(), partial), (4, None));
    let project = Project::with("loading-for-ever", |spec| spec.time = Duration::from_millis(700));
    let (_, partial) = project.references().expect("an answer");
    assert_eq!(partial.as_deref(), Some("the server is still loading the project"));
}

fn pull_diagnostics_are_requested_if_supported() {
    let project = Project::new("pull");
    let answer = project.ask(0, |server, place| server.diagnostics(place)).expect("an answer");
    assert_eq!(answer.answer.len(), 1);
}

fn diagnostics_are_refreshed_after_other_changes() {
    let project = Project::new("crossed");
    let problems = || project.ask(0, |server, place| server.diagnostics(place)).expect("an answer").answer.len();
    project.write("a.t", "one");
    assert_eq!(problems(), 0);
    project.write("ü b.t", "bad");
    assert_eq!(problems(), 1);
    project.write("ü b.t", "good");
    assert_eq!(problems(), 0);
}

fn empty_answer_with_complaint_is_partial() {
    let answer = Project::new("pull-sorry").ask(0, |server, place| server.diagnostics(place)).expect("an answer");
    let doubt = "the server reported nothing, and wrote: no problems: I lost my settings";
    assert_eq!((answer.answer.len(), answer.incomplete.as_deref()), (0, Some(doubt)));
}

fn pictures_are_removed_from_hover() {
    assert_eq!(Project::new("picture").hover().as_deref(), Ok("one  two"));
}

/// Offsets of "two", of "one" on the second line, and of "bad" in `a.t`.
const NAMES: [usize; 3] = [4, 18, 22];

fn definitions_are_requested_for_many_positions() {
    for mood in ["good", "list"] {
        let project = Project::new(mood);
        // The server refuses to answer for "bad".
        assert_eq!(project.definitions(&NAMES).expect("an answer").0, "a.t:4 two, ü b.t:0 one, -", "{mood}");
        project.write("a.t", "two\r\nörtlich one\nzero one");
        project.write("ü b.t", "");
        let found = project.definitions(&[0, 14, 18, 19]).expect("an answer").0;
        assert_eq!(found, "a.t:0 two, a.t:14 one, a.t:18 zero, a.t:18 zero");
    }
    assert_eq!(Project::new("good").definitions(&[]), Ok((String::new(), None)));
}

fn definitions_outside_of_the_root_are_counted() {
    // A file that does not exist has no text, so its definition has no name.
    let expected = "a.t:4 two a.t.gone:0  +2";
    assert_eq!(Project::new("links").definitions(&[4]), Ok((expected.to_owned(), None)));
}

fn invalid_definitions_are_refused() {
    let error = Project::new("lie").definitions(&[0, 4]).expect_err("refused");
    says(&error, Kind::PluginFailed, "sent an invalid answer: a position on line 1000 of a file with 3 lines");
    let error = Project::new("lie-shape").definitions(&[0]).expect_err("refused");
    says(&error, Kind::PluginFailed, "an answer of an unexpected type");
    let error = Project::with("many", |spec| spec.time = Duration::from_secs(120)).definitions(&[0]);
    says(&error.expect_err("refused"), Kind::LimitExceeded, "definitions");
    says(&Project::new("die").definitions(&[0]).expect_err("it ends"), Kind::PluginFailed, "it ended");
    let error = Project::new("bare").definitions(&[0]).expect_err("no ability");
    says(&error, Kind::Unsupported, "the server `fake` does not support definitions");
}

fn definitions_while_loading_are_not_used() {
    let project = Project::new("loading");
    assert_eq!(project.definitions(&[4, 0]), Ok(("a.t:4 two, ü b.t:0 one".to_owned(), None)));
    let project = Project::with("loading-for-ever", |spec| spec.time = Duration::from_millis(700));
    let why = Some("the server is still loading the project".to_owned());
    assert_eq!(project.definitions(&[4, 0]), Ok(("-, -".to_owned(), why)));
    assert!(project.references().is_ok(), "the server was not stopped");
}

fn definitions_have_one_time_limit() {
    let project = Project::with("hang-two", |spec| spec.time = Duration::from_millis(1500));
    let id = project.hover_id();
    let why = Some("the server did not answer in time".to_owned());
    assert_eq!(project.definitions(&[0, 4, 0]), Ok(("ü b.t:0 one, -, -".to_owned(), why)));
    assert_eq!(project.hover_id(), id, "a server that answers something is not stopped");
    assert_eq!(project.definitions(&[0, 18]), Ok(("ü b.t:0 one, ü b.t:0 one".to_owned(), None)));
    // A server that gives no answer within the limit is stopped.
    let begun = Instant::now();
    says(
        &project.definitions(&[4]).expect_err("it fails"),
        Kind::PluginFailed,
        "did not answer `textDocument/definition`",
    );
    assert!(begun.elapsed() < Duration::from_secs(8));
}

fn cancelled_definitions_do_not_stop_the_server() {
    let project = Project::new("hang-two");
    let id = project.hover_id();
    let work = Work::default();
    let cancelling = work.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        cancelling.cancel();
    });
    let error = project.definitions_for(&[0, 4], &work).expect_err("cancelled");
    assert_eq!(error.kind(), Kind::Cancelled);
    assert_eq!(project.hover_id(), id);
}

fn hanging_server_is_stopped() {
    let project = Project::with("hang", |spec| spec.time = Duration::from_millis(1200));
    let begun = Instant::now();
    says(&project.failure(), Kind::PluginFailed, "it did not answer `textDocument/hover` in 2 s");
    assert!(begun.elapsed() < Duration::from_secs(8));
    // The server is restarted and fails again. After that, no further restart is attempted for a while.
    says(&project.failure(), Kind::PluginFailed, "it did not answer");
    let begun = Instant::now();
    says(&project.failure(), Kind::PluginFailed, "failed 2 times");
    assert!(begun.elapsed() < Duration::from_millis(400), "the server must not be started during the pause");
}

fn cancelled_call_does_not_stop_the_server() {
    let project = Project::new("hang");
    let work = Work::default();
    let cancelling = work.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(800));
        cancelling.cancel();
    });
    let error = project.ask_for(0, &work, |server, place| server.hover(place)).expect_err("cancelled");
    assert_eq!(error.kind(), Kind::Cancelled);
    assert!(project.references().is_ok(), "other requests must still be answered");
}

fn crashed_server_reports_output_and_restarts() {
    let project = Project::new("die");
    let error = project.failure();
    says(&error, Kind::PluginFailed, "it ended");
    assert_eq!(error.content().hint.as_deref(), Some("it printed: I am dying"));
    assert!(project.references().is_ok(), "the server must be started again");
}

fn server_killed_while_idle_is_restarted() {
    let project = Project::new("good");
    // Repeated, because the host may notice the killed process before or after it sends the request.
    for _ in 0..8 {
        let id = project.hover_id();
        let killed = std::process::Command::new("kill").args(["-KILL", &id]).status().expect("kill");
        assert!(killed.success());
        assert_ne!(project.hover_id(), id, "another process must answer");
    }
}

fn invalid_answers_are_refused() {
    let project = Project::new("lie");
    let message = "sent an invalid answer: a position on line 1000 of a file with 3 lines";
    says(&project.failure(), Kind::PluginFailed, message);
    let project = Project::new("lie");
    let (references, partial) = project.references().expect("the references in the root");
    assert_eq!((references.len(), partial.as_deref()), (1, Some("2 locations outside of the root")));
    let error = project.ask(0, |server, place| server.rename(place, "1")).expect_err("refused");
    says(&error, Kind::PluginFailed, "a.t: two edits overlap");
    let project = Project::new("lie-outside");
    let error = project.ask(0, |server, place| server.rename(place, "1")).expect_err("refused");
    says(&error, Kind::OutsideWorkspace, "would edit file:///");
    let project = Project::new("lie-shape");
    says(&project.failure(), Kind::PluginFailed, "an answer of an unexpected type");
    let error = project.ask(0, |server, place| server.rename(place, "1")).expect_err("refused");
    says(&error, Kind::Unsupported, "would also delete a file");
}

fn flooding_server_is_stopped() {
    let project = Project::new("flood");
    says(&project.failure(), Kind::PluginFailed, "a message that is too large");
    let project = Project::new("chatter");
    says(&project.failure(), Kind::PluginFailed, "that is not a message");
    let project = Project::with("many", |spec| spec.time = Duration::from_secs(120));
    let error = project.references().expect_err("refused");
    says(&error, Kind::LimitExceeded, "places");
}

fn server_over_its_memory_limit_is_stopped() {
    if !Path::new("/proc/self/stat").exists() {
        return;
    }
    let project = Project::with("greedy", |spec| spec.memory = 96 << 20);
    says(&project.failure(), Kind::PluginFailed, "it took more than its 96 MiB");
}

fn idle_server_is_stopped_with_its_children() {
    let project = Project::with("good", |spec| spec.idle = Duration::from_millis(300));
    let id = project.hover_id();
    let until = Instant::now() + Duration::from_secs(10);
    while is_running(&id) {
        assert!(Instant::now() < until, "the server is still running");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(project.hover().is_ok(), "the server must be started again");
    let id = project.hover_id();
    drop(project.servers);
    assert!(!is_running(&id), "the server must end together with the host");
    drop(project.folder);
}

fn unsupported_requests_are_reported() {
    let project = Project::new("bare");
    let error = project.failure();
    says(&error, Kind::Unsupported, "the server `fake` does not support hover");
    let project = Project::new("good");
    let error = project.servers.for_path(&project.files, "x.md").map(|_| ()).expect_err("none");
    says(&error, Kind::Unsupported, "no language server is configured for x.md");
    let project = Project::with("good", |spec| spec.command = vec!["no-such-program-anywhere".to_owned()]);
    says(&project.failure(), Kind::PluginFailed, "`no-such-program-anywhere` cannot be started");
    let withheld = Error::new(Kind::PermissionDenied, "it is not approved");
    let project = Project::with("good", |spec| spec.refusal = Some(withheld));
    let error = project.servers.for_path(&project.files, "a.t").map(|_| ()).expect_err("withheld");
    says(&error, Kind::PermissionDenied, "it is not approved");
}

fn installed_server_is_used_only_on_request() {
    let found = |withheld: bool| {
        Project::with("good", |spec| {
            spec.detection_commands = vec![spec.command.clone()];
            spec.refusal = withheld.then(|| Error::new(Kind::PermissionDenied, "it is not approved"));
        })
    };
    let at_hand =
        |project: &Project| project.servers.available_for_path(&project.files, "a.t").map(|server| server.is_some());
    let project = found(true);
    let error = project.servers.for_path(&project.files, "a.t").map(|_| ()).expect_err("withheld");
    says(&error, Kind::PermissionDenied, "it is not approved");
    assert_eq!(at_hand(&project), Ok(false));
    assert_eq!(at_hand(&found(false)), Ok(true));
    let withheld = Error::new(Kind::PermissionDenied, "it is not approved");
    let project = Project::with("good", |spec| spec.refusal = Some(withheld));
    says(
        &at_hand(&project).expect_err("the project requests the server, so the missing approval is an error"),
        Kind::PermissionDenied,
        "it is not approved",
    );
}

impl Project {
    /// Process ID of the server.
    fn hover_id(&self) -> String {
        let answer = self.ask(4, |server, place| server.hover(place)).expect("an answer");
        let (text, _) = answer.answer.expect("a hover text");
        text.rsplit_once("process ").map(|(_, id)| id.to_owned()).expect("the hover text ends with the process ID")
    }
}

fn is_running(id: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{id}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

/// The tests, by name.
const TESTS: [(&str, fn()); 26] = [
    ("outlines_are_trees_of_the_current_text", outlines_are_trees_of_the_current_text),
    ("symbols_with_wrong_names_are_omitted", symbols_with_wrong_names_are_omitted),
    ("server_answers_hover", server_answers_hover),
    ("changed_documents_are_sent", changed_documents_are_sent),
    ("answers_while_loading_are_partial", answers_while_loading_are_partial),
    ("pull_diagnostics_are_requested_if_supported", pull_diagnostics_are_requested_if_supported),
    ("diagnostics_are_refreshed_after_other_changes", diagnostics_are_refreshed_after_other_changes),
    ("empty_answer_with_complaint_is_partial", empty_answer_with_complaint_is_partial),
    ("pictures_are_removed_from_hover", pictures_are_removed_from_hover),
    ("definitions_are_requested_for_many_positions", definitions_are_requested_for_many_positions),
    ("definitions_outside_of_the_root_are_counted", definitions_outside_of_the_root_are_counted),
    ("invalid_definitions_are_refused", invalid_definitions_are_refused),
    ("definitions_while_loading_are_not_used", definitions_while_loading_are_not_used),
    ("definitions_have_one_time_limit", definitions_have_one_time_limit),
    ("cancelled_definitions_do_not_stop_the_server", cancelled_definitions_do_not_stop_the_server),
    ("hanging_server_is_stopped", hanging_server_is_stopped),
    ("cancelled_call_does_not_stop_the_server", cancelled_call_does_not_stop_the_server),
    ("crashed_server_reports_output_and_restarts", crashed_server_reports_output_and_restarts),
    ("server_killed_while_idle_is_restarted", server_killed_while_idle_is_restarted),
    ("invalid_answers_are_refused", invalid_answers_are_refused),
    ("flooding_server_is_stopped", flooding_server_is_stopped),
    ("server_over_its_memory_limit_is_stopped", server_over_its_memory_limit_is_stopped),
    ("idle_server_is_stopped_with_its_children", idle_server_is_stopped_with_its_children),
    ("unsupported_requests_are_reported", unsupported_requests_are_reported),
    ("installed_server_is_used_only_on_request", installed_server_is_used_only_on_request),
    ("no_server_process_is_left", no_server_process_is_left),
];

/// A server is killed with its project, even if it ignores `exit`.
fn no_server_process_is_left() {
    let id = {
        let project = Project::new("stubborn");
        let id = project.hover_id();
        assert!(is_running(&id));
        id
    };
    assert!(!is_running(&id));
}

/// Returns the names of the symbols with those of their parents and their texts.
fn outline(project: &Project) -> Result<Vec<String>> {
    let source = project.source("a.t");
    let found = project.ask(0, |server, question| server.symbols(question))?.answer;
    let path = |at: usize| found[at].parent.map_or(String::new(), |parent| format!("{}.", found[parent].name));
    Ok(found
        .iter()
        .enumerate()
        .map(|(at, it)| format!("{}{}: {}", path(at), it.name, it.span.slice(&source.text)))
        .collect())
}

fn outlines_are_trees_of_the_current_text() {
    let project = Project::new("late");
    let before = ["one: one two", "one.two: two", "bad: bad one", "bad.one: one"];
    assert_eq!(outline(&project).expect("an outline"), before);
    // The server answers for the old text for a while.
    std::fs::write(Path::new(project.files.root()).join("a.t"), "zero\none two\n").expect("written");
    assert_eq!(outline(&project).expect("an outline"), ["zero: zero", "one: one two", "one.two: two"]);
}

fn symbols_with_wrong_names_are_omitted() {
    assert!(outline(&Project::new("lie")).expect("an answer").is_empty());
    let error = outline(&Project::new("bare")).expect_err("no ability");
    assert_eq!(error.content().message, "the server `fake` does not support outlines");
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [serve, mood] = arguments.as_slice()
        && serve == "--serve"
    {
        return fake::serve(mood);
    }
    let filter = arguments.iter().find(|argument| !argument.starts_with('-'));
    let mut failed = 0;
    for (name, test) in TESTS.iter().filter(|(name, _)| filter.is_none_or(|filter| name.contains(filter))) {
        let result = std::panic::catch_unwind(test);
        failed += usize::from(result.is_err());
        println!("test {name} ... {}", if result.is_ok() { "ok" } else { "FAILED" });
    }
    assert_eq!(failed, 0, "tests failed");
}
