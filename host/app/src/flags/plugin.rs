//! Command line of `marq plugin`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// `marq plugin`
#[derive(Debug, Subcommand)]
pub(crate) enum Plugin {
    /// List the plugins with versions, grants and state
    List,
    /// Show a plugin's documentation: targets and operations
    Show {
        /// The plugin
        id: String,
    },
    /// Show a plugin's failed calls: errors, stack traces, log
    Logs {
        /// The plugin
        id: String,
    },
    /// Write registry.lock, which pins the plugins that may run
    Lock,
    /// Create a language pack that builds and passes all laws
    New {
        /// The name of the format: lower-case letters, digits and dashes
        name: String,
        /// The language to write it in
        #[arg(long, value_enum, default_value_t = Language::Rust)]
        lang: Language,
        /// The folder [default: the name]
        #[arg(long, value_name = "FOLDER")]
        to: Option<PathBuf>,
    },
    /// Build the pack in a folder to NAME.wasm
    Build {
        /// The folder
        #[arg(default_value = ".")]
        folder: PathBuf,
    },
    /// Test a pack: laws, specs, random texts, limits, time and memory
    #[command(after_help = "How specs are written: docs/plugins/testing.md")]
    Test {
        /// The component
        file: PathBuf,
        /// Documents of the format, and specs (*.spec.md)
        documents: Vec<PathBuf>,
        /// Time for tests with random texts, in seconds
        #[arg(long, default_value_t = 5)]
        seconds: u64,
        /// Write the current answers into the specs
        #[arg(long)]
        update: bool,
    },
    /// Build and test the pack in a folder whenever a source file changes
    Dev {
        /// The folder
        #[arg(default_value = ".")]
        folder: PathBuf,
        /// Time for tests with random texts, in seconds
        #[arg(long, default_value_t = 1)]
        seconds: u64,
    },
    /// Describe a component: name, version, files, interfaces, imports and required grants
    Info {
        /// The component
        file: PathBuf,
    },
    /// Add a plugin to registry.toml: from a file, an OCI registry, a URL or a folder
    #[command(after_help = "Sources, signatures and what is checked: docs/plugins/registry.md")]
    Add(Add),
    /// Update registry.lock to the plugins' current files and newest versions
    Update {
        /// The plugin [default: all]
        id: Option<String>,
        /// Download what registry.lock pins, check the files of the others, and change nothing
        #[arg(long)]
        locked: bool,
    },
    /// Publish a component to an OCI registry or a folder
    Publish {
        /// The component
        file: PathBuf,
        /// The destination: `oci:HOST/REPOSITORY` or `folder:FOLDER`
        to: String,
        /// The minisign signature [default: FILE.minisig, if it exists]
        #[arg(long, value_name = "FILE")]
        signature: Option<PathBuf>,
    },
    /// Search an OCI registry or a folder for plugins
    Search {
        /// Part of the name or title
        word: String,
        /// The place to search: `oci:HOST[/PREFIX]` or `folder:FOLDER`
        place: String,
    },
    /// Remove a plugin from registry.toml
    Remove {
        /// The plugin
        id: String,
    },
}

/// `marq plugin add`
#[derive(Debug, Args)]
pub(crate) struct Add {
    /// A component's file, `oci:HOST/REPOSITORY[:TAG]`, `https://…`, or `folder:FOLDER`
    pub(crate) source: String,
    /// Grant a permission: `workspace` (read files below the root), `ignored` or `secrets`
    #[arg(long, value_name = "GRANT")]
    pub(crate) grant: Vec<String>,
    /// Version requirement, such as `^0.1` [default: the newest]
    #[arg(long, value_name = "REQUIREMENT")]
    pub(crate) version: Option<String>,
    /// SHA-256 of the file; required for a URL
    #[arg(long, value_name = "HEX")]
    pub(crate) sha256: Option<String>,
    /// Require the signature of this signer: one of registry.toml, or a new one with `--minisign`
    #[arg(long, value_name = "NAME")]
    pub(crate) signed_by: Option<String>,
    /// The signer's public minisign key: RW…
    #[arg(long, value_name = "KEY", requires = "signed_by")]
    pub(crate) minisign: Option<String>,
}

/// A language that packs are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// Rust, for `wasm32-wasip2`
    Rust,
    /// Rust, for a programming language with a grammar of tree-sitter; needs Python for the C compiler
    Grammar,
    /// JavaScript; needs Node and npm
    #[value(alias = "javascript", alias = "ts")]
    Js,
    /// Python 3.10 or later
    Python,
    /// AssemblyScript as an Extism plug-in; needs Node and npm
    #[value(alias = "assemblyscript")]
    Extism,
}
