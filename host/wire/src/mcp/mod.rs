//! MCP server: tools from the catalog and format pages as resources, in the stateful and the stateless version of the
//! protocol.
//!
//! Clients show their model either the text or the structured content of a result, so each has to be complete.

mod answers;
mod format_pages;
pub(crate) mod http;
mod lines;
mod tool_list;

use std::{
    sync::{Arc, atomic::AtomicUsize},
    time::Duration,
};

use marquetry_catalog::{Catalog, Tool, error_json};
use marquetry_model::{Error, Progress, Work, nearest::nearest_names};
use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode, GetPromptRequestParams,
        GetPromptResponse, Implementation, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
        PaginatedRequestParams, ProgressNotificationParam, ReadResourceRequestParams, ReadResourceResponse,
        ServerCapabilities, ServerConfig, SubscribeRequestParams, Tool as McpTool,
    },
    service::{NotificationContext, RequestContext, ServerInitializeError},
    transport::stdio_pipes,
};
use serde_json::{Value, json};
use tokio::{
    sync::{Notify, mpsc, watch},
    task::JoinHandle,
};

pub use self::{answers::Answers, tool_list::Settings};
use self::{lines::LineTransport, tool_list::ToolList};
use crate::{
    ServedCatalog,
    calls::Calls,
    disconnect::StdioClient,
    limits::MAX_MODEL_ANSWER,
    queues::{self, Queue, Slot},
    unread::Unread,
};

/// Maximum time that a client may take to list its roots; after that it is treated as having none.
const ROOTS_TIMEOUT: Duration = Duration::from_secs(2);

/// Server for one client, as called by the protocol library.
#[derive(Clone)]
pub(crate) struct Server {
    catalog: ServedCatalog,
    tools: Arc<ToolList>,
    calls: Calls,
    /// Number of calls in progress, and the size of unread answers.
    count: Arc<AtomicUsize>,
    unread: Arc<Unread>,
    client_roots: Arc<watch::Sender<ClientRoots>>,
}

/// Roots that the client reported.
#[derive(Clone)]
enum ClientRoots {
    Unknown,
    /// The client was asked and has not answered yet.
    Requested,
    /// The catalog, limited to the client's roots that this server serves.
    Roots(Box<ServedCatalog>),
}

/// Returns the result of `tools/list`: all tools, or one.
pub fn listed_tools(catalog: &Catalog, only: Option<&Tool>) -> Value {
    let tools = only.map_or(catalog.tools(), std::slice::from_ref);
    json!({ "tools": tool_list::all_descriptions(tools.iter(), Answers::default()) })
}

/// Serves on standard input and output until the client disconnects.
pub async fn serve(catalog: ServedCatalog, settings: Settings) -> Result<(), Error> {
    let (input, output) = stdio_pipes();
    let over = Arc::new(Notify::new());
    let server = Server::new(catalog, settings);
    let lines = LineTransport::new(input, output, &server, StdioClient::of_standard_streams(), Arc::clone(&over));
    serve_lines(server, lines, &over).await
}

async fn serve_lines<R, W>(server: Server, lines: LineTransport<R, W>, over: &Notify) -> Result<(), Error>
where
    R: tokio::io::AsyncRead + Send + Unpin + 'static,
    W: tokio::io::AsyncWrite + Send + Unpin + 'static,
{
    let failed = |error: &dyn std::fmt::Display| Error::internal(format!("MCP: {error}"));
    let running = match server.serve(lines).await {
        Ok(running) => running,
        // The client disconnected before the handshake.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(failed(&error)),
    };
    tokio::select! {
        ended = running.waiting() => ended.map(|_| ()).map_err(|error| failed(&error)),
        () = over.notified() => Ok(()),
    }
}

impl Server {
    pub(crate) fn new(catalog: ServedCatalog, settings: Settings) -> Server {
        let offer = Arc::new(ToolList::new(&catalog, settings));
        Server::with_tool_list(catalog, offer)
    }

    /// Creates the server for another client, with the same tools and instructions.
    pub(crate) fn with_tool_list(catalog: ServedCatalog, tools: Arc<ToolList>) -> Server {
        let catalog = catalog.with_answer_limit(MAX_MODEL_ANSWER);
        let client_roots = Arc::new(watch::channel(ClientRoots::Unknown).0);
        Server { catalog, tools, calls: Calls::default(), count: Arc::default(), unread: Arc::default(), client_roots }
    }

