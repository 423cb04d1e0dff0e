//! Agents: programs in a terminal, and applications without an editor.

use super::{Client, Field, Files, PLAIN, Place, Roots, SERVERS, SHARED_SKILLS, TYPED};

pub(super) static CLAUDE_CODE: Client = Client {
    id: "claude-code",
    name: "Claude Code",
    programs: &["claude"],
    traces: &[".mcp.json", ".claude", "CLAUDE.md", "${CLAUDE_CONFIG_DIR:-~}/.claude.json", "~/.claude"],
    project: Some(Place {
        files: Files::everywhere(&[".mcp.json"]),
        key: SERVERS,
        fields: TYPED,
        roots: Roots::WorkingFolder,
    }),
    user: Some(Place {
        files: Files::everywhere(&["${CLAUDE_CONFIG_DIR:-~}/.claude.json"]),
        key: SERVERS,
        fields: TYPED,
        roots: Roots::WorkingFolder,
    }),
    skills: Some((".claude/skills", "${CLAUDE_CONFIG_DIR:-~/.claude}/skills")),
    next: "start `claude` in the project and approve the server; `/mcp` shows it",
};

pub(super) static CLAUDE_DESKTOP: Client = Client {
    id: "claude-desktop",
    name: "Claude Desktop",
    programs: &[],
    traces: &["{config}/Claude"],
    project: None,
    user: Some(Place {
        files: Files::everywhere(&["{config}/Claude/claude_desktop_config.json"]),
        key: SERVERS,
        fields: PLAIN,
        roots: Roots::Listed,
    }),
    skills: None,
    next: "quit Claude Desktop completely and start it again",
};

pub(super) static COPILOT_CLI: Client = Client {
    id: "copilot-cli",
    name: "Copilot CLI",
    programs: &["copilot"],
    traces: &["${COPILOT_HOME:-~/.copilot}"],
    project: Some(Place {
        files: Files::everywhere(&[".mcp.json"]),
        key: SERVERS,
        fields: TYPED,
        roots: Roots::WorkingFolder,
    }),
    user: Some(Place {
        files: Files::everywhere(&["${COPILOT_HOME:-~/.copilot}/mcp-config.json"]),
        key: SERVERS,
        fields: &[
            ("type", Field::Text("stdio")),
            ("command", Field::Command),
            ("args", Field::Arguments),
            ("tools", Field::Texts(&["*"])),
        ],
        roots: Roots::WorkingFolder,
    }),
    skills: SHARED_SKILLS,
    next: "start `copilot` in the project; `/mcp show` lists the server",
};

pub(super) static CODEX: Client = Client {
    id: "codex",
    name: "Codex",
    programs: &["codex"],
    traces: &[".codex", "${CODEX_HOME:-~/.codex}"],
    project: Some(Place {
        files: Files::everywhere(&[".codex/config.toml"]),
        key: "$.mcp_servers",
        fields: PLAIN,
        roots: Roots::WorkingFolder,
    }),
    user: Some(Place {
        files: Files::everywhere(&["${CODEX_HOME:-~/.codex}/config.toml"]),
        key: "$.mcp_servers",
        fields: PLAIN,
        roots: Roots::WorkingFolder,
    }),
    skills: SHARED_SKILLS,
    next: "start `codex` in the project and trust it, because Codex ignores the file of a project that is not trusted; `/mcp` shows the server",
};

pub(super) static GEMINI_CLI: Client = Client {
    id: "gemini-cli",
    name: "Gemini CLI",
    programs: &["gemini"],
    traces: &[".gemini", "GEMINI.md", "~/.gemini"],
    project: Some(Place {
        files: Files::everywhere(&[".gemini/settings.json"]),
        key: SERVERS,
        fields: PLAIN,
        roots: Roots::WorkingFolder,
    }),
    user: Some(Place {
        files: Files::everywhere(&["~/.gemini/settings.json"]),
        key: SERVERS,
        fields: PLAIN,
        roots: Roots::WorkingFolder,
    }),
    skills: SHARED_SKILLS,
    next: "start `gemini` in the project; `/mcp` shows the server",
};

/// Files of OpenCode in a project.
const OPENCODE_PROJECT: Files =
    Files::everywhere(&["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"]);
/// Files of OpenCode for a user.
const OPENCODE_USER: Files = Files::everywhere(&[
    "${XDG_CONFIG_HOME:-~/.config}/opencode/opencode.json",
    "${XDG_CONFIG_HOME:-~/.config}/opencode/opencode.jsonc",
]);
/// An entry of OpenCode.
const OPENCODE_FIELDS: &[(&str, Field)] = &[("type", Field::Text("local")), ("command", Field::CommandLine)];

pub(super) static OPENCODE: Client = Client {
    id: "opencode",
    name: "OpenCode",
    programs: &["opencode"],
    traces: &["opencode.json", "opencode.jsonc", ".opencode", "${XDG_CONFIG_HOME:-~/.config}/opencode"],
    project: Some(Place {
        files: OPENCODE_PROJECT,
        key: "$.mcp.servers",
        fields: OPENCODE_FIELDS,
        roots: Roots::WorkingFolder,
    }),
    user: Some(Place {
        files: OPENCODE_USER,
        key: "$.mcp.servers",
        fields: OPENCODE_FIELDS,
        roots: Roots::WorkingFolder,
    }),
    skills: SHARED_SKILLS,
    next: "start `opencode` in the project; `opencode mcp list` shows the server",
};

/// Version 1, whose entries are directly below `mcp`. The files of both versions look alike, so it is configured only
/// if it is named.
pub(super) static OPENCODE_1: Client = Client {
    id: "opencode-1",
    name: "OpenCode 1",
    programs: &[],
    traces: &[],
    project: Some(Place {
        files: OPENCODE_PROJECT,
        key: "$.mcp",
        fields: OPENCODE_FIELDS,
        roots: Roots::WorkingFolder,
    }),
    user: Some(Place { files: OPENCODE_USER, key: "$.mcp", fields: OPENCODE_FIELDS, roots: Roots::WorkingFolder }),
    skills: SHARED_SKILLS,
    next: "start `opencode` in the project; `opencode mcp list` shows the server",
};

pub(super) static CLINE_CLI: Client = Client {
    id: "cline-cli",
    name: "Cline CLI",
    programs: &["cline"],
    traces: &["~/.cline/data"],
    project: None,
    user: Some(Place {
        files: Files::everywhere(&["${CLINE_MCP_SETTINGS_PATH:-~/.cline/data/settings/cline_mcp_settings.json}"]),
        key: SERVERS,
        fields: PLAIN,
        roots: Roots::Listed,
    }),
    skills: None,
    next: "start `cline` again",
};
