//! Runs independent parts of a command on two workers, and prints the output of each part when it ends.

use std::{
    collections::VecDeque,
    fs::{self, File},
    process::Command,
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

/// A command that runs beside others.
pub(crate) struct Part {
    /// Name in the output, such as `kit`. Names are unique.
    pub(crate) name: String,
    pub(crate) command: Command,
}

/// Runs `cargo xtask COMMAND PART` for all parts. The parts of one group run one after the other. Reports all failed
/// parts, and repeats the last lines of each.
pub(crate) fn run(name: &str, groups: &[&[&str]]) -> Result<()> {
    let program = std::env::current_exe()?.to_string_lossy().into_owned();
    let part = |part: &&str| {
        let mut command = command(&program, &[name, part]);
        command.env(BUILT, "1");
        Part { name: (*part).to_owned(), command }
    };
    run_parts(name, groups.iter().map(|group| group.iter().map(part).collect()).collect())
}

/// Runs groups of commands. Their output is written to `target/NAME/output`, and printed when each ends. Reports all failed
/// parts, and repeats the last lines of each.
pub(crate) fn run_parts(name: &str, groups: Vec<Vec<Part>>) -> Result<()> {
    end_step();
    let folder = top().join("target").join(name).join("output");
    fs::create_dir_all(&folder)?;
    let file = |part: &str| folder.join(format!("{}.txt", part.replace(['/', ' '], "-")));
    let waiting = Mutex::new(groups.into_iter().collect::<VecDeque<_>>());
    let failed = Mutex::new(Vec::new());
    let printing = Mutex::new(());
    let run_part = |Part { name, mut command }: Part| -> Result<bool> {
        let path = file(&name);
        let output = File::create(&path)?;
        let started = Instant::now();
        let status = command.stdout(output.try_clone()?).stderr(output).status();
        let passed = status.with_context(|| format!("`{name}` cannot be started"))?.success();
        let _turn = lock(&printing);
        print!("==> {name}\n{}", String::from_utf8_lossy(&fs::read(&path)?));
        println!("    {name}: {} in {} s", if passed { "passed" } else { "FAILED" }, started.elapsed().as_secs());
        Ok(passed)
    };
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(group) = { lock(&waiting).pop_front() } {
                    for part in group {
                        let name = part.name.clone();
                        let passed = run_part(part).unwrap_or_else(|error| {
                            println!("    {name}: {error:#}");
                            false
                        });
                        if !passed {
                            lock(&failed).push(name);
                        }
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    for part in &failed {
        let output = fs::read(file(part)).unwrap_or_default();
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
