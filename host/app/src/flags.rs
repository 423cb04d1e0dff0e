//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

/// Read and edit files by naming the thing: a symbol, a JSONPath, a CSS selector, an XPath, a heading.
///
/// The plain TARGET is taken in the way of the file's format; the options name it in a certain way.
#[derive(Debug, Parser)]
#[command(name = "marq", version, arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct Flags {
    /// The project's folder [default: the current one]
    #[arg(long, global = true, value_name = "FOLDER")]
    pub(crate) root: Option<PathBuf>,
    /// Print results as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: When,
    /// Say more on standard error; twice for even more
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "Examples:
  marq read src/user.ts UserService.findById
  marq read package.json '$.scripts.build'
  marq read README.md 'Getting Started' --format summary
  marq edit package.json '$.version' replace '\"2.0.0\"'
  marq edit src/user.ts UserService insert_into 'count() { return 0; }' --position last
  marq move src/user.ts src/model/user.ts
  marq rename-symbol src/user.ts User Person --dry-run
  marq query references src/user.ts User
  marq undo";

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// On a terminal that has them
    Auto,
    Always,
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show exactly one thing of a file, or its outline
    Read(Read),
    /// Change exactly one thing of a file
    Edit(Box<Edit>),
    /// Make a new file, from content or a template
    Create(Create),
    /// Move a file or folder; everything that names it follows
    Move(Move),
    /// Rename a file or folder in its place; everything that names it follows
    Rename(Rename),
    /// Delete files or folders, and the imports of them in other files
    Delete(Delete),
    /// Copy a file; its links lead where those of the original lead
    Duplicate(Duplicate),
    /// Rename a symbol in every file that uses it
    RenameSymbol(RenameSymbol),
    /// Ask about a file or the whole project
    Query(Query),
    /// Take back a change: the latest one, or the one with this id
    Undo {
        /// The id of the change
        id: Option<String>,
        /// Show what would happen, write nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// List the changes made here, latest first
    History {
        /// At most so many
        #[arg(long)]
        limit: Option<usize>,
    },
    /// List the tools, or show one with its arguments
    Tools {
        /// The tool
        name: Option<String>,
    },
    /// Call a tool with its arguments as JSON
    Call {
        /// The tool, such as `file_read`
        tool: String,
        /// Its arguments: a JSON object, or `-` for standard input
        #[arg(default_value = "{}")]
        arguments: String,
    },
    /// Look at the plugins
    #[command(subcommand)]
    Plugin(Plugin),
    /// Check that everything marq needs is there
    Doctor,
    /// Serve JSON-RPC 2.0 on standard input and output
    Rpc {
        /// One message a line
        #[arg(long, required = true)]
        stdio: bool,
    },
    /// Serve JSON-RPC 2.0 over HTTP and WebSocket on a loopback port
    Serve {
        /// The port; 0 lets the system choose
        #[arg(long, default_value_t = 0)]
        port: u16,
    },
    /// Serve MCP on standard input and output
    Mcp,
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// The ways to name a place.
#[derive(Debug, Args, Default)]
pub(crate) struct Target {
    /// Code: `Class.method`
    #[arg(long)]
    pub(crate) symbol: Option<String>,
    /// Data: a JSONPath, such as `$.scripts.build`
    #[arg(long)]
    pub(crate) path: Option<String>,
    /// Pages and stylesheets: a CSS selector
    #[arg(long)]
    pub(crate) selector: Option<String>,
    /// Marked-up data: an XPath
    #[arg(long)]
    pub(crate) xpath: Option<String>,
    /// Documents: a heading
    #[arg(long)]
    pub(crate) heading: Option<String>,
    /// A region, such as `imports`
    #[arg(long)]
    pub(crate) region: Option<String>,
    /// Lines, such as `7-12`
    #[arg(long)]
    pub(crate) lines: Option<String>,
}

/// `marq read`
#[derive(Debug, Args)]
pub(crate) struct Read {
    /// The file
    pub(crate) file: String,
    /// What to read; without it, the file or its outline
    pub(crate) target: Option<String>,
    #[command(flatten)]
    pub(crate) place: Target,
    /// How much to show: full, signature, body or summary
    #[arg(long)]
    pub(crate) format: Option<String>,
    /// Lines to show above and below
    #[arg(long, value_name = "LINES", requires = "target")]
    pub(crate) around: Option<usize>,
    /// Show at most so many lines of each match
    #[arg(long)]
    pub(crate) max_lines: Option<usize>,
    /// Show at most so many matches
    #[arg(long)]
    pub(crate) limit: Option<usize>,
    /// The doc comment is part of it
    #[arg(long)]
    pub(crate) include_doc: bool,
}

/// `marq edit`
#[derive(Debug, Args)]
pub(crate) struct Edit {
    /// The file
    pub(crate) file: String,
    /// What to edit
    pub(crate) target: String,
    /// replace, replace_body, insert_before, insert_after, insert_into, wrap, delete, replace_text
    pub(crate) operation: String,
    /// What is inserted or takes its place; `-` for standard input
    pub(crate) content: Option<String>,
    /// For wrap: what goes before
    #[arg(long)]
    pub(crate) before: Option<String>,
    /// For wrap: what goes after
    #[arg(long)]
    pub(crate) after: Option<String>,
    /// For insert_into: first, last or sorted
    #[arg(long)]
    pub(crate) position: Option<String>,
    /// For replace_text: the text that is replaced
    #[arg(long)]
    pub(crate) old: Option<String>,
    /// Every match, every occurrence
    #[arg(long)]
    pub(crate) all: bool,
    /// The doc comment is part of it
    #[arg(long)]
    pub(crate) include_doc: bool,
    /// Write even though a check refuses it
    #[arg(long)]
    pub(crate) force: bool,
    /// Show what would happen, write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// The hash that a read returned
    #[arg(long, value_name = "HASH")]
    pub(crate) expected_hash: Option<String>,
}

/// `marq create`
#[derive(Debug, Args)]
pub(crate) struct Create {
    /// The file
    pub(crate) path: String,
    /// Its content; `-` for standard input
    #[arg(long)]
    pub(crate) content: Option<String>,
    /// A template
    #[arg(long)]
    pub(crate) template: Option<String>,
    /// A variable of the template
    #[arg(long = "var", value_name = "NAME=VALUE")]
    pub(crate) vars: Vec<String>,
    /// Replace a file that is there
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Show what would happen, write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// `marq move`
#[derive(Debug, Args)]
pub(crate) struct Move {
    /// The file or folder
    pub(crate) source: String,
    /// Its new path; with a `/` at its end, or a folder that is there, the name stays
    pub(crate) destination: String,
    /// Leave what names it as it is
    #[arg(long)]
    pub(crate) no_update_imports: bool,
    /// Replace a file that is there
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Show what would happen, write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// `marq rename`
#[derive(Debug, Args)]
pub(crate) struct Rename {
    /// The file or folder
    pub(crate) path: String,
    /// Its new name, without folders
    pub(crate) new_name: String,
    /// Rename the main export to match
    #[arg(long)]
    pub(crate) rename_exports: bool,
    /// Rename this export as well
    #[arg(long = "export", value_name = "OLD=NEW")]
    pub(crate) exports: Vec<String>,
    /// Leave what names it as it is
    #[arg(long)]
    pub(crate) no_update_imports: bool,
    /// Replace a file that is there
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Show what would happen, write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// `marq delete`
#[derive(Debug, Args)]
pub(crate) struct Delete {
    /// The files or folders
    #[arg(required = true)]
    pub(crate) paths: Vec<String>,
    /// Folders with all that is in them
    #[arg(short, long)]
    pub(crate) recursive: bool,
    /// Delete nothing while something still uses it
    #[arg(long)]
    pub(crate) safe: bool,
    /// Leave the imports of it
    #[arg(long)]
    pub(crate) no_update_imports: bool,
    /// Show what would happen, write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// `marq duplicate`
#[derive(Debug, Args)]
pub(crate) struct Duplicate {
    /// The file
    pub(crate) source: String,
    /// The path of the copy
    pub(crate) destination: String,
    /// Rename the main export of the copy to match
    #[arg(long)]
    pub(crate) rename_symbols: bool,
    /// Rename this symbol in the copy
    #[arg(long = "rename", value_name = "OLD=NEW")]
    pub(crate) symbols: Vec<String>,
    /// Replace a file that is there
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Show what would happen, write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// `marq rename-symbol`
#[derive(Debug, Args)]
pub(crate) struct RenameSymbol {
    /// The file that declares it; where another one imports it, --line and --column name the name it has there
    pub(crate) file: String,
    /// The symbol, such as `Class.method`
    pub(crate) symbol: String,
    /// Its new name
    pub(crate) new_name: String,
    /// The line where it stands, if several have the name
    #[arg(long)]
    pub(crate) line: Option<usize>,
    /// The column from 0, with --line
    #[arg(long, requires = "line")]
    pub(crate) column: Option<usize>,
    /// workspace, or file
    #[arg(long)]
    pub(crate) scope: Option<String>,
    /// Show what would happen, write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// The hash that a read returned
    #[arg(long, value_name = "HASH")]
    pub(crate) expected_hash: Option<String>,
}

/// `marq query`
#[derive(Debug, Args)]
pub(crate) struct Query {
    /// documentSymbols, diagnostics, dependencies, references, workspaceSymbols, implementations, typeHierarchy,
    /// callHierarchy
    pub(crate) r#type: String,
    /// The file; for workspaceSymbols the name, with `*` and `?` as wildcards
    pub(crate) path: Option<String>,
    /// The symbol
    pub(crate) symbol: Option<String>,
    /// The symbol, where no file is named
    #[arg(long = "symbol", value_name = "SYMBOL", conflicts_with = "symbol")]
    pub(crate) anywhere: Option<String>,
    /// The line of the symbol, from 1
    #[arg(long)]
    pub(crate) line: Option<usize>,
    /// The column of the symbol, from 0
    #[arg(long, requires = "line")]
    pub(crate) column: Option<usize>,
    /// imports, importedBy; incoming, outgoing; supertypes, subtypes
    #[arg(long)]
    pub(crate) direction: Option<String>,
    /// references: with the declaration itself
    #[arg(long)]
    pub(crate) include_declaration: bool,
    /// workspaceSymbols: only this kind
    #[arg(long)]
    pub(crate) kind: Option<String>,
    /// workspaceSymbols: at most so many
    #[arg(long)]
    pub(crate) limit: Option<usize>,
    /// diagnostics: the least bad to report
    #[arg(long)]
    pub(crate) severity: Option<String>,
    /// Any other argument of the tool
    #[arg(long = "arg", value_name = "NAME=VALUE")]
    pub(crate) arguments: Vec<String>,
}

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
    /// Write registry.lock: from then on only these very plugins run
    Lock,
}
