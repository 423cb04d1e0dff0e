//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

/// Read and edit files by naming the thing: a symbol, a JSONPath, a CSS selector, an XPath, a heading.
#[derive(Debug, Parser)]
#[command(name = "marq", version, arg_required_else_help = true)]
pub(crate) struct Flags {
    /// The project's folder [default: the current one]
    #[arg(long, global = true, value_name = "FOLDER")]
    pub(crate) root: Option<PathBuf>,
    /// Print results as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Say more on standard error; twice for even more
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Call a tool with its arguments as JSON
    Call {
        /// The tool, such as `file_read`
        tool: String,
        /// Its arguments: a JSON object, or `-` for standard input
        #[arg(default_value = "{}")]
        arguments: String,
    },
    /// Serve JSON-RPC 2.0
    Rpc {
        /// One message a line, on standard input and output
        #[arg(long, required = true)]
        stdio: bool,
    },
}
