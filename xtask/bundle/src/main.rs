//! Makes the plugins that a program contains: `NAME.info`, `NAME.wasm.zst`, `NAME.code.zst` and `NAME.sha256` for each,
//! in a folder that the build of the program reads (`MARQ_BUNDLE`).

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result, anyhow};
use clap::Parser;
use marquetry_runtime::PluginParts;

/// Compression level of zstd. Decompression is equally fast at every level.
const LEVEL: i32 = 19;

#[derive(Parser)]
#[command(name = "bundle", about = "Makes the plugins that a program contains")]
struct Flags {
    /// The target of the program, as rustc names it
    #[arg(long)]
    target: String,
    /// The folder for the parts
    #[arg(long)]
    out: PathBuf,
    /// The plugins, as NAME=FILE
    plugins: Vec<String>,
}

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "the output of the program")]
fn main() -> ExitCode {
    let flags = Flags::parse();
    for plugin in &flags.plugins {
        match make(plugin, &flags.target, &flags.out) {
            Ok(line) => println!("{line}"),
            Err(error) => {
                eprintln!("error: {plugin}: {error:#}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

/// Makes the parts of one plugin. Returns a line with their sizes. Parts that the same engine made from the same bytes are
/// kept.
fn make(plugin: &str, target: &str, out: &Path) -> Result<String> {
    let (name, file) = plugin.split_once('=').context("it must be NAME=FILE")?;
    let bytes = fs::read(file).with_context(|| format!("{file} cannot be read"))?;
    fs::create_dir_all(out).with_context(|| format!("{} cannot be created", out.display()))?;
    let place = |extension: &str| out.join(format!("{name}.{extension}"));
    let write = |extension: &str, content: &[u8]| {
        fs::write(place(extension), content)
            .with_context(|| format!("{} cannot be written", place(extension).display()))
    };
    let key = PluginParts::key(target).map_err(|error| anyhow!("{error}"))?;
    let made_for = format!("{}\n{key}\n", marquetry_runtime::digest(&bytes));
    if fs::read_to_string(place("made")).is_ok_and(|made| made == made_for) {
        return Ok(format!("{name:<12} unchanged"));
    }
    // An interrupted run leaves no mark, so the parts are made again.
    _ = fs::remove_file(place("made"));
    let parts = PluginParts::build(name, &bytes, target).map_err(|error| anyhow!("{error}"))?;
    let code = compress(&parts.code)?;
    write("info", &parts.info)?;
    write("sha256", parts.sha256.as_bytes())?;
    write("wasm.zst", &compress(&bytes)?)?;
    write("code.zst", &code)?;
    write("made", made_for.as_bytes())?;
    Ok(format!("{name:<12} {:>9} bytes of code, {:>8} compressed", parts.code.len(), code.len()))
}

fn compress(bytes: &[u8]) -> Result<Vec<u8>> {
    zstd::bulk::compress(bytes, LEVEL).context("it cannot be compressed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_no_plugins_leave_no_parts() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("p.wasm");
        fs::write(&file, "text").expect("written");
        let error = make(&format!("p={}", file.display()), "x86_64-unknown-linux-gnu", folder.path());
        assert!(error.expect_err("no plugin").to_string().contains("plugin `p` is not WebAssembly"));
        assert!(!folder.path().join("p.code.zst").exists());
        assert!(make("p", "x86_64-unknown-linux-gnu", folder.path()).is_err());
    }

    #[test]
    fn compressed_parts_are_restored() {
        let text = "the same words, the same words, the same words".repeat(100);
        let small = compress(text.as_bytes()).expect("compressed");
        assert!(small.len() < text.len() / 10);
        assert_eq!(zstd::bulk::decompress(&small, text.len()).expect("restored"), text.as_bytes());
    }
}
