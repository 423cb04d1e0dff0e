//! The endpoint of Claude Code: MCP over a WebSocket on a loopback port, as its integrations with editors have it.
//!
//! A front end over the editors that are attached ([`marquetry_model::editor::Editors`]), whichever they are. It knows what
//! Claude Code says and expects, and nothing of any editor. Lines are counted from 0 here, as the protocol does. Where its
//! port and its token are written down, and by whom, is the program's to say.

mod answers;
mod arguments;
mod client;
mod diffs;
mod endpoint;
mod news;
mod open_diff;
mod paths;
mod session;
mod tools;
mod waiting;

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
    catalog::Catalog,
    limits::MESSAGE,
    secret::same,
    serve::{accept, is_local},
    socket::{Link, Links, Socket},
};
use endpoint::Endpoint;
pub use endpoint::Settings;
use waiting::Mentions;

/// The header that carries the token.
const AUTHORIZATION: &str = "x-claude-code-ide-authorization";
/// The subprotocol, where a client offers one.
const SUBPROTOCOL: &str = "mcp";
/// How long a server that ends waits for its clients to be told.
const PATIENCE: Duration = Duration::from_secs(2);

/// A port that is listened on, and not served yet.
pub struct Listener {
    /// Where it listens.
    pub address: SocketAddr,
    listener: TcpListener,
}

/// An endpoint that is running.
pub struct Running {
    /// Where it listens.
    pub address: SocketAddr,
    handle: ServerHandle,
    sessions: mpsc::Receiver<()>,
}

impl Running {
    /// End it: what is not decided is rejected, and the clients are told, if they take it in time.
    pub async fn end(mut self) {
        let _ = self.handle.stop();
        // Nothing is ever sent: it ends when the last session is gone.
        let _ = tokio::time::timeout(PATIENCE, self.sessions.recv()).await;
    }

    /// Wait until it is stopped.
    pub async fn stopped(&self) {
        self.handle.clone().stopped().await;
    }
}

/// Listen on a loopback port (0: one of the system's choosing).
///
/// # Errors
/// Where the port is taken, or not ours to take.
pub async fn listen(port: u16) -> Result<Listener, Error> {
    let failed = |error: std::io::Error| {
        Error::argument(format!("port {port} cannot be listened on: {error}")).hint("choose another port, or 0 for any")
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(failed)?;
    Ok(Listener { address: listener.local_addr().map_err(failed)?, listener })
}

impl Listener {
    /// Serve who holds the token.
    pub fn serve(self, catalog: Catalog, settings: Settings, token: &str) -> Running {
        let links = Links::new(*catalog.lanes().limits());
        let (stop, handle) = stop_channel();
        let (alive, sessions) = mpsc::channel(1);
        let mentions = Mentions::listening(catalog.bench().editors());
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
                () = links.clone().watch() => {}
                () = accept(listener, links, serve) => {}
                () = stop.shutdown() => {}
            }
        });
        Running { address: self.address, handle, sessions }
    }
}

/// One connection, behind the check.
#[derive(Clone)]
struct Guarded {
    endpoint: Endpoint,
    link: Arc<Link>,
}

impl Guarded {
    /// Why a request is not let through, if it is not.
    fn refusal(&self, request: &HttpRequest) -> Option<(StatusCode, &'static str)> {
        let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
        if request.headers().contains_key("origin") || !is_local(header("host")) {
            return Some((StatusCode::FORBIDDEN, "callers from web pages, or under another host name, are refused"));
        }
        if !header(AUTHORIZATION).is_some_and(|given| same(given.as_bytes(), self.endpoint.token.as_bytes())) {
            let missing =
                "the header `x-claude-code-ide-authorization` is missing or wrong: the token is in the lock file";
            return Some((StatusCode::UNAUTHORIZED, missing));
        }
        if !self.endpoint.links.let_in(&self.link) {
            return Some((StatusCode::SERVICE_UNAVAILABLE, "too many connections are open: close one, then try again"));
        }
        None
    }

    fn answer(&self, request: HttpRequest) -> HttpResponse {
        if let Some((status, why)) = self.refusal(&request) {
            return refused(status, why);
        }
        let mut handshake = Handshake::new();
        let Ok(agreed) = handshake.receive_request(&request) else {
            return refused(StatusCode::BAD_REQUEST, "only WebSockets are served here, of version 13");
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

fn refused(status: StatusCode, why: &'static str) -> HttpResponse {
    let mut response = HttpResponse::new(HttpBody::from(why));
    *response.status_mut() = status;
    // Whoever was refused is not kept.
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
