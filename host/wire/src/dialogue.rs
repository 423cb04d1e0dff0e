//! Test dialogues as text: requests of a client, and the exact messages it receives.
//!
//! ```text
//! ==== a value is read by its path
//! //- /a.json
//! {"a": 1}
//! -> file/read {"file": "a.json", "path": "$.a"}
//! id: 1
//! result:
//!   content: 1
//! ```
//!
//! Files before the first `====` exist in every dialogue of the text. `-> METHOD PARAMETERS` is a request with the next
//! ID and `~> METHOD PARAMETERS` a notification. `>> LINE` sends a raw line that is answered, `~~ LINE` one that is
//! not, and `+> LINE` one after which any single message is received. The block below lists everything that is
//! received, with fields sorted by name. `$root` is the folder, `$hash(path)` the hash of a file and `$id` the latest
//! change. Times are omitted, and schemas are reduced to the names of arguments. Options after ` | ` in a title are
//! settings of the server. `UPDATE_EXPECT=1` records what was received.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use marquetry_catalog::Catalog;
use marquetry_native::Project;
use serde_json::{Map, Value, json};

use crate::ServedCatalog;

/// A client of a server.
pub(crate) trait DialogueClient {
    /// Sends a line and receives the messages it waits for.
    fn exchange(&mut self, line: &str, until: WaitFor) -> Vec<Value>;
}

/// Messages to wait for after sending a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WaitFor {
    /// All messages up to the answer.
    Answer,
    /// The line is not answered.
    Nothing,
    /// One message.
    OneMessage,
}

/// A dialogue in a text.
struct Dialogue {
    title: String,
    files: String,
    turns: Vec<Turn>,
}

/// A line as written in the text, and the expected messages.
struct Turn {
    sent: String,
    received: String,
}

/// Replays the dialogues in all texts of a folder.
pub(crate) fn replay<S: DialogueClient>(folder: &str, speaker: impl Fn(ServedCatalog, &str) -> S) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/dialogues").join(folder);
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).expect("dialogues").flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let (mut wrong, mut count) = (String::new(), 0);
    for path in paths {
        let text = fs::read_to_string(&path).expect("a text");
        let (shared, dialogues) = parse(&text);
        count += dialogues.len();
        let mut now = shared.clone();
        for dialogue in dialogues {
            let fixture = format!("{}{}", shared.find("//- ").map_or("", |at| &shared[at..]), dialogue.files);
            let settings = dialogue.title.split_once(" | ").map_or("", |(_, settings)| settings);
            let answers = Replay::new(&fixture, |catalog| speaker(catalog, settings)).replay_all(&dialogue.turns);
            write!(now, "==== {}\n{}", dialogue.title, dialogue.files).expect("a text grows");
            for (turn, answer) in dialogue.turns.iter().zip(answers) {
                if turn.received.trim_end() != answer.trim_end() {
                    let (file, title) = (path.display(), &dialogue.title);
                    write!(wrong, "{file}: {title}\n{}\n{answer}\n", turn.sent).expect("a text grows");
                }
                write!(now, "{}\n{answer}", turn.sent).expect("a text grows");
            }
            now.push('\n');
        }
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(&path, format!("{}\n", now.trim_end())).expect("written");
            wrong.clear();
        }
    }
    assert!(count > 0, "there are no dialogues");
    assert!(wrong.is_empty(), "{wrong}(UPDATE_EXPECT=1 accepts the actual output)");
}

fn parse(text: &str) -> (String, Vec<Dialogue>) {
    let mut parts = text.split("==== ");
    let shared = parts.next().unwrap_or_default().to_owned();
    let is_said = |line: &str| ["-> ", "~> ", ">> ", "~~ ", "+> "].iter().any(|start| line.starts_with(start));
    let dialogue = |part: &str| {
        let (title, body) = part.split_once('\n').unwrap_or((part, ""));
        let mut dialogue = Dialogue { title: title.to_owned(), files: String::new(), turns: Vec::new() };
        for line in body.split_inclusive('\n') {
            match dialogue.turns.last_mut() {
                _ if is_said(line) => {
                    dialogue.turns.push(Turn { sent: line.trim_end().to_owned(), received: String::new() });
                }
                Some(turn) => turn.received.push_str(line),
                None => dialogue.files.push_str(line),
            }
        }
        dialogue
    };
    (shared, parts.map(dialogue).collect())
}

/// A dialogue that is being replayed.
struct Replay<S> {
    project: Project,
    speaker: S,
    requests: u64,
    changes: Vec<String>,
}

impl<S: DialogueClient> Replay<S> {
    fn new(fixture: &str, speaker: impl Fn(ServedCatalog) -> S) -> Replay<S> {
        let project = Project::new(fixture);
        let speaker = speaker(ServedCatalog::new(Catalog::new(project.catalog().bench().clone())));
        Replay { project, speaker, requests: 0, changes: Vec::new() }
    }

