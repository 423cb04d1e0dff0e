//! Counts of verdicts, and the tables of the proof.

use anyhow::Result;

use super::{case::Case, change::Outcome, drifts::Drift, formats::FORMATS, instructions::Form, mutation::Kind, tokens};
use crate::measure::table::{Table, number, text};

/// The result of one instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The bytes of the original after the same drift.
    Right,
    Ambiguous,
    /// Refused.
    Failed,
    /// Other bytes, which differ from the right ones only in white space.
    OtherSpaces,
    /// Other bytes.
    Wrong,
}

impl Verdict {
    pub(super) fn new(outcome: &Outcome, expected: &str) -> Verdict {
        match outcome {
            Outcome::Applied(text) if text == expected => Verdict::Right,
            Outcome::Applied(text) if without_white_space(text) == without_white_space(expected) => {
                Verdict::OtherSpaces
            }
            Outcome::Applied(_) => Verdict::Wrong,
            Outcome::Ambiguous => Verdict::Ambiguous,
            Outcome::Refused(_) => Verdict::Failed,
        }
    }
}

fn without_white_space(text: &str) -> String {
    text.split_whitespace().collect()
}

/// The verdict on one instruction after one drift.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    pub format: &'static str,
    pub form: Form,
    pub drift: Drift,
    pub verdict: Verdict,
}

/// All verdicts and instructions.
#[derive(Default)]
pub(super) struct Report {
    cells: Vec<Cell>,
    instructions: Vec<(Form, String)>,
}

impl Report {
    pub(super) fn add(&mut self, case: &Case, form: Form, drift: Drift, verdict: Verdict) {
        self.cells.push(Cell { format: case.format.name, form, drift, verdict });
    }

    pub(super) fn add_instruction(&mut self, form: Form, text: String) {
        self.instructions.push((form, text));
    }

    pub(super) fn count(&self, test: impl Fn(&Cell) -> bool) -> usize {
        self.cells.iter().filter(|cell| test(cell)).count()
    }

    /// Prints all tables.
    pub(super) fn print(&self, cases: &[Case]) -> Result<()> {
        print_cases(cases);
        self.print_drifts();
        self.print_formats();
        self.print_sizes()
    }

    fn print_drifts(&self) {
        println!();
        let columns = ["right", "ambiguous", "failed", "spaces", "wrong"].map(number);
        let table = Table::start(&[&[text("drift", 12), text("instruction", 24)], &columns[..]].concat());
        for drift in Drift::ALL {
            for form in Form::ALL {
                let count =
                    |verdict| self.count(|cell| (cell.drift, cell.form, cell.verdict) == (drift, form, verdict));
                let verdicts =
                    [Verdict::Right, Verdict::Ambiguous, Verdict::Failed, Verdict::OtherSpaces, Verdict::Wrong];
                let cells = verdicts.map(|verdict| count(verdict).to_string());
                table.row(&[&[drift.name(), form.name()][..], &cells.each_ref().map(String::as_str)].concat());
            }
        }
    }

    /// Prints the percentage of right results of each format, after all drifts.
    fn print_formats(&self) {
        println!();
        let names = Form::ALL.map(|form| text(form.name(), 12));
        let table = Table::start(&[&[text("right, %", 12)], &names[..]].concat());
        for format in FORMATS.iter().map(|format| format.name) {
            if self.count(|cell| cell.format == format) == 0 {
                continue;
            }
            let cells = Form::ALL.map(|form| {
                let all = self.count(|cell| (cell.format, cell.form) == (format, form));
                let right = |cell: &Cell| (cell.format, cell.form, cell.verdict) == (format, form, Verdict::Right);
                format!("{:.0}", 100.0 * self.count(right) as f64 / all.max(1) as f64)
            });
            table.row(&[&[format][..], &cells.each_ref().map(String::as_str)].concat());
        }
    }

    /// Prints the bytes and tokens of the instructions.
    fn print_sizes(&self) -> Result<()> {
        println!();
        let texts: Vec<&str> = self.instructions.iter().map(|(_, text)| text.as_str()).collect();
        let counted = tokens::count(&texts)?;
        let columns = ["bytes", "tokens", "median"].map(number);
        let table = Table::start(&[&[text("instruction", 24)], &columns[..]].concat());
        for form in Form::ALL {
            let own: Vec<usize> =
                (0..self.instructions.len()).filter(|index| self.instructions[*index].0 == form).collect();
            let bytes: Vec<usize> = own.iter().map(|index| texts[*index].len()).collect();
            let tokens: Vec<usize> = counted.iter().flat_map(|all| own.iter().map(|index| all[*index])).collect();
            table.row(&[form.name(), &mean(&bytes), &mean(&tokens), &median(&tokens)]);
        }
        if counted.is_none() {
            println!("tokens were not counted: run `cargo xtask e2e clients` once, which installs the tokenizer");
        }
        Ok(())
    }
}

fn mean(sizes: &[usize]) -> String {
    match sizes.len() {
        0 => "-".to_owned(),
        count => format!("{:.0}", sizes.iter().sum::<usize>() as f64 / count as f64),
    }
}

fn median(sizes: &[usize]) -> String {
    let mut sorted = sizes.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).map_or("-".to_owned(), usize::to_string)
}

/// Prints the number of mutations of each format and kind.
fn print_cases(cases: &[Case]) {
    println!();
    let columns = Kind::ALL.map(|kind| number(kind.name()));
    let table = Table::start(&[&[text("mutations", 12)], &columns[..], &[number("all")]].concat());
    for format in FORMATS.iter().map(|format| format.name) {
        let own: Vec<&Case> = cases.iter().filter(|case| case.format.name == format).collect();
        if own.is_empty() {
            continue;
        }
        let count = |kind| own.iter().filter(|case| case.kind == kind).count().to_string();
        let cells = Kind::ALL.map(count);
        table.row(&[&[format][..], &cells.each_ref().map(String::as_str), &[own.len().to_string().as_str()]].concat());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdict_compares_bytes() {
        let verdict = |outcome: Outcome| Verdict::new(&outcome, "a\n");
        assert_eq!(verdict(Outcome::Applied("a\n".to_owned())), Verdict::Right);
        assert_eq!(verdict(Outcome::Applied("a\r\n".to_owned())), Verdict::OtherSpaces);
        assert_eq!(verdict(Outcome::Applied("b\n".to_owned())), Verdict::Wrong);
        assert_eq!(verdict(Outcome::Ambiguous), Verdict::Ambiguous);
        assert_eq!(verdict(Outcome::Refused("no".to_owned())), Verdict::Failed);
    }

    #[test]
    fn sizes_have_mean_and_median() {
        assert_eq!((mean(&[1, 2, 6]), median(&[6, 1, 2])), ("3".to_owned(), "2".to_owned()));
        assert_eq!((mean(&[]), median(&[])), ("-".to_owned(), "-".to_owned()));
    }
}
