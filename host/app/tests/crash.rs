//! Tests that a large change is applied completely or not at all if the program is killed at any moment.

use std::{
    env, fs, thread,
    time::{Duration, Instant},
};

use crate::common::{Project, Texts};

/// Number of files that import `src/shared.ts` and are edited when it moves.
const FILES: usize = 500;

/// A deterministic pseudo-random generator.
struct Random(u64);

impl Random {
    fn below(&mut self, most: Duration) -> Duration {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        most.mul_f64((self.0 >> 11) as f64 / (1_u64 << 53) as f64)
    }
}

const MOVE: [&str; 3] = ["move", "src/shared.ts", "lib/deep/shared.ts"];
const BACK: [&str; 3] = ["move", "lib/deep/shared.ts", "src/shared.ts"];

/// Measures how long a move takes, and which part of that is the change itself.
fn measured(project: &Project, arguments: &[&str]) -> (Duration, Duration) {
    let start = Instant::now();
    let mut child = project.start(arguments);
    let mut begun = None;
    while child.try_wait().expect("a child").is_none() {
        if begun.is_none() && is_pending(project) {
            begun = Some(start.elapsed());
        }
        thread::sleep(Duration::from_micros(200));
    }
    let all = start.elapsed();
    (all, all - begun.unwrap_or(all))
}

fn is_pending(project: &Project) -> bool {
    project.journals().iter().any(|name| name == "pending")
}

/// Returns whether the new contents are being written to temporary files.
fn is_being_written(project: &Project) -> bool {
    let entries = fs::read_dir(project.root().join("src/part3")).expect("a folder").flatten();
    entries.into_iter().any(|entry| entry.file_name().to_string_lossy().contains(".marq-"))
}

#[test]
fn killed_move_is_all_or_nothing() {
    let rounds = env::var("MARQ_CRASH_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(30);
    let project = Project::new(FILES);
    let here = project.texts();
    // Moves the file there and back once, to fill the index and to measure the times.
    let first = measured(&project, &MOVE);
    let there = project.texts();
    assert!(first.1 > Duration::ZERO && there["src/part0/file0.ts"].contains("'../../lib/deep/shared'"));
    let (all, change) = measured(&project, &BACK);
    // The folders created by the move remain when the file moves back, so both states have them from here on.
    let here: Texts =
        here.into_iter().chain(["lib/", "lib/deep/"].map(|folder| (folder.to_owned(), String::new()))).collect();
    assert_eq!(project.texts(), here);
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let (mut taken_back, mut done, mut untouched) = (0, 0, 0);
    let mut now = here.clone();
    // Maximum delay of the kill after the start of a change. It shrinks while changes finish first, since the speed of
    // the machine varies.
    let mut window = change;
    for round in 0..rounds {
        let (arguments, next) = if now == here { (&MOVE, &there) } else { (&BACK, &here) };
        let mut child = project.start(arguments);
        if round % 4 == 0 {
            thread::sleep(random.below(all));
        } else {
            // Waits until the change itself has begun, which takes only a small part of the time of the call.
            let start = Instant::now();
            while !is_pending(&project) && start.elapsed() < all * 5 && child.try_wait().expect("a child").is_none() {
                thread::sleep(Duration::from_micros(100));
            }
            thread::sleep(random.below(window));
        }
        child.kill().expect("killed");
        child.wait().expect("dead");
        let interrupted = is_pending(&project);
        // The next call recovers the change and succeeds.
        let status = project.marq(&["history", "--limit", "1"]).status;
        assert!(status.success(), "round {round}");
        assert!(project.journals().iter().all(|name| !name.contains("pending") && !name.contains("interrupted")));
        let texts = project.texts();
        match (interrupted, texts == now) {
            (true, true) => taken_back += 1,
            (false, true) => untouched += 1,
            (interrupted, false) => {
                assert!(
                    !interrupted && texts == *next,
                    "round {round}: neither as before nor as after: {:?}",
                    wrong(&texts, &now, next)
                );
                done += 1;
                now = texts;
                window = window * 9 / 10;
            }
        }
    }
    println!(
        "{rounds} rounds: {untouched} killed before the change, {taken_back} in the middle of it, {done} after it; a move takes {all:?}, its change {change:?}"
    );
    assert!(taken_back >= rounds / 5, "too few calls were killed during the change: {taken_back} of {rounds}");
}

/// Returns paths whose texts are neither those before the change nor those after it.
fn wrong<'a>(texts: &'a Texts, before: &Texts, after: &Texts) -> Vec<&'a str> {
    let same = |path: &str, other: &Texts| texts.get(path) == other.get(path);
    let odd = texts.keys().filter(|path| !same(path, before) || !same(path, after));
    odd.map(String::as_str).take(9).collect()
}

/// Content that a user wrote during an interrupted change is kept, and history and doctor report it.
#[test]
fn recover_lists_changes_that_cannot_be_rolled_back() {
    let project = Project::new(FILES);
    let died_in_the_middle = (0..50).any(|_| {
        let mut child = project.start(&MOVE);
        while !is_being_written(&project) && child.try_wait().expect("a child").is_none() {
            thread::sleep(Duration::from_micros(100));
        }
        child.kill().expect("killed");
        child.wait().expect("dead");
        // If the change was complete, it is reversed.
        is_pending(&project) || !project.marq(&BACK).status.success()
    });
    assert!(died_in_the_middle && is_pending(&project));
    project.write("src/part3/file3.ts", "by hand\n");
    let texts = |arguments: &[&str]| String::from_utf8_lossy(&project.marq(arguments).stdout).into_owned();
    let history = texts(&["history"]);
    let kept = history.lines().find_map(|line| line.split_once(" is kept in ")).expect("the interrupted change").1;
    let journal = fs::read(kept).expect("a journal");
    assert!(
        String::from_utf8_lossy(&journal).contains("export const value3 = shared + 3;\n"),
        "the journal must contain the replaced text"
    );
    let doctor = project.marq(&["doctor"]);
    assert!(!doctor.status.success() && String::from_utf8_lossy(&doctor.stdout).contains(kept), "{doctor:?}");
    assert_eq!(project.texts()["src/part3/file3.ts"], "by hand\n");
    fs::remove_file(kept).expect("removed");
    assert!(project.marq(&["doctor"]).status.success());
}

/// Two processes edit one file repeatedly, each a different value.
#[test]
fn concurrent_processes_lose_no_update() {
    let project = Project::new(0);
    project.write("counts.json", "{\n  \"a\": 0,\n  \"b\": 0\n}\n");
    let count = |name: &str| {
        let mut late = 0;
        for n in 1..=15 {
            loop {
                let output = project.marq(&["edit", "counts.json", &format!("$.{name}"), "replace", &n.to_string()]);
                if output.status.success() {
                    break;
                }
                let error = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(error.contains("(Stale)"), "{error}");
                late += 1;
            }
        }
        late
    };
    let late = thread::scope(|scope| {
        let other = scope.spawn(|| count("b"));
        count("a") + other.join().expect("it ends")
    });
    println!("{late} came too late and were repeated");
    assert_eq!(project.texts()["counts.json"], "{\n  \"a\": 15,\n  \"b\": 15\n}\n");
}
