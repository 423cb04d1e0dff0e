//! Real files to mutate: text files of moderate size, below folders.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use super::formats::{Format, format_of};
use crate::measure::sample::Random;

/// Folders whose files are generated or installed.
const SKIPPED: [&str; 4] = [".git", "node_modules", "target", "vendor"];
const SIZES: std::ops::RangeInclusive<u64> = 400..=60_000;
const MIN_LINES: usize = 15;
/// Maximum length of a line. Files with longer lines are generated or contain data.
const MAX_LINE: usize = 300;

/// The files of each format, in random order.
pub(super) struct Corpus {
    files: BTreeMap<&'static str, Vec<PathBuf>>,
}

impl Corpus {
    /// Finds the files below the folders.
    pub(super) fn new(folders: &[PathBuf], seed: u64) -> Result<Corpus> {
        let mut files: BTreeMap<&'static str, Vec<PathBuf>> = BTreeMap::new();
        for folder in folders {
            let mut waiting = vec![folder.clone()];
            while let Some(folder) = waiting.pop() {
                visit(&folder, &mut waiting, &mut files).with_context(|| folder.display().to_string())?;
            }
        }
        for (name, files) in &mut files {
            files.sort();
            shuffle(files, &mut Random::new(seed, name));
        }
        Ok(Corpus { files })
    }

    /// Returns the files of a format.
    pub(super) fn files(&self, format: &Format) -> &[PathBuf] {
        self.files.get(format.name).map_or(&[], Vec::as_slice)
    }
}

fn visit(folder: &Path, waiting: &mut Vec<PathBuf>, files: &mut BTreeMap<&'static str, Vec<PathBuf>>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        let name = entry.file_name();
        if kind.is_dir() && !SKIPPED.iter().any(|skipped| name == *skipped) {
            waiting.push(path);
        } else if kind.is_file()
            && let Some(format) = path.extension().and_then(|extension| format_of(extension.to_str()?))
            && SIZES.contains(&entry.metadata()?.len())
        {
            files.entry(format.name).or_default().push(path);
        }
    }
    Ok(())
}

fn shuffle<T>(items: &mut [T], random: &mut Random) {
    for last in (1..items.len()).rev() {
        items.swap(last, random.below(last + 1));
    }
}

/// Reads a file; `None` if it is not text with line feeds and lines of usual length.
pub(super) fn read(path: &Path) -> Result<Option<String>> {
    let bytes = fs::read(path).with_context(|| path.display().to_string())?;
    Ok(String::from_utf8(bytes).ok().filter(|text| is_usual(text)))
}

fn is_usual(text: &str) -> bool {
    text.ends_with('\n')
        && !text.contains(['\r', '\u{feff}'])
        && text.lines().count() >= MIN_LINES
        && text.lines().all(|line| line.len() <= MAX_LINE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_known_formats_are_found_in_seeded_order() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["a.ts", "b.ts", "c.ts", "d.ts", "e.zip", "node_modules/f.ts", "sub/g.ts", "h.css"] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("created");
            fs::write(path, "x\n".repeat(300)).expect("written");
        }
        fs::write(folder.path().join("small.ts"), "x\n").expect("written");
        let names = |seed| {
            let corpus = Corpus::new(&[folder.path().to_owned()], seed).expect("read");
            let files = corpus.files(format_of("ts").expect("TypeScript"));
            files.iter().map(|file| file.strip_prefix(&folder).expect("below").to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names(1), names(1));
        assert!((2..20).any(|seed| names(seed) != names(1)));
        let mut sorted = names(1);
        sorted.sort();
        assert_eq!(sorted, ["a.ts", "b.ts", "c.ts", "d.ts", "sub/g.ts"].map(PathBuf::from));
    }

    #[test]
    fn generated_and_short_texts_are_not_used() {
        let usual = "a line\n".repeat(MIN_LINES);
        assert!(is_usual(&usual));
        assert!(!is_usual("a line\n"));
        assert!(!is_usual(usual.trim_end()));
        assert!(!is_usual(&usual.replace('\n', "\r\n")));
        assert!(!is_usual(&format!("{usual}{}\n", "x".repeat(MAX_LINE + 1))));
    }
}
