//! Cases as text: a case says what is done and, below it, what comes of it. A test that replays cases knows nothing of the
//! files they stand in.
//!
//! ```text
//! What stands above the first case is for who reads the file.
//!
//! ==== a title
//! what is there, what is done, and what comes of it
//! ```

use std::{fs, path::Path};

/// Replay the cases of all files of a folder. `replayed` gets the title and the text of a case, and gives the text with what
/// comes of it now. With `UPDATE_EXPECT=1` that is written down.
///
/// # Panics
///
/// Where what comes of a case is something else, all of them told; where there are no cases; and where a file cannot be
/// read or written.
pub fn replay(folder: &Path, replayed: impl Fn(&str, &str) -> String) {
    let (mut wrong, mut count) = (String::new(), 0);
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut parts = text.split("==== ");
        let mut now = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (title, case) = part.split_once('\n').unwrap_or((part, ""));
            let got = replayed(title, case);
            if got.trim_end() != case.trim_end() {
                wrong.push_str(&format!("{}: {title}\n{got}\n", path.display()));
            }
            now.push_str(&format!("==== {title}\n{}\n\n", got.trim_end()));
            count += 1;
        }
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(&path, format!("{}\n", now.trim_end())).expect("cases are written");
            wrong.clear();
        }
    }
    assert!(count > 0, "{}: no cases", folder.display());
    assert!(wrong.is_empty(), "{wrong}(UPDATE_EXPECT=1 takes it)");
}
