//! Test cases in text files: a case describes an input and, below it, the expected output. The format of both is up to
//! the test.
//!
//! ```text
//! Text above the first case is for people who read the file.
//!
//! ==== a title
//! the input, the calls, and the expected output
//! ```

use std::{fs, path::Path};

/// Replays the cases in all files of a folder. `replayed` receives the title and text of a case and returns the text
/// with the actual output. With `UPDATE_EXPECT=1`, the files are rewritten with it.
///
/// # Panics
///
/// Panics with all differences if actual and expected output differ. Also panics if the folder contains no cases, or if
/// a file cannot be read or written.
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
    assert!(wrong.is_empty(), "{wrong}(UPDATE_EXPECT=1 accepts the actual output)");
}
