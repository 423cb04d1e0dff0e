//! Tests `marq plugin dev` while a client is connected. When a source changes, the pack is rebuilt and tested, and the
//! client's next call uses it. If the build fails, the client keeps the old pack.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::{FOLDER, set_environment};
use crate::{
    measure::session::Session,
    shell::{begin_step, top},
    test::PROGRAM,
};

/// The languages of `marq plugin new`, with the source file to change.
const LANGUAGES: [(&str, &str); 2] = [("rust", "src/lib.rs"), ("js", "pack.js")];
/// The error message of a new pack for an invalid line, before and after the change.
const OLD_MESSAGE: &str = "expected `name: value`";
const NEW_MESSAGE: &str = "expected a name and a value";
/// The output of `marq plugin dev` at the end of a round.
const ROUND_END: &str = "waiting for a change";
/// Timeout of a round. The first one compiles the SDK or downloads an engine.
const ROUND_TIMEOUT: Duration = Duration::from_secs(600);
/// Time after a round in which no other round may be reported.
const QUIET_TIME: Duration = Duration::from_secs(5);

/// Runs the test in each language.
pub(super) fn run() -> Result<()> {
    for (language, source) in LANGUAGES {
        begin_step(&format!(
            "`marq plugin dev` while a client is connected: a pack of `marq plugin new --lang {language}`"
        ));
        test_language(language, source)?;
    }
    Ok(())
}

fn test_language(language: &str, source: &str) -> Result<()> {
    let place = top().join(FOLDER).join(format!("dev-{language}"));
    if place.exists() {
        fs::remove_dir_all(&place)?;
    }
    let (work, shop) = (place.join("work"), place.join("work/shop"));
    fs::create_dir_all(&shop)?;
    let marq = || {
        let mut command = Command::new(top().join(PROGRAM));
        set_environment(&mut command, &place);
        command.current_dir(&work);
        command
    };
    ensure!(marq().args(["plugin", "new", "notes", "--lang", language]).status()?.success(), "`plugin new` failed");
    fs::write(shop.join("registry.toml"), "marquetry = 1\n\n[plugins.notes]\nsource = \"path:../notes/notes.wasm\"\n")?;
    fs::write(shop.join("today.notes"), "title: Shop\nnothing\n")?;

    let mut dev = Dev::start(marq().args(["plugin", "dev", "notes", "--seconds", "0"]))?;
    dev.wait_for_round()?;
    ensure!(dev.is_idle(), "the files that the first build wrote started another build");
    let mut trusting = Session::start_command(marq().args(["rpc", "--stdio", "--root", "shop", "--trust"]))?;
    let mut careful = Session::start_command(marq().args(["rpc", "--stdio", "--root", "shop"]))?;
    let allow = || -> Result<()> {
        ensure!(marq().args(["--root", "shop", "trust", "--allow"]).status()?.success(), "`marq trust --allow` failed");
        Ok(())
    };
    allow()?;
    for client in [&mut trusting, &mut careful] {
        ensure!(diagnostic_message(client)? == OLD_MESSAGE, "the client does not use the new pack");
    }

    let path = work.join("notes").join(source);
    let before = fs::read_to_string(&path)?;
    let after = before.replace(OLD_MESSAGE, NEW_MESSAGE);
    ensure!(after != before, "{source} does not contain the message");
    dev.change_and_wait(&path, &after)?;
    ensure!(
        diagnostic_message(&mut trusting)? == NEW_MESSAGE,
        "a client that trusts the project does not use the changed pack"
    );
    let refused = diagnostic_message(&mut careful);
    ensure!(refused.is_err(), "a changed pack ran without approval: {refused:?}");
    allow()?;
    ensure!(
        diagnostic_message(&mut careful)? == NEW_MESSAGE,
        "the client does not use the changed pack after its approval"
    );

    dev.change_and_wait(&path, &format!("{after}\n}}}} this is no program {{{{\n"))?;
    ensure!(diagnostic_message(&mut trusting)? == NEW_MESSAGE, "a failed build changed the pack of the client");
    dev.change_and_wait(&path, &before)?;
    ensure!(diagnostic_message(&mut trusting)? == OLD_MESSAGE, "the client does not use the pack that builds again");
    println!("    {language}: changed, broken and fixed; seconds of each round: {}", dev.seconds());
    Ok(())
}

/// Returns the diagnostic that the client receives for the document.
fn diagnostic_message(client: &mut Session) -> Result<String> {
    let (_, answer) =
        client.call("query", &json!({ "type": "diagnostics", "path": "today.notes", "checks": ["syntax"] }))?;
    let answer: Value = serde_json::from_str(&answer)?;
    let message = answer["result"]["data"]["diagnostics"][0]["message"].as_str();
    message.map(str::to_owned).with_context(|| format!("nothing is wrong: {answer}"))
}

/// The process of `marq plugin dev`, stopped when this is dropped.
struct Dev {
    process: Child,
    /// Receives a message at the end of each round.
    rounds: Receiver<()>,
    durations: Vec<Duration>,
}

impl Dev {
    fn start(command: &mut Command) -> Result<Dev> {
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (sender, rounds) = channel();
        let output = BufReader::new(process.stdout.take().context("it has an output")?);
        thread::spawn(move || {
            let waits = output.lines().map_while(Result::ok).filter(|line| line.contains(ROUND_END));
            let _ = waits.into_iter().try_for_each(|_| sender.send(()));
        });
        Ok(Dev { process, rounds, durations: Vec::new() })
    }

    /// Waits for the end of the current round.
    fn wait_for_round(&mut self) -> Result<()> {
        let began = Instant::now();
        if self.rounds.recv_timeout(ROUND_TIMEOUT).is_err() {
            bail!("`marq plugin dev` ended, or a round takes longer than {} s", ROUND_TIMEOUT.as_secs());
        }
        self.durations.push(began.elapsed());
        Ok(())
    }

    /// Returns whether no further round starts, although no source has changed.
    fn is_idle(&self) -> bool {
        self.rounds.recv_timeout(QUIET_TIME).is_err()
    }

    /// Writes a source file, and waits until the pack is rebuilt and tested.
    fn change_and_wait(&mut self, source: &Path, text: &str) -> Result<()> {
        fs::write(source, text)?;
        self.wait_for_round()
    }

    fn seconds(&self) -> String {
        let took: Vec<String> = self.durations.iter().map(|took| format!("{:.1}", took.as_secs_f64())).collect();
        took.join(", ")
    }
}

impl Drop for Dev {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
