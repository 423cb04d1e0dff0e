//! Compiles the runtime and the grammars of tree-sitter for the sandbox. The archives are in the repository, because
//! nothing else needs a C compiler for WebAssembly.

use std::{
    fs,
    io::{Read, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use flate2::{Compression, GzBuilder, read::GzDecoder};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{
    shell::{self, begin_step, command, top},
    tools,
};

/// The compiled archives and their digests.
const ARCHIVES: &str = "sdk/grammar/archives";
const DIGESTS: &str = "SHA256SUMS";
/// The target as the compiler names it. Its objects are linked with the C library of Rust's `wasm32-wasip2`.
const TARGET: &str = "--target=wasm32-wasi";
/// Flags for all C files: optimized like the packs, and without the checks that this compiler adds by default.
const FLAGS: [&str; 7] =
    ["-O2", "-g0", "-std=c11", "-DNDEBUG", "-D_POSIX_C_SOURCE=200112L", "-D_DEFAULT_SOURCE", "-fno-sanitize=undefined"];
/// Each archive with the crate that has its C files, the folders of headers, and the files.
const SOURCES: [(&str, &str, &[&str], &[&str]); 2] = [
    ("runtime", "tree-sitter", &["src", "include"], &["src/lib.c"]),
    ("java", "tree-sitter-java", &["src"], &["src/parser.c"]),
];

/// Compiles all archives. Writes them, or compares them with those in the repository.
pub(crate) fn run(check: bool) -> Result<()> {
    let zig = tools::install_zig()?;
    begin_step("the runtime and the grammars of tree-sitter, for the sandbox");
    let mut digests = String::new();
    for (name, package, headers, files) in SOURCES {
        let archive = compile(&zig, name, &source_folder(package)?, (headers, files))?;
        digests += &format!("{}  {name}.a\n", digest(&archive));
        let path = top().join(ARCHIVES).join(format!("{name}.a.gz"));
        if check {
            ensure!(unpack(&path)? == archive, "{} differs: run `cargo xtask grammars`", path.display());
        } else {
            let mut packed = GzBuilder::new().mtime(0).write(fs::File::create(&path)?, Compression::best());
            packed.write_all(&archive)?;
            packed.finish()?;
        }
        println!("    {name}: {} KiB, {} KiB packed", archive.len() / 1024, fs::metadata(&path)?.len() / 1024);
    }
    let path = top().join(ARCHIVES).join(DIGESTS);
    if check {
        ensure!(fs::read_to_string(&path)? == digests, "{} differs: run `cargo xtask grammars`", path.display());
        return Ok(());
    }
    fs::write(path, digests).context("the digests are written")
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unpack(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    GzDecoder::new(fs::File::open(path).with_context(|| format!("{}", path.display()))?).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The folder of a crate that cargo has fetched, in the version of the lock.
fn source_folder(package: &str) -> Result<PathBuf> {
    let output = command("cargo", &["metadata", "--format-version", "1", "--locked"]).output()?;
    let metadata: Value = serde_json::from_slice(&output.stdout).context("cargo describes the workspace")?;
    let packages = metadata["packages"].as_array().cloned().unwrap_or_default();
    let found = packages.iter().find(|one| one["name"] == package).and_then(|one| one["manifest_path"].as_str());
    let manifest = Path::new(found.with_context(|| format!("the lock does not have `{package}`"))?);
    Ok(manifest.parent().unwrap_or(manifest).to_owned())
}

/// Compiles the files of a crate to an archive, which is the same on every machine.
fn compile(zig: &Path, name: &str, from: &Path, (headers, files): (&[&str], &[&str])) -> Result<Vec<u8>> {
    let python = zig.join("python").to_string_lossy().into_owned();
    let out = top().join("target/grammars").join(name);
    fs::create_dir_all(&out)?;
    let archive = out.join(format!("{name}.a"));
    let _ = fs::remove_file(&archive);
    let include: Vec<String> = headers.iter().map(|folder| format!("-I{}", from.join(folder).display())).collect();
    let mut objects = Vec::new();
    for file in files {
        let object = out.join(Path::new(file).with_extension("o").file_name().context("a file has a name")?);
        let mut arguments = vec!["-m", "ziglang", "cc", TARGET, "-c"];
        arguments.extend(FLAGS);
        arguments.extend(include.iter().map(String::as_str));
        let (source, target) = (from.join(file).display().to_string(), object.display().to_string());
        arguments.extend([source.as_str(), "-o", &target]);
        shell::run(&python, &arguments)?;
        objects.push(target);
    }
    let archive_name = archive.display().to_string();
    let mut arguments = vec!["-m", "ziglang", "ar", "rcsD", &archive_name];
    arguments.extend(objects.iter().map(String::as_str));
    shell::run(&python, &arguments)?;
    fs::read(&archive).context("the archive was written")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_have_the_recorded_digests() {
        let folder = top().join(ARCHIVES);
        let recorded = fs::read_to_string(folder.join(DIGESTS)).expect("the digests");
        let found = SOURCES.map(|(name, ..)| {
            let archive = unpack(&folder.join(format!("{name}.a.gz"))).expect("an archive");
            format!("{}  {name}.a\n", digest(&archive))
        });
        assert_eq!(recorded, found.concat());
    }

    #[test]
    fn sources_are_those_of_the_lock() {
        for (_, package, _, files) in SOURCES {
            let folder = source_folder(package).expect(package);
            assert!(files.iter().all(|file| folder.join(file).is_file()), "{package}: {}", folder.display());
        }
    }
}
