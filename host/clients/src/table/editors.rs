//! Editors, and agents that run inside of an editor.

use super::{Client, Files, PLAIN, Place, Roots, SERVERS, SHARED_SKILLS, TYPED, WORKSPACE_FOLDER};

pub(super) static CURSOR: Client = Client {
    id: "cursor",
    name: "Cursor",
    programs: &["cursor", "cursor-agent"],
    traces: &[".cursor", "~/.cursor"],
    project: Some(Place {
        files: Files::everywhere(&[".cursor/mcp.json"]),
        key: SERVERS,
        fields: TYPED,
        roots: WORKSPACE_FOLDER,
    }),
    user: Some(Place {
        files: Files::everywhere(&["~/.cursor/mcp.json"]),
        key: SERVERS,
        fields: TYPED,
        roots: Roots::Listed,
    }),
    skills: SHARED_SKILLS,
    next: "open the settings of Cursor, `Tools & MCP`, and turn on the server",
};

pub(super) static VS_CODE: Client = Client {
    id: "vs-code",
    name: "VS Code",
    programs: &["code"],
    traces: &[".vscode", "{config}/Code"],
    project: Some(Place {
        files: Files::everywhere(&[".vscode/mcp.json"]),
        key: "$.servers",
        fields: TYPED,
        roots: WORKSPACE_FOLDER,
    }),
    user: Some(Place {
        files: Files::everywhere(&["{config}/Code/User/mcp.json"]),
        key: "$.servers",
        fields: TYPED,
        roots: WORKSPACE_FOLDER,
    }),
    skills: SHARED_SKILLS,
    next: "open the project in VS Code and confirm that you trust the server; `MCP: List Servers` shows it",
};

pub(super) static WINDSURF: Client = Client {
    id: "windsurf",
    name: "Windsurf",
    programs: &["windsurf"],
    traces: &["~/.codeium/windsurf"],
    project: None,
    user: Some(Place {
        files: Files::everywhere(&["~/.codeium/windsurf/mcp_config.json"]),
        key: SERVERS,
        fields: PLAIN,
        roots: Roots::Listed,
    }),
    skills: None,
    next: "press the refresh button in the list of MCP servers of Cascade",
};

pub(super) static ZED: Client = Client {
    id: "zed",
    name: "Zed",
    programs: &["zed", "zeditor"],
    traces: &[".zed", "${XDG_CONFIG_HOME:-~/.config}/zed", "{config}/Zed"],
    project: Some(Place {
        files: Files::everywhere(&[".zed/settings.json"]),
        key: "$.context_servers",
        fields: PLAIN,
        roots: Roots::WorkingFolder,
    }),
    user: Some(Place {
        files: Files {
            linux: &["${XDG_CONFIG_HOME:-~/.config}/zed/settings.json"],
            macos: &["~/.config/zed/settings.json"],
            windows: &["{config}/Zed/settings.json"],
        },
        key: "$.context_servers",
        fields: PLAIN,
        roots: Roots::WorkingFolder,
    }),
    skills: None,
    next: "open the settings of the agent panel; a green dot shows that the server runs",
};

pub(super) static JUNIE: Client = Client {
    id: "junie",
    name: "JetBrains (Junie)",
    programs: &["junie"],
    traces: &[".junie", "~/.junie"],
    project: Some(Place {
        files: Files::everywhere(&[".junie/mcp/mcp.json"]),
        key: SERVERS,
        fields: PLAIN,
        roots: Roots::WorkingFolder,
    }),
    user: Some(Place {
        files: Files::everywhere(&["~/.junie/mcp/mcp.json"]),
        key: SERVERS,
        fields: PLAIN,
        roots: Roots::Listed,
    }),
    skills: None,
    next: "open Settings, Tools, Junie, MCP Settings, and turn on the server",
};

pub(super) static CLINE: Client = Client {
    id: "cline",
    name: "Cline",
    programs: &[],
    traces: &["{config}/Code/User/globalStorage/saoudrizwan.claude-dev"],
    project: None,
    user: Some(Place {
        files: Files::everywhere(&[
            "{config}/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        ]),
        key: SERVERS,
        fields: PLAIN,
        roots: Roots::Listed,
    }),
    skills: None,
    next: "open the MCP servers of Cline; a green dot shows that the server runs",
};

pub(super) static ROO_CODE: Client = Client {
    id: "roo-code",
    name: "Roo Code",
    programs: &[],
    traces: &[".roo", "{config}/Code/User/globalStorage/rooveterinaryinc.roo-cline"],
    project: Some(Place {
        files: Files::everywhere(&[".roo/mcp.json"]),
        key: SERVERS,
        fields: PLAIN,
        roots: Roots::WorkingFolder,
    }),
    user: Some(Place {
        files: Files::everywhere(&[
            "{config}/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
        ]),
        key: SERVERS,
        fields: PLAIN,
        roots: Roots::Listed,
    }),
    skills: None,
    next: "open the MCP settings of Roo Code; a green dot shows that the server runs",
};
