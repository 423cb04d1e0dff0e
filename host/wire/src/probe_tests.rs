//! Tests the probe with small servers that are shell scripts.

use super::*;

/// Runs the probe on a server that is a shell script.
fn check(script: &str) -> Result<Proof> {
    let folder = std::env::temp_dir();
    let arguments = ["-c".to_owned(), script.to_owned()];
    prove(&Probe {
        command: "sh",
        arguments: &arguments,
        environment: &[("GREETING".to_owned(), "hello".to_owned())],
        folder: &folder,
        edit: json!({ "file": "a" }),
        expected: "+after",
        timeout: Duration::from_secs(20),
    })
}

fn message(script: &str) -> String {
    let error = check(script).expect_err("refused");
    format!("{}: {}", error.kind().name(), error.content().message)
}

/// Answers the handshake and the list of tools, and passes the rest to a command.
fn server(rest: &str) -> String {
    format!(
        r#"read l; echo '{{"jsonrpc":"2.0","id":1,"result":{{"protocolVersion":"2025-06-18","serverInfo":{{"name":"toy","version":"3"}}}}}}'
read l; read l; echo '{{"jsonrpc":"2.0","method":"notifications/message"}}'
echo '{{"jsonrpc":"2.0","id":2,"result":{{"tools":[{{"name":"file_read"}},{{"name":"file_edit"}}]}}}}'
read l; {rest}"#
    )
}

#[test]
fn server_that_answers_is_proved() {
    let proof = check(&server(
        r#"echo "{\"id\":3,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"+after $GREETING\"}]}}"; read l"#,
    ));
    let proof = proof.expect("proved");
    assert_eq!((proof.server.as_str(), proof.revision.as_str(), proof.tools), ("toy 3", "2025-06-18", 2));
}

#[test]
fn requests_are_those_of_the_protocol() {
    let folder = tempfile();
    let log = folder.join("log");
    let script = format!("tee '{}' | ({})", log.display(), server("echo '{\"id\":3,\"error\":{\"message\":\"no\"}}'"));
    assert_eq!(message(&script), "Unsupported: the server refused `tools/call`: no");
    // `tee` writes each line to its output first, so the last line may reach the log after the answer.
    let started = std::time::Instant::now();
    let mut sent = String::new();
    while sent.lines().count() < 4 && started.elapsed().as_secs() < 20 {
        sent = std::fs::read_to_string(&log).expect("a log");
    }
    let methods: Vec<Value> = sent.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let names: Vec<&str> = methods.iter().filter_map(|message| message["method"].as_str()).collect();
    assert_eq!(names, ["initialize", "notifications/initialized", "tools/list", "tools/call"]);
    assert_eq!(methods[0]["params"]["clientInfo"]["name"], "marq init");
    assert_eq!(methods[3]["params"], json!({ "name": "file_edit", "arguments": { "file": "a" } }));
    let _ = std::fs::remove_dir_all(folder);
}

fn tempfile() -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("marq-probe-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

#[test]
fn server_that_closes_its_output_and_goes_on_is_not_waited_for() {
    let started = std::time::Instant::now();
    let error = message("echo 'no root' >&2; exec >&-; sleep 60");
    assert_eq!(error, "PluginFailed: the server ended before it answered: no root");
    assert!(started.elapsed().as_secs() < 30, "{:?}", started.elapsed());
}

#[test]
fn output_without_an_end_is_limited() {
    let error = message("yes 'no message' | tr -d '\\n'");
    assert!(error.contains("a line that is not a message: no message"), "{error}");
}

#[test]
fn failures_say_what_the_server_did() {
    assert_eq!(message("echo 'no root' >&2; exit 1"), "PluginFailed: the server ended before it answered: no root");
    assert_eq!(
        message("echo 'Welcome!'; read l"),
        "Unsupported: the command printed a line that is not a message: Welcome!"
    );
    let error = message(&server(r#"echo '{"id":3,"result":{"isError":true,"content":[{"text":"no pack"}]}}'; read l"#));
    assert_eq!(error, "PluginFailed: the server refused a dry run of an edit: no pack");
    let error = message(&server(r#"echo '{"id":3,"result":{"content":[{"text":"nothing"}]}}'; read l"#));
    assert_eq!(error, "PluginFailed: the server refused a dry run of an edit: nothing");
    let other = server("exit").replace("file_edit", "other");
    assert_eq!(message(&other), "Unsupported: the server has no tool `file_edit`, only: file_read, other");
}

#[test]
fn missing_program_has_a_hint() {
    let folder = std::env::temp_dir();
    let probe = Probe {
        command: "no-such-program-of-marq",
        arguments: &[],
        environment: &[],
        folder: &folder,
        edit: json!({}),
        expected: "",
        timeout: Duration::from_secs(5),
    };
    let error = prove(&probe).expect_err("refused");
    assert_eq!(error.kind(), Kind::FileNotFound);
    assert!(error.content().hint.as_deref().is_some_and(|hint| hint.contains("PATH")), "{error:?}");
}

#[test]
fn silent_server_times_out() {
    let folder = std::env::temp_dir();
    let arguments = ["-c".to_owned(), "read l; read l; read l".to_owned()];
    let probe = Probe {
        command: "sh",
        arguments: &arguments,
        environment: &[],
        folder: &folder,
        edit: json!({}),
        expected: "",
        timeout: Duration::from_millis(200),
    };
    let error = prove(&probe).expect_err("refused");
    assert_eq!(error.content().message, "the server did not answer `initialize` in time");
}