    /// The catalog for the client's roots.
    async fn catalog(&self) -> ServedCatalog {
        let mut roots = self.client_roots.subscribe();
        let answered =
            tokio::time::timeout(ROOTS_TIMEOUT, roots.wait_for(|roots| !matches!(roots, ClientRoots::Requested))).await;
        match answered.ok().and_then(Result::ok).as_deref() {
            Some(ClientRoots::Roots(catalog)) => (**catalog).clone(),
            _ => self.catalog.clone(),
        }
    }

    /// Waits for the client to read earlier answers, and then for a slot.
    async fn wait_for_slot(&self, catalog: &ServedCatalog, queue: Queue) -> Result<Slot, Error> {
        self.unread.wait_until_read(catalog.queues().limits().unread).await;
        catalog.queues().enter(queue).await
    }

    /// Asks for the client's roots, if it supports that.
    #[expect(deprecated, reason = "clients of older protocol versions report their folders this way")]
    async fn ask_roots(&self, context: &NotificationContext<RoleServer>) {
        let tells = context.peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some());
        if !tells {
            return;
        }
        self.client_roots.send_replace(ClientRoots::Requested);
        let answer = tokio::time::timeout(ROOTS_TIMEOUT, context.peer.list_roots()).await;
        let roots = answer.ok().and_then(Result::ok).map(|answer| answer.roots).unwrap_or_default();
        let roots: Vec<String> = roots.into_iter().map(|root| root.uri).collect();
        let narrowed = self.catalog.narrowed(&roots);
        self.client_roots
            .send_replace(narrowed.map_or(ClientRoots::Unknown, |catalog| ClientRoots::Roots(Box::new(catalog))));
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_resources().build())
            .with_server_info(Implementation::new("marquetry", env!("CARGO_PKG_VERSION")))
            .with_instructions(self.tools.instructions())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.ask_roots(&context).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.ask_roots(&context).await;
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        check_cursor(request.as_ref())?;
        Ok(ListToolsResult::with_all_items(self.tools.listed().to_vec()))
    }

    fn get_tool(&self, name: &str) -> Option<McpTool> {
        self.tools.listed().iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (catalog, offer) = (self.catalog().await, Arc::clone(&self.tools));
        let call = self.calls.begin(0, context.id.to_string());
        let (name, work) = (request.name.to_string(), call.work.clone());
        work.set_client(&client_name(&context));
        let arguments = request.arguments.unwrap_or_default();
        if !offer.has(&name) {
            let by_method = |own: &str| Error::argument(format!("no tool `{name}`")).candidates([own.to_owned()]);
            return Err(invalid_request(&catalog.find(&name).map_or_else(|error| error, |tool| by_method(tool.name))));
        }
        // The text of the parameters is not available here, so its size is estimated.
        let admitted = catalog.queues().admit(&self.count, 1, queues::estimated_size(&arguments));
        let _admitted = match admitted {
            Ok(admitted) => admitted,
            Err(error) => return Ok(answers::error_result(&error).into()),
        };
        let place = tokio::select! {
            place = self.wait_for_slot(&catalog, offer.queue(&name, &arguments)) => place.map_err(|error| internal_error(&error))?,
            () = context.ct.cancelled() => return Err(internal_error(&"the call was cancelled")),
        };
        place.release_while_waiting(&work);
        let reports = progress_receiver(&work, context.meta.get_progress_token().is_some());
        let called = {
            let work = work.clone();
            tokio::task::spawn_blocking(move || {
                let _place = place;
                offer.call(&catalog, &name, arguments, &work)
            })
        };
        let called = run_with_progress(called, reports, &work, &context).await;
        Ok(called.unwrap_or_else(|error| answers::error_result(&Error::internal(error.to_string()))).into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        check_cursor(request.as_ref())?;
        let catalog = self.catalog().await;
        let pages = tokio::task::spawn_blocking(move || format_pages::list(&catalog)).await;
        pages.map(ListResourcesResult::with_all_items).map_err(|error| internal_error(&error))
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        check_cursor(request.as_ref())?;
        Ok(ListResourceTemplatesResult::with_all_items(vec![format_pages::template()]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let catalog = self.catalog().await;
        let page = tokio::task::spawn_blocking(move || format_pages::read(&catalog, &request.uri)).await;
        page.map_err(|error| internal_error(&error))?.map(ReadResourceResponse::from)
    }

    async fn get_prompt(
        &self,
        _request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Err(no_method("prompts/get"))
    }

    #[expect(deprecated, reason = "clients of the older era may ask for it")]
    async fn set_level(
        &self,
        _request: rmcp::model::SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Err(no_method("logging/setLevel"))
    }

    async fn subscribe(
        &self,
        _request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Err(no_method("resources/subscribe"))
    }

    /// Called for requests that the library does not recognize: unknown methods, or invalid parameters.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        match parameters_of(&request.method) {
            Some(needs) => Err(invalid_request(
                &Error::argument(format!("the parameters of `{}` are wrong", request.method))
                    .hint(format!("it takes {needs}")),
            )),
            None => Err(no_method(&request.method)),
        }
    }
}

