//! Where links lead: asked of the packs again only where the answer may have changed.

use std::{collections::HashSet, sync::Arc};

use marquetry_model::{
    Result, Work,
    ports::{Files, Packs},
};

use crate::{
    build::Skipped,
    cores::on_all_cores,
    entry::{Entry, Target},
    moment::Asking,
};

/// The last parts of specifiers that could mean one of these paths: a file's name with and without its extensions, and
/// the names of the folders above it (a folder may be named for its index file).
pub(crate) fn names_of<'a>(paths: impl Iterator<Item = &'a str>) -> HashSet<String> {
    let mut names = HashSet::new();
    for path in paths {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut rest = name;
        names.insert(rest.to_owned());
        while let Some((stem, _)) = rest.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()) {
            names.insert(stem.to_owned());
            rest = stem;
        }
        // `_name` is a partial of `name` in some languages.
        names.insert(rest.trim_start_matches('_').to_owned());
        names.insert(folder.rsplit('/').next().unwrap_or(folder).to_owned());
    }
    names
}

/// Whether a specifier might lead elsewhere now that files of these names came or went.
pub(crate) fn is_touched(specifier: &str, names: &HashSet<String>) -> bool {
    as_written(specifier, names) || (specifier.contains('%') && as_written(&decoded(specifier), names))
}

fn as_written(specifier: &str, names: &HashSet<String>) -> bool {
    let path = specifier.split(['#', '?']).next().unwrap_or(specifier).trim_end_matches('/');
    let mut last = path.rsplit(['/', '\\']).next().unwrap_or(path);
    if matches!(last, "" | "." | "..") {
        return true;
    }
    loop {
        if names.contains(last) || names.contains(last.trim_start_matches('_')) {
            return true;
        }
        match last.rsplit_once('.') {
            Some((stem, _)) if !stem.is_empty() => last = stem,
            _ => return false,
        }
    }
}

/// Without percent-encoding: `my%20file.md` may mean `my file.md`.
fn decoded(specifier: &str) -> String {
    let mut bytes = Vec::with_capacity(specifier.len());
    let mut rest = specifier.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = tail.get(..2).and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        match code.filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Resolve the links of entries that have no targets.
pub(crate) fn resolve_all(
    asking: &Arc<Asking>,
    packs: &dyn Packs,
    entries: &mut [Arc<Entry>],
    work: &Work,
) -> Result<Skipped> {
    let open: Vec<usize> = (0..entries.len()).filter(|index| entries[*index].targets.is_none()).collect();
    let files: Arc<dyn Files> = Arc::<Asking>::clone(asking);
    let mut skipped = Vec::new();
    let stage = work.stage("following links", open.len());
    let targets = on_all_cores(&open, |index| stage.step().and_then(|()| resolve(&files, packs, &entries[*index])));
    work.check()?;
    for (index, targets) in open.into_iter().zip(targets) {
        let entry = &entries[index];
        let targets = targets.unwrap_or_else(|error| {
            skipped.push((entry.path.clone(), error.to_string()));
            entry.links.iter().flatten().map(|_| Target::Unknown(error.to_string())).collect()
        });
        entries[index] = Arc::new(Entry { targets: Some(targets), ..entry.as_ref().clone() });
    }
    Ok(skipped)
}

fn resolve(files: &Arc<dyn Files>, packs: &dyn Packs, entry: &Entry) -> Result<Vec<Target>> {
    let links = entry.links.as_deref().unwrap_or_default();
    if links.is_empty() {
        return Ok(Vec::new());
    }
    let requests: Vec<(String, String)> =
        links.iter().map(|link| (link.kind.clone(), link.specifier.clone())).collect();
    let pack = packs.for_path(files, &entry.path)?;
    Ok(pack.resolve(&entry.path, &requests)?.into_iter().map(Target::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_specifier_is_touched_by_what_it_may_mean() {
        let names =
            names_of(["docs/my file.md", "src/user.service.ts", "styles/_base.scss", "lib/index.js"].into_iter());
        for specifier in
            ["./my%20file.md#top", "../src/user.service", "./user.service.js", "base", "../lib", ".", "./x/.."]
        {
            assert!(is_touched(specifier, &names), "{specifier}");
        }
        for specifier in ["./other", "react", "./100%25.md", "100%"] {
            assert!(!is_touched(specifier, &names), "{specifier}");
        }
    }
}
