//! Runs the Extism tests of the sandbox on Extism's own host.
//!
//! `marquetry-oracle TREE` prints the transcript of the repository with the answers of Extism. Fails if the answers for
//! the example pack differ from its own transcript. Not part of `make test`, because it depends on a different engine.

mod transcript;

use std::{env, fs, path::Path};

use anyhow::{Context, Result, ensure};
use extism::{Manifest, Plugin, PluginBuilder, Wasm};
use transcript::{Host, Line, Module, PAGES, Side, logged, replay};

/// The transcript of modules written as text.
const TRANSCRIPT: &str = "host/runtime/tests/extism/oracle.txt";
/// A pack built with a PDK, with its calls.
const PACK: &str = "host/runtime/tests/extism/properties.wasm";
const PACK_TRANSCRIPT: &str = "examples/packs/properties-extism/transcript.txt";
/// The log target of Extism's functions.
const LOG: &str = "extism::pdk";

fn main() -> Result<()> {
    let top = env::args().nth(1).context("usage: marquetry-oracle TREE")?;
    let read = |file: &str| fs::read(Path::new(&top).join(file)).with_context(|| file.to_owned());
    check_pack(read(PACK)?, &String::from_utf8(read(PACK_TRANSCRIPT)?)?)?;
    let text = String::from_utf8(read(TRANSCRIPT)?)?;
    let now = replay(&text, Side::Extism, |module| match Extism::start(module) {
        Ok(host) => Box::new(host),
        Err(error) => panic!("Extism does not take a module: {error:#}"),
    });
    print!("{now}");
    Ok(())
}

/// Checks the answers of the example pack, which follow each call in the transcript.
fn check_pack(wasm: Vec<u8>, transcript: &str) -> Result<()> {
    let mut plugin = plugin(Manifest::new([Wasm::data(wasm)]))?;
    let mut lines = transcript.lines();
    while let (Some(asked), Some(answered)) = (lines.next(), lines.next()) {
        let call = asked.strip_prefix("> ").and_then(|call| call.split_once(' '));
        let (function, input) = call.with_context(|| format!("no call: {asked}"))?;
        let output = plugin.call::<String, String>(function, serde_json::from_str(input)?)?;
        ensure!(output == serde_json::from_str::<String>(answered)?, "{asked}\nis answered {output}");
    }
    Ok(())
}

fn plugin(manifest: Manifest) -> Result<Plugin> {
    PluginBuilder::new(manifest.with_memory_max(PAGES)).with_wasi(true).with_cache_disabled().build()
}

/// Extism's own host with a module.
struct Extism(Plugin);

impl Extism {
    fn start(module: &Module) -> Result<Extism> {
        let settings = module.settings.as_object().context("settings are an object")?;
        let settings = settings.iter().map(|(name, value)| (name, value.as_str().unwrap_or_default()));
        let manifest = Manifest::new([Wasm::data(module.wasm())]).with_config(settings);
        plugin(manifest).map(Extism)
    }
}

impl Host for Extism {
    fn call(&mut self, function: &str, input: &[u8]) -> (Vec<Line>, Result<Vec<u8>, String>) {
        let (ended, mut log) = logged(LOG, || self.0.call::<&[u8], Vec<u8>>(function, input));
        for (_, line) in &mut log {
            // If a certain environment variable is set, the message contains a backtrace.
            line.truncate(line.find("\n\nStack backtrace:").unwrap_or(line.len()));
        }
        // The root cause; the outer errors only list the called functions.
        (log, ended.map_err(|error| error.root_cause().to_string()))
    }
}
