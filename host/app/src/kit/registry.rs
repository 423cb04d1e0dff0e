//! Changes the registry of a project: adds, updates and removes plugins. The rest of the file is unchanged.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use marquetry_model::{Change, Error, Kind, Result, Step, Work, escape::escape_line, ports::Files, source::Source};
use marquetry_runtime::{InspectedPlugin, LockedPlugin, registry::Registry};
use toml_edit::{Array, DocumentMut, Item, Table, value};

use super::sources::{self, REGISTRY, Requirements, unknown_plugin};
use crate::{
    config::{self, Host},
    flags::plugin::Add,
    show,
};

const LOCK: &str = "registry.lock";

/// Adds a plugin to the project's registry.
///
/// # Errors
/// Fails if the plugin cannot be downloaded, is not a pack, lacks the required signature, needs grants that the call
/// does not give, or the registry already has a plugin of this name.
pub(crate) fn add(host: &Host, arguments: &Add) -> Result<()> {
    let files = host.bench.files(None)?;
    let (root, source) = (Path::new(files.root()), sources::parse_source(&arguments.source)?);
    let mut registry = read_registry(&files)?;
    if let (Some(name), Some(key)) = (&arguments.signed_by, &arguments.minisign) {
        add_signer(&mut registry, name, key)?;
    }
    let wanted = Requirements {
        version: arguments.version.as_deref(),
        sha256: arguments.sha256.as_deref(),
        signer: arguments.signed_by.as_deref(),
        signers: &parse_signers(&registry, root)?,
    };
    let (inspected, mut locked) = sources::fetch_plugin(host, &source, &wanted)?;
    let id = inspected.description.id.clone();
    if let Some(missing) = inspected.needed_grants.iter().find(|wanted| !arguments.grant.contains(wanted)) {
        return Err(Error::new(
            Kind::PermissionDenied,
            format!("plugin `{id}` requests the permission to read the workspace"),
        )
        .hint(format!("to grant it: `marq plugin add {} --grant {missing}`", arguments.source)));
    }
    if own_entry(&registry, &id).is_some() {
        return Err(Error::new(Kind::InvalidArgument, format!("{REGISTRY} already has a plugin `{id}`")).hint(
            format!("`marq plugin update {id}` accepts its current file, `marq plugin remove {id}` removes it"),
        ));
    }
    let written = match &source {
        Source::Path(file) => {
            let inside = file.strip_prefix(root).map(|path| format!("./{}", path.display()));
            format!("path:{}", inside.unwrap_or_else(|_| file.display().to_string()).replace('\\', "/"))
        }
        source => source.relative_to(root),
    };
    let mut entry = Table::new();
    entry.insert("source", value(written));
    entry.insert("version", value(arguments.version.clone().unwrap_or_else(|| requirement(&inspected))));
    for (key, given) in [("sha256", &arguments.sha256), ("signed-by", &arguments.signed_by)] {
        if let Some(given) = given {
            entry.insert(key, value(given));
        }
    }
    if !arguments.grant.is_empty() {
        entry.insert("grants", value(arguments.grant.iter().map(String::as_str).collect::<Array>()));
    }
    table_mut(&mut registry, "plugins")?.insert(&id, Item::Table(entry));
    write_file(&files, REGISTRY, &registry.to_string(), &format!("Added the plugin {id}"))?;
    show::line(&format!(
        "added `{id}` {} to {REGISTRY}: {}",
        inspected.description.version,
        escape_line(&inspected.description.files.join(" "))
    ));
    let declared = inspected.declares_files.then_some(inspected.description.files);
    for note in host.packs.plugin_notes(&files, &id, declared)? {
        show::line(&format!("  {}", escape_line(&note)));
    }
    if let Some(name) = &arguments.signed_by {
        show::line(&format!("it is signed by `{name}`"));
    }
    locked.source = source.relative_to(root);
    update_lock(host, &files, &BTreeMap::from([(id, locked)]), source.is_downloaded())
}

