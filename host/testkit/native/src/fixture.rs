//! Several files in one text.
//!
//! ```text
//! //- /src/a.ts
//! export const a$0 = 1;
//! //- /windows.txt crlf
//! ```
//!
//! Words after a path describe how to write the file: `crlf`, `cr`, `bom`, `utf16`, `latin-1`, `no-eol` (without a line
//! break at the end), `binary` (starts like a PNG image), `-> target` (a symbolic link). `$0` marks a cursor, and two
//! of them mark a selection. These marks are not part of the file.

use std::path::Path;

/// One file of a fixture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FixtureFile {
    /// The path relative to the root.
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) marks: Vec<String>,
}

/// A cursor or selection: the file, and positions in its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub(crate) path: String,
    /// The line, from 1, and the column, from 0 in UTF-16 units.
    pub(crate) start: (usize, usize),
    pub(crate) end: (usize, usize),
}

const CURSOR: &str = "$0";

/// Parses a text that begins with a `//- ` line. Returns the files and the cursor.
pub(crate) fn parse_files(text: &str) -> (Vec<FixtureFile>, Option<Cursor>) {
    let (mut files, mut cursor) = (Vec::<FixtureFile>::new(), None);
    for line in text.split_inclusive('\n') {
        match line.strip_prefix("//- ") {
            Some(head) => {
                let (path, marks) = head.trim().split_once(' ').unwrap_or((head.trim(), ""));
                let path = path.trim_start_matches('/').to_owned();
                let marks = marks.split_whitespace().map(str::to_owned).collect();
                files.push(FixtureFile { path, text: String::new(), marks });
            }
            None => {
                let file = files.last_mut().unwrap_or_else(|| panic!("text before the first `//- ` line: {line}"));
                file.text.push_str(line);
            }
        }
    }
    for file in &mut files {
        if let Some(start) = file.text.find(CURSOR) {
            file.text.replace_range(start..start + CURSOR.len(), "");
            let end = file.text.find(CURSOR).inspect(|end| file.text.replace_range(*end..end + CURSOR.len(), ""));
            let place = |offset| position(&file.text, offset);
            cursor = Some(Cursor { path: file.path.clone(), start: place(start), end: place(end.unwrap_or(start)) });
        }
    }
    (files, cursor)
}

fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..offset];
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[start..].encode_utf16().count())
}

impl FixtureFile {
    fn has_mark(&self, mark: &str) -> bool {
        self.marks.iter().any(|known| known == mark)
    }

    /// Returns the bytes on disk.
    fn bytes(&self) -> Vec<u8> {
        let mut text = self.text.clone();
        if self.has_mark("no-eol") {
            text.truncate(text.trim_end_matches('\n').len());
        }
        if self.has_mark("crlf") {
            text = text.replace('\n', "\r\n");
        } else if self.has_mark("cr") {
            text = text.replace('\n', "\r");
        }
        if self.has_mark("utf16") {
            return [0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        }
        if self.has_mark("latin-1") {
            return text.chars().map(|c| u8::try_from(c).expect("a character of Latin-1")).collect();
        }
        let start: &[u8] = if self.has_mark("bom") { "\u{FEFF}".as_bytes() } else { b"" };
        let picture: &[u8] = if self.has_mark("binary") { b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" } else { b"" };
        [start, picture, text.as_bytes()].concat()
    }

    /// Writes the file below a folder.
    pub(crate) fn write(&self, root: &Path) {
        let path = root.join(&self.path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is made");
        if let Some(at) = self.marks.iter().position(|mark| mark == "->") {
            #[cfg(unix)]
            std::os::unix::fs::symlink(&self.marks[at + 1], path).expect("the link is made");
        } else if self.path.ends_with('/') {
            std::fs::create_dir_all(path).expect("the folder is made");
        } else {
            std::fs::write(path, self.bytes()).expect("the file is written");
        }
    }
}
