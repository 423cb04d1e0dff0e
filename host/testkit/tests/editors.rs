//! Tests hostile editors: whatever a socket sends, the sandboxed integration and the host keep running and validate all
//! messages.
#![cfg(unix)]

use std::{
    io::{Read, Write},
    os::unix::net::{UnixListener, UnixStream},
    sync::Arc,
    time::{Duration, Instant},
};

use crate::editor::{EventRecorder, Project, wait_until};
use marquetry_graph::Graph;
use marquetry_model::{
    Kind,
    editor::{ConnectionState, EditorEvent, Editors},
};
use marquetry_tools::Workbench;
use serde_json::{Value, json};

/// The first messages of Neovim: `[1, 1, nil, [3, {"version": {"major": 0, "minor": 11, "patch": 4}}]]`, the folder,
/// the tabs.
fn handshake(root: &str, unsaved: &[&str]) -> Vec<Vec<u8>> {
    let text = |text: &str| {
        let mut bytes = vec![0xda, (text.len() >> 8) as u8, text.len() as u8];
        bytes.extend(text.as_bytes());
        bytes
    };
    let version = [vec![0x83], text("major"), vec![0], text("minor"), vec![11], text("patch"), vec![4]].concat();
    let info = [vec![0x94, 1, 1, 0xc0, 0x92, 3, 0x81], text("version"), version].concat();
    let folder = [vec![0x94, 1, 2, 0xc0, 0x91, 0x82], text("name"), text("p"), text("path"), text(root)].concat();
    // The answer to the installation, and the first tabs.
    let tab = |name: &&str| {
        let path = text(&format!("{root}/{name}"));
        [vec![0x82], text("path"), path, text("dirty"), vec![0xc3]].concat()
    };
    let tabs = unsaved.iter().flat_map(tab).collect();
    let count = vec![0x90 | unsaved.len() as u8];
    let rest = [vec![0x94, 1, 3, 0xc0, 0xc0], vec![0x94, 1, 4, 0xc0, 0x81], text("value"), count, tabs].concat();
    vec![info, folder, rest]
}

/// Returns the notification `[2, "marquetry", [what, value]]` as msgpack.
fn event_message(what: &str, value: &[u8]) -> Vec<u8> {
    let short = |text: &str| [vec![0xd9, text.len() as u8], text.as_bytes().to_vec()].concat();
    [vec![0x93, 2], short("marquetry"), vec![0x92], short(what), value.to_vec()].concat()
}

/// Starts an editor whose messages, after an optional handshake, are up to the test.
fn start_hostile_editor(
    project: &Project,
    greet: Option<&'static [&'static str]>,
    say: impl Fn(&mut UnixStream) + Send + Sync + 'static,
) {
    let listener = UnixListener::bind(project.socket()).expect("bound");
    let (root, say) = (project.root.display().to_string(), Arc::new(say));
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let (root, say) = (root.clone(), Arc::clone(&say));
            std::thread::spawn(move || {
                let mut reader = stream.try_clone().expect("cloned");
                std::thread::spawn(move || drop(std::io::copy(&mut reader, &mut std::io::sink())));
                if let Some(unsaved) = greet {
                    for part in handshake(&root, unsaved) {
                        let _ = stream.write_all(&part);
                        // Answers must arrive after their requests.
                        std::thread::sleep(Duration::from_millis(300));
                    }
                }
                say(&mut stream);
                // Keep the connection open.
                let _ = stream.read(&mut [0]);
            });
        }
    });
}

fn end_reason(project: &Project) -> String {
    let mut why = String::new();
    wait_until(|| {
        let all = project.host.attached(None);
        why = all
            .into_iter()
            .find_map(|editor| if let ConnectionState::Failed(why) = editor.state { Some(why) } else { None })
            .unwrap_or_default();
        !why.is_empty()
    });
    why
}

#[test]
fn peer_that_is_not_neovim_is_refused() {
    for (response, reason) in [
        (&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], "it sent something that is not msgpack-rpc"),
        (&[0xc1], "it sent something that is not msgpack"),
        (&[0xdd, 0xff, 0xff, 0xff, 0xff], "a message is too long"),
        (&[0xdb, 0xff, 0xff, 0xff, 0xff], "a message is too long"),
        (&[0x91; 10_000], "a message is nested too deeply"),
    ] {
        let project = Project::new();
        start_hostile_editor(&project, None, move |stream| drop(stream.write_all(response)));
        assert_eq!(end_reason(&project), reason);
    }
}

#[test]
fn hundred_megabytes_of_input_are_refused() {
    let project = Project::new();
    start_hostile_editor(&project, Some(&[]), |stream| {
        // Sends ten texts of 10 MiB each. The size of each is accepted.
        let piece = vec![b'x'; 1 << 20];
        for _ in 0..10 {
            let length = 10_u32 << 20;
            let _ = stream.write_all(&[vec![0xdb], length.to_be_bytes().to_vec()].concat());
            for _ in 0..10 {
                if stream.write_all(&piece).is_err() {
                    return;
                }
            }
        }
    });
    assert_eq!(end_reason(&project), "it sent something that is not msgpack-rpc");
}