/// Adds a signer with a key. An existing signer must have the same key.
fn add_signer(registry: &mut DocumentMut, name: &str, key: &str) -> Result<()> {
    let signers = table_mut(registry, "signers")?;
    if let Some(known) = signers.get(name) {
        let same = known.get("minisign").and_then(Item::as_str) == Some(key);
        return if same {
            Ok(())
        } else {
            Err(Error::new(Kind::InvalidArgument, format!("{REGISTRY} already has a signer `{name}` with another key"))
                .hint("if the signer has a new key, change it in the registry; otherwise use another name"))
        };
    }
    let mut signer = Table::new();
    signer.insert("minisign", value(key));
    signers.insert(name, Item::Table(signer));
    Ok(())
}

/// Returns a table of the registry, creating it if it is missing.
fn table_mut<'r>(registry: &'r mut DocumentMut, name: &str) -> Result<&'r mut Table> {
    let made = registry.entry(name).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    made.as_table_mut().ok_or_else(|| Error::argument(format!("{REGISTRY}: `{name}` is not a table")))
}

/// Parses the registry, merged over the default one, for its signers.
fn parse_signers(registry: &DocumentMut, root: &Path) -> Result<Registry> {
    let mut all = Registry::parse(marquetry::DEFAULT_REGISTRY, root, "the default registry")?;
    all.extend(&registry.to_string(), root, REGISTRY)?;
    Ok(all)
}

/// Updates the plugins of the project that are not bundled: reads changed files again, and downloads the newest
/// versions of the others.
///
/// # Errors
/// Fails if there is no such plugin, it cannot be downloaded, or its source no longer has a pack or has another pack.
pub(crate) fn update(host: &Host, id: Option<&str>) -> Result<()> {
    let files = host.bench.files(None)?;
    let mut registry = read_registry(&files)?;
    let (root, mut given) = (Path::new(files.root()), BTreeMap::new());
    let all: Vec<String> =
        registry.get("plugins").and_then(Item::as_table_like).into_iter().flat_map(entry_names).collect();
    if let Some(id) = id.filter(|id| !all.iter().any(|known| known == id)) {
        return Err(unknown_plugin(id, all));
    }
    let mut is_any_brought = false;
    for brought in host.packs.external_plugins(&files)? {
        is_any_brought = true;
        if id.is_none_or(|id| id == brought.id) {
            let locked = sources::update(host, &brought, &parse_signers(&registry, root)?)?;
            given.insert(brought.id, locked);
        }
    }
    for name in all.iter().filter(|name| id.is_none_or(|id| id == *name) && !given.contains_key(*name)) {
        let Some(entry) = own_entry(&registry, name) else { continue };
        let source = entry.get("source").and_then(Item::as_str).unwrap_or_default();
        let Some(path) = source.strip_prefix("path:") else {
            if id.is_some() {
                return Err(Error::argument(format!("`{name}` is bundled with marq"))
                    .hint("update marq to get a newer version"));
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
        write_file(&files, REGISTRY, &text, "Updated the plugins")?;
    }
    update_lock(host, &files, &given, is_any_brought)
}

/// Removes a plugin from the project's registry, but not its file.
///
/// # Errors
/// Fails if the registry has no such plugin.
pub(crate) fn remove(host: &Host, id: &str) -> Result<()> {
    let files = host.bench.files(None)?;
    let mut registry = read_registry(&files)?;
    let plugins = registry.get_mut("plugins").and_then(Item::as_table_like_mut);
    let all: Vec<String> = plugins.iter().flat_map(|plugins| plugins.iter().map(|(name, _)| name.to_owned())).collect();
    if plugins.and_then(|plugins| plugins.remove(id)).is_none() {
        return Err(unknown_plugin(id, all));
    }
    write_file(&files, REGISTRY, &registry.to_string(), &format!("Removed the plugin {id}"))?;
    show::line(&format!("removed `{id}` from {REGISTRY}; its file was kept"));
    update_lock(host, &files, &BTreeMap::new(), false)
}

/// Returns a requirement for versions compatible with a plugin's version.
fn requirement(inspected: &InspectedPlugin) -> String {
    let parts: Vec<&str> = inspected.description.version.split('.').collect();
    format!("^{}", parts.iter().take(2).copied().collect::<Vec<_>>().join("."))
}

fn own_entry<'a>(registry: &'a DocumentMut, id: &str) -> Option<&'a Item> {
    registry.get("plugins")?.get(id)
}

