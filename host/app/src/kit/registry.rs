//! The registry of a project: plugins added, taken over as they are now, and removed. Whatever else its file says stays.

use std::{path::Path, sync::Arc};

use marquetry_model::{Change, Error, Kind, Result, Step, Work, nearest::nearest, ports::Files};
use marquetry_runtime::Inspected;
use toml_edit::{Array, DocumentMut, Item, Table, value};

use crate::{
    config::{self, Host},
    show,
};

const REGISTRY: &str = "registry.toml";
const LOCK: &str = "registry.lock";

/// Add a component to the project's registry.
///
/// # Errors
/// It is no pack, it wants what is not granted with the call, or the registry has a plugin of the name.
pub(crate) fn add(host: &Host, file: &Path, grants: &[String]) -> Result<()> {
    let (files, file) = (host.bench.files(None)?, config::absolute(file)?);
    let inspected = host.packs.inspect(&file)?;
    let id = inspected.description.id.clone();
    if let Some(missing) = inspected.wants.iter().find(|wanted| !grants.contains(wanted)) {
        return Err(Error::new(Kind::PermissionDenied, format!("plugin `{id}` wants to look at the workspace"))
            .hint(format!("if it may, say so: `marq plugin add {} --grant {missing}`", file.display())));
    }
    let mut registry = registry(&files)?;
    if own(&registry, &id).is_some() {
        return Err(Error::new(Kind::InvalidArgument, format!("{REGISTRY} has a plugin `{id}`")).hint(format!(
            "`marq plugin update {id}` takes over what its file says now, `marq plugin remove {id}` removes it"
        )));
    }
    let root = Path::new(files.root());
    let inside = file.strip_prefix(root).map(|path| format!("./{}", path.display()));
    let source = format!("path:{}", inside.unwrap_or_else(|_| file.display().to_string()).replace('\\', "/"));
    let mut entry = Table::new();
    entry.insert("source", value(source));
    entry.insert("version", value(requirement(&inspected)));
    if !grants.is_empty() {
        entry.insert("grants", value(grants.iter().map(String::as_str).collect::<Array>()));
    }
    let plugins = registry.entry("plugins").or_insert_with(|| {
        let mut plugins = Table::new();
        plugins.set_implicit(true);
        Item::Table(plugins)
    });
    let plugins =
        plugins.as_table_mut().ok_or_else(|| Error::argument(format!("{REGISTRY}: `plugins` is no table")))?;
    plugins.insert(&id, Item::Table(entry));
    write(&files, REGISTRY, &registry.to_string(), &format!("Added the plugin {id}"))?;
    show::line(&format!(
        "added `{id}` {} to {REGISTRY}: {}",
        inspected.description.version,
        inspected.description.files.join(" ")
    ));
    relock(host, &files)
}

/// Take over what the files of the project's own plugins say now.
///
/// # Errors
/// There is no such plugin, or its file is no pack any more.
pub(crate) fn update(host: &Host, id: Option<&str>) -> Result<()> {
    let files = host.bench.files(None)?;
    let mut registry = registry(&files)?;
    let root = Path::new(files.root());
    let all: Vec<String> = registry.get("plugins").and_then(Item::as_table_like).into_iter().flat_map(names).collect();
    if let Some(id) = id.filter(|id| !all.iter().any(|known| known == id)) {
        return Err(unknown(id, all));
    }
    for name in all.iter().filter(|name| id.is_none_or(|id| id == *name)) {
        let Some(entry) = own(&registry, name) else { continue };
        let source = entry.get("source").and_then(Item::as_str).unwrap_or_default();
        let Some(path) = source.strip_prefix("path:") else {
            if id.is_some() {
                return Err(
                    Error::argument(format!("`{name}` comes with marq")).hint("a newer marq brings a newer one")
                );
            }
            continue;
        };
        let inspected = host.packs.inspect(&root.join(path))?;
        let (wanted, now) = (entry.get("version").and_then(Item::as_str).unwrap_or_default(), requirement(&inspected));
        show::line(&format!("`{name}` is {}, sha256 {}", inspected.description.version, inspected.sha256));
        if wanted != now {
            registry["plugins"][name.as_str()]["version"] = value(now);
        }
    }
    let text = registry.to_string();
    if files.read(REGISTRY).is_ok_and(|source| *source.text != *text) {
        write(&files, REGISTRY, &text, "Updated the plugins")?;
    }
    relock(host, &files)
}

