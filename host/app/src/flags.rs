//! The command line.

pub(crate) mod init;
pub(crate) mod plugin;

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, FromArgMatches, Subcommand, ValueEnum};
use clap_complete::Shell;
use marquetry_catalog::ToolFormat;
use marquetry_model::Result;
use marquetry_wire::mcp::{Answers, Settings};
use serde_json::{Map, Value};

use crate::{dash_values, help, refactor_flags, shortcuts, tool_commands, unknown_flags};

const ABOUT: &str =
    "Read and edit files by naming the thing: a symbol, a JSONPath, a CSS selector, an XPath, a heading";

/// Flags of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalFlags {
    /// The project's folder [default: the current one]; servers take several, and serve only those
    #[arg(long, global = true, value_name = "FOLDER")]
    pub(crate) root: Vec<PathBuf>,
    /// Allow calls to use any folder as `root`
    #[arg(long, global = true)]
    pub(crate) any_root: bool,
    /// Grant everything that the project's files request, such as its own plugins: only for projects you trust
    #[arg(long, global = true, conflicts_with = "no_trust")]
    pub(crate) trust: bool,
    /// Ignore what the project's files request, even if it is approved
    #[arg(long, global = true)]
    pub(crate) no_trust: bool,
    /// Allow calls to write into folders of version control, such as `.git`
    #[arg(long, global = true)]
    pub(crate) write_protected: bool,
    /// Print results as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to use colors
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
    /// Log to standard error; twice for more
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// The parsed command line.
pub(crate) struct Flags {
    pub(crate) global: GlobalFlags,
    pub(crate) command: Invocation,
}

/// The command to run.
pub(crate) enum Invocation {
    /// One call of a tool.
    Tool(&'static str, Map<String, Value>),
    /// Show something in an editor, or print it to the terminal, through a pager if allowed.
    Open(Map<String, Value>, Pager),
    /// Anything else.
    Other(Command),
}

/// Use of a pager.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pager {
    /// A pager is used if standard output is a terminal.
    Auto,
    Never,
}

/// The whole command line: the commands that are tools, and the others.
pub(crate) fn cli() -> clap::Command {
    let program = clap::Command::new("marq").version(env!("CARGO_PKG_VERSION")).about(ABOUT).long_about(LONG_ABOUT);
    let program = program.arg_required_else_help(true).subcommand_required(true).disable_help_subcommand(true);
    let program = program.after_help(format!("{EXAMPLES}\n\n{}", help::topics()));
    let program = GlobalFlags::augment_args(program).subcommands(tool_commands::commands());
    // `augment_subcommands` sets the description of `Command`; restore that of the program.
    Command::augment_subcommands(program).about(ABOUT).long_about(LONG_ABOUT)
}

/// Parses the command line. Exits with a message if it is invalid.
pub(crate) fn parse() -> Result<Flags> {
    let program = cli();
    let line = refactor_flags::convert_flags(&program, std::env::args_os());
    let line = dash_values::mark(&program, line);
    let matches = program.try_get_matches_from(&line).unwrap_or_else(|error| exit_with(error, &line));
    let everywhere = GlobalFlags::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let tool = matches.subcommand().and_then(|(name, matches)| tool_commands::call(name, matches));
    let open = matches.subcommand().filter(|(name, _)| *name == shortcuts::OPEN);
    let command = match tool {
        Some(call) => match (call?, open) {
            ((_, arguments), Some((_, open))) => {
                let pager = if open.get_flag(shortcuts::NO_PAGER) { Pager::Never } else { Pager::Auto };
                Invocation::Open(arguments, pager)
            }
            ((tool, arguments), None) => Invocation::Tool(tool, arguments),
        },
        None => Invocation::Other(Command::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())),
    };
    Ok(Flags { global: everywhere, command })
}

/// Prints help or an error of the parser, and exits.
#[expect(clippy::exit, clippy::print_stderr, reason = "`clap::Error::exit` would print the marks of values")]
fn exit_with(error: clap::Error, line: &[OsString]) -> ! {
    let command = line.iter().skip(1).filter_map(|word| word.to_str()).find(|word| !word.starts_with('-'));
    let error = unknown_flags::with_other_command(error, command);
    let plain = error.render().to_string();
    if dash_values::without_marks(&plain) == plain {
        error.exit();
    }
    eprint!("{}", dash_values::without_marks(&plain));
    std::process::exit(error.exit_code())
}

const LONG_ABOUT: &str =
    "Read and edit files by naming the thing: a symbol, a JSONPath, a CSS selector, an XPath, a heading.

A TARGET is a symbol, JSONPath, selector, XPath or heading, depending on the file's format. \
When a file moves or a symbol is renamed, its references follow in all formats, and the answer lists those that are left.";

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

/// When to use colors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// If the terminal supports them
    Auto,
    Always,
    Never,
}

