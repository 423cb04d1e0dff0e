//! The page of a server: its files, who may use it, and what it asks beyond the tools.
//!
//! The page is built elsewhere (`page/`) and lies in the program. Its files are given to any browser of this machine, for they
//! hold nothing of anybody. Who opens it with the token gets a ticket ([`visitors`]), and with that alone, from this page's own
//! origin, the page speaks JSON-RPC over a WebSocket and is attached as an editor. No request of it leaves the machine: its
//! policy names this server and nothing else.

mod files;
mod methods;
mod shapes;
mod visitors;

use http::{HeaderValue, Method, StatusCode, header};
use jsonrpsee::server::{HttpBody, HttpRequest, HttpResponse};
use marquetry_model::Error;
use serde_json::json;

pub(crate) use files::file;
pub(crate) use methods::{add_to, knows};
pub(crate) use visitors::{Visitors, choose_subprotocol};

/// Where the page is.
pub const PAGE: &str = "/ui/";
/// Where the token is given for a ticket.
pub(crate) const TICKETS: &str = "/ui/ticket";
/// Where the page speaks JSON-RPC.
pub(crate) const SPEAKING: &str = "/ui/rpc";

/// Whether a path is one of the page's files, or leads to them.
pub(crate) fn is_file(method: &Method, path: &str) -> bool {
    let looks = [Method::GET, Method::HEAD].contains(method);
    looks && (path == "/ui" || (path.starts_with(PAGE) && path != SPEAKING && path != TICKETS))
}

/// The origin of a server that is called by this name.
pub(crate) fn origin(host: &str) -> String {
    format!("http://{host}")
}

/// A ticket for who holds the token: one half as a cookie that no script sees, one half for the page alone. Cookies are the same
/// for all ports of a machine; what a page keeps is not.
pub(crate) fn ticket(visitors: &Visitors, request: &HttpRequest) -> HttpResponse {
    if request.method() != Method::POST {
        return plain(StatusCode::METHOD_NOT_ALLOWED, "a ticket is asked for with POST");
    }
    let made: Result<(String, String), Error> = visitors.admit();
    let Ok((cookie, key)) = made else { return plain(StatusCode::INTERNAL_SERVER_ERROR, "there is no randomness") };
    let Ok(cookie) = HeaderValue::from_str(&cookie) else {
        return plain(StatusCode::INTERNAL_SERVER_ERROR, "the cookie cannot be written");
    };
    let mut response = HttpResponse::new(HttpBody::from(json!({ "key": key }).to_string()));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::SET_COOKIE, cookie);
    response
}

/// An answer in words, after which the connection ends.
pub(crate) fn plain(status: StatusCode, why: &str) -> HttpResponse {
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