/// Methods and their parameters.
const METHODS: [(&str, &str); 8] = [
    ("initialize", "`protocolVersion`, `capabilities` and `clientInfo`"),
    ("server/discover", "no parameters but `_meta`"),
    ("ping", "no parameters but `_meta`"),
    ("tools/list", "nothing, or `cursor`, a string"),
    ("tools/call", "`name`, a string, and `arguments`, an object"),
    ("resources/list", "nothing, or `cursor`, a string"),
    ("resources/templates/list", "nothing, or `cursor`, a string"),
    ("resources/read", "`uri`, a string"),
];

/// Parameters of a method, if it exists.
fn parameters_of(method: &str) -> Option<&'static str> {
    METHODS.iter().find(|(name, _)| *name == method).map(|(_, needs)| *needs)
}

/// Error for an unknown method, with similar names.
fn no_method(method: &str) -> ErrorData {
    let error = Error::argument(format!("no method `{method}`"));
    let error = if method.starts_with("file/") || method.starts_with("file_") {
        error.hint("tools are called with `tools/call`").candidates(["tools/call".to_owned()])
    } else {
        error.candidates(nearest_names(method, METHODS.iter().map(|(name, _)| (*name).to_owned())))
    };
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, error.content().message.clone(), Some(error_json(&error)))
}

/// All lists have a single page, so any cursor is invalid.
fn check_cursor(request: Option<&PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor.as_deref()).filter(|cursor| !cursor.is_empty()) {
        Some(cursor) => Err(invalid_request(
            &Error::argument(format!("no page `{cursor}`")).hint("leave out `cursor`: there is one page"),
        )),
        None => Ok(()),
    }
}

/// Name and version of the client, from the request or the handshake.
fn client_name(context: &RequestContext<RoleServer>) -> String {
    let client_info = context.meta.client_info();
    let client_info = client_info.or_else(|| context.peer.peer_info().map(|info| info.client_info.clone()));
    client_info.map_or_else(|| "MCP".to_owned(), |client| format!("{} {}", client.name, client.version))
}

/// Error for an invalid request, as opposed to invalid arguments of a tool.
fn invalid_request(error: &Error) -> ErrorData {
    let content = error.content();
    let mut message = content.message.clone();
    if !content.candidates.is_empty() {
        message += &format!("; there are: {}", content.candidates.join(", "));
    } else if let Some(hint) = &content.hint {
        message += &format!(" ({hint})");
    }
    ErrorData::invalid_params(message, Some(error_json(error)))
}

fn internal_error(error: &dyn std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None::<Value>)
}

/// Receiver for the progress of a call, if the client requested it.
fn progress_receiver(work: &Work, wanted: bool) -> mpsc::UnboundedReceiver<Progress> {
    let (reports, inbox) = mpsc::unbounded_channel();
    if wanted {
        work.listen(move |progress| {
            let _ = reports.send(progress);
        });
    }
    inbox
}

/// Waits for a call to end. Forwards its progress and cancellation meanwhile; no progress is sent after the end.
async fn run_with_progress<T>(
    mut call: JoinHandle<T>,
    mut reports: mpsc::UnboundedReceiver<Progress>,
    work: &Work,
    context: &RequestContext<RoleServer>,
) -> Result<T, tokio::task::JoinError> {
    loop {
        tokio::select! {
            ended = &mut call => return ended,
            () = context.ct.cancelled(), if !work.is_cancelled() => work.cancel(),
            Some(progress) = reports.recv() => {
                let Some(token) = context.meta.get_progress_token() else { continue };
                let notification = ProgressNotificationParam::new(token, progress.all_done as f64)
                    .with_total(progress.known_steps() as f64)
                    .with_message(progress.to_string());
                // Fails if the client has disconnected.
                let _ = context.peer.notify_progress(notification).await;
            }
        }
    }
}

#[cfg(test)]
mod dialogues;
#[cfg(test)]
mod tests;