/// The commands that do not call a tool.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Connect Claude Code, Cursor, VS Code and other MCP clients with marq, and prove that it works
    Init(init::Init),
    /// List the tools, or describe one with its arguments
    Tools {
        /// The tool
        name: Option<String>,
        /// Print the tools as JSON, in the format of a protocol or of an API for models
        #[arg(long, value_name = "FORMAT")]
        format: Option<ToolListFormat>,
    },
    /// Call a tool with its arguments as JSON
    Call {
        /// The tool, such as `file_read`
        tool: String,
        /// The arguments: a JSON object; `-` reads standard input
        #[arg(default_value = "{}")]
        arguments: String,
    },
    /// List, add, write and publish plugins
    #[command(subcommand)]
    Plugin(plugin::Plugin),
    /// Show, grant or revoke the permissions that this project's registry.toml requests
    Trust {
        /// Grant the requests as they are now: all, or those with these names
        #[arg(long, value_name = "NAME", num_args = 0.., conflicts_with = "revoke")]
        allow: Option<Vec<String>>,
        /// Revoke approvals: all, or those with these names
        #[arg(long, value_name = "NAME", num_args = 0..)]
        revoke: Option<Vec<String>>,
    },
    /// List interrupted changes that cannot be rolled back automatically, and decide about one
    Recover {
        /// Stop rolling this change back; keep the backup
        #[arg(long, value_name = "ID")]
        give_up: Option<String>,
        /// Roll this change back even if its marker is a copy, as after a remount or a restored backup; each file is compared first
        #[arg(long, value_name = "ID", conflicts_with = "give_up")]
        take_back: Option<String>,
    },
    /// List stored data that is no longer needed: histories of deleted folders, code compiled by other versions
    Clean {
        /// Instead, list the changes that keep old contents of this path, such as a leaked key; with `--yes`, erase these contents
        /// from the undo history: the changes can no longer be undone
        #[arg(long, value_name = "PATH")]
        purge: Option<PathBuf>,
        /// Delete what is listed, or erase the contents
        #[arg(long)]
        yes: bool,
    },
    /// List the known language servers: their files, their programs, and whether they may start
    Servers,
    /// Check the installation, the project, running servers and configured MCP clients
    Doctor {
        /// Also compile all plugins that are not compiled yet, so that no later call waits for this: for images of containers
        #[arg(long)]
        compile: bool,
    },
    /// Serve JSON-RPC 2.0 on standard input and output
    Rpc {
        /// Use standard input and output, one message per line
        #[arg(long, required = true)]
        stdio: bool,
    },
    /// Serve JSON-RPC 2.0 over HTTP and WebSocket, and MCP over HTTP (/mcp), on a loopback port
    Serve {
        /// The port; 0 lets the system choose one
        #[arg(long, default_value_t = 0)]
        port: u16,
        /// Do not serve the endpoint for Claude Code
        #[arg(long)]
        no_ide: bool,
        #[command(flatten)]
        mcp: Mcp,
    },
    /// Open marq's page in a browser: files, proposals, history, plugins, calls in progress
    Ui {
        /// The port of a new server; ignored if a server is running. 0 lets the system choose one
        #[arg(long, default_value_t = 0)]
        port: u16,
        /// Print the address instead of opening a browser
        #[arg(long)]
        no_open: bool,
    },
    /// Serve the endpoint through which Claude Code uses attached editors
    Ide {
        /// The port; 0 lets the system choose one
        #[arg(long, default_value_t = 0)]
        port: u16,
        /// Do not send selection changes; answer requests only
        #[arg(long)]
        quiet: bool,
    },
    /// Serve MCP on standard input and output
    Mcp(Mcp),
    /// Answer a hook of Claude Code on standard input
    #[command(hide = true, name = marquetry_clients::HOOK_COMMAND)]
    Hook,
    /// Render a template for another process of this program
    #[command(hide = true, name = crate::templates::COMMAND)]
    RenderTemplate,
    /// Compile a plugin for another process of this program
    #[command(hide = true, name = crate::subprocess::COMPILE_COMMAND)]
    CompilePlugin,
    /// Print the help of a command, or about a topic
    Help {
        /// A command, or a topic: targets, patterns, permissions
        #[arg(value_name = "COMMAND")]
        words: Vec<String>,
    },
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

/// Flags of an MCP server.
#[derive(Debug, Args)]
pub(crate) struct Mcp {
    /// Format of answers: text for models, JSON, or both
    #[arg(long, value_name = "WHAT", default_value = "text")]
    answers: AnswerFormat,
    /// Tools to list: all, or the core and one that calls the others
    #[arg(long, value_name = "WHICH", default_value = "all")]
    tools: ToolSet,
}

impl Mcp {
    pub(crate) fn settings(&self) -> Settings {
        let answers = match self.answers {
            AnswerFormat::Text => Answers::Text,
            AnswerFormat::Structured => Answers::Structured,
            AnswerFormat::Both => Answers::Both,
        };
        Settings { answers, core: self.tools == ToolSet::Core }
    }
}

/// Format of the answer to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AnswerFormat {
    /// Text for models
    Text,
    /// JSON
    Structured,
    /// Both
    Both,
}

/// The tools to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ToolSet {
    /// file_read, file_edit, file_move, query and more_tools
    Core,
    /// All tools
    All,
}

/// Format of the list of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ToolListFormat {
    /// The result of `tools/list` of MCP
    Mcp,
    /// `tools` of OpenAI's chat completions, and of servers that accept the same
    Openai,
    /// `tools` of Anthropic's messages
    Anthropic,
    /// `tools` of Gemini's generateContent
    Gemini,
    /// `contributes.languageModelTools` of an extension of VS Code
    #[value(name = "vscode-lm")]
    VsCodeLm,
    /// An OpenRPC document of the JSON-RPC methods
    Openrpc,
}

impl ToolListFormat {
    /// Returns the format of the catalog; `None` for that of MCP, which is a protocol.
    pub(crate) fn format(self) -> Option<ToolFormat> {
        match self {
            ToolListFormat::Mcp => None,
            ToolListFormat::Openai => Some(ToolFormat::Openai),
            ToolListFormat::Anthropic => Some(ToolFormat::Anthropic),
            ToolListFormat::Gemini => Some(ToolFormat::Gemini),
            ToolListFormat::VsCodeLm => Some(ToolFormat::VsCodeLm),
            ToolListFormat::Openrpc => Some(ToolFormat::Openrpc),
        }
    }
}
