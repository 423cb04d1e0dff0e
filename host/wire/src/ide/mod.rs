//! Endpoint for Claude Code: MCP over a WebSocket on a loopback port, compatible with Claude Code's editor
//! integrations.
//!
//! It is a front end for all attached editors ([`marquetry_model::editor::Editors`]). It knows the client's protocol
//! and no editor. Lines are zero-based, as in the protocol. The caller writes the lock file with the port and the
//! token.

mod answers;
mod arguments;
mod client;
mod diffs;
mod endpoint;
mod events;
mod open_diff;
mod paths;
mod pending;
mod session;
mod tools;

use std::{
    future::Future,
    net::{Ipv4Addr, SocketAddr},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use http::{HeaderValue, Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use jsonrpsee::server::{
    HttpBody, HttpRequest, HttpResponse, ServerHandle, serve_with_graceful_shutdown, stop_channel,
};
use marquetry_model::Error;
use soketto::handshake::http::Server as Handshake;
use tokio::{net::TcpListener, sync::mpsc};
use tokio_util::compat::TokioAsyncReadCompatExt;
use tower::Service;

use crate::{
    ServedCatalog,
    limits::MESSAGE,
    secret::constant_time_eq,
    serve::{accept, is_local},
    socket::{Link, Links, Socket},
};
use endpoint::Endpoint;
pub use endpoint::Settings;
use pending::Mentions;

/// Header for the token.
const AUTHORIZATION: &str = "x-claude-code-ide-authorization";
/// Subprotocol, if a client offers one.
const SUBPROTOCOL: &str = "mcp";
/// Maximum time that a stopping server waits for its sessions to end.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// A bound port that is not served yet.
pub struct Listener {
    /// The local address.
    pub address: SocketAddr,
    listener: TcpListener,
}

/// A running endpoint.
pub struct Running {
    /// The local address.
    pub address: SocketAddr,
    handle: ServerHandle,
    sessions: mpsc::Receiver<()>,
}

impl Running {
    /// Stops the endpoint: rejects pending proposals and waits for the sessions to end, at most for `SHUTDOWN_TIMEOUT`.
    pub async fn end(mut self) {
        let _ = self.handle.stop();
        // No session sends on this channel, so `recv` returns when the last session has ended.
        let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, self.sessions.recv()).await;
    }

    /// Waits until the endpoint is stopped.
    pub async fn stopped(&self) {
        self.handle.clone().stopped().await;
    }
}

/// Binds a loopback port (0: any free port).
///
/// # Errors
/// Fails if the port is in use or not permitted.
pub async fn listen(port: u16) -> Result<Listener, Error> {
    let failed = |error: std::io::Error| {
        Error::argument(format!("cannot listen on port {port}: {error}")).hint("choose another port, or 0 for any")
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(failed)?;
    Ok(Listener { address: listener.local_addr().map_err(failed)?, listener })
}

impl Listener {
    /// Serves clients that present the token.
    pub fn serve(self, catalog: ServedCatalog, settings: Settings, token: &str) -> Running {
        let links = Links::new(*catalog.queues().limits());
        let (stop, handle) = stop_channel();
        let (alive, sessions) = mpsc::channel(1);
        let mentions = Mentions::subscribe(catalog.bench().editors());
        let endpoint = Endpoint {
            catalog,
            settings: Arc::new(settings),
            token: token.into(),
            links: links.clone(),
            mentions,
            stop: stop.clone(),
            alive,
        };
        let serve = move |link: Arc<Link>| {
            let service = Guarded { endpoint: endpoint.clone(), link: Arc::clone(&link) };
            let stopped = endpoint.stop.clone().shutdown();
            tokio::spawn(async move {
                if let Err(error) = serve_with_graceful_shutdown(Socket(link), service, stopped).await {
                    tracing::debug!("a connection failed: {error}");
                }
            });
        };
        let listener = self.listener;
        tokio::spawn(async move {
            tokio::select! {
                () = links.clone().watch_deadlines() => {}
                () = accept(listener, links, serve) => {}
                () = stop.shutdown() => {}
            }
        });
        Running { address: self.address, handle, sessions }
    }
}

/// A connection whose requests are checked before the upgrade.
#[derive(Clone)]
struct Guarded {
    endpoint: Endpoint,
    link: Arc<Link>,
}

impl Guarded {
    /// Returns the reason to refuse a request, if any.
    fn refusal(&self, request: &HttpRequest) -> Option<(StatusCode, &'static str)> {
        let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
        if request.headers().contains_key("origin") || !is_local(header("host")) {
            return Some((StatusCode::FORBIDDEN, "requests from web pages and for other host names are refused"));
        }
        if !header(AUTHORIZATION)
            .is_some_and(|given| constant_time_eq(given.as_bytes(), self.endpoint.token.as_bytes()))
        {
            let missing =
                "the header `x-claude-code-ide-authorization` is missing or wrong: the token is in the lock file";
            return Some((StatusCode::UNAUTHORIZED, missing));
        }
        if !self.endpoint.links.authenticate(&self.link) {
            return Some((StatusCode::SERVICE_UNAVAILABLE, "too many connections are open: close one, then try again"));
        }
        None
    }

    fn answer(&self, request: HttpRequest) -> HttpResponse {
        if let Some((status, why)) = self.refusal(&request) {
            return refusal_response(status, why);
        }
        let mut handshake = Handshake::new();
        let Ok(agreed) = handshake.receive_request(&request) else {
            return refusal_response(StatusCode::BAD_REQUEST, "this server supports only WebSocket version 13");
        };
        let mut response: Response<HttpBody> = agreed.map(|()| HttpBody::default());
        let offered =
            request.headers().get_all("sec-websocket-protocol").iter().filter_map(|value| value.to_str().ok());
        if offered.flat_map(|value| value.split(',')).any(|protocol| protocol.trim() == SUBPROTOCOL) {
            response.headers_mut().insert("sec-websocket-protocol", HeaderValue::from_static(SUBPROTOCOL));
        }
        let Guarded { endpoint, link } = self.clone();
        tokio::spawn(async move {
            let Ok(upgraded) = hyper::upgrade::on(request).await else { return };
            let stream = futures_util::io::BufReader::new(TokioIo::new(upgraded).compat());
            let mut connection = handshake.into_builder(stream);
            connection.set_max_message_size(MESSAGE);
            connection.set_max_frame_size(MESSAGE);
            client::run(endpoint, link, connection.finish()).await;
        });
        response
    }
}

fn refusal_response(status: StatusCode, why: &'static str) -> HttpResponse {
    let mut response = HttpResponse::new(HttpBody::from(why));
    *response.status_mut() = status;
    // Close the connection after a refusal.
    response.headers_mut().insert("connection", HeaderValue::from_static("close"));
    response
}

impl Service<Request<Incoming>> for Guarded {
    type Response = HttpResponse;
    type Error = std::convert::Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Incoming>) -> Self::Future {
        let response = self.answer(request.map(HttpBody::new));
        Box::pin(std::future::ready(Ok(response)))
    }
}

#[cfg(test)]
mod tests;
