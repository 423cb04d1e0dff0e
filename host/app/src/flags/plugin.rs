//! The grammar of `marq plugin`: for those who use plugins, and for those who write them.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

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
    /// Add a plugin to the project's registry.toml: a file, or from an OCI registry, an address or a folder
    #[command(after_help = "Sources, signatures and what is checked: docs/plugins/registry.md")]
    Add(Add),
    /// Take over what there is now: the files of plugins, the newest versions of those from elsewhere, the lock
    Update {
        /// The plugin; all of them by default
        id: Option<String>,
        /// Bring what registry.lock names, and change nothing
        #[arg(long)]
        locked: bool,
    },
    /// Publish a component to an OCI registry, or to a folder
    Publish {
        /// The component
        file: PathBuf,
        /// Where to: `oci:HOST/REPOSITORY`, or `folder:FOLDER`
        to: String,
        /// Its signature, made with minisign; FILE.minisig by default, where there is one
        #[arg(long, value_name = "FILE")]
        signature: Option<PathBuf>,
    },
    /// Search an OCI registry, or the folders below a folder, for plugins
    Search {
        /// A part of the name or the title
        word: String,
        /// Where: `oci:HOST[/PREFIX]`, or `folder:FOLDER`
        place: String,
    },
    /// Take a plugin out of the project's registry.toml
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
    /// Grant it this: `workspace`, to look at files below the root
    #[arg(long, value_name = "GRANT")]
    pub(crate) grant: Vec<String>,
    /// Which versions to take, as `^0.1`; the newest one by default
    #[arg(long, value_name = "REQUIREMENT")]
    pub(crate) version: Option<String>,
    /// sha256 of its bytes; an address needs it
    #[arg(long, value_name = "HEX")]
    pub(crate) sha256: Option<String>,
    /// Ask for the signature of this signer, one of registry.toml, or a new one with `--minisign`
    #[arg(long, value_name = "NAME")]
    pub(crate) signed_by: Option<String>,
    /// The public key of the signer, as minisign writes it: RW…
    #[arg(long, value_name = "KEY", requires = "signed_by")]
    pub(crate) minisign: Option<String>,
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