    fn replay_all(mut self, turns: &[Turn]) -> Vec<String> {
        turns.iter().map(|turn| self.replay_turn(&turn.sent)).collect()
    }

    fn replay_turn(&mut self, request: &str) -> String {
        let (kind, rest) = request.split_at(3);
        let rest = self.fill_placeholders(rest);
        let (method, parameters) = rest.split_once(' ').unwrap_or((&rest, ""));
        let mut message = json!({ "jsonrpc": "2.0", "method": method });
        if !parameters.is_empty() && ["-> ", "~> "].contains(&kind) {
            message["params"] = serde_json::from_str(parameters).unwrap_or_else(|error| panic!("{request}: {error}"));
        }
        let answer = match kind {
            "-> " => {
                self.requests += 1;
                message["id"] = self.requests.into();
                self.speaker.exchange(&message.to_string(), WaitFor::Answer)
            }
            "~> " => self.speaker.exchange(&message.to_string(), WaitFor::Nothing),
            "~~ " => self.speaker.exchange(&rest, WaitFor::Nothing),
            "+> " => self.speaker.exchange(&rest, WaitFor::OneMessage),
            _ => self.speaker.exchange(&rest, WaitFor::Answer),
        };
        let mut shown = String::new();
        answer.iter().for_each(|message| print_value(message, 0, &mut shown));
        self.record_changes();
        self.normalized(shown)
    }

    /// Records the changes that were made, latest last.
    fn record_changes(&mut self) {
        let history = self.project.call("file_history", "{}").expect("a history");
        let changes = history["changes"].as_array().map_or(&[][..], Vec::as_slice).iter().rev();
        self.changes = changes.filter_map(|change| change["id"].as_str()).map(str::to_owned).collect();
    }

    fn fill_placeholders(&self, text: &str) -> String {
        let mut text = text.replace("$root", &self.project.root().to_string_lossy());
        text = text.replace("$id", self.changes.last().map_or("", String::as_str));
        for (path, bytes) in &self.project.snapshot().0 {
            text = text.replace(&format!("$hash({path})"), &marquetry_files::hash(bytes));
        }
        text
    }

    /// Replaces IDs, hashes and the root, which differ between runs, by placeholders.
    fn normalized(&self, mut answer: String) -> String {
        for change in &self.changes {
            answer = answer.replace(change, "$id");
        }
        for (path, bytes) in &self.project.snapshot().0 {
            answer = answer.replace(&marquetry_files::hash(bytes), &format!("$hash({path})"));
        }
        answer.replace(&*self.project.root().to_string_lossy(), "$root")
    }
}

/// Prints a value in lines, with a block for each list and object.
fn print_value(value: &Value, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    match value {
        Value::Object(fields) => {
            for (name, value) in fields.iter().collect::<BTreeMap<_, _>>() {
                out.push_str(&format!("{indent}{name}:"));
                if let Some(names) = argument_names(name, value) {
                    out.push_str(&format!(" {{{names}}}\n"));
                    continue;
                }
                print_field(if is_variable(name, value) { &Value::Null } else { value }, depth + 1, out);
            }
        }
        Value::Array(items) => {
            for item in items {
                out.push_str(&format!("{indent}-"));
                print_field(item, depth + 1, out);
            }
        }
        other => out.push_str(&format!("{indent}{other}\n")),
    }
}

/// Prints a value after a name or a dash.
fn print_field(value: &Value, depth: usize, out: &mut String) {
    match value {
        Value::Object(fields) if fields.is_empty() => out.push_str(" {}\n"),
        Value::Array(items) if items.is_empty() => out.push_str(" []\n"),
        Value::Object(_) | Value::Array(_) => {
            out.push('\n');
            print_value(value, depth, out);
        }
        Value::String(text) if text.contains('\n') => {
            out.push_str(if text.ends_with('\n') { " |\n" } else { " |-\n" });
            for line in text.lines() {
                out.push_str(format!("{}{line}", "  ".repeat(depth)).trim_end());
                out.push('\n');
            }
        }
        other => out.push_str(&format!(" {other}\n")),
    }
}

/// Argument names in a schema; required ones have a star.
fn argument_names(name: &str, value: &Value) -> Option<String> {
    if name != "inputSchema" && name != "outputSchema" {
        return None;
    }
    let needed: Vec<&str> = value["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let shown = |name: &String| if needed.contains(&name.as_str()) { format!("{name}*") } else { name.clone() };
    let names = value["properties"].as_object().into_iter().flat_map(Map::keys).map(shown);
    Some(names.collect::<Vec<String>>().join(", "))
}

/// Returns whether a value differs between runs or is the same in every dialogue.
fn is_variable(name: &str, value: &Value) -> bool {
    match name {
        "time" => value.is_u64(),
        "milliseconds" => true,
        "instructions" => true,
        _ => false,
    }
}
