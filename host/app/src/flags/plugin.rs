//! The grammar of `marq plugin`: for those who use plugins, and for those who write them.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

/// `marq plugin`
#[derive(Debug, Subcommand)]
pub(crate) enum Plugin {
    /// List the plugins, with versions, grants and state
    List,
    /// Show a plugin's page: how to address things, what each operation does
    Show {
        /// The plugin
        id: String,
    },
    /// Show what a plugin said in calls that failed: errors, stacks, its log
    Logs {
        /// The plugin
        id: String,
    },
    /// Write registry.lock: from then on these very plugins run, and no others
    Lock,
    /// Make a folder with a new language pack that builds and keeps the laws
    New {
        /// Its name: the format, in lower-case letters, digits and dashes
        name: String,
        /// The language to write it in
        #[arg(long, value_enum, default_value_t = Language::Rust)]
        lang: Language,
        /// The folder; one of the pack's name by default
        #[arg(long, value_name = "FOLDER")]
        to: Option<PathBuf>,
    },
    /// Build the pack of a folder: NAME.wasm in it
    Build {
        /// The folder
        #[arg(default_value = ".")]
        folder: PathBuf,
    },
    /// Try a pack: the laws that every pack keeps, specs, random texts, limits, time and memory
    #[command(after_help = "How specs are written: docs/plugins/testing.md")]
    Test {
        /// The component
        file: PathBuf,
        /// Documents of its format, and specs (*.spec.md)
        documents: Vec<PathBuf>,
        /// Seconds of random texts
        #[arg(long, default_value_t = 5)]
        seconds: u64,
        /// Write the answers that come now into the specs
        #[arg(long)]
        update: bool,
    },
    /// Build and try the pack of a folder, now and whenever a source of it changes
    Dev {
        /// The folder
        #[arg(default_value = ".")]
        folder: PathBuf,
        /// Seconds of random texts
        #[arg(long, default_value_t = 1)]
        seconds: u64,
    },
    /// Show what a component is: name, version, files, interfaces, what it imports and has to be granted
    Info {
        /// The component
        file: PathBuf,
    },
    /// Add a component to the project's registry.toml
    Add {
        /// The component
        file: PathBuf,
        /// Grant it this: `workspace`, to look at files below the root
        #[arg(long, value_name = "GRANT")]
        grant: Vec<String>,
    },
    /// Take over what the files of the project's own plugins say now: versions, and the lock if there is one
    Update {
        /// The plugin; all of them by default
        id: Option<String>,
    },
    /// Take a plugin out of the project's registry.toml
    Remove {
        /// The plugin
        id: String,
    },
}

/// A language that packs are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// Rust, for `wasm32-wasip2`
    Rust,
    /// JavaScript, for which Node and npm are needed
    #[value(alias = "javascript", alias = "ts")]
    Js,
    /// Python 3.10 or later
    Python,
    /// AssemblyScript as an Extism plug-in, for which Node and npm are needed
    #[value(alias = "assemblyscript")]
    Extism,
}
