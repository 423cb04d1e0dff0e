//! Words of command lines that look like paths.

use std::ops::Range;

use marquetry_sdk::paths::could_be_path;

/// Longer command lines are treated as programs and ignored.
const LONGEST: usize = 10_000;

/// A word that could be the path of a file or folder.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CommandPath {
    pub(crate) range: Range<usize>,
    /// The working directory that preceding `cd` commands set, relative to where the command starts. Empty without
    /// `cd`.
    pub(crate) folder: String,
}

/// The words of a command line that could be paths of files. `cd` changes the folder of the words after it, up to the
/// closing parenthesis of a subshell. Stops at a `cd` whose target is unknown.
pub(crate) fn command_paths(commands: &str) -> Vec<CommandPath> {
    let mut found = Vec::new();
    if commands.len() > LONGEST {
        return found;
    }
    let (mut start, mut folder, mut outer, mut is_target) = (0, String::new(), Vec::new(), false);
    let ends = commands.match_indices(|c: char| c.is_whitespace() || ";&|()<>\"'`=,".contains(c));
    for (end, sign) in ends.chain([(commands.len(), "")]) {
        let at = start..end;
        let word = &commands[at.clone()];
        start = end + sign.len();
        if is_target && !word.is_empty() {
            let is_known =
                word.chars().all(|c| c.is_alphanumeric() || "_-./+@".contains(c)) && !word.starts_with(['/', '-']);
            if !is_known {
                break;
            }
            found.push(CommandPath { range: at, folder: folder.clone() });
            folder = if folder.is_empty() { word.to_owned() } else { format!("{folder}/{word}") };
            is_target = false;
        } else if matches!(word, "cd" | "pushd" | "chdir") {
            is_target = true;
        } else if could_be_path(word) {
            found.push(CommandPath { range: at, folder: folder.clone() });
        }
        match sign {
            "(" => outer.push(folder.clone()),
            ")" => folder = outer.pop().unwrap_or_default(),
            // `cd` without an argument changes to the home folder.
            ";" | "&" | "|" | "\n" if is_target => break,
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_words_of_commands_are_found() {
        let check = |commands: &str, expected: &[&str]| {
            let show = |word: CommandPath| match word.folder.as_str() {
                "" => commands[word.range].to_owned(),
                folder => format!("{} in {folder}", &commands[word.range]),
            };
            let found: Vec<String> = command_paths(commands).into_iter().map(show).collect();
            assert_eq!(found, expected, "{commands}");
        };
        check("node scripts/build.js --config=configs/a.json", &["scripts/build.js", "configs/a.json"]);
        check("npm run test && ./run.sh 'a.txt'", &["./run.sh", "a.txt"]);
        check(
            "tsc -p tsconfig.build.json; cd packages/a && node x.js",
            &["tsconfig.build.json", "packages/a", "x.js in packages/a"],
        );
        check("cd a && cd b; ./run.sh", &["a", "b in a", "./run.sh in a/b"]);
        check("(cd a && node x.js) && node y.js", &["a", "x.js in a", "y.js"]);
        check("cd $HOME && node x.js", &[]);
        check("cd - && node x.js", &[]);
        check("node a.js; cd; node x.js", &["a.js"]);
        check("cd ../up\nnode x.js", &["../up", "x.js in ../up"]);
        check("cp $SRC/a.txt https://x.y/z.js @scope/pkg/x.js /etc/passwd 1.2", &[]);
        check("eslint src --ext .ts,.tsx", &[".ts", ".tsx"]);
    }
}