/// The number of random messages. `MARQ_FRAMES` overrides it, for long manual runs.
fn frames() -> u32 {
    std::env::var("MARQ_FRAMES").ok().and_then(|number| number.parse().ok()).unwrap_or(20_000)
}

#[test]
fn random_messages_neither_crash_nor_reach_outside() {
    let project = Project::new();
    let root = project.root.display().to_string();
    let ears = EventRecorder::subscribe(&project.host);
    start_hostile_editor(&project, Some(&[]), move |stream| {
        let text = |text: &str| [vec![0xd9, text.len() as u8], text.as_bytes().to_vec()].concat();
        let mut seed = 7_u32;
        for round in 0..frames() {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let what = ["selection", "tabs", "folders", "saved", "changed", "decided", "mentioned", "focused"]
                [seed as usize >> 8 & 7];
            let value = match seed >> 16 & 7 {
                0 => text("/etc/passwd"),
                1 => [vec![0x81], text("path"), text("/etc/passwd")].concat(),
                2 => [vec![0x91, 0x82], text("path"), text("/etc/shadow"), text("dirty"), vec![0xc3]].concat(),
                3 => [
                    vec![0x83],
                    text("id"),
                    vec![0xce, 0, 0, 0, round as u8],
                    text("what"),
                    text("accepted"),
                    text("text"),
                    text("x"),
                ]
                .concat(),
                4 => vec![0xc0],
                5 => vec![0xcb, 0x7f, 0xf0, 0, 0, 0, 0, 0, 0],
                6 => vec![0xc4, 2, 0xff, 0xfe],
                _ => [vec![0x81], text("path"), text("/../../etc/passwd")].concat(),
            };
            // `folders` outside of the root would end the session, so such an event is not sent.
            if what != "folders" && stream.write_all(&event_message(what, &value)).is_err() {
                return;
            }
        }
        let _ = stream.write_all(&event_message("saved", &text(&format!("{root}/a.txt"))));
        let _ = stream.write_all(&event_message("focused", &[0xc2]));
        std::thread::sleep(Duration::from_secs(2));
        let _ = stream.write_all(&event_message("saved", &text(&format!("{root}/b.txt"))));
    });
    let started = Instant::now();
    wait_until(|| !project.host.attached(Some(&project.root.display().to_string())).is_empty());
    let most = Duration::from_secs(30) * (1 + frames() / 20_000);
    while started.elapsed() < most
        && !ears.has_received(|event| matches!(event, EditorEvent::Saved(path) if path.ends_with("/b.txt")))
    {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(started.elapsed() < most, "events after the random messages must be received");
    ears.assert_none(|event| format!("{event:?}").contains("/etc"));
    assert!(project.host.unsaved(&["/".to_owned()]).is_empty());
}

#[test]
fn tools_do_not_write_files_with_unsaved_changes() {
    let project = Project::new();
    start_hostile_editor(&project, Some(&["a.txt", "sub/c.txt"]), |_| {});
    std::fs::create_dir(project.root.join("sub")).expect("made");
    std::fs::write(project.root.join("sub/c.txt"), "c\n").expect("written");
    wait_until(|| !project.host.attached(Some(&project.root.display().to_string())).is_empty());
    let packs = Arc::new(marquetry_testkit::packs("marquetry = 1\n[plugins.text]\n"));
    let bench = Workbench::new(Arc::clone(&project.roots), packs, Graph::new(None));
    let bench = bench.with_editors(Arc::<marquetry_editors::Host>::clone(&project.host));
    let delete = |paths: Value| {
        bench
            .delete(&serde_json::from_value(paths).expect("arguments"))
            .map(|result| (result.report.id, result.report.warnings))
    };
    let error = delete(json!({ "paths": ["a.txt"] })).expect_err("it is unsaved");
    assert_eq!(error.kind(), Kind::OverwriteBlocked);
    let content = error.content();
    assert_eq!(content.message, "a.txt has unsaved changes in Neovim 0.11.4 (`neovim`)");
    assert_eq!(content.candidates, ["a.txt"]);
    let error = delete(json!({ "paths": ["sub"], "recursive": true })).expect_err("a file in the folder is unsaved");
    assert_eq!(error.content().candidates, ["sub/c.txt"]);
    let (_, warnings) = delete(json!({ "paths": ["a.txt"], "dryRun": true })).expect("nothing is written");
    // The editor does not return its text, so the file on disk was read, which is reported as well.
    let refused = |warning: &&String| warning.ends_with("(`neovim`); without a dry run, the change would be refused");
    assert_eq!(warnings.iter().filter(refused).count(), 1, "{warnings:?}");
    assert!(warnings.iter().any(|warning| warning.contains("a.txt") && warning.contains("version on disk was read")));
    let (id, _) = delete(json!({ "paths": ["b.txt"] })).expect("it is not open");
    bench.undo(&serde_json::from_value(json!({ "id": id })).expect("arguments")).expect("nor is what it undoes");
    assert_eq!((project.text("a.txt").len(), project.text("b.txt").as_str()), (27, "b\n"));
}
