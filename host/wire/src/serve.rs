//! JSON-RPC over HTTP and WebSocket, and MCP over HTTP (`/mcp`), on a loopback port, behind one check: token, `Origin`, `Host`.

use std::{
    future::Future,
    net::{Ipv4Addr, SocketAddr},
    pin::Pin,
    task::{Context, Poll},
};

use jsonrpsee::server::{
    HttpBody, HttpRequest, HttpResponse, ServerBuilder, ServerConfig, ServerHandle, middleware::rpc::RpcServiceBuilder,
};
use marquetry_model::Error;
use tower::{Service, ServiceBuilder};

use crate::{
    catalog::Catalog,
    connection::{Connections, Followed},
    mcp::{Settings, http::Http},
    rpc::{self, MOST_BYTES},
};

/// Where MCP is served. JSON-RPC is served everywhere else.
pub const MCP: &str = "/mcp";

/// A server that is running.
pub struct Running {
    /// Where it listens.
    pub address: SocketAddr,
    handle: ServerHandle,
}

impl Running {
    /// Wait until it is stopped.
    pub async fn stopped(self) {
        self.handle.stopped().await;
    }
}

/// A token that cannot be guessed.
pub fn token() -> Result<String, Error> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|error| Error::internal(format!("no randomness: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Listen on a loopback port (0: one of the system's choosing).
pub async fn serve(catalog: Catalog, settings: Settings, port: u16, token: String) -> Result<Running, Error> {
    let mcp = Http::new(catalog.clone(), settings);
    let connections = Connections::new(catalog.clone());
    let mut module = rpc::module(catalog)?;
    connections.serve_progress(&mut module)?;
    let followed = RpcServiceBuilder::new().layer_fn(move |inner| Followed { inner, connections: connections.clone() });
    let check = ServiceBuilder::new().layer_fn(move |inner| Guarded { inner, mcp: mcp.clone(), token: token.clone() });
    let most = u32::try_from(MOST_BYTES).unwrap_or(u32::MAX);
    let config = ServerConfig::builder().max_request_body_size(most).max_response_body_size(most).build();
    let failed = |error: std::io::Error| {
        Error::argument(format!("port {port} cannot be listened on: {error}")).hint("choose another port, or 0 for any")
    };
    let server = ServerBuilder::with_config(config)
        .set_http_middleware(check)
        .set_rpc_middleware(followed)
        .build((Ipv4Addr::LOCALHOST, port))
        .await
        .map_err(failed)?;
    let address = server.local_addr().map_err(failed)?;
    Ok(Running { address, handle: server.start(module) })
}

/// Lets only callers through that hold the token; browsers' pages do not get to try.
#[derive(Clone)]
struct Guarded<S> {
    inner: S,
    mcp: Http,
    token: String,
}

impl<S> Service<HttpRequest> for Guarded<S>
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

    fn call(&mut self, request: HttpRequest) -> Self::Future {
        let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
        let host = header("host").map(|host| host.rsplit_once(':').map_or(host, |(name, _)| name));
        let local = matches!(host, Some("127.0.0.1" | "localhost" | "[::1]"));
        let given = header("authorization").and_then(|value| value.strip_prefix("Bearer "));
        let refusal = if header("origin").is_some() || !local {
            Some((403, "callers from web pages, or under another host name, are refused"))
        } else if !given.is_some_and(|given| same(given.as_bytes(), self.token.as_bytes())) {
            Some((401, "the header `Authorization: Bearer TOKEN` is missing or wrong"))
        } else {
            None
        };
        match refusal {
            Some((status, why)) => {
                let mut response = HttpResponse::new(HttpBody::from(why));
                *response.status_mut() = status.try_into().unwrap_or_default();
                Box::pin(std::future::ready(Ok(response)))
            }
            None if request.uri().path() == MCP => {
                let mcp = self.mcp.clone();
                Box::pin(async move { Ok(mcp.answer(request).await) })
            }
            None => Box::pin(self.inner.call(request)),
        }
    }
}

/// Compares in the same time whatever the difference.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
}

#[cfg(test)]
#[path = "serve_tests.rs"]
mod tests;
