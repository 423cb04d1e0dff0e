//! The oracle: what Extism's own host answers to the modules of the sandbox's tests.
//!
//! `marquetry-oracle TREE` prints the transcript of the tree with what Extism answers now, and fails where the example pack
//! is not answered as its own transcript says. It is no part of `make test`, for the crate brings an engine of its own.

mod transcript;

use std::{env, fs, path::Path};

use anyhow::{Context, Result, ensure};
use extism::{Manifest, Plugin, PluginBuilder, Wasm};
use transcript::{Host, Line, Module, PAGES, Side, logged, replay};

/// What both hosts answer to modules that are written out as text.
const TRANSCRIPT: &str = "host/runtime/tests/extism/oracle.txt";
/// A pack that a PDK made, and the calls of it.
const PACK: &str = "host/runtime/tests/extism/properties.wasm";
const PACK_TRANSCRIPT: &str = "examples/packs/properties-extism/transcript.txt";
/// Where Extism's functions log.
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

/// The calls of the example pack, each followed by its answer.
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

/// Extism's own host, with a module.
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
            // Where its own failures happened is told where the environment asks for it.
            line.truncate(line.find("\n\nStack backtrace:").unwrap_or(line.len()));
        }
        // The cause: above it stand the functions that were called.
        (log, ended.map_err(|error| error.root_cause().to_string()))
    }
}
