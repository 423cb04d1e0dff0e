//! Runs all tests of a pack and reports the results.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use marquetry_model::{Result, ports::Pack};

use crate::{
    MemoryFiles,
    laws::{Violation, laws},
    random::{Texts, shrink},
    spec::{FailedCall, Spec},
    subject::Subject,
};

/// The size of the large document for measurements, in bytes.
const LARGE_SIZE: usize = 1 << 20;

/// The tests to run.
#[derive(Debug, Clone, Default)]
pub struct TestPlan {
    /// Documents and specs (`*.spec.md`): names and texts.
    pub files: Vec<(String, String)>,
    /// Duration of the test with random texts.
    pub random: Duration,
    /// Update the expected answers in the specs instead of comparing them.
    pub update: bool,
}

/// The results.
#[derive(Debug, Default)]
pub struct Report {
    /// The results of the individual tests.
    pub verdicts: Vec<Verdict>,
    /// The updated specs, if requested.
    pub updated: Vec<(String, String)>,
    /// The measured times.
    pub figures: Vec<Figure>,
    /// The memory of the pack's instances at the end, including the large document, in bytes.
    pub memory: usize,
}

/// The result of one test.
#[derive(Debug)]
pub struct Verdict {
    /// A description of the test.
    pub description: String,
    /// The failures; empty if the test passed.
    pub failures: Vec<String>,
}

/// The times of one document.
#[derive(Debug)]
pub struct Figure {
    /// The document.
    pub name: String,
    /// Its size in bytes.
    pub bytes: usize,
    /// Time to open the document and list its nodes.
    pub first: Duration,
    /// Time to list the nodes again while the document is open.
    pub again: Duration,
}

impl Report {
    /// Returns whether all tests passed.
    pub fn has_passed(&self) -> bool {
        self.verdicts.iter().all(|verdict| verdict.failures.is_empty())
    }
}

impl Subject {
    /// Runs the tests.
    ///
    /// # Errors
    /// Fails if the pack cannot be loaded, or a page is not a valid spec.
    pub fn run_tests(&self, plan: &TestPlan) -> Result<Report> {
        let mut report = Report::default();
        let (mut specs, mut documents) = (Vec::new(), Vec::new());
        for (name, text) in &plan.files {
            if name.ends_with(".spec.md") {
                specs.push((name, Spec::parse(text).map_err(|error| error.context(name))?));
            } else {
                let own = name.rsplit(['/', '\\']).next().unwrap_or(name);
                documents.push((own.to_owned(), text.clone()));
            }
        }
        for (name, spec) in &specs {
            let cases = spec.cases.len();
            report.verdicts.push(if plan.update {
                report.updated.push(((*name).clone(), spec.updated(self)));
                Verdict { description: format!("{name}: {cases} cases, answers written"), failures: Vec::new() }
            } else {
                let wrong = spec.run(self).iter().map(|failed| describe_failure(name, failed)).collect();
                Verdict { description: format!("{name}: {cases} cases"), failures: wrong }
            });
        }
        let of_specs = specs.iter().flat_map(|(_, spec)| &spec.cases).filter_map(|case| case.files.first().cloned());
        let texts: Vec<(String, String)> = documents.iter().cloned().chain(of_specs).collect();
        let named = texts.iter().map(|(path, text)| (path.as_str(), text.as_str()));
        let pack = self.pack_among(&MemoryFiles::from_files(named.chain([(self.name.as_str(), "")])))?;
        report.verdicts.push(check_documents(&pack, &texts));
        let seeds: Vec<String> = texts.iter().map(|(_, text)| text.clone()).collect();
        report.verdicts.push(self.test_random(&pack, &seeds, plan.random));
        self.measure(&pack, &texts, &mut report);
        Ok(report)
    }

    /// Tests random texts for the given time. Stops at the first text that breaks a law (a property required of every
    /// pack), and shrinks this text.
    fn test_random(&self, pack: &Arc<dyn Pack>, seeds: &[String], time: Duration) -> Verdict {
        let (begun, mut count, mut wrong) = (Instant::now(), 0, Vec::new());
        for text in Texts::new(seeds, 1) {
            if begun.elapsed() >= time {
                break;
            }
            count += 1;
            if let Err(broken) = laws(pack, &self.name, &text) {
                let same = |text: &str| laws(pack, &self.name, text).is_err_and(|other| other.law == broken.law);
                let short = shrink(&text, same);
                let broken = laws(pack, &self.name, &short).err().unwrap_or(broken);
                wrong.push(format!("{broken}\nthe text: {short:?}"));
                break;
            }
        }
        let seconds = begun.elapsed().as_secs_f64();
        Verdict { description: format!("{count} random texts in {seconds:.1} s satisfy the laws"), failures: wrong }
    }

    /// Measures each document, and a large one made by repeating the first.
    fn measure(&self, pack: &Arc<dyn Pack>, texts: &[(String, String)], report: &mut Report) {
        let large = texts.iter().find(|(_, text)| !text.trim().is_empty()).map(|(name, text)| {
            let whole = if text.ends_with('\n') { text.clone() } else { format!("{text}\n") };
            (format!("{name}, repeated"), whole.repeat(LARGE_SIZE / whole.len() + 1))
        });
        let mut wrong = Vec::new();
        for (name, text) in texts.iter().chain(&large) {
            let path = name.split(',').next().unwrap_or(name);
            match measure_document(pack, path, text) {
                Ok((first, again)) => {
                    report.figures.push(Figure { name: name.clone(), bytes: text.len(), first, again });
                }
                Err(error) => wrong.push(format!("{name}: {error}")),
            }
        }
        report.memory = self.memory();
        report.verdicts.push(Verdict {
            description: "every document, and one of 1 MiB, is read within the limits".to_owned(),
            failures: wrong,
        });
    }
}

fn measure_document(pack: &Arc<dyn Pack>, path: &str, text: &str) -> Result<(Duration, Duration)> {
    let begun = Instant::now();
    let text: Arc<str> = Arc::from(text);
    let mut document = Arc::clone(pack).open(path, &text)?;
    document.outline()?;
    let first = begun.elapsed();
    document.outline()?;
    Ok((first, begun.elapsed().saturating_sub(first)))
}

fn check_documents(pack: &Arc<dyn Pack>, texts: &[(String, String)]) -> Verdict {
    let broken = |(name, text): &(String, String)| {
        laws(pack, name, text).err().map(|broken: Violation| format!("{name}: {broken}"))
    };
    Verdict {
        description: format!("{} documents satisfy the laws", texts.len()),
        failures: texts.iter().filter_map(broken).collect(),
    }
}

fn describe_failure(name: &str, failed: &FailedCall) -> String {
    let FailedCall { title, line, call, expected: wanted, actual: came } = failed;
    let block = |text: &str| text.lines().map(|line| format!("    {line}\n")).collect::<String>();
    format!("{name}:{line}: {title}: {call}\n  wanted\n{}  came\n{}", block(wanted), block(came))
}
