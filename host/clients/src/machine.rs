//! The machine and the project in which clients are searched. The caller reads the environment, so tests can describe
//! another machine.

use std::path::{Path, PathBuf};

use crate::table::{Client, Files, Place};

/// Systems that have their own folders for configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// Linux, and others with XDG folders.
    Linux,
    /// macOS.
    Macos,
    /// Windows.
    Windows,
}

/// Reads a variable of the environment.
type Variable = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// A machine with its user, and a project on it.
pub struct Machine {
    /// The system.
    pub system: System,
    /// Home folder of the user.
    pub home: Option<PathBuf>,
    /// Folder of the project.
    pub project: PathBuf,
    /// Reads a variable of the environment.
    pub variable: Variable,
    /// Folders of the `PATH`.
    pub path: Vec<PathBuf>,
    /// The path of this program, if known.
    pub program: Option<PathBuf>,
}

impl System {
    /// The system that this program runs on.
    pub fn current() -> System {
        match std::env::consts::OS {
            "macos" => System::Macos,
            "windows" => System::Windows,
            _ => System::Linux,
        }
    }

    /// Folder of applications' configuration, as a template.
    fn config(self) -> &'static str {
        match self {
            System::Linux => "${XDG_CONFIG_HOME:-~/.config}",
            System::Macos => "~/Library/Application Support",
            System::Windows => "${APPDATA:-~/AppData/Roaming}",
        }
    }
}

impl Machine {
    /// Returns whether the client is installed, or was used by this user or in this project.
    pub(crate) fn has(&self, client: &Client) -> bool {
        client.programs.iter().any(|program| self.find_program(program).is_some())
            || client.traces.iter().any(|trace| self.expand(trace).is_some_and(|path| path.exists()))
    }

    /// Returns the path of a program on the `PATH`.
    pub fn find_program(&self, name: &str) -> Option<PathBuf> {
        let endings: &[&str] = if self.system == System::Windows { &[".exe", ".cmd"] } else { &[""] };
        let paths =
            self.path.iter().flat_map(|folder| endings.iter().map(move |end| folder.join(format!("{name}{end}"))));
        paths.into_iter().find(|path| path.is_file())
    }

    /// Returns the configuration file of a place: the first that exists, or else the first. `None` if the folder of the
    /// user is unknown.
    pub(crate) fn file(&self, place: &Place) -> Option<PathBuf> {
        let Files { linux, macos, windows } = &place.files;
        let templates = match self.system {
            System::Linux => linux,
            System::Macos => macos,
            System::Windows => windows,
        };
        let mut paths = templates.iter().filter_map(|template| self.expand(template));
        let first = paths.next()?;
        if first.exists() { Some(first) } else { paths.find(|path| path.exists()).or(Some(first)) }
    }

    /// Expands a template of a path: `{config}`, `${VARIABLE:-default}`, `~`. Other paths are below the project.
    pub(crate) fn expand(&self, template: &str) -> Option<PathBuf> {
        let template = template.replace("{config}", self.system.config());
        let (start, rest) = match template.strip_prefix("${").and_then(|rest| rest.split_once('}')) {
            Some((variable, rest)) => {
                let (name, default) = variable.split_once(":-").unwrap_or((variable, ""));
                let given = (self.variable)(name).filter(|value| Path::new(value).is_absolute());
                (given.unwrap_or_else(|| default.to_owned()), rest)
            }
            None => (template.clone(), ""),
        };
        let path = format!("{start}{rest}");
        match path.strip_prefix('~') {
            Some(below) => Some(self.home.as_ref()?.join(below.trim_start_matches('/'))),
            None => Some(self.project.join(path)),
        }
    }

    /// Returns the command for a configuration. In a file that a team shares it is the name of the program, which each
    /// member has on the `PATH`; in a file of the user the path, if the name alone would not be found.
    pub(crate) fn command(&self, is_shared: bool) -> String {
        let found = is_shared || self.find_program(PROGRAM).is_some();
        match &self.program {
            Some(program) if !found => program.display().to_string(),
            _ => PROGRAM.to_owned(),
        }
    }
}

/// Name of this program.
pub(crate) const PROGRAM: &str = "marq";
