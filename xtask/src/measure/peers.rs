//! Other programs that read and edit one file: their commands and costs.

use std::path::Path;

use super::{
    process::{cost, median},
    table::{Table, mib, ms},
};
use crate::tools::find;

const ROUNDS: usize = 5;
/// Milliseconds of a call that is measured only once.
const SLOW: f64 = 2_000.0;

/// The commands of a peer for one format; `{}` is the file. It prints the result.
pub(crate) struct Peer {
    /// Suffix of the names of its inputs.
    pub(crate) end: &'static str,
    pub(crate) program: &'static str,
    pub(crate) read: &'static [&'static str],
    /// `None` if it cannot edit.
    pub(crate) set: Option<&'static [&'static str]>,
}

/// All peers. They print the edited document; only `toml` keeps comments and layout.
pub(crate) const PEERS: &[Peer] = &[
    Peer { end: ".json", program: "jaq", read: &[".last", "{}"], set: Some(&[".last = \"new\"", "{}"]) },
    Peer { end: ".json", program: "jq", read: &[".last", "{}"], set: Some(&[".last = \"new\"", "{}"]) },
    Peer { end: ".yaml", program: "yq", read: &[".last", "{}"], set: Some(&["-y", ".last = \"new\"", "{}"]) },
    // It has no command to set a value.
    Peer { end: ".toml", program: "taplo", read: &["get", "-f", "{}", "last.value"], set: None },
    // The command line of `toml_edit`, which keeps comments.
    Peer {
        end: ".toml",
        program: "toml",
        read: &["get", "{}", "last.value"],
        set: Some(&["set", "{}", "last.value", "new"]),
    },
    Peer { end: ".xml", program: "xmllint", read: &["--huge", "--xpath", "/items/last", "{}"], set: None },
    Peer {
        end: ".xml",
        program: "xmlstarlet",
        read: &["sel", "-t", "-v", "/items/last", "{}"],
        set: Some(&["ed", "-u", "/items/last", "-v", "new", "{}"]),
    },
    Peer { end: ".md", program: "mdq", read: &["# The Last", "{}"], set: None },
    Peer { end: ".html", program: "htmlq", read: &["-f", "{}", "#last"], set: None },
];

/// Measures each peer on an input.
pub(crate) fn measure(folder: &Path, file: &str, table: &Table) {
    for peer in PEERS.iter().filter(|peer| file.ends_with(peer.end)) {
        let Some(program) = find(peer.program) else {
            table.row(&[file, peer.program, "", "", "", "not installed"]);
            continue;
        };
        for (call, arguments) in [("read", Some(peer.read)), ("edit", peer.set)] {
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
    let rounds = match cost(program, &arguments, folder) {
        Ok(first) if first.time > SLOW => 1,
        _ => ROUNDS,
    };
    match median(rounds, || cost(program, &arguments, folder)) {
        Ok(cost) => table.row(&[file, name, call, &ms(cost.time), &mib(cost.memory)]),
        Err(error) => table.row(&[file, name, call, "", "", &error.to_string()]),
    }
}
