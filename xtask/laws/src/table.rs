//! The results of all documents.

use std::collections::BTreeMap;

use crate::Outcome;

/// Maximum number of violations that are printed for each law of each format.
const MAX_VIOLATIONS_SHOWN: usize = 5;

/// Sums by extension.
#[derive(Default)]
pub(crate) struct Table {
    rows: BTreeMap<String, Row>,
}

#[derive(Default)]
struct Row {
    documents: usize,
    skipped: usize,
    bytes: usize,
    addresses: usize,
    seconds: f64,
    slowest: f64,
    slowest_id: String,
    /// The violations by law.
    broken: BTreeMap<&'static str, Vec<String>>,
}

impl Table {
    pub(crate) fn add(&mut self, outcome: Outcome) {
        let row = self.rows.entry(outcome.extension).or_default();
        row.documents += 1;
        row.bytes += outcome.bytes;
        row.addresses += outcome.addresses;
        row.seconds += outcome.seconds;
        if outcome.seconds > row.slowest {
            row.slowest = outcome.seconds;
            row.slowest_id.clone_from(&outcome.id);
        }
        if let Some(broken) = outcome.broken {
            let message: String = broken.message.chars().take(600).collect();
            row.broken.entry(broken.law).or_default().push(format!("{}: {message}", outcome.id));
        }
    }

    /// Counts a document that is too large or not text.
    pub(crate) fn skip(&mut self, extension: &str) {
        self.rows.entry(extension.to_owned()).or_default().skipped += 1;
    }

    pub(crate) fn has_violations(&self) -> bool {
        self.rows.values().any(|row| !row.broken.is_empty())
    }

    /// The number of documents that were checked.
    pub(crate) fn documents(&self) -> usize {
        self.rows.values().map(|row| row.documents).sum()
    }

    pub(crate) fn print(&self) {
        println!(
            "{:<12}{:>10}{:>9}{:>9}{:>10}{:>8}{:>9}{:>9}",
            "format", "documents", "skipped", "MiB", "addresses", "broken", "s", "slowest"
        );
        for (extension, row) in &self.rows {
            println!(
                "{extension:<12}{:>10}{:>9}{:>9.1}{:>10}{:>8}{:>9.1}{:>9.2} {}",
                row.documents,
                row.skipped,
                row.bytes as f64 / 1024.0 / 1024.0,
                row.addresses,
                row.broken.values().map(Vec::len).sum::<usize>(),
                row.seconds,
                row.slowest,
                row.slowest_id
            );
        }
        for (extension, row) in &self.rows {
            for (law, list) in &row.broken {
                println!("{extension}: {law}: {}", list.len());
                for line in list.iter().take(MAX_VIOLATIONS_SHOWN) {
                    println!("    {}", line.replace('\n', "\n    "));
                }
            }
        }
    }
}
