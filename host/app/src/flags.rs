//! The command line.

pub(crate) mod plugin;

use std::path::PathBuf;

use clap::{Args, FromArgMatches, Subcommand, ValueEnum};
use clap_complete::Shell;
use marquetry_model::Result;
use marquetry_wire::mcp::{Answers, Settings};
use serde_json::{Map, Value};

use crate::{refactor_flags, shortcuts, tool_commands};

const ABOUT: &str =
    "Read and edit files by naming the thing: a symbol, a JSONPath, a CSS selector, an XPath, a heading";

/// What every command takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Everywhere {
    /// The project's folder [default: the current one]; several for a server, which then serves these alone
    #[arg(long, global = true, value_name = "FOLDER")]
    pub(crate) root: Vec<PathBuf>,
    /// Let calls name any folder as their `root`
    #[arg(long, global = true)]
    pub(crate) any_root: bool,
    /// Allow whatever the project's files ask for, such as plugins of its own: for projects that are yours
    #[arg(long, global = true, conflicts_with = "no_trust")]
    pub(crate) trust: bool,
    /// Leave out whatever the project's files ask for, although it was allowed
    #[arg(long, global = true)]
    pub(crate) no_trust: bool,
    /// Let calls write into folders of version control, such as `.git`
    #[arg(long, global = true)]
    pub(crate) write_protected: bool,
    /// Print results as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: When,
    /// Say more on standard error; twice for even more
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// The command line, understood.
pub(crate) struct Flags {
    pub(crate) everywhere: Everywhere,
    pub(crate) command: Run,
}

/// What to do.
pub(crate) enum Run {
    /// One call of a tool.
    Tool(&'static str, Map<String, Value>),
    /// Show something: in an editor, or here, in a pager where one may be used.
    Open(Map<String, Value>, Pager),
    /// Anything else.
    Other(Command),
}

/// Whether a pager may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pager {
    /// On a terminal.
    Auto,
    Never,
}

/// The whole command line: the commands that are tools, and the others.
pub(crate) fn grammar() -> clap::Command {
    let program = clap::Command::new("marq").version(env!("CARGO_PKG_VERSION")).about(ABOUT).long_about(LONG_ABOUT);
    let program = program.arg_required_else_help(true).subcommand_required(true).after_help(EXAMPLES);
    let program = Everywhere::augment_args(program).subcommands(tool_commands::commands());
    // What is said of the type `Command` is not what the program is about.
    Command::augment_subcommands(program).about(ABOUT).long_about(LONG_ABOUT)
}

/// Understand the command line, or end with what is wrong with it.
pub(crate) fn parse() -> Result<Flags> {
    let matches = grammar().get_matches_from(refactor_flags::with_arguments(std::env::args_os()));
    let everywhere = Everywhere::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let tool = matches.subcommand().and_then(|(name, matches)| tool_commands::call(name, matches));
    let open = matches.subcommand().filter(|(name, _)| *name == shortcuts::OPEN);
    let command = match tool {
        Some(call) => match (call?, open) {
            ((_, arguments), Some((_, open))) => {
                let pager = if open.get_flag(shortcuts::NO_PAGER) { Pager::Never } else { Pager::Auto };
                Run::Open(arguments, pager)
            }
            ((tool, arguments), None) => Run::Tool(tool, arguments),
        },
        None => Run::Other(Command::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())),
    };
    Ok(Flags { everywhere, command })
}

const LONG_ABOUT: &str =
    "Read and edit files by naming the thing: a symbol, a JSONPath, a CSS selector, an XPath, a heading.

The plain TARGET is taken in the way of the file's format; the options name it in a certain way.";

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

