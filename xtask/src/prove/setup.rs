//! One run of proofs: its options, the programs under test, and the tools that are missing.

use std::{
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};

use super::{Prove, suites};
use crate::{
    measure::sample,
    plugins,
    shell::{self, begin_step, top},
    test, tools,
};

/// A tool or file without which a proof cannot run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// The program `marq` with its packs; built unless `--marq` gives another one.
    Program,
    /// `--with PATH`.
    With,
    Node,
    Python,
    Git,
    Make,
    /// The npm packages of `e2e`.
    E2e,
    /// The folder of conformance suites.
    Suites,
    /// Git directories of `--folders`.
    Repositories,
    /// A program of `xtask/`: built for release, or found beside the program that `--marq` gives.
    Tool(&'static str),
}

impl Need {
    /// The name in the list of proofs.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Need::Program => "marq",
            Need::With => "--with",
            Need::Node => "node",
            Need::Python => "python3",
            Need::Git => "git",
            Need::Make => "make",
            Need::E2e => "e2e/node_modules",
            Need::Suites => "MARQ_SUITES",
            Need::Repositories => "--folders",
            Need::Tool(name) => name,
        }
    }
}

/// The options of a run, and the program under test.
pub(crate) struct Run {
    options: Prove,
    /// The path of `marq`; empty if no selected proof needs it.
    program: PathBuf,
}

impl Run {
    /// Builds the programs that the proofs need. Nothing is built if `--marq` gives a program from elsewhere.
    pub(crate) fn new(options: Prove, needs: &[Need]) -> Result<Run> {
        let given = options.marq.as_deref().map(|path| absolute_program(path, "--marq")).transpose()?;
        if let Some(with) = &options.with {
            absolute_program(with, "--with")?;
        }
        let packages: Vec<&str> = needs.iter().filter_map(Need::package).collect();
        let program = match given {
            Some(program) => program,
            None if packages.is_empty() => PathBuf::new(),
            None => build_release(&packages)?,
        };
        if needs.contains(&Need::Program) {
            plugins::compile(&program)?;
        }
        Ok(Run { options, program })
    }

    /// Returns the first of the needs that is missing.
    pub(crate) fn missing(&self, needs: &[Need]) -> Result<Option<String>> {
        for need in needs {
            let missing = match need {
                Need::Program => None,
                Need::With => self.options.with.is_none().then(|| "--with PATH".to_owned()),
                Need::Node | Need::Python | Need::Git | Need::Make => {
                    tools::find(need.name()).is_none().then(|| need.name().to_owned())
                }
                Need::E2e => {
                    let is_installed = top().join("e2e/node_modules").is_dir();
                    (!is_installed).then(|| "e2e/node_modules (`cargo xtask tools e2e`)".to_owned())
                }
                Need::Repositories => self.options.folders.is_empty().then(|| "--folders GIT-FOLDER,…".to_owned()),
                Need::Suites => suites::folder()?.is_none().then(|| "MARQ_SUITES=FOLDER".to_owned()),
                Need::Tool(name) => {
                    self.find_tool(name).is_none().then(|| format!("target/debug/{name} (`cargo xtask test`)"))
                }
            };
            if missing.is_some() {
                return Ok(missing);
            }
        }
        Ok(None)
    }

    /// The program under test.
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// A program of `xtask/`.
    pub(crate) fn tool(&self, name: &str) -> Result<PathBuf> {
        self.find_tool(name).with_context(|| format!("there is no `{name}`"))
    }

    fn find_tool(&self, name: &str) -> Option<PathBuf> {
        let beside = self.program.parent().map(Path::to_owned);
        let built = ["target/debug", "target/release"].map(|folder| top().join(folder));
        beside.into_iter().chain(built).map(|folder| folder.join(name)).find(|path| path.is_file())
    }

    /// Returns the program that `--with` gives.
    pub(crate) fn compared_program(&self) -> Result<PathBuf> {
        absolute_program(self.options.with.as_deref().context("--with PATH is missing")?, "--with")
    }

    pub(crate) fn is_sampled(&self) -> bool {
        self.options.sample.is_some()
    }

    /// Returns the number that `--sample` gives.
    pub(crate) fn sample(&self) -> Option<usize> {
        self.options.sample.map(NonZeroUsize::get)
    }

