//! Command line of `marq init`.

use clap::{Args, ValueEnum};
use marquetry_clients::{Extras, Scope};

/// `marq init`
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Init {
    /// Configure this client, installed or not; may be repeated [default: all that are found]
    #[arg(long, value_name = "NAME")]
    pub(crate) client: Vec<String>,
    /// The configuration to change: that of the project, which a team may share, or yours
    #[arg(long, value_name = "WHICH")]
    pub(crate) scope: Option<ScopeName>,
    /// Show the changes, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Write without asking
    #[arg(long)]
    pub(crate) yes: bool,
    /// Remove the entry of marq instead of adding it; with the flags below, also what they added
    #[arg(long)]
    pub(crate) remove: bool,
    /// Print the configuration of this client, to paste it yourself
    #[arg(long, value_name = "CLIENT", conflicts_with_all = ["client", "remove", "dry_run", "yes", "skill", "agents_md", "hook"])]
    pub(crate) print: Option<String>,
    /// Also add the skill, a page that explains to agents when to use marq
    #[arg(long)]
    pub(crate) skill: bool,
    /// Also add a paragraph about marq to AGENTS.md
    #[arg(long)]
    pub(crate) agents_md: bool,
    /// Also add a hook of Claude Code that suggests marq before text searches and edits; it never blocks them
    #[arg(long)]
    pub(crate) hook: bool,
}

/// Name of a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeName {
    /// Files in the project
    Project,
    /// Files of this user
    User,
}

impl Init {
    /// The scope, if one was given.
    pub(crate) fn scope(&self) -> Option<Scope> {
        self.scope.map(|name| match name {
            ScopeName::Project => Scope::Project,
            ScopeName::User => Scope::User,
        })
    }

    /// Parts that are installed in addition.
    pub(crate) fn extras(&self) -> Extras {
        Extras { skill: self.skill, agents: self.agents_md, hook: self.hook }
    }
}
