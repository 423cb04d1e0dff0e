//! Snapshots of folders, and their differences.

use std::{collections::BTreeMap, fs, path::Path};

use similar::TextDiff;

/// The files of a folder with their contents; for a symbolic link, its target.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snapshot(pub BTreeMap<String, Vec<u8>>);

impl Snapshot {
    /// Takes a snapshot of a folder.
    pub fn take(root: &Path) -> Snapshot {
        let mut files = BTreeMap::new();
        collect(root, "", &mut files);
        Snapshot(files)
    }

    /// Returns the text of a file; `None` if it does not exist.
    pub fn text(&self, path: &str) -> Option<String> {
        self.0.get(path).map(|bytes| visible_text(bytes))
    }

    /// Formats the changes between two snapshots: the moved files, then a diff of each file.
    pub fn diff(&self, after: &Snapshot) -> String {
        let (moves, mut out) = (self.moves(after), String::new());
        for (from, to) in &moves {
            out.push_str(&format!("move {from} -> {to}\n"));
        }
        let moved_from = |path: &str| moves.iter().find(|(_, to)| to == path).map(|(from, _)| from.as_str());
        let mut paths: Vec<&String> = self.0.keys().chain(after.0.keys()).collect();
        paths.sort();
        paths.dedup();
        for path in paths {
            if moves.iter().any(|(from, _)| from == path) && !after.0.contains_key(path) {
                continue;
            }
            let before = moved_from(path).or(self.0.contains_key(path).then_some(path.as_str()));
            let old = before.map(|before| visible_text(&self.0[before]));
            out.push_str(&file_diff(before, old.as_deref(), path, after.text(path).as_deref()));
        }
        out
    }

    /// Detects moved files: the same or similar text at another path.
    fn moves(&self, after: &Snapshot) -> Vec<(String, String)> {
        let gone: Vec<&String> = self.0.keys().filter(|path| !after.0.contains_key(*path)).collect();
        let mut come: Vec<&String> = after.0.keys().filter(|path| !self.0.contains_key(*path)).collect();
        let mut moves = Vec::new();
        for from in gone {
            let old = visible_text(&self.0[from]);
            let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
            let likeness = |to: &String| {
                let new = after.text(to).unwrap_or_default();
                let same_name = f32::from(u8::from(name(to) == name(from)));
                if old == new { 2.0 + same_name } else { TextDiff::from_lines(&old, &new).ratio() + same_name }
            };
            let best = come.iter().enumerate().map(|(index, to)| (index, likeness(to)));
            if let Some((index, likeness)) = best.max_by(|a, b| a.1.total_cmp(&b.1))
                && likeness > 0.4
            {
                moves.push((from.clone(), come.remove(index).clone()));
            }
        }
        moves
    }
}

fn collect(folder: &Path, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).expect("a folder that can be read") {
        let entry = entry.expect("an entry");
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().expect("a type");
        if kind.is_symlink() {
            let target = fs::read_link(entry.path()).expect("a link");
            files.insert(path, format!("-> {}", target.display()).into_bytes());
        } else if kind.is_dir() {
            collect(&entry.path(), &format!("{path}/"), files);
        } else {
            files.insert(path, fs::read(entry.path()).expect("a file that can be read"));
        }
    }
}

/// Decodes UTF-16 text that starts with a little-endian byte order mark.
pub(crate) fn utf16(bytes: &[u8]) -> Option<String> {
    let (pairs, _) = bytes.strip_prefix(&[0xFF, 0xFE])?.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|pair| u16::from_le_bytes(*pair)).collect();
    Some(String::from_utf16_lossy(&units))
}

/// Decodes text, with visible carriage returns and byte order marks.
fn visible_text(bytes: &[u8]) -> String {
    if let Some(text) = utf16(bytes) {
        return format!("<utf-16>{}", visible_text(text.as_bytes()));
    }
    String::from_utf8_lossy(bytes).replace('\u{FEFF}', "<bom>").replace('\r', "<cr>").replace('\0', "<zero>")
}

fn file_diff(before: Option<&str>, old: Option<&str>, path: &str, new: Option<&str>) -> String {
    match (old, new) {
        (Some(old), Some(new)) if old == new => String::new(),
        (None, Some(new)) => {
            let mut out = format!("new {path}\n");
            lines_of(new, "+", &mut out);
            out
        }
        (Some(old), Some(new)) => TextDiff::from_lines(old, new)
            .unified_diff()
            .context_radius(1)
            .header(&format!("a/{}", before.unwrap_or(path)), &format!("b/{path}"))
            .to_string(),
        (_, None) => format!("delete {path}\n"),
    }
}

fn lines_of(text: &str, mark: &str, out: &mut String) {
    for line in text.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, "\n\\ No newline at end of file"), |line| (line, ""));
        out.push_str(&format!("{mark}{line}{end}\n"));
    }
}
