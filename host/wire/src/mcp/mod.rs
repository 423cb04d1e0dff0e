//! MCP server: tools from the catalog and format pages as resources, in the stateful and the stateless version of the
//! protocol.
//!
//! Clients show their model either the text or the structured content of a result, so each has to be complete.

mod answers;
pub(crate) mod http;
mod lines;
mod offer;
mod pages;

use std::{
    sync::{Arc, atomic::AtomicUsize},
    time::Duration,
};

use marquetry_model::{Error, Progress, Work, nearest::nearest};
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
use serde_json::Value;
use tokio::{
    sync::{Notify, mpsc, watch},
    task::JoinHandle,
};

pub use self::{answers::Answers, offer::Settings};
use self::{lines::Lines, offer::Offer};
use crate::{
    calls::Calls,
    catalog::{Catalog, error_json},
    gone::Client,
    lanes::{self, Lane, Place},
    limits::MODEL_ANSWER,
    unread::Unread,
};

/// How long a client may take to list its roots; after that it is treated as having none.
const ROOTS: Duration = Duration::from_secs(2);

/// Server for one client, as called by the protocol library.
#[derive(Clone)]
pub(crate) struct Server {
    catalog: Catalog,
    offer: Arc<Offer>,
    calls: Calls,
    /// Number of calls in progress, and the size of unread answers.
    count: Arc<AtomicUsize>,
    unread: Arc<Unread>,
    told: Arc<watch::Sender<Told>>,
}

/// Roots that the client reported.
#[derive(Clone)]
enum Told {
    Nothing,
    /// The client was asked and has not answered yet.
    Asked,
    /// Catalog limited to those of its roots that are served.
    Roots(Box<Catalog>),
}

/// Serves on standard input and output until the client disconnects.
pub async fn serve(catalog: Catalog, settings: Settings) -> Result<(), Error> {
    let (input, output) = stdio_pipes();
    let over = Arc::new(Notify::new());
    let server = Server::new(catalog, settings);
    let lines = Lines::new(input, output, &server, Client::of_standard_streams(), Arc::clone(&over));
    talk(server, lines, &over).await
}

