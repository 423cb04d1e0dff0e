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

/// Runs `cargo xtask COMMAND PART` for all parts. The parts of one group run one after the other. Reports all failed
/// parts.
pub(crate) fn run(name: &str, groups: &[&[&str]]) -> Result<()> {
    end_step();
    let folder = top().join("target").join(name).join("output");
    fs::create_dir_all(&folder)?;
    let program = std::env::current_exe()?;
    let waiting = Mutex::new(groups.iter().copied().collect::<VecDeque<&[&str]>>());
    let failed = Mutex::new(Vec::new());
    let printing = Mutex::new(());
    let run_part = |part: &str| -> Result<()> {
        let path = folder.join(format!("{part}.txt"));
        let output = File::create(&path)?;
        let started = Instant::now();
        let mut child = command(&program.to_string_lossy(), &[name, part]);
        let status = child.env(BUILT, "1").stdout(output.try_clone()?).stderr(output).status();
        let passed = status.with_context(|| format!("`{part}` cannot be started"))?.success();
        let _turn = lock(&printing);
        print!("==> {part}\n{}", String::from_utf8_lossy(&fs::read(&path)?));
        println!("    {part}: {} in {} s", if passed { "passed" } else { "FAILED" }, started.elapsed().as_secs());
        if passed { Ok(()) } else { bail!("`{part}` failed") }
    };
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(group) = { lock(&waiting).pop_front() } {
                    for part in group {
                        if let Err(error) = run_part(part) {
                            lock(&failed).push(error.to_string());
                        }
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    if failed.is_empty() { Ok(()) } else { bail!("{}", failed.join(", ")) }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::run;

    #[test]
    fn failed_parts_are_reported_by_name() {
        // The test binary takes its arguments as filters, and `--no-such-flag` is not one.
        let error = run("lanes-test", &[&["--no-such-flag"], &["no_test_has_this_name"]]).expect_err("one part fails");
        assert_eq!(error.to_string(), "`--no-such-flag` failed");
    }
}
