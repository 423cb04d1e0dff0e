//! Tests that discovery files that no server of this user wrote are ignored: no token is sent and no page is opened.
#![cfg(unix)]

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpListener,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Output, Stdio},
    sync::{Arc, Mutex},
};

use crate::common::Project;

/// A process on a former server's port, and what it received.
struct Impostor {
    port: u16,
    received: Arc<Mutex<String>>,
}

impl Impostor {
    fn start() -> Impostor {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let received: Arc<Mutex<String>> = Arc::default();
        let all = Arc::clone(&received);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut bytes = [0; 4096];
                let read = stream.read(&mut bytes).unwrap_or_default();
                *all.lock().expect("whole") += &String::from_utf8_lossy(&bytes[..read]);
                let answer = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"editors\":[{\"title\":\"\\u001b[2JEVIL\"}],\"clients\":[]}}";
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", answer.len());
                // The client may be gone by then.
                let _ = stream.write_all((head + answer).as_bytes());
            }
        });
        Impostor { port, received }
    }

    /// Writes a discovery file with its port and the id of a process that exists.
    fn plant(&self, project: &Project, state: &Path) {
        let servers = state.join("servers");
        fs::create_dir_all(&servers).expect("made");
        for folder in [state, &servers] {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).expect("set");
        }
        let (pid, root) = (std::process::id(), project.root().display().to_string());
        let text = serde_json::json!({
            "pid": pid, "address": format!("127.0.0.1:{}", self.port), "root": root, "roots": [root], "token": "0123secret",
        });
        for (name, text) in [("json", text.to_string()), ("html", "<script>alert(1)</script>".to_owned())] {
            let path = servers.join(format!("{pid}.{name}"));
            fs::write(&path, text).expect("written");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("set");
        }
    }

    fn received(&self) -> String {
        self.received.lock().expect("whole").clone()
    }
}

fn output_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Returns the first line that `marq ui --no-open` prints; a server that it started is ended.
fn first_line_of_ui(project: &Project) -> String {
    let mut command = project.command(&["ui", "--no-open"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    let mut line = String::new();
    let mut output = std::io::BufReader::new(child.stdout.take().expect("output"));
    std::io::BufRead::read_line(&mut output, &mut line).expect("read");
    child.kill().expect("killed");
    child.wait().expect("ended");
    line
}

#[test]
fn token_is_not_sent_to_unproven_servers() {
    let project = Project::new(1);
    let impostor = Impostor::start();
    impostor.plant(&project, &project.state());
    let doctor = output_text(&project.marq(&["doctor"]));
    assert!(doctor.contains("could not prove that it wrote its discovery file"), "{doctor}");
    assert!(!doctor.contains("EVIL") && !doctor.contains('\u{1b}'), "{doctor}");
    let line = first_line_of_ui(&project);
    assert!(line.starts_with("listening on"), "a new server must be started: {line}");
    let received = impostor.received();
    assert!(received.contains("GET /proof?nonce="), "{received}");
    assert!(!received.contains("secret") && !received.contains("Bearer"), "{received}");
}

#[test]
fn discovery_files_of_other_users_are_not_read() {
    let project = Project::new(1);
    let impostor = Impostor::start();
    impostor.plant(&project, &project.state());
    let file = project.state().join(format!("servers/{}.json", std::process::id()));
    for mode in [0o640, 0o604, 0o644] {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("set");
        project.marq(&["doctor"]);
        assert_eq!(impostor.received(), "", "{mode:o}");
    }
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("set");
    // The name of the file has the id of another process, or of a process that has ended.
    let text = fs::read_to_string(&file).expect("read");
    for pid in [1, 0x3fff_fff0] {
        let other = file.with_file_name(format!("{pid}.json"));
        fs::rename(&file, &other).expect("renamed");
        if pid != 1 {
            fs::write(&other, text.replace(&std::process::id().to_string(), &pid.to_string())).expect("written");
        }
        project.marq(&["doctor"]);
        assert_eq!(impostor.received(), "", "{pid}");
        fs::rename(&other, &file).expect("renamed");
    }
}

#[test]
fn writable_or_project_state_folder_is_refused() {
    let project = Project::new(1);
    let impostor = Impostor::start();
    impostor.plant(&project, &project.state());
    for folder in [project.state(), project.state().join("servers")] {
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).expect("set");
        let output = project.marq(&["ui", "--no-open"]);
        assert!(!output.status.success());
        assert!(output_text(&output).contains("other users can write to it"), "{}", output_text(&output));
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).expect("set");
    }
    let inside = project.root().join(".state");
    impostor.plant(&project, &inside);
    for command in ["ui", "doctor"] {
        let output = project.command(&[command]).env("MARQ_STATE_DIR", &inside).output().expect("it runs");
        assert!(!output.status.success());
        assert!(output_text(&output).contains("is inside the project"), "{}", output_text(&output));
    }
    assert_eq!(impostor.received(), "");
}

#[test]
fn first_start_creates_private_folders() {
    let project = Project::new(1);
    let mut shell = std::process::Command::new("sh");
    let state = project.state().join("new/marquetry");
    let script = format!("umask 002; exec '{}' serve --no-ide", env!("CARGO_BIN_EXE_marq"));
    shell.args(["-c", &script]).current_dir(project.root()).env("MARQ_STATE_DIR", &state).stderr(Stdio::null());
    shell.env("MARQ_CACHE_DIR", project.state().join("cache"));
    let mut child = shell.stdout(Stdio::piped()).spawn().expect("it starts");
    let mut output = std::io::BufReader::new(child.stdout.take().expect("output"));
    for _ in 0..3 {
        std::io::BufRead::read_line(&mut output, &mut String::new()).expect("read");
    }
    let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!((mode(&state), mode(&state.join("servers"))), (0o700, 0o700));
    let files: Vec<_> =
        fs::read_dir(state.join("servers")).expect("listed").flatten().map(|entry| entry.path()).collect();
    assert_eq!(files.len(), 2);
    assert!(files.iter().all(|file| mode(file) == 0o600), "{files:?}");
    child.kill().expect("killed");
    child.wait().expect("ended");
}
