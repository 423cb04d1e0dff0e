//! The table of clients: one static for each, in the order in which they are listed. `docs/clients` has a page for each,
//! with the date on which the facts were checked.

mod agents;
mod editors;

/// A program that starts MCP servers.
#[derive(Debug)]
pub struct Client {
    /// Name on the command line.
    pub id: &'static str,
    /// Name for people.
    pub name: &'static str,
    /// Programs on the `PATH` that show that the client is installed.
    pub programs: &'static [&'static str],
    /// Files and folders that show that the client is used. Those without `~` and `$` are below the project.
    pub traces: &'static [&'static str],
    /// Configuration in a project, which a team may share.
    pub project: Option<Place>,
    /// Configuration of the user.
    pub user: Option<Place>,
    /// Folders of skills: of the project and of the user.
    pub skills: Option<(&'static str, &'static str)>,
    /// Next step of the user after the client was configured.
    pub next: &'static str,
}

/// A place where a client looks for servers.
#[derive(Debug)]
pub struct Place {
    /// The file.
    pub files: Files,
    /// JSONPath of the table that has an entry for each server.
    pub key: &'static str,
    /// Members of an entry, in order.
    pub fields: &'static [(&'static str, Field)],
    /// Source of the roots of the server.
    pub roots: Roots,
}

/// Paths of a configuration file for each system. If there are several, the first that exists is used, or else the
/// first.
#[derive(Debug)]
pub struct Files {
    /// On Linux and other systems with XDG folders.
    pub linux: &'static [&'static str],
    /// On macOS.
    pub macos: &'static [&'static str],
    /// On Windows.
    pub windows: &'static [&'static str],
}

/// A member of an entry.
#[derive(Debug, Clone, Copy)]
pub enum Field {
    /// A fixed text. An existing text is kept.
    Text(&'static str),
    /// A fixed list of texts. An existing list is kept.
    Texts(&'static [&'static str]),
    /// The program.
    Command,
    /// The arguments of the program.
    Arguments,
    /// The program and its arguments, in one list.
    CommandLine,
}

/// Source of the roots of a server that a client starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Roots {
    /// The client starts the server in the folder of the project.
    WorkingFolder,
    /// The client replaces this variable in the arguments.
    Variable(&'static str),
    /// The arguments list the folders.
    Listed,
}

/// Owner of a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The configuration of the project, which a team may share.
    Project,
    /// The configuration of the user.
    User,
}

/// The clients.
pub static CLIENTS: [&Client; 15] = [
    &agents::CLAUDE_CODE,
    &agents::CLAUDE_DESKTOP,
    &editors::CURSOR,
    &editors::VS_CODE,
    &agents::COPILOT_CLI,
    &editors::WINDSURF,
    &editors::ZED,
    &agents::CODEX,
    &agents::GEMINI_CLI,
    &agents::OPENCODE,
    &agents::OPENCODE_1,
    &editors::JUNIE,
    &editors::CLINE,
    &agents::CLINE_CLI,
    &editors::ROO_CODE,
];

impl Files {
    /// The same paths on every system.
    pub(crate) const fn everywhere(paths: &'static [&'static str]) -> Files {
        Files { linux: paths, macos: paths, windows: paths }
    }
}

impl Client {
    /// Returns the configuration in a scope.
    pub fn place(&self, scope: Scope) -> Option<&Place> {
        match scope {
            Scope::Project => self.project.as_ref(),
            Scope::User => self.user.as_ref(),
        }
    }
}

impl Scope {
    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Scope::Project => "project",
            Scope::User => "user",
        }
    }
}

/// `command` and `args`, which most clients use.
const PLAIN: &[(&str, Field)] = &[("command", Field::Command), ("args", Field::Arguments)];
/// The same with the type of the transport.
const TYPED: &[(&str, Field)] =
    &[("type", Field::Text("stdio")), ("command", Field::Command), ("args", Field::Arguments)];
/// The table of servers in most files.
const SERVERS: &str = "$.mcpServers";
/// Folders of skills that several clients read.
const SHARED_SKILLS: Option<(&str, &str)> = Some((".agents/skills", "~/.agents/skills"));
/// Variable for the folder of the project, in clients that follow VS Code.
const WORKSPACE_FOLDER: Roots = Roots::Variable("${workspaceFolder}");
