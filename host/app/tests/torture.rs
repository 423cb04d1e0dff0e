//! A few rounds of `cargo xtask prove kills`: no change is left half done, no call is blocked, and no file of another
//! program is changed.

use std::{fs, path::Path};

use marquetry_torture::Torture;

#[test]
fn changes_survive_kills_full_disks_and_lost_rights() {
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder");
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let torture = Torture {
        program: env!("CARGO_BIN_EXE_marq").into(),
        cache: top.join("target/test-cache"),
        folder: fs::canonicalize(folder.path()).expect("there"),
        kills: 28,
        wide: 4,
        faults: 4,
        cuts: 6,
        jobs: 2,
        seed: 1,
    };
    let report = torture.run().expect("it can be run");
    println!("{}", report.table());
    assert_eq!(report.sum().failures(), 0, "{}\n{}", report.table(), report.faults.join("\n"));
    assert!(report.sum().middle > 8, "too few changes were interrupted\n{}", report.table());
}
