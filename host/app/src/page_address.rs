//! The address of a server's page, and a file that opens the page in a browser.

use std::net::SocketAddr;

use marquetry_wire::ui::PAGE;

/// Extension of files that open the page in a browser.
pub(crate) const EXTENSION: &str = "html";

/// Returns the address of the page with the token after `#`, which browsers do not send to servers.
pub(crate) fn page_url(server: SocketAddr, token: &str) -> String {
    format!("http://{server}{PAGE}#token={token}")
}

/// Returns the content of a file that opens the page in a browser. Command-line arguments are visible to all users of a
/// machine; this file is private.
pub(crate) fn redirect_page(address: &str) -> String {
    format!(
        "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta http-equiv=\"refresh\" content=\"0;url={address}\">\n<title>marq</title>\n\
         <a href=\"{address}\">The page of marq</a>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_is_in_the_url_fragment() {
        let address = page_url(SocketAddr::from(([127, 0, 0, 1], 4000)), "abc");
        assert_eq!(address, "http://127.0.0.1:4000/ui/#token=abc");
        let page = redirect_page(&address);
        assert!(page.contains("content=\"0;url=http://127.0.0.1:4000/ui/#token=abc\""), "{page}");
    }
}
