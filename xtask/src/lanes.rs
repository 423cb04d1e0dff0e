//! Runs independent parts of a command on two workers, and prints the output of each part when it ends.

use std::{
    collections::VecDeque,
    fs::{self, File},
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::Instant,
};

use anyhow::{Context, Result, bail};

use crate::shell::{command, end_step, top};

/// Number of parts that run at the same time.
const WORKERS: usize = 2;

/// Environment variable that is set if the caller of a part has built the packs and the program.
pub(crate) const BUILT: &str = "MARQ_XTASK_BUILT";

/// Number of lines of a failed part that are printed again at the end: a long log is often shown without its middle.
const REPEATED: usize = 60;

/// Runs `cargo xtask COMMAND PART` for all parts. The parts of one group run one after the other. Reports all failed
/// parts, and repeats the last lines of each.
pub(crate) fn run(name: &str, groups: &[&[&str]]) -> Result<()> {
    end_step();
    let folder = top().join("target").join(name).join("output");
    fs::create_dir_all(&folder)?;
    let program = std::env::current_exe()?;
    let waiting = Mutex::new(groups.iter().copied().collect::<VecDeque<&[&str]>>());
    let failed = Mutex::new(Vec::new());
    let printing = Mutex::new(());
    let run_part = |part: &str| -> Result<bool> {
        let path = folder.join(format!("{part}.txt"));
        let output = File::create(&path)?;
        let started = Instant::now();
        let mut child = command(&program.to_string_lossy(), &[name, part]);
        let status = child.env(BUILT, "1").stdout(output.try_clone()?).stderr(output).status();
        let passed = status.with_context(|| format!("`{part}` cannot be started"))?.success();
        let _turn = lock(&printing);
        print!("==> {part}\n{}", String::from_utf8_lossy(&fs::read(&path)?));
        println!("    {part}: {} in {} s", if passed { "passed" } else { "FAILED" }, started.elapsed().as_secs());
        Ok(passed)
    };
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(group) = { lock(&waiting).pop_front() } {
                    for part in group {
                        match run_part(part) {
                            Ok(true) => {}
                            Ok(false) => lock(&failed).push(*part),
                            Err(error) => {
                                println!("    {part}: {error:#}");
                                lock(&failed).push(*part);
                            }
                        }
                    }
                }
            });
        }
    });
    let failed: Vec<&str> = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    for part in &failed {
        let output = fs::read(folder.join(format!("{part}.txt")))?;
        println!("==> {part}, its last lines\n{}", last_lines(&String::from_utf8_lossy(&output), REPEATED));
    }
    let errors: Vec<String> = failed.iter().map(|part| format!("`{part}` failed")).collect();
    if errors.is_empty() { Ok(()) } else { bail!("{}", errors.join(", ")) }
}

fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::{last_lines, run};

    #[test]
    fn failed_parts_are_reported_by_name() {
        // The test binary takes its arguments as filters, and `--no-such-flag` is not one.
        let error = run("lanes-test", &[&["--no-such-flag"], &["no_test_has_this_name"]]).expect_err("one part fails");
        assert_eq!(error.to_string(), "`--no-such-flag` failed");
    }

    #[test]
    fn the_last_lines_of_a_text() {
        assert_eq!(last_lines("a\nb\nc\n", 2), "b\nc");
        assert_eq!(last_lines("a\n", 2), "a");
        assert_eq!(last_lines("", 2), "");
    }
}
