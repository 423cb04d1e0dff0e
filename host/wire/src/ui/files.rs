//! Static files of the web page, and their HTTP headers.

use http::{HeaderMap, HeaderValue, StatusCode, header};
use jsonrpsee::server::{HttpBody, HttpResponse};

use super::{PAGE, plain_response};
use crate::secret::token;

/// Name, content type and content.
const FILES: [(&str, &str, &str); 4] = [
    ("", "text/html; charset=utf-8", include_str!("../../../../page/built/index.html")),
    ("page.js", "text/javascript; charset=utf-8", include_str!("../../../../page/built/page.js")),
    ("page.css", "text/css; charset=utf-8", include_str!("../../../../page/built/page.css")),
    ("licences.txt", "text/plain; charset=utf-8", include_str!("../../../../page/built/licences.txt")),
];
/// Placeholder in the page for the nonce of its inline styles.
const NONCE: &str = "NONCE";

/// Response with a file, for a browser that addresses this server as `host`.
pub(crate) fn file(path: &str, host: &str) -> HttpResponse {
    let Some(name) = path.strip_prefix(PAGE) else {
        let mut response = plain_response(StatusCode::PERMANENT_REDIRECT, "the page is at /ui/");
        response.headers_mut().insert(header::LOCATION, HeaderValue::from_static(PAGE));
        return response;
    };
    let Some((_, kind, text)) = FILES.iter().find(|(known, ..)| *known == name) else {
        return plain_response(StatusCode::NOT_FOUND, "the page has no such file");
    };
    let Ok(nonce) = token() else {
        return plain_response(StatusCode::INTERNAL_SERVER_ERROR, "the system provides no random numbers");
    };
    let body =
        if name.is_empty() { HttpBody::from(text.replace(NONCE, &nonce)) } else { HttpBody::from((*text).to_owned()) };
    let mut response = HttpResponse::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    add_security_headers(headers, host, &nonce);
    response
}

/// Adds the security headers: the page may load only its own files and connect only to this server.
fn add_security_headers(headers: &mut HeaderMap, host: &str, nonce: &str) {
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; connect-src 'self' ws://{host}; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cache-control", "no-cache"),
        // The request is not authenticated, so its connection must not occupy a slot.
        ("connection", "close"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