/// The commands that do not call a tool.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
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
    Plugin(plugin::Plugin),
    /// Show what the project's files ask for that only you may give, and give it or take it back
    Trust {
        /// Allow it, as it is now: all of it, or what stands under these names
        #[arg(long, value_name = "NAME", num_args = 0.., conflicts_with = "revoke")]
        allow: Option<Vec<String>>,
        /// Take back what was allowed: all of it, or what stands under these names
        #[arg(long, value_name = "NAME", num_args = 0..)]
        revoke: Option<Vec<String>>,
    },
    /// List interrupted changes that cannot be rolled back by themselves, and decide about one
    Recover {
        /// Stop rolling this change back: leave its files as they are, and keep the backup
        #[arg(long, value_name = "ID")]
        give_up: Option<String>,
        /// Roll this change back although its marker is a copy, as after a remount or in a restored backup; each file is compared
        /// first
        #[arg(long, value_name = "ID", conflicts_with = "give_up")]
        take_back: Option<String>,
    },
    /// Show what is kept and needed by nobody: histories of folders that are gone, compiled code of other versions
    Clean {
        /// Take what this file or folder held out of the history instead, such as a key: its changes cannot be undone then
        #[arg(long, value_name = "PATH")]
        purge: Option<PathBuf>,
        /// Do it; without this, what would go is shown
        #[arg(long)]
        yes: bool,
    },
    /// Check that everything marq needs is there
    Doctor,
    /// Serve JSON-RPC 2.0 on standard input and output
    Rpc {
        /// One message a line
        #[arg(long, required = true)]
        stdio: bool,
    },
    /// Serve JSON-RPC 2.0 over HTTP and WebSocket, and MCP over HTTP (/mcp), on a loopback port
    Serve {
        /// The port; 0 lets the system choose
        #[arg(long, default_value_t = 0)]
        port: u16,
        /// Do not serve the endpoint by which Claude Code reaches editors
        #[arg(long)]
        no_ide: bool,
        #[command(flatten)]
        mcp: Mcp,
    },
    /// Open the page of a server in a browser: files with their addresses, proposals, history, plugins, calls in progress
    Ui {
        /// The port of a server that is started; 0 lets the system choose
        #[arg(long, default_value_t = 0)]
        port: u16,
        /// Say where the page is, and open no browser
        #[arg(long)]
        no_open: bool,
    },
    /// Serve the endpoint by which Claude Code reaches editors, on a loopback port that it finds by itself
    Ide {
        /// The port; 0 lets the system choose
        #[arg(long, default_value_t = 0)]
        port: u16,
        /// Do not tell what is selected in editors, unless it is asked
        #[arg(long)]
        quiet: bool,
    },
    /// Serve MCP on standard input and output
    Mcp(Mcp),
    /// Render a template for another process of this program
    #[command(hide = true, name = crate::templates::COMMAND)]
    RenderTemplate,
    /// Compile a plugin for another process of this program
    #[command(hide = true, name = crate::apart::COMPILE_COMMAND)]
    CompilePlugin,
    /// Print the manual page of marq, or of a command: `marq man edit | man -l -`
    Man {
        /// The command
        command: Option<String>,
    },
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// What a server of MCP offers.
#[derive(Debug, Args)]
pub(crate) struct Mcp {
    /// What is sent as the answer of a call: text for models, JSON, or both
    #[arg(long, value_name = "WHAT", default_value = "text")]
    answers: What,
    /// List all tools, or those that most work is done with and one that leads to the others
    #[arg(long, value_name = "WHICH", default_value = "all")]
    tools: Which,
}

impl Mcp {
    pub(crate) fn settings(&self) -> Settings {
        let answers = match self.answers {
            What::Text => Answers::Text,
            What::Structured => Answers::Structured,
            What::Both => Answers::Both,
        };
        Settings { answers, core: self.tools == Which::Core }
    }
}

/// What is sent as the answer of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// Text for models
    Text,
    /// JSON
    Structured,
    /// Both
    Both,
}

/// Which tools are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Which {
    /// Reading, editing, asking and moving
    Core,
    /// Every one
    All,
}
