//! Tests the cost of files that are large or designed to be slow: time is linear in the size of the text, and memory a
//! small multiple of it.
#![allow(clippy::print_stdout, reason = "who runs it by hand reads what it measured")]

use std::{fs, process::Stdio, time::Duration};

use crate::common::{Project, Talk};
use serde_json::{Value, json};

/// Shorter CPU times are mostly overhead of the program.
const NEGLIGIBLE: Duration = Duration::from_millis(400);
/// Maximum factor of the time for a text of four times the size; quadratic cost would give sixteen.
const MAX_GROWTH: u32 = 10;
/// Maximum number of times a call reads a text: to index it, to answer, to write it, but not once per link.
const MAX_READS: usize = 40;

/// Starts the program in a project and makes a first call.
fn start_in(project: &Project) -> Talk {
    let mut talk = project.talk(&["rpc", "--stdio"]);
    answer(&mut talk, "file/read", &json!({ "file": "src/shared.ts" }));
    talk
}

fn answer(talk: &mut Talk, method: &str, arguments: &Value) -> Value {
    talk.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": arguments }));
    let mut answer = talk.next();
    assert!(answer.get("error").is_none(), "{method}: {answer}");
    answer["result"].take()
}

/// Returns the maximum resident set size of a process, in MiB.
fn peak(talk: &Talk) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", talk.process())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
    line.split_whitespace().next().and_then(|kib| kib.parse::<usize>().ok()).unwrap_or(0) / 1024
}

/// Returns the CPU time of a process, which other processes hardly affect.
fn cpu_time(talk: &Talk) -> Duration {
    let status = fs::read_to_string(format!("/proc/{}/stat", talk.process())).expect("it runs");
    let fields: Vec<&str> = status.rsplit_once(") ").expect("a name").1.split(' ').collect();
    let ticks: u64 = fields[11..13].iter().map(|ticks| ticks.parse::<u64>().expect("a number")).sum();
    Duration::from_millis(ticks * 1000 / rustix::param::clock_ticks_per_second())
}

/// Returns the bytes that a process has read; `None` if the system does not count them.
fn read(talk: &Talk) -> Option<usize> {
    let status = fs::read_to_string(format!("/proc/{}/io", talk.process())).ok()?;
    status.lines().find_map(|line| line.strip_prefix("rchar: "))?.parse().ok()
}

/// Compares a call with a text of some size and one of four times that size.
fn assert_linear(file: &str, text: impl Fn(usize) -> String, size: usize, call: impl Fn(&mut Talk)) {
    let project = Project::new(2);
    let mut talk = start_in(&project);
    let mut cost = |times: usize| {
        let text = text(times * size);
        project.write(file, &text);
        let before = (cpu_time(&talk), read(&talk));
        call(&mut talk);
        let read = read(&talk).zip(before.1).map_or(0, |(now, before)| now - before);
        (cpu_time(&talk) - before.0, read, text.len())
    };
    let ((once, read_once, _), (four_times, read, length)) = (cost(1), cost(4));
    println!("{file}: {once:?} and {read_once} bytes, then {four_times:?} and {read} bytes");
    assert!(four_times < MAX_GROWTH * once.max(NEGLIGIBLE), "{file}: {once:?}, then {four_times:?}");
    // The first call also reads packs.
    assert!(read < read_once + MAX_READS * length, "{file}: {read_once} bytes, then {read} of a text of {length}");
    drop(talk.end());
}

fn question(kind: &str, file: &str) -> impl Fn(&mut Talk) {
    let arguments = json!({ "type": kind, "path": file });
    move |talk| drop(answer(talk, "query", &arguments))
}

#[test]
fn resolving_links_takes_linear_time() {
    let question = |kind| question(kind, "links.md");
    for link in ["[a](src/shared.ts) ", "[a](gone.md) "] {
        assert_linear("links.md", |links| link.repeat(links), 8_000, question("dependencies"));
        assert_linear("links.md", |links| link.repeat(links), 8_000, question("diagnostics"));
    }
    assert_linear(
        "links.md",
        |links| "[a](src/shared.ts) ".repeat(links),
        8_000,
        |talk| {
            let arguments = json!({ "type": "dependencies", "path": "src/shared.ts", "direction": "importedBy" });
            answer(talk, "query", &arguments);
        },
    );
}

