//! Other programs that read and edit one file: their commands and costs.

use std::path::Path;

use super::{
    process::{measure_process, median},
    table::{Table, mib, ms},
};
use crate::tools::find;

const ROUNDS: usize = 5;
/// Calls that take longer than this, in milliseconds, are measured only once.
const SLOW: f64 = 2_000.0;

/// The commands of a peer for one format. `{}` is replaced by the file. The commands print their results.
pub(crate) struct Peer {
    /// Suffix of the input files that the peer can read.
    pub(crate) suffix: &'static str,
    pub(crate) program: &'static str,
    pub(crate) read: &'static [&'static str],
    /// Arguments for an edit; `None` if the program cannot edit.
    pub(crate) edit: Option<&'static [&'static str]>,
}

/// All peers. They print the edited document; only `toml` keeps comments and layout.
pub(crate) const PEERS: &[Peer] = &[
    Peer { suffix: ".json", program: "jaq", read: &[".last", "{}"], edit: Some(&[".last = \"new\"", "{}"]) },
    Peer { suffix: ".json", program: "jq", read: &[".last", "{}"], edit: Some(&[".last = \"new\"", "{}"]) },
    Peer { suffix: ".yaml", program: "yq", read: &[".last", "{}"], edit: Some(&["-y", ".last = \"new\"", "{}"]) },
    // `taplo` has no command that sets a value.
    Peer { suffix: ".toml", program: "taplo", read: &["get", "-f", "{}", "last.value"], edit: None },
    // `toml` is the command line of `toml_edit`, which keeps comments.
    Peer {
        suffix: ".toml",
        program: "toml",
        read: &["get", "{}", "last.value"],
        edit: Some(&["set", "{}", "last.value", "new"]),
    },
    Peer { suffix: ".xml", program: "xmllint", read: &["--huge", "--xpath", "/items/last", "{}"], edit: None },
    Peer {
        suffix: ".xml",
        program: "xmlstarlet",
        read: &["sel", "-t", "-v", "/items/last", "{}"],
        edit: Some(&["ed", "-u", "/items/last", "-v", "new", "{}"]),
    },
    Peer { suffix: ".md", program: "mdq", read: &["# The Last", "{}"], edit: None },
    Peer { suffix: ".html", program: "htmlq", read: &["-f", "{}", "#last"], edit: None },
];

/// Measures each peer on an input.
pub(crate) fn measure(folder: &Path, file: &str, table: &Table) {
    for peer in PEERS.iter().filter(|peer| file.ends_with(peer.suffix)) {
        let Some(program) = find(peer.program) else {
            table.row(&[file, peer.program, "", "", "", "not installed"]);
            continue;
        };
        for (call, arguments) in [("read", Some(peer.read)), ("edit", peer.edit)] {
            if let Some(arguments) = arguments {
                measure_call(folder, file, (peer.program, call), (&program, arguments), table);
            }
        }
    }
}

fn measure_call(
    folder: &Path,
    file: &str,
    (name, call): (&str, &str),
    (program, arguments): (&Path, &[&str]),
    table: &Table,
) {
    let arguments: Vec<&str> =
        arguments.iter().map(|argument| if *argument == "{}" { file } else { argument }).collect();
    let rounds = match measure_process(program, &arguments, folder) {
        Ok(first) if first.time > SLOW => 1,
        _ => ROUNDS,
    };
    match median(rounds, || measure_process(program, &arguments, folder)) {
        Ok(cost) => table.row(&[file, name, call, &ms(cost.time), &mib(cost.memory)]),
        Err(error) => table.row(&[file, name, call, "", "", &error.to_string()]),
    }
}