fn entry_names(table: &dyn toml_edit::TableLike) -> Vec<String> {
    table.iter().map(|(name, _)| name.to_owned()).collect()
}

/// Returns the project's registry, or a new one.
fn read_registry(files: &Arc<dyn Files>) -> Result<DocumentMut> {
    let text = match files.read(REGISTRY) {
        Ok(source) => source.text.to_string(),
        Err(error) if error.kind() == Kind::FileNotFound => "marquetry = 1\n".to_owned(),
        Err(error) => return Err(error),
    };
    if !marquetry_runtime::registry::is_registry(&text) {
        return Err(Error::argument(format!("{REGISTRY} is not a file of marq: it has no line `marquetry = 1`"))
            .hint("if the file is for marq, add this line"));
    }
    text.parse::<DocumentMut>()
        .map_err(|error| Error::new(Kind::ParseError, format!("{REGISTRY}: {}", error.message())).escaped())
}

/// Updates the lock if one exists or is needed, and prints a note about permissions that need approval.
fn update_lock(
    host: &Host,
    files: &Arc<dyn Files>,
    given: &BTreeMap<String, LockedPlugin>,
    needed: bool,
) -> Result<()> {
    let has_lock = files.read(LOCK).is_ok();
    if has_lock && given.is_empty() && !host.packs.has_own_plugins(files)? {
        // All plugins are bundled, so nothing is left to lock.
        commit(files, Step::Delete { path: LOCK.to_owned(), recursive: false }, LOCK, "Removed the lock")?;
        show::line(&format!("removed {LOCK}: all plugins are bundled with marq"));
    } else if needed || has_lock {
        match lock(host, files, given) {
            Ok(()) => show::line(&format!("wrote {LOCK}")),
            Err(error) => show::line(&format!(
                "{LOCK} was not updated ({}): correct that, then run `marq plugin lock`",
                error.content().message
            )),
        }
    }
    let demands = host.packs.requested_permissions(files)?;
    if demands.approval == marquetry_runtime::Approval::Unasked && !demands.list.is_empty() {
        show::line(
            "the project requests permissions that need your approval: `marq trust` lists them, `marq trust --allow` \
             approves them",
        );
    }
    Ok(())
}

/// Writes `registry.lock` for the current plugins and the given ones.
///
/// # Errors
/// Fails if a plugin cannot be used.
pub(crate) fn lock(host: &Host, files: &Arc<dyn Files>, given: &BTreeMap<String, LockedPlugin>) -> Result<()> {
    let lock = format!("# Written by `marq plugin lock`.\n{}", host.packs.lock_text_with(files, given)?);
    write_file(files, LOCK, &lock, "Locked the plugins")
}

fn write_file(files: &Arc<dyn Files>, path: &str, text: &str, title: &str) -> Result<()> {
    let content = text.as_bytes().to_vec();
    commit(files, Step::Create { path: path.to_owned(), content, overwrite: true, directories: false }, path, title)
}

fn commit(files: &Arc<dyn Files>, step: Step, path: &str, title: &str) -> Result<()> {
    let (change, work) = (Change { title: title.to_owned(), steps: vec![step] }, Work::default());
    work.set_client(config::PROGRAM);
    work.set_origin("plugin", path, None);
    files.apply(&change, false, &work)?;
    Ok(())
}