    pub(crate) fn seed(&self) -> u64 {
        self.options.seed
    }

    /// The number of rounds of a measurement.
    pub(crate) fn rounds(&self, complete: usize) -> usize {
        self.sample().map_or(complete, |sample| sample.min(complete))
    }

    /// Returns all items of a list, or a sample if `--sample` is given.
    pub(crate) fn draw<T>(&self, items: Vec<T>, name: &str) -> Vec<T> {
        self.draw_times(items, name, 1)
    }

    /// Returns all items of a list, or, if `--sample` is given, `times` as many items as a sample has. Use it for lists
    /// in which some items turn out to be unusable.
    pub(crate) fn draw_times<T>(&self, items: Vec<T>, name: &str, times: usize) -> Vec<T> {
        let most = self.sample().map(|sample| sample * times);
        let indices = sample::indices(items.len(), most, self.options.seed, name);
        let is_drawn = |index: &usize| indices.binary_search(index).is_ok();
        items.into_iter().enumerate().filter(|(index, _)| is_drawn(index)).map(|(_, item)| item).collect()
    }

    /// Returns whether peers are measured too.
    pub(crate) fn with_peers(&self) -> bool {
        !self.is_sampled() && !self.options.no_peers
    }

    /// Returns the items that `--only` selects. If it selects none, the error lists all names.
    pub(crate) fn select_by_name<T>(&self, items: Vec<T>, name: impl Fn(&T) -> &str) -> Result<Vec<T>> {
        let names = items.iter().map(|item| format!("`{}`", name(item))).collect::<Vec<_>>().join(", ");
        let admitted: Vec<T> = items.into_iter().filter(|item| self.is_selected(name(item))).collect();
        ensure!(!admitted.is_empty(), "`--only {}` admits none of {names}", self.options.only.join(","));
        Ok(admitted)
    }

    /// Returns whether `--only` selects a name.
    pub(crate) fn is_selected(&self, name: &str) -> bool {
        self.options.only.is_empty() || self.options.only.iter().any(|word| name.contains(word))
    }

    /// Returns the words that `--only` gives.
    pub(crate) fn only(&self) -> &[String] {
        &self.options.only
    }

    pub(crate) fn folders(&self) -> &[PathBuf] {
        &self.options.folders
    }

    /// Numbers of files of generated projects.
    pub(crate) fn sizes(&self, complete: &[usize]) -> Vec<usize> {
        match &self.options.sizes {
            sizes if !sizes.is_empty() => sizes.clone(),
            _ if self.is_sampled() => vec![SAMPLED_FILES],
            _ => complete.to_vec(),
        }
    }

    pub(crate) fn rare_name(&self) -> Option<&str> {
        self.options.rare.as_deref()
    }
}

impl Need {
    /// Returns the package that has to be built, if any.
    fn package(&self) -> Option<&'static str> {
        match self {
            Need::Program => Some("marquetry-cli"),
            Need::Tool(name) => Some(name),
            _ => None,
        }
    }
}

/// Files of a generated project in a sampled run.
pub(crate) const SAMPLED_FILES: usize = 200;

/// The folder of a proof below `target/prove`.
pub(crate) fn folder(name: &str) -> PathBuf {
    top().join("target/prove").join(name)
}

/// An empty folder below `target/prove`.
pub(crate) fn empty_folder(name: &str) -> Result<PathBuf> {
    let folder = folder(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Returns the absolute path of a program. If it is the program that the tests build, it is built first.
fn absolute_program(path: &Path, option: &str) -> Result<PathBuf> {
    let path = top().join(path);
    if path == top().join(test::PROGRAM) {
        begin_step("the language packs and marq, as the tests build them");
        plugins::build(&[])?;
        test::build()?;
    }
    path.canonicalize().with_context(|| format!("{option}: there is no program {}", path.display()))
}

/// Builds packages and the packs for release.
fn build_release(packages: &[&str]) -> Result<PathBuf> {
    begin_step("the language packs and marq, optimized");
    plugins::build(&[])?;
    let mut arguments = vec!["build", "--release", "--quiet"];
    arguments.extend(packages.iter().flat_map(|package| ["--package", *package]));
    shell::run("cargo", &arguments)?;
    Ok(top().join("target/release/marq"))
}
