//! The files of the page, and what browsers are told about them.

use http::{HeaderMap, HeaderValue, StatusCode, header};
use jsonrpsee::server::{HttpBody, HttpResponse};

use super::{PAGE, plain};
use crate::secret::token;

/// Each with its type.
const FILES: [(&str, &str, &str); 4] = [
    ("", "text/html; charset=utf-8", include_str!("../../../../page/built/index.html")),
    ("page.js", "text/javascript; charset=utf-8", include_str!("../../../../page/built/page.js")),
    ("page.css", "text/css; charset=utf-8", include_str!("../../../../page/built/page.css")),
    ("licences.txt", "text/plain; charset=utf-8", include_str!("../../../../page/built/licences.txt")),
];
/// Stands in the page where the word goes by which its styles are known.
const NONCE: &str = "NONCE";

/// One of the files for a browser that calls this server `host`.
pub(crate) fn file(path: &str, host: &str) -> HttpResponse {
    let Some(name) = path.strip_prefix(PAGE) else {
        let mut response = plain(StatusCode::PERMANENT_REDIRECT, "the page is at /ui/");
        response.headers_mut().insert(header::LOCATION, HeaderValue::from_static(PAGE));
        return response;
    };
    let Some((_, kind, text)) = FILES.iter().find(|(known, ..)| *known == name) else {
        return plain(StatusCode::NOT_FOUND, "the page has no such file");
    };
    let Ok(nonce) = token() else { return plain(StatusCode::INTERNAL_SERVER_ERROR, "there is no randomness") };
    let body =
        if name.is_empty() { HttpBody::from(text.replace(NONCE, &nonce)) } else { HttpBody::from((*text).to_owned()) };
    let mut response = HttpResponse::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    guard(headers, host, &nonce);
    response
}

/// What a browser may do with a file of the page: show it by itself, and let it talk to this server.
fn guard(headers: &mut HeaderMap, host: &str, nonce: &str) {
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
        // Whoever looks is a stranger, and keeps no place.
        ("connection", "close"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
