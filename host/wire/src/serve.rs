//! The server on a loopback port: JSON-RPC over HTTP and WebSocket, MCP over HTTP (`/mcp`), connections from editors
//! (`/editors/…`) and the web page (`/ui/`). Each request is checked for a token or ticket, `Origin` and `Host`. Only
//! the page's files and the [`proof`] need neither token nor ticket.

use std::{
    future::Future,
    net::{Ipv4Addr, SocketAddr},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use http::{HeaderMap, StatusCode};
use hyper::body::Incoming;
use jsonrpsee::server::{
    BatchRequestConfig, HttpBody, HttpRequest, HttpResponse, ServerBuilder, ServerConfig, ServerHandle, StopHandle,
    middleware::rpc::RpcServiceBuilder, serve_with_graceful_shutdown, stop_channel,
};
use marquetry_model::Error;
use tokio::net::TcpListener;
use tower::Service;

use crate::{
    ServedCatalog,
    connection::{Connections, TrackedService},
    editor_socket::{self, EDITORS},
    limits::{Limits, MESSAGE},
    mcp::{Settings, http::Http},
    proof, rpc,
    secret::constant_time_eq,
    socket::{Link, Links, Socket},
    ui::{self, Tickets, choose_subprotocol, plain_response},
};

pub use crate::secret::token;

/// Path of MCP. JSON-RPC is served on all other paths.
pub const MCP: &str = "/mcp";

/// A running server.
pub struct Running {
    /// The local address.
    pub address: SocketAddr,
    handle: ServerHandle,
}

impl Running {
    /// Waits until the server is stopped.
    pub async fn stopped(self) {
        self.handle.stopped().await;
    }
}

/// Starts a server on a loopback port (0: any free port).
pub async fn serve(catalog: ServedCatalog, settings: Settings, port: u16, token: String) -> Result<Running, Error> {
    let limits = *catalog.queues().limits();
    let failed = |error: std::io::Error| {
        Error::argument(format!("cannot listen on port {port}: {error}")).hint("choose another port, or 0 for any")
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let links = Links::new(limits);
    let (stop, handle) = stop_channel();
    let guard = Guard {
        catalog: catalog.clone(),
        mcp: Http::new(catalog.clone(), settings),
        token: token.into(),
        port: address.port(),
        links: links.clone(),
        visitors: Tickets::new(address.port()),
        stop: stop.clone(),
    };
    let serving = connection_service(catalog, &limits, guard, stop.clone())?;
    tokio::spawn(async move {
        tokio::select! {
            () = links.clone().watch_deadlines() => {}
            () = accept(listener, links, serving) => {}
            () = stop.clone().shutdown() => {}
        }
    });
    Ok(Running { address, handle })
}

/// Returns a function that serves authenticated JSON-RPC and MCP requests on a connection.
fn connection_service(
    catalog: ServedCatalog,
    limits: &Limits,
    guard: Guard,
    stop: StopHandle,
) -> Result<impl Fn(Arc<Link>) + Send + 'static, Error> {
    let connections = Connections::new(catalog.clone());
    let mut module = rpc::module(catalog)?;
    connections.register_progress(&mut module)?;
    ui::register(&mut module)?;
    let followed =
        RpcServiceBuilder::new().layer_fn(move |inner| TrackedService { inner, connections: connections.clone() });
    let most = u32::try_from(MESSAGE).unwrap_or(u32::MAX);
    let together = u32::try_from(limits.calls_per_connection).unwrap_or(u32::MAX);
    let config = ServerConfig::builder()
        .max_request_body_size(most)
        .max_response_body_size(most)
        .max_connections(u32::try_from(limits.connections + limits.unauthenticated).unwrap_or(u32::MAX))
        .set_batch_request_config(BatchRequestConfig::Limit(together))
        .build();
    let builder = ServerBuilder::with_config(config).set_rpc_middleware(followed).to_service_builder();
    Ok(move |link: Arc<Link>| {
        let inner = builder.clone().build(module.clone(), stop.clone());
        let service = Guarded { inner, guard: guard.clone(), link: Arc::clone(&link) };
        let stopped = stop.clone().shutdown();
        tokio::spawn(async move {
            if let Err(error) = serve_with_graceful_shutdown(Socket(link), service, stopped).await {
                tracing::debug!("a connection failed: {error}");
            }
        });
    })
}

/// Pause before accepting again when the process has no file descriptors left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Accepts connections until the server is stopped.
pub(crate) async fn accept(listener: TcpListener, links: Links, serve: impl Fn(Arc<Link>)) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // Answers are written in one piece, so delaying packets gains nothing.
                let _ = stream.set_nodelay(true);
                serve(links.add(stream));
            }
            Err(error) => {
                tracing::warn!("cannot accept connections: {error}");
                links.close_oldest(0);
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Authenticates requests. A request must have the token, or, if it comes from the server's own page, a ticket.
/// Requests from other origins are refused.
#[derive(Clone)]
struct Guard {
    catalog: ServedCatalog,
    mcp: Http,
    token: Arc<str>,
    port: u16,
    links: Links,
    visitors: Tickets,
    stop: StopHandle,
}

/// Status and reason of a refusal.
type Refusal = (StatusCode, &'static str);

const FOREIGN: Refusal = (StatusCode::FORBIDDEN, "requests from web pages and for other host names are refused");
const NO_TOKEN: Refusal = (StatusCode::UNAUTHORIZED, "the header `Authorization: Bearer TOKEN` is missing or wrong");
const NO_TICKET: Refusal =
    (StatusCode::UNAUTHORIZED, "the ticket is missing or wrong: open the page again with `marq ui`");
const TOO_MANY: Refusal = (StatusCode::SERVICE_UNAVAILABLE, "too many connections are open: close one, then try again");

impl Guard {
    /// Returns the reason to refuse a request, if any.
    fn refusal(&self, request: &HttpRequest, link: &Link) -> Option<Refusal> {
        let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
        let (host, path) = (header("host"), request.uri().path());
        if !is_local(host) {
            return Some(FOREIGN);
        }
        let given = header("authorization").and_then(|value| value.strip_prefix("Bearer "));
        let has_token = given.is_some_and(|given| constant_time_eq(given.as_bytes(), self.token.as_bytes()));
        let origin = header("origin").and_then(|origin| origin.strip_prefix("http://"));
        // Requests of MCP clients that run in a local web page and have the token.
        let of_client = path == MCP && is_local(origin);
        let of_page = path == ui::TICKET_PATH || path == ui::RPC_PATH || path.starts_with(EDITORS);
        let refusal = match (request.headers().contains_key("origin"), of_page) {
            (true, true) if header("origin") != host.map(ui::origin).as_deref() => Some(FOREIGN),
            (true, false) if !of_client => Some(FOREIGN),
            (true, true) if path != ui::TICKET_PATH => (!self.visitors.is_valid(request)).then_some(NO_TICKET),
            _ => (!has_token).then_some(NO_TOKEN),
        };
        refusal.or_else(|| (!self.links.authenticate(link)).then_some(TOO_MANY))
    }
}

/// A connection whose requests are authenticated.
#[derive(Clone)]
struct Guarded<S> {
    inner: S,
    guard: Guard,
    link: Arc<Link>,
}

impl<S> Service<http::Request<Incoming>> for Guarded<S>
where
    S: Service<HttpRequest, Response = HttpResponse>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = HttpResponse;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: http::Request<Incoming>) -> Self::Future {
        let mut request = request.map(HttpBody::new);
        let answered = |response| -> Self::Future { Box::pin(std::future::ready(Ok(response))) };
        let path = request.uri().path();
        if ui::is_file(request.method(), path) {
            let host = request.headers().get("host").and_then(|value| value.to_str().ok());
            return answered(match host.filter(|_| is_local(host)) {
                Some(host) => ui::file(path, host),
                None => plain_response(FOREIGN.0, FOREIGN.1),
            });
        }
        if path == proof::PATH {
            let host = request.headers().get("host").and_then(|value| value.to_str().ok());
            return answered(match is_local(host) && !request.headers().contains_key("origin") {
                true => proof::answer(&request, &self.guard.token, self.guard.port),
                false => plain_response(FOREIGN.0, FOREIGN.1),
            });
        }
        if let Some((status, why)) = self.guard.refusal(&request, &self.link) {
            // Close the connection after a refusal.
            return answered(plain_response(status, why));
        }
        if path == ui::TICKET_PATH {
            return answered(ui::issue_ticket(&self.guard.visitors, &request));
        }
        if path.starts_with(EDITORS) {
            let Guard { catalog, stop, .. } = self.guard.clone();
            let link = Arc::clone(&self.link);
            return Box::pin(async move { Ok(editor_socket::answer_upgrade(catalog, request, link, stop).await) });
        }
        if !request.headers().contains_key("upgrade") {
            self.link.record_message();
        }
        if path == MCP {
            let mcp = self.guard.mcp.clone();
            return Box::pin(async move { Ok(mcp.answer(request).await) });
        }
        let mut chosen = HeaderMap::new();
        choose_subprotocol(&request, &mut chosen);
        request.extensions_mut().insert(Arc::clone(&self.link));
        let answer = self.inner.call(request);
        Box::pin(async move {
            let mut response = answer.await?;
            if response.status() == StatusCode::SWITCHING_PROTOCOLS {
                response.headers_mut().extend(chosen);
            }
            Ok(response)
        })
    }
}

/// Returns whether `Host` names this machine. A page that uses DNS rebinding sends another name.
pub(crate) fn is_local(host: Option<&str>) -> bool {
    let without_port = |host| match str::rsplit_once(host, ':') {
        // The port must be a number, because the host becomes part of the page's content security policy.
        Some((name, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    matches!(host.map(without_port), Some("127.0.0.1" | "localhost" | "[::1]"))
}

#[cfg(test)]
#[path = "serve_dialogues.rs"]
mod dialogues;
#[cfg(test)]
#[path = "serve_tests.rs"]
mod tests;