async fn talk<R, W>(server: Server, lines: Lines<R, W>, over: &Notify) -> Result<(), Error>
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
    pub(crate) fn new(catalog: Catalog, settings: Settings) -> Server {
        let offer = Arc::new(Offer::new(&catalog, settings));
        Server::offering(catalog, offer)
    }

    /// Creates the server for another client with the same offer.
    pub(crate) fn offering(catalog: Catalog, offer: Arc<Offer>) -> Server {
        let catalog = catalog.answering_within(MODEL_ANSWER);
        let told = Arc::new(watch::channel(Told::Nothing).0);
        Server { catalog, offer, calls: Calls::default(), count: Arc::default(), unread: Arc::default(), told }
    }

    /// The catalog for the client's roots.
    async fn catalog(&self) -> Catalog {
        let mut told = self.told.subscribe();
        let heard = tokio::time::timeout(ROOTS, told.wait_for(|told| !matches!(told, Told::Asked))).await;
        match heard.ok().and_then(Result::ok).as_deref() {
            Some(Told::Roots(catalog)) => (**catalog).clone(),
            _ => self.catalog.clone(),
        }
    }

    /// Waits for the client to read earlier answers, and then for a slot.
    async fn place(&self, catalog: &Catalog, lane: Lane) -> Result<Place, Error> {
        self.unread.room(catalog.lanes().limits().unread).await;
        catalog.lanes().enter(lane).await
    }

    /// Asks for the client's roots, if it supports that.
    #[expect(deprecated, reason = "clients of the older era tell their folders this way")]
    async fn ask_roots(&self, context: &NotificationContext<RoleServer>) {
        let tells = context.peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some());
        if !tells {
            return;
        }
        self.told.send_replace(Told::Asked);
        let answer = tokio::time::timeout(ROOTS, context.peer.list_roots()).await;
        let roots = answer.ok().and_then(Result::ok).map(|answer| answer.roots).unwrap_or_default();
        let roots: Vec<String> = roots.into_iter().map(|root| root.uri).collect();
        let narrowed = self.catalog.narrowed(&roots);
        self.told.send_replace(narrowed.map_or(Told::Nothing, |catalog| Told::Roots(Box::new(catalog))));
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_resources().build())
            .with_server_info(Implementation::new("marquetry", env!("CARGO_PKG_VERSION")))
            .with_instructions(self.offer.instructions())
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
        one_page(request.as_ref())?;
        Ok(ListToolsResult::with_all_items(self.offer.listed().to_vec()))
    }

    fn get_tool(&self, name: &str) -> Option<McpTool> {
        self.offer.listed().iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (catalog, offer) = (self.catalog().await, Arc::clone(&self.offer));
        let call = self.calls.begin(0, context.id.to_string());
        let (name, work) = (request.name.to_string(), call.work.clone());
        work.call_of(&client(&context));
        let arguments = request.arguments.unwrap_or_default();
        if !offer.has(&name) {
            let by_method = |own: &str| Error::argument(format!("no tool `{name}`")).candidates([own.to_owned()]);
            return Err(wrong(&catalog.find(&name).map_or_else(|error| error, |tool| by_method(tool.name))));
        }
        // The text of the parameters is not available here, so its size is estimated.
        let admitted = catalog.lanes().admit(&self.count, 1, lanes::size(&arguments));
        let _admitted = match admitted {
            Ok(admitted) => admitted,
            Err(error) => return Ok(answers::failure(&error).into()),
        };
        let place = tokio::select! {
            place = self.place(&catalog, offer.lane(&name, &arguments)) => place.map_err(|error| internal(&error))?,
            () = context.ct.cancelled() => return Err(internal(&"the call was cancelled")),
        };
        place.lend_while_waiting(&work);
        let reports = listen(&work, context.meta.get_progress_token().is_some());
        let called = {
            let work = work.clone();
            tokio::task::spawn_blocking(move || {
                let _place = place;
                offer.call(&catalog, &name, arguments, &work)
            })
        };
        let called = followed(called, reports, &work, &context).await;
        Ok(called.unwrap_or_else(|error| answers::failure(&Error::internal(error.to_string()))).into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        one_page(request.as_ref())?;
        let catalog = self.catalog().await;
        let pages = tokio::task::spawn_blocking(move || pages::list(&catalog)).await;
        pages.map(ListResourcesResult::with_all_items).map_err(|error| internal(&error))
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        one_page(request.as_ref())?;
        Ok(ListResourceTemplatesResult::with_all_items(vec![pages::template()]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let catalog = self.catalog().await;
        let page = tokio::task::spawn_blocking(move || pages::read(&catalog, &request.uri)).await;
        page.map_err(|error| internal(&error))?.map(ReadResourceResponse::from)
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
        match needed(&request.method) {
            Some(needs) => Err(wrong(
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
fn needed(method: &str) -> Option<&'static str> {
    METHODS.iter().find(|(name, _)| *name == method).map(|(_, needs)| *needs)
}

/// Error for an unknown method, with similar names.
fn no_method(method: &str) -> ErrorData {
    let error = Error::argument(format!("no method `{method}`"));
    let error = if method.starts_with("file/") || method.starts_with("file_") {
        error.hint("tools are called with `tools/call`").candidates(["tools/call".to_owned()])
    } else {
        error.candidates(nearest(method, METHODS.iter().map(|(name, _)| (*name).to_owned())))
    };
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, error.content().message.clone(), Some(error_json(&error)))
}

/// All lists have a single page, so any cursor is invalid.
fn one_page(request: Option<&PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor.as_deref()).filter(|cursor| !cursor.is_empty()) {
        Some(cursor) => {
            Err(wrong(&Error::argument(format!("no page `{cursor}`")).hint("leave out `cursor`: there is one page")))
        }
        None => Ok(()),
    }
}

/// Name and version of the client, from the request or the handshake.
fn client(context: &RequestContext<RoleServer>) -> String {
    let told = context.meta.client_info();
    let told = told.or_else(|| context.peer.peer_info().map(|info| info.client_info.clone()));
    told.map_or_else(|| "MCP".to_owned(), |client| format!("{} {}", client.name, client.version))
}

/// Error for an invalid request, as opposed to invalid arguments of a tool.
fn wrong(error: &Error) -> ErrorData {
    let content = error.content();
    let mut message = content.message.clone();
    if !content.candidates.is_empty() {
        message += &format!("; there are: {}", content.candidates.join(", "));
    } else if let Some(hint) = &content.hint {
        message += &format!(" ({hint})");
    }
    ErrorData::invalid_params(message, Some(error_json(error)))
}

fn internal(error: &dyn std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None::<Value>)
}

/// Receiver for the progress of a call, if the client requested it.
fn listen(work: &Work, wanted: bool) -> mpsc::UnboundedReceiver<Progress> {
    let (reports, inbox) = mpsc::unbounded_channel();
    if wanted {
        work.listen(move |progress| {
            let _ = reports.send(progress);
        });
    }
    inbox
}

/// Waits for a call to end. Forwards its progress and cancellation meanwhile; no progress is sent after the end.
async fn followed<T>(
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
                let told = ProgressNotificationParam::new(token, progress.so_far as f64)
                    .with_total(progress.known() as f64)
                    .with_message(progress.to_string());
                // Fails if the client has disconnected.
                let _ = context.peer.notify_progress(told).await;
            }
        }
    }
}

#[cfg(test)]
mod dialogues;
#[cfg(test)]
mod tests;
