//! `marq plugin` for plugin authors, and for the registry of a project.

mod build;
mod registry;
mod sources;
mod testing;

use std::{
    fs,
    path::{Path, PathBuf},
};

use marquetry_model::{Error, Kind, Result};
use marquetry_runtime::InspectedPlugin;
use marquetry_scaffold as scaffold;
use serde_json::json;

pub(crate) use build::build;
pub(crate) use registry::{add, lock, remove, update};
pub(crate) use sources::{download_locked, publish, search};
pub(crate) use testing::{dev, test};

use crate::{
    config::Host,
    flags::plugin::Language,
    show::{self, Output},
};

/// Creates a folder with a new pack.
///
/// # Errors
/// Fails if the name is invalid, the folder is not empty, or it cannot be written.
pub(crate) fn new(name: &str, language: Language, to: Option<&Path>) -> Result<()> {
    if !scaffold::is_name(name) {
        return Err(Error::argument(format!("`{name}` is not a valid name for a pack"))
            .hint("use lower-case letters, digits and dashes, as in `toml` or `git-config`"));
    }
    let folder = to.map_or_else(|| PathBuf::from(name), Path::to_owned);
    if fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(Error::new(Kind::InvalidArgument, format!("{} is not empty", folder.display()))
            .hint("give another folder with `--to`"));
    }
    let language = match language {
        Language::Rust => scaffold::Language::Rust,
        Language::Grammar => scaffold::Language::Grammar,
        Language::Js => scaffold::Language::JavaScript,
        Language::Python => scaffold::Language::Python,
        Language::Extism => scaffold::Language::Extism,
    };
    let files = scaffold::files(language, name);
    for (path, text) in &files {
        let path = folder.join(path);
        let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text));
        written.map_err(|error| Error::argument(format!("{} cannot be written: {error}", path.display())))?;
    }
    let shown = folder.display();
    show::line(&format!("created {shown}: {} files, with the SDK in {shown}/sdk", files.len()));
    show::line(&format!("next: cd {shown} && marq plugin build && marq plugin test {name}.wasm {name}.spec.md"));
    Ok(())
}

/// Describes a component.
///
/// # Errors
/// Fails if the file is not a language pack.
pub(crate) fn info(host: &Host, file: &Path, output: Output) -> Result<()> {
    let InspectedPlugin {
        description,
        sha256,
        bytes,
        interfaces,
        imports,
        needed_grants: wants,
        declares_files: says_files,
        ..
    } = host.packs.inspect(file)?;
    let targets: Vec<&str> = description.targets.iter().map(|target| target.kind.name()).collect();
    let rows = [
        ("id", json!(description.id)),
        ("name", json!(description.name)),
        ("version", json!(description.version)),
        ("files", json!(description.files)),
        ("targets", json!(targets)),
        ("interfaces", json!(interfaces)),
        ("refactors", json!(description.refactors.iter().map(|refactor| &refactor.id).collect::<Vec<_>>())),
        ("imports", json!(imports)),
        ("wants", json!(wants)),
        ("saysFilesUnasked", json!(says_files)),
        ("bytes", json!(bytes)),
        ("sha256", json!(sha256)),
    ];
    show::rows(&rows, output);
    Ok(())
}
