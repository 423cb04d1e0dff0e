//! Words of command lines that look like paths.

use std::ops::Range;

use marquetry_sdk::paths::could_be_path;

/// Command lines longer than this are programs of their own.
const LONGEST: usize = 10_000;

/// The words of a command line that could be paths of files, up to the first that changes the folder.
pub(crate) fn words(commands: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if commands.len() > LONGEST {
        return found;
    }
    let mut start = 0;
    let ends = commands.match_indices(|c: char| c.is_whitespace() || ";&|()<>\"'`=,".contains(c));
    for (end, next) in ends.map(|(at, c)| (at, at + c.len())).chain([(commands.len(), commands.len())]) {
        let word = &commands[start..end];
        if matches!(word, "cd" | "pushd" | "chdir") {
            break;
        }
        if could_be_path(word) {
            found.push(start..end);
        }
        start = next;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_commands_that_could_be_paths() {
        let check = |commands: &str, expected: &[&str]| {
            let found: Vec<&str> = words(commands).into_iter().map(|range| &commands[range]).collect();
            assert_eq!(found, expected, "{commands}");
        };
        check("node scripts/build.js --config=configs/a.json", &["scripts/build.js", "configs/a.json"]);
        check("npm run test && ./run.sh 'a.txt'", &["./run.sh", "a.txt"]);
        check("tsc -p tsconfig.build.json; cd packages/a && node x.js", &["tsconfig.build.json"]);
        check("cp $SRC/a.txt https://x.y/z.js @scope/pkg/x.js /etc/passwd 1.2", &[]);
        check("eslint src --ext .ts,.tsx", &[".ts", ".tsx"]);
    }
}