/// Take a plugin out of the project's registry. Its file stays.
///
/// # Errors
/// The registry has no such plugin.
pub(crate) fn remove(host: &Host, id: &str) -> Result<()> {
    let files = host.bench.files(None)?;
    let mut registry = registry(&files)?;
    let plugins = registry.get_mut("plugins").and_then(Item::as_table_like_mut);
    let all: Vec<String> = plugins.iter().flat_map(|plugins| plugins.iter().map(|(name, _)| name.to_owned())).collect();
    if plugins.and_then(|plugins| plugins.remove(id)).is_none() {
        return Err(unknown(id, all));
    }
    write(&files, REGISTRY, &registry.to_string(), &format!("Removed the plugin {id}"))?;
    show::line(&format!("removed `{id}` from {REGISTRY}; its file is where it was"));
    relock(host, &files)
}

/// A requirement that takes what is compatible with a plugin's version.
fn requirement(inspected: &Inspected) -> String {
    let parts: Vec<&str> = inspected.description.version.split('.').collect();
    format!("^{}", parts.iter().take(2).copied().collect::<Vec<_>>().join("."))
}

fn own<'a>(registry: &'a DocumentMut, id: &str) -> Option<&'a Item> {
    registry.get("plugins")?.get(id)
}

fn names(table: &dyn toml_edit::TableLike) -> Vec<String> {
    table.iter().map(|(name, _)| name.to_owned()).collect()
}

fn unknown(id: &str, all: Vec<String>) -> Error {
    let near = nearest(id, all.clone());
    Error::argument(format!("{REGISTRY} has no plugin `{id}`"))
        .hint("`marq plugin list` shows the plugins of the project and where they come from")
        .candidates(if near.is_empty() { all } else { near })
}

/// The project's registry; a new one where there is none.
fn registry(files: &Arc<dyn Files>) -> Result<DocumentMut> {
    let text = match files.read(REGISTRY) {
        Ok(source) => source.text.to_string(),
        Err(error) if error.kind() == Kind::FileNotFound => "marquetry = 1\n".to_owned(),
        Err(error) => return Err(error),
    };
    if !marquetry_runtime::registry::is_registry(&text) {
        return Err(Error::argument(format!("{REGISTRY} is another program's file: it has no line `marquetry = 1`"))
            .hint("add the line if the file is for marq"));
    }
    text.parse::<DocumentMut>().map_err(|error| Error::new(Kind::ParseError, format!("{REGISTRY}: {error}")))
}

/// Write the lock anew where there is one, and say what is still to be done.
fn relock(host: &Host, files: &Arc<dyn Files>) -> Result<()> {
    if files.read(LOCK).is_ok() {
        match lock(host, files) {
            Ok(()) => show::line(&format!("wrote {LOCK}")),
            Err(error) => show::line(&format!(
                "{LOCK} is as it was ({}): run `marq plugin lock` afterwards",
                error.content().message
            )),
        }
    }
    let demands = host.packs.demands(files)?;
    if demands.word == marquetry_runtime::Word::Unasked && !demands.list.is_empty() {
        show::line("the project asks for what only you may give: `marq trust` shows it, `marq trust --allow` gives it");
    }
    Ok(())
}

/// Write `registry.lock` for the plugins as they are.
///
/// # Errors
/// A plugin cannot be used.
pub(crate) fn lock(host: &Host, files: &Arc<dyn Files>) -> Result<()> {
    let lock = format!("# Written by `marq plugin lock`.\n{}", host.packs.lock_of(files)?);
    write(files, LOCK, &lock, "Locked the plugins")
}

fn write(files: &Arc<dyn Files>, path: &str, text: &str, title: &str) -> Result<()> {
    let content = text.as_bytes().to_vec();
    let step = Step::Create { path: path.to_owned(), content, overwrite: true, directories: false };
    let (change, work) = (Change { title: title.to_owned(), steps: vec![step] }, Work::default());
    work.call_of(config::PROGRAM);
    work.sign("plugin", path, None);
    files.apply(&change, false, &work)?;
    Ok(())
}
