//! Changes in a process with a limit on open files. The files that it cannot read may have references to the changed
//! ones. A change is applied completely or rejected, with a correct message.

use std::process::{Command, Output};

use crate::common::Project;

const FILES: usize = 24;

/// Runs the program with a limit on open files.
fn limited(project: &Project, files: u32, arguments: &[&str]) -> Output {
    let command = project.command(arguments);
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -n \"$0\" || exit 99; exec \"$@\"", &files.to_string()]);
    shell.arg(command.get_program()).args(command.get_args()).current_dir(project.root());
    shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.output().expect("it runs")
}

#[test]
fn change_at_open_file_limit_is_whole_or_refused() {
    let project = Project::new(FILES);
    assert!(project.marq(&["read", "src/shared.ts"]).status.success());
    let before = project.texts();
    let changes: [&[&str]; 3] = [
        &["move", "src/shared.ts", "lib/deep/shared.ts"],
        &["rename-symbol", "src/shared.ts", "shared", "common"],
        &["delete", "src/shared.ts"],
    ];
    for change in changes {
        assert!(project.marq(change).status.success());
        let after = project.texts();
        assert!(project.marq(&["undo"]).status.success());
        assert_eq!(project.texts(), before);
        let (mut done, mut refused) = (0, 0);
        for files in (8..=64).step_by(4) {
            let output = limited(&project, files, change);
            let printed =
                String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
            let now = project.texts();
            if output.status.success() {
                done += 1;
                assert_eq!(now, after, "{change:?} with {files} files: {printed}");
                assert!(project.marq(&["undo"]).status.success());
            } else {
                refused += 1;
                // A change that could not be rolled back immediately is rolled back by the next call.
                assert!(project.marq(&["read", "src/part0/file0.ts"]).status.success());
                assert_eq!(project.texts(), before, "{change:?} with {files} files: {printed}");
            }
        }
        assert!(done > 0 && refused > 0, "{change:?}: {done} done, {refused} refused");
    }
}
