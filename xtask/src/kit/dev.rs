//! `marq plugin dev` while a client is connected: a source changes, the pack is built and tried again, and the client's next call has
//! it; a source that does not build leaves the client what it had.

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

use super::{FOLDER, at_hand};
use crate::{
    measure::session::Session,
    shell::{step, top},
    test::PROGRAM,
};

/// The languages, as `marq plugin new` takes them, with the source that is changed.
const LANGUAGES: [(&str, &str); 2] = [("rust", "src/lib.rs"), ("js", "pack.js")];
/// What the pack of a new folder says of a line that is none, and what it says after the change.
const SAID: &str = "expected `name: value`";
const SAYS: &str = "expected a name and a value";
/// What `marq plugin dev` says when it is done with a round.
const WAITS: &str = "waiting for a change";
/// How long a round may take: the first one compiles the SDK or fetches an engine.
const PATIENCE: Duration = Duration::from_secs(600);
/// How long nothing has to happen after a round.
const REST: Duration = Duration::from_secs(5);

/// Try it in each language.
pub(super) fn run() -> Result<()> {
    for (language, source) in LANGUAGES {
        step(&format!("`marq plugin dev` while a client is connected: a pack of `marq plugin new --lang {language}`"));
        in_language(language, source)?;
    }
    Ok(())
}

fn in_language(language: &str, source: &str) -> Result<()> {
    let place = top().join(FOLDER).join(format!("dev-{language}"));
    if place.exists() {
        fs::remove_dir_all(&place)?;
    }
    let (work, shop) = (place.join("work"), place.join("work/shop"));
    fs::create_dir_all(&shop)?;
    let marq = || {
        let mut command = Command::new(top().join(PROGRAM));
        at_hand(&mut command, &place);
        command.current_dir(&work);
        command
    };
    ensure!(marq().args(["plugin", "new", "notes", "--lang", language]).status()?.success(), "no pack is made");
    fs::write(shop.join("registry.toml"), "marquetry = 1\n\n[plugins.notes]\nsource = \"path:../notes/notes.wasm\"\n")?;
    fs::write(shop.join("today.notes"), "title: Shop\nnothing\n")?;

    let mut dev = Dev::start(marq().args(["plugin", "dev", "notes", "--seconds", "0"]))?;
    dev.round()?;
    ensure!(dev.rests(), "what the first build wrote is taken for a change");
    let mut trusting = Session::over(marq().args(["rpc", "--stdio", "--root", "shop", "--trust"]))?;
    let mut careful = Session::over(marq().args(["rpc", "--stdio", "--root", "shop"]))?;
    let allow = || -> Result<()> {
        ensure!(marq().args(["--root", "shop", "trust", "--allow"]).status()?.success(), "it is not allowed");
        Ok(())
    };
    allow()?;
    for client in [&mut trusting, &mut careful] {
        ensure!(problem(client)? == SAID, "the pack as it was made is not at hand");
    }

    let path = work.join("notes").join(source);
    let before = fs::read_to_string(&path)?;
    let after = before.replace(SAID, SAYS);
    ensure!(after != before, "{source} says something else");
    dev.after(&path, &after)?;
    ensure!(problem(&mut trusting)? == SAYS, "a client that trusts the project has the new pack with its next call");
    let refused = problem(&mut careful);
    ensure!(refused.is_err(), "other bytes run only with the person's word: {refused:?}");
    allow()?;
    ensure!(problem(&mut careful)? == SAYS, "with the person's word it has the new pack");

    dev.after(&path, &format!("{after}\n}}}} this is no program {{{{\n"))?;
    ensure!(problem(&mut trusting)? == SAYS, "what does not build leaves the client what it had");
    dev.after(&path, &before)?;
    ensure!(problem(&mut trusting)? == SAID, "what builds again is at hand again");
    println!("    {language}: changed, broken and mended; seconds of each round: {}", dev.seconds());
    Ok(())
}

/// What the client hears to be wrong with the document.
fn problem(client: &mut Session) -> Result<String> {
    let (_, answer) =
        client.call("query", &json!({ "type": "diagnostics", "path": "today.notes", "checks": ["syntax"] }))?;
    let answer: Value = serde_json::from_str(&answer)?;
    let said = answer["result"]["data"]["diagnostics"][0]["message"].as_str();
    said.map(str::to_owned).with_context(|| format!("nothing is wrong: {answer}"))
}

/// The program that builds; it ends with this.
struct Dev {
    process: Child,
    /// A word for each round that is done.
    rounds: Receiver<()>,
    took: Vec<Duration>,
}

impl Dev {
    fn start(command: &mut Command) -> Result<Dev> {
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (told, rounds) = channel();
        let output = BufReader::new(process.stdout.take().context("it has an output")?);
        thread::spawn(move || {
            let waits = output.lines().map_while(Result::ok).filter(|line| line.contains(WAITS));
            let _ = waits.into_iter().try_for_each(|_| told.send(()));
        });
        Ok(Dev { process, rounds, took: Vec::new() })
    }

    /// Wait for the end of the round that runs.
    fn round(&mut self) -> Result<()> {
        let began = Instant::now();
        if self.rounds.recv_timeout(PATIENCE).is_err() {
            bail!("`marq plugin dev` ended, or a round takes longer than {} s", PATIENCE.as_secs());
        }
        self.took.push(began.elapsed());
        Ok(())
    }

    /// Whether no round follows the last one by itself.
    fn rests(&self) -> bool {
        self.rounds.recv_timeout(REST).is_err()
    }

    /// Write a source, and wait until it is built and tried.
    fn after(&mut self, source: &Path, text: &str) -> Result<()> {
        fs::write(source, text)?;
        self.round()
    }

    fn seconds(&self) -> String {
        let took: Vec<String> = self.took.iter().map(|took| format!("{:.1}", took.as_secs_f64())).collect();
        took.join(", ")
    }
}

impl Drop for Dev {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
