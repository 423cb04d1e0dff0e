//! Compares the time of a status on a checkout of 5,000 files with git: `cargo test --package marquetry-git --test all
//! speed:: -- --ignored --nocapture`.

use std::time::{Duration, Instant};

use crate::common::Repo;
use marquetry_git::Git;
use marquetry_model::{Work, repository::Repositories};

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

#[test]
#[ignore = "it measures"]
fn status_of_five_thousand_files_is_fast() {
    let Some(repo) = Repo::new() else { return };
    for index in 0..5_000 {
        repo.write(&format!("src/{}/{}/f{index}.ts", index % 50, index % 7), format!("export const a = {index};\n"));
    }
    repo.write(".gitignore", "node_modules/\n*.log\n").commit("first");
    for index in 0..20 {
        repo.write(&format!("src/{index}/{index}/changed.ts"), "new\n");
        repo.write(&format!("src/{}/{}/f{index}.ts", index % 50, index % 7), "changed\n");
    }
    // If files had the same time stamp as the index, git and this crate would read them on every status.
    repo.git("status");
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..30 {
        let since = Instant::now();
        let status = Git.status(&repo.root(), None, &Work::default()).expect("a status");
        ours.push(since.elapsed());
        assert_eq!(status.entries.len(), 40);
        let since = Instant::now();
        repo.output_of("status --porcelain=v2 --branch");
        theirs.push(since.elapsed());
    }
    println!("p50: ours {:?}, git {:?}", median(ours), median(theirs));
}
