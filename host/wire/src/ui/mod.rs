//! The web page of a server: its files, authentication and JSON-RPC methods.
//!
//! The page is built in `page/` and embedded in the binary. Its files contain no user data, so any local browser may
//! load them. A page that is opened with the token receives a ticket ([`tickets`]). With the ticket, and only from
//! its own origin, it uses JSON-RPC over a WebSocket and is attached as an editor. The content security policy allows
//! connections only to this server.

mod files;
mod messages;
mod methods;
mod tickets;

use http::{HeaderValue, Method, StatusCode, header};
use jsonrpsee::server::{HttpBody, HttpRequest, HttpResponse};
use marquetry_model::Error;
use serde_json::json;

pub(crate) use files::file;
pub(crate) use methods::{has_method, register};
pub(crate) use tickets::{Tickets, choose_subprotocol};

/// Path of the page.
pub const PAGE: &str = "/ui/";
/// Path at which the token is exchanged for a ticket.
pub(crate) const TICKET_PATH: &str = "/ui/ticket";
/// Path of the page's WebSocket for JSON-RPC.
pub(crate) const RPC_PATH: &str = "/ui/rpc";

/// Returns whether a request is for one of the page's files or redirects to them.
pub(crate) fn is_file(method: &Method, path: &str) -> bool {
    let looks = [Method::GET, Method::HEAD].contains(method);
    looks && (path == "/ui" || (path.starts_with(PAGE) && path != RPC_PATH && path != TICKET_PATH))
}

/// The origin of a server with this host name.
pub(crate) fn origin(host: &str) -> String {
    format!("http://{host}")
}

/// Issues a ticket to a holder of the token: one half as a cookie that scripts cannot read, the other half for the
/// page's own storage. Cookies are shared by all ports of a machine; storage is not.
pub(crate) fn issue_ticket(visitors: &Tickets, request: &HttpRequest) -> HttpResponse {
    if request.method() != Method::POST {
        return plain_response(StatusCode::METHOD_NOT_ALLOWED, "request a ticket with POST");
    }
    let made: Result<(String, String), Error> = visitors.issue();
    let Ok((cookie, key)) = made else {
        return plain_response(StatusCode::INTERNAL_SERVER_ERROR, "the system provides no random numbers");
    };
    let Ok(cookie) = HeaderValue::from_str(&cookie) else {
        return plain_response(StatusCode::INTERNAL_SERVER_ERROR, "the cookie is not a valid header value");
    };
    let mut response = HttpResponse::new(HttpBody::from(json!({ "key": key }).to_string()));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::SET_COOKIE, cookie);
    response
}

/// Plain-text response that closes the connection.
pub(crate) fn plain_response(status: StatusCode, why: &str) -> HttpResponse {
    let mut response = HttpResponse::new(HttpBody::from(why.to_owned()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    if status == StatusCode::UNAUTHORIZED {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

#[cfg(test)]
mod tests;
