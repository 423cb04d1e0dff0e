//! Serves the tools for a folder on a loopback address: `embed-axum FOLDER PACKS PORT`.
#![allow(clippy::print_stdout, reason = "the program prints its address")]

use std::{error::Error, net::Ipv4Addr};

use embed_axum::service;
use marquetry::Host;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [root, packs, port] = words.as_slice() else { return Err("embed-axum FOLDER PACKS PORT".into()) };
    let host = Host::builder().root(root).pack_folder(packs).client("embed-axum 1.0").build()?;
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port.parse()?)).await?;
    println!("http://{}/tools", listener.local_addr()?);
    axum::serve(listener, service(host.clone())).await?;
    host.shut_down();
    Ok(())
}
