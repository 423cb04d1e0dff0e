//! Checks of real files, for the native tests of packs. An environment variable names the folder with the files. If it
//! is not set, nothing is checked.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

/// The real files of a language.
#[derive(Debug, Clone, Copy)]
pub struct RealFiles {
    /// The environment variable with the folder, such as `MARQ_PYTHON`. If the variable with the suffix `_STEP` is set
    /// to a number `N`, only every `N`th file is checked.
    pub variable: &'static str,
    /// The file extensions of the language.
    pub extensions: &'static [&'static str],
}

impl RealFiles {
    /// Runs a check with the path and text of each file, and prints the sum of the numbers that the check returns.
    ///
    /// # Panics
    ///
    /// Panics after the last file if a check panicked, or if the folder has no files.
    pub fn check(&self, check: impl Fn(&str, &str) -> usize) {
        let Some(folder) = std::env::var_os(self.variable) else { return };
        let step = std::env::var(format!("{}_STEP", self.variable)).ok().and_then(|step| step.parse().ok());
        self.check_below(Path::new(&folder), step.unwrap_or(1), check);
    }

    #[expect(clippy::print_stdout, reason = "the counts are the result of a check on real files")]
    fn check_below(&self, folder: &Path, step: usize, check: impl Fn(&str, &str) -> usize) {
        let mut files = Vec::new();
        self.collect(folder, &mut files);
        files.sort();
        let (mut checked, mut symbols, mut failed) = (0, 0, 0);
        for file in files.iter().step_by(step) {
            let Ok(text) = std::fs::read_to_string(file) else { continue };
            match catch_unwind(AssertUnwindSafe(|| check(&file.to_string_lossy(), &text))) {
                Ok(count) => symbols += count,
                Err(_) => {
                    println!("FAILED {}", file.display());
                    failed += 1;
                }
            }
            checked += 1;
        }
        println!("checked {checked} files, {symbols} symbols, {failed} failed");
        assert!(checked > 0, "no files below {}", folder.display());
        assert_eq!(failed, 0);
    }

    fn collect(&self, folder: &Path, found: &mut Vec<PathBuf>) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let path = entry.path();
            let has_extension =
                path.extension().is_some_and(|own| self.extensions.iter().any(|extension| own == *extension));
            if path.is_dir() {
                self.collect(&path, found);
            } else if has_extension {
                found.push(path);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, path::Path};

    use super::RealFiles;

    const FILES: RealFiles = RealFiles { variable: "MARQ_NO_SUCH_VARIABLE", extensions: &["toml"] };

    #[test]
    fn files_with_the_extension_are_checked() {
        let seen = RefCell::new(Vec::new());
        let check = |path: &str, text: &str| {
            assert!(text.contains("[package]"));
            seen.borrow_mut().push(path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned());
            1
        };
        FILES.check_below(Path::new(env!("CARGO_MANIFEST_DIR")), 1, check);
        assert_eq!(*seen.borrow(), ["Cargo.toml"]);
        FILES.check(|_, _| panic!("without the variable, nothing is checked"));
    }

    #[test]
    #[should_panic(expected = "no files below")]
    fn a_folder_without_files_is_an_error() {
        FILES.check_below(Path::new("no such folder"), 1, |_, _| 0);
    }

    #[test]
    #[should_panic(expected = "left: 1")]
    fn checks_that_fail_are_counted() {
        FILES.check_below(Path::new(env!("CARGO_MANIFEST_DIR")), 1, |_, _| panic!("wrong"));
    }
}
