//! MCP on standard input and output: the catalog as tools, in both eras of the protocol.
//!
//! Clients show a model either the text or the structured content, so each says everything.

use std::sync::Arc;

use marquetry_model::{Error, Progress, Work};
use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
        PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities, ServerConfig, Tool as McpTool,
        ToolAnnotations,
    },
    service::RequestContext,
    transport::stdio,
};
use serde_json::Value;
use tokio::{
    sync::mpsc,
    task::{JoinError, JoinHandle},
};

use crate::catalog::{Catalog, Tool, error_json};

/// What every client is told at the start.
const INSTRUCTIONS: &str = "Marquetry reads and edits files by naming the thing instead of guessing lines. \
Prefer file_read over reading a whole file: name what you want to see (below: how, for each format); without a target a large file shows \
its outline. Prefer file_edit over replacing strings: it changes exactly what was named, re-indents what it inserts, refuses edits that \
break the syntax, and answers with a diff and an id for file_undo. Addresses in answers and in the candidates of errors can be used as \
targets. Paths are relative to the project's root.";

/// Clients cut instructions here.
const MOST_INSTRUCTIONS: usize = 2_000;

/// What to know, and how each format that a pack is there for is addressed.
fn instructions(catalog: &Catalog) -> String {
    let mut text = INSTRUCTIONS.to_owned();
    let Ok(files) = catalog.bench().files(None) else { return text };
    for description in catalog.bench().packs().descriptions(&files) {
        let Some(target) = description.targets.first() else { continue };
        let example = target.examples.first().map(|example| format!(", e.g. {example}")).unwrap_or_default();
        let line = format!(
            "\n- {} ({}): `{}`{example}",
            description.name,
            description.files.first().map_or("", String::as_str),
            target.kind.name()
        );
        if text.len() + line.len() <= MOST_INSTRUCTIONS {
            text += &line;
        }
    }
    text
}

#[derive(Clone)]
struct Server {
    catalog: Catalog,
    tools: Arc<Vec<McpTool>>,
}

/// Serve until the client goes.
pub async fn serve(catalog: Catalog) -> Result<(), Error> {
    let tools = Arc::new(catalog.tools().iter().map(described).collect());
    let failed = |error: &dyn std::fmt::Display| Error::internal(format!("MCP: {error}"));
    let running = Server { catalog, tools }.serve(stdio()).await.map_err(|error| failed(&error))?;
    running.waiting().await.map_err(|error| failed(&error))?;
    Ok(())
}

fn object(schema: Value) -> Arc<serde_json::Map<String, Value>> {
    match schema {
        Value::Object(object) => Arc::new(object),
        _ => Arc::default(),
    }
}

fn described(tool: &Tool) -> McpTool {
    let annotations = ToolAnnotations::with_title(tool.title)
        .read_only(tool.read_only)
        .destructive(tool.destructive)
        .idempotent(tool.idempotent)
        .open_world(false);
    McpTool::new(tool.name, tool.description, object(tool.input_schema()))
        .with_title(tool.title)
        .with_raw_output_schema(object(tool.output_schema()))
        .with_annotations(annotations)
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("marquetry", env!("CARGO_PKG_VERSION")))
            .with_instructions(instructions(&self.catalog))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.to_vec()))
    }

    fn get_tool(&self, name: &str) -> Option<McpTool> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let catalog = self.catalog.clone();
        let arguments = Value::Object(request.arguments.unwrap_or_default()).to_string();
        let (name, work) = (request.name.to_string(), Work::default());
        let reports = listen(&work, context.meta.get_progress_token().is_some());
        let called = {
            let work = work.clone();
            tokio::task::spawn_blocking(move || catalog.call(catalog.find(&name)?, &arguments, &work))
        };
        let called = followed(called, reports, &work, &context).await;
        let answer = called.unwrap_or_else(|error| Err(Error::internal(error.to_string())));
        Ok(match answer {
            Ok(result) => success(result.get()).into(),
            Err(error) => failure(&error).into(),
        })
    }
}

/// The reports of a call, where its client asked for them.
fn listen(work: &Work, wanted: bool) -> mpsc::UnboundedReceiver<Progress> {
    let (reports, inbox) = mpsc::unbounded_channel();
    if wanted {
        work.listen(move |progress| {
            let _ = reports.send(progress);
        });
    }
    inbox
}

/// The end of a call. Until then its client is told how far it is, and may cancel it; afterwards nothing more is told.
async fn followed<T>(
    mut call: JoinHandle<T>,
    mut reports: mpsc::UnboundedReceiver<Progress>,
    work: &Work,
    context: &RequestContext<RoleServer>,
) -> Result<T, JoinError> {
    loop {
        tokio::select! {
            ended = &mut call => return ended,
            () = context.ct.cancelled(), if !work.is_cancelled() => work.cancel(),
            Some(progress) = reports.recv() => {
                let Some(token) = context.meta.get_progress_token() else { continue };
                let told = ProgressNotificationParam::new(token, progress.so_far as f64)
                    .with_total(progress.known() as f64)
                    .with_message(progress.to_string());
                // Whoever is gone misses nothing.
                let _ = context.peer.notify_progress(told).await;
            }
        }
    }
}

fn success(json: &str) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(json)]);
    result.structured_content = serde_json::from_str(json).ok();
    result
}

/// All of the error as text: models are shown nothing else.
fn failure(error: &Error) -> CallToolResult {
    let content = error.content();
    let mut text = format!("{}: {}", content.kind.name(), content.message);
    if let Some(hint) = &content.hint {
        text += &format!("\nhint: {hint}");
    }
    if !content.candidates.is_empty() {
        text += &format!("\ncandidates:\n- {}", content.candidates.join("\n- "));
    }
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    result.structured_content = Some(error_json(error));
    result
}
