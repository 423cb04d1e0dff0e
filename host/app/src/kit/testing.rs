//! `marq plugin test` and `marq plugin dev`: run all checks of a pack and report the results.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::mpsc,
    time::{Duration, SystemTime},
};

use marquetry_kit::{Report, Subject, TestPlan};
use marquetry_model::{Error, Result};
use notify::{RecursiveMode, Watcher};
use serde_json::json;

use super::build;
use crate::{
    config::Host,
    show::{self, Output},
};

/// Time that sources must be unchanged before a pack is built again.
const SETTLE_TIME: Duration = Duration::from_millis(200);

/// Tests a component with documents and specs. With `update`, the current answers are written to the specs.
///
/// # Errors
/// Fails if the file is not a pack, a document cannot be read, or a spec cannot be written.
pub(crate) fn test(
    host: &Host,
    file: &Path,
    documents: &[PathBuf],
    (random, update): (Duration, bool),
    output: Output,
) -> Result<ExitCode> {
    let text = |path: &PathBuf| {
        let text = fs::read_to_string(path)
            .map_err(|error| Error::argument(format!("{} cannot be read: {error}", path.display())))?;
        Ok((path.display().to_string(), text))
    };
    let files = documents.iter().map(text).collect::<Result<_>>()?;
    let subject = Subject::load(file, host.folders.cache.clone())?;
    let report = subject.run_tests(&TestPlan { files, random, update })?;
    for (path, page) in &report.updated {
        fs::write(path, page).map_err(|error| Error::argument(format!("{path} cannot be written: {error}")))?;
    }
    show_report(&subject, &report, output);
    Ok(if report.has_passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn show_report(subject: &Subject, report: &Report, output: Output) {
    let inspected = &subject.inspected;
    let verdicts: Vec<_> = report
        .verdicts
        .iter()
        .map(|verdict| json!({ "what": verdict.description, "wrong": verdict.failures }))
        .collect();
    let milliseconds = |time: Duration| (time.as_secs_f64() * 10_000.0).round() / 10.0;
    let figures = report.figures.iter().map(|figure| {
        json!({
            "document": figure.name, "bytes": figure.bytes, "firstMs": milliseconds(figure.first),
            "againMs": milliseconds(figure.again),
        })
    });
    let figures: Vec<_> = figures.collect();
    show::test_report(
        &json!({
            "plugin": inspected.description.id, "version": inspected.description.version, "bytes": inspected.bytes,
            "ok": report.has_passed(), "verdicts": verdicts, "figures": figures, "memoryBytes": report.memory,
        }),
        output,
    );
}

/// Builds and tests the pack of a folder, and repeats that whenever a source changes, until the program is stopped.
///
/// # Errors
/// Fails if the folder cannot be watched, or is not a pack.
pub(crate) fn dev(host: &Host, folder: &Path, random: Duration, output: Output) -> Result<()> {
    let (sender, changes) = mpsc::channel();
    let unwatched = |error: notify::Error| Error::argument(format!("{} cannot be watched: {error}", folder.display()));
    let mut watcher = notify::recommended_watcher(sender).map_err(unwatched)?;
    watcher.watch(folder, RecursiveMode::Recursive).map_err(unwatched)?;
    loop {
        let built = source_files(folder);
        run_once(host, folder, random, output);
        show::line("waiting for a change");
        // Changes of sources made while building and testing start another round; temporary files of the build do not.
        while source_files(folder) == built {
            if changes.recv().is_err() {
                return Ok(());
            }
            while changes.recv_timeout(SETTLE_TIME).is_ok() {}
        }
    }
}

/// Builds and tests once. Errors are printed; the next round may fix them.
fn run_once(host: &Host, folder: &Path, random: Duration, output: Output) {
    let tried = build(folder).and_then(|file| test(host, &file, &spec_files(folder), (random, false), output));
    if let Err(error) = tried {
        show::error(&error, false);
    }
}

/// Returns the specs of a folder.
fn spec_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut specs: Vec<PathBuf> = entries.filter(|path| path.to_string_lossy().ends_with(".spec.md")).collect();
    specs.sort();
    specs
}

/// Returns sizes and times of the source files of a pack.
fn source_files(folder: &Path) -> BTreeMap<PathBuf, (u64, Option<SystemTime>)> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let Ok(metadata) = entry.metadata() else { continue };
            if is_generated(&name.to_string_lossy()) {
                continue;
            }
            if metadata.is_dir() {
                folders.push(path);
            } else {
                found.insert(path, (metadata.len(), metadata.modified().ok()));
            }
        }
    }
    found
}

/// Returns whether a file or folder of this name is installed or built rather than written by the author.
fn is_generated(name: &str) -> bool {
    name.starts_with('.')
        || name.ends_with(".wasm")
        || matches!(name, "target" | "node_modules" | "__pycache__" | "dist" | "build")
        // The first build writes the resolved versions; without this exception, a second build would follow.
        || matches!(name, "Cargo.lock" | "package-lock.json")
}