/// The file is moved there and back.
#[test]
fn rewriting_links_takes_linear_time() {
    // In the second text, every other link cannot be resolved and is reported.
    for link in ["[a](src/shared.ts) ", "[a](src/shared.ts) [b]({{ base }}/shared.ts) "] {
        assert_linear(
            "links.md",
            |links| link.repeat(links),
            4_000,
            |talk| {
                for (source, destination) in [("src/shared.ts", "lib/shared.ts"), ("lib/shared.ts", "src/shared.ts")] {
                    answer(talk, "file/move", &json!({ "source": source, "destination": destination }));
                }
            },
        );
    }
}

#[test]
fn nested_files_are_read_in_linear_time() {
    for kind in ["documentSymbols", "diagnostics", "dependencies"] {
        let text = |deep| format!("a {{ width: {}", "(".repeat(deep));
        assert_linear("deep.css", text, 50_000, question(kind, "deep.css"));
    }
}

/// A deeply nested file does not slow down unrelated changes.
#[test]
fn move_beside_nested_files_is_not_slower() {
    let project = Project::new(8);
    project.write("deep.css", &format!("a {{ width: {}", "(".repeat(400_000)));
    let mut talk = start_in(&project);
    let before = cpu_time(&talk);
    answer(&mut talk, "file/move", &json!({ "source": "src/shared.ts", "destination": "lib/shared.ts" }));
    let worked = cpu_time(&talk) - before;
    assert!(worked < Duration::from_secs(10), "{worked:?}");
    drop(talk.end());
}

/// Reads a text with a single long line, of which answers show only a part.
#[test]
fn memory_for_a_long_line_is_linear() {
    const MIB: usize = 64;
    let project = Project::new(0);
    project.write("line.txt", &"x".repeat(MIB << 20));
    let mut talk = start_in(&project);
    let before = peak(&talk);
    answer(&mut talk, "file/read", &json!({ "file": "line.txt", "lines": "1", "maxBytes": 1000 }));
    answer(&mut talk, "query", &json!({ "type": "search", "text": "yy", "files": ["line.txt"] }));
    let after = peak(&talk);
    println!("{MIB} MiB in one line: {before} MiB before, {after} at most");
    assert!(after < before + 7 * MIB, "{before} MiB before, {after} at most");
    drop(talk.end());
}

/// A template that doubles its variables uses the memory of a separate process, up to a limit.
#[test]
fn template_memory_is_outside_of_the_server() {
    let project = Project::new(0);
    let endless = "{% set a = 'xxxxxxxxxxxxxxxx' %}".to_owned() + &"{% set a = a ~ a %}".repeat(2_000);
    for (name, text) in [
        ("endless", endless.as_str()),
        ("multiplied", "{% set a = ('x' * 90000) | replace('x', 'y' * 90000) %}"),
        ("looping", "{% set n = namespace(a='xx') %}{% for i in range(9999) %}{% set n.a = n.a ~ n.a %}{% endfor %}"),
    ] {
        project.write(&format!(".marquetry/templates/{name}.j2"), text);
    }
    project.write(".marquetry/templates/fine.j2", "{% for n in range(3) %}{{ name }}{{ n }} {% endfor %}\n\n");
    let mut command = project.command(&["rpc", "--stdio"]);
    let mut talk = Talk::new(command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts"));
    for name in ["endless", "multiplied", "looping"] {
        let arguments = json!({ "path": "made.txt", "template": name });
        talk.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "file/create", "params": arguments }));
        let answer = talk.next();
        assert_eq!(answer["error"]["data"]["kind"], "LimitExceeded", "{name}: {answer}");
    }
    answer(&mut talk, "file/create", &json!({ "path": "made.txt", "template": "fine" }));
    assert_eq!(project.texts()["made.txt"], "made0 made1 made2 \n");
    assert!(peak(&talk) < 300, "{} MiB", peak(&talk));
    drop(talk.end());
}
