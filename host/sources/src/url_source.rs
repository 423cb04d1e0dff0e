//! Downloads plugins from a URL: over HTTPS, or over HTTP if the server is this machine. The caller checks the bytes
//! against the digest in the project's registry.

use marquetry_model::{Error, Kind, Result, limits, source::is_local_address};
use reqwest::{Client, StatusCode, redirect};

use crate::{
    DownloadedPlugin,
    connection::{TIMEOUT, install_tls_provider, unreachable_error},
    too_large_error,
};

/// The maximum number of redirects.
const MAX_REDIRECTS: usize = 5;
/// The maximum size of a signature, in bytes.
const MAX_SIGNATURE_BYTES: usize = 8 << 10;

/// Downloads the file at a URL and, if `signed`, the signature next to it.
pub(crate) async fn download(address: &str, signed: bool) -> Result<DownloadedPlugin> {
    let client = client(address)?;
    let most = usize::try_from(limits::PLUGIN_BYTES).unwrap_or(usize::MAX);
    let bytes = download_file(&client, address, most).await?.ok_or_else(|| {
        Error::new(Kind::FileNotFound, format!("{address} does not exist"))
            .hint("correct the URL; authors often publish one file for each version")
    })?;
    let mut signature = None;
    if signed {
        let text = download_file(&client, &format!("{address}.minisig"), MAX_SIGNATURE_BYTES).await?;
        signature = text.and_then(|text| String::from_utf8(text).ok());
    }
    Ok(DownloadedPlugin { bytes, version: None, manifest: None, signature })
}

fn client(address: &str) -> Result<Client> {
    let is_here = address.strip_prefix("http://").is_some_and(is_local_address);
    // The rule also applies to redirects: a redirect to another machine must use HTTPS.
    let moves = redirect::Policy::custom(|attempt| {
        let address = attempt.url().as_str();
        if attempt.previous().len() > MAX_REDIRECTS {
            attempt.error("it redirects too often")
        } else if address.strip_prefix("http://").is_some_and(|rest| !is_local_address(rest)) {
            attempt.error("it redirects to a URL without https")
        } else {
            attempt.follow()
        }
    });
    install_tls_provider();
    Client::builder()
        .https_only(!is_here)
        .redirect(moves)
        .connect_timeout(TIMEOUT)
        .read_timeout(TIMEOUT)
        .user_agent(concat!("marq/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| unreachable_error(address, &error))
}

/// Downloads a file; `None` if it does not exist.
async fn download_file(client: &Client, address: &str, most: usize) -> Result<Option<Vec<u8>>> {
    let failed = |error: reqwest::Error| unreachable_error(address, &error.without_url());
    let mut answer = client.get(address).send().await.map_err(failed)?;
    if matches!(answer.status(), StatusCode::NOT_FOUND | StatusCode::GONE) {
        return Ok(None);
    }
    if !answer.status().is_success() {
        return Err(Error::new(Kind::PluginFailed, format!("{address} responds with {}", answer.status()))
            .hint("only public files can be downloaded from a URL"));
    }
    let mut bytes = Vec::new();
    while let Some(piece) = answer.chunk().await.map_err(failed)? {
        if bytes.len() + piece.len() > most {
            return Err(too_large_error(address));
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(Some(bytes))
}
