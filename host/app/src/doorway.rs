//! The way to the page of a server: its address, and a file that leads a browser there.

use std::net::SocketAddr;

use marquetry_wire::ui::PAGE;

/// How files end that lead a browser to the page.
pub(crate) const ENDING: &str = "html";

/// Where the page is for who holds the token: that stands behind `#`, which no browser sends anywhere.
pub(crate) fn address(server: SocketAddr, token: &str) -> String {
    format!("http://{server}{PAGE}#token={token}")
}

/// A file that leads a browser to the page: arguments of programs are read by everybody on a machine, this file is not.
pub(crate) fn file(address: &str) -> String {
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
    fn the_token_stands_where_no_browser_sends_it() {
        let address = address(SocketAddr::from(([127, 0, 0, 1], 4000)), "abc");
        assert_eq!(address, "http://127.0.0.1:4000/ui/#token=abc");
        let page = file(&address);
        assert!(page.contains("content=\"0;url=http://127.0.0.1:4000/ui/#token=abc\""), "{page}");
    }
}
