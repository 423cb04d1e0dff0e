//! Editors that connect to the server through a WebSocket. Each message is one line of the integration's protocol,
//! without its line break.

use std::{
    io::{self, Read, Write},
    sync::Arc,
};

use futures_util::io::BufReader;
use http::{Response, StatusCode};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use jsonrpsee::server::{HttpBody, HttpRequest, HttpResponse, StopHandle};
use marquetry_model::editor::IncomingConnection;
use soketto::{Receiver, Sender, handshake::http::Server as Handshake};
use tokio::sync::{mpsc, watch};
use tokio_util::compat::{Compat, TokioAsyncReadCompatExt};

use crate::{
    ServedCatalog,
    limits::EDITOR_MESSAGE,
    socket::Link,
    ui::{choose_subprotocol, plain_response},
};

/// Path prefix for editor integrations.
pub(crate) const EDITORS: &str = "/editors/";
/// Capacity of the channels in messages.
const CHANNEL_CAPACITY: usize = 16;

type Stream = BufReader<Compat<TokioIo<Upgraded>>>;

/// The server's ends of the channels.
struct ServerEnds {
    to_editor: mpsc::Receiver<Vec<u8>>,
    from_editor: mpsc::Sender<Vec<u8>>,
    ended: watch::Receiver<bool>,
}

/// Reads bytes from an editor.
struct Incoming {
    messages: mpsc::Receiver<Vec<u8>>,
    rest: io::Cursor<Vec<u8>>,
}

impl Read for Incoming {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.rest.read(buffer)? {
                0 if !buffer.is_empty() => match self.messages.blocking_recv() {
                    Some(message) => self.rest = io::Cursor::new(message),
                    None => return Ok(0),
                },
                count => return Ok(count),
            }
        }
    }
}

/// Writes bytes to an editor.
struct Outgoing(mpsc::Sender<Vec<u8>>);

impl Write for Outgoing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.blocking_send(bytes.to_vec()).map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Creates a connection between blocking threads and async tasks.
fn channel_pair() -> (IncomingConnection, ServerEnds) {
    let (to_host, messages) = mpsc::channel(CHANNEL_CAPACITY);
    let (from_host, to_editor) = mpsc::channel(CHANNEL_CAPACITY);
    let (end, ended) = watch::channel(false);
    let dialled = IncomingConnection {
        read: Box::new(Incoming { messages, rest: io::Cursor::default() }),
        write: Box::new(Outgoing(from_host)),
        end: Box::new(move || {
            end.send_replace(true);
        }),
    };
    (dialled, ServerEnds { to_editor, from_editor: to_host, ended })
}

/// Handles the upgrade request of an authorized editor.
pub(crate) async fn answer_upgrade(
    catalog: ServedCatalog,
    request: HttpRequest,
    link: Arc<Link>,
    stop: StopHandle,
) -> HttpResponse {
    let mut handshake = Handshake::new();
    let Ok(agreed) = handshake.receive_request(&request) else {
        return plain_response(StatusCode::BAD_REQUEST, "this server supports only WebSocket version 13");
    };
    let mut response: Response<HttpBody> = agreed.map(|()| HttpBody::default());
    let ((dialled, ends), path) = (channel_pair(), request.uri().path().to_owned());
    // On a blocking thread, because the integration may have to be compiled first.
    let attached =
        tokio::task::spawn_blocking(move || catalog.bench().editors().accept_connection(&path, dialled)).await;
    match attached {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return plain_response(StatusCode::NOT_FOUND, &error.to_string()),
        Err(_) => return plain_response(StatusCode::INTERNAL_SERVER_ERROR, "loading the integration failed"),
    }
    choose_subprotocol(&request, response.headers_mut());
    tokio::spawn(async move {
        // If the upgrade fails, dropping `ends` ends the editor's connection.
        let Ok(upgraded) = hyper::upgrade::on(request).await else { return };
        let mut connection = handshake.into_builder(BufReader::new(TokioIo::new(upgraded).compat()));
        connection.set_max_message_size(EDITOR_MESSAGE);
        connection.set_max_frame_size(EDITOR_MESSAGE);
        let (mut sender, receiver) = connection.finish();
        let ServerEnds { to_editor, from_editor, mut ended } = ends;
        tokio::select! {
            () = forward_from_editor(receiver, from_editor, &link) => {}
            () = forward_to_editor(&mut sender, to_editor) => {}
            _ = ended.wait_for(|ended| *ended) => {}
            () = stop.shutdown() => {}
        }
        let _ = sender.close().await;
        link.close("the editor disconnected");
    });
    response
}

/// Forwards messages to the editor's session. A message with more than one line ends the connection.
async fn forward_from_editor(mut receiver: Receiver<Stream>, lines: mpsc::Sender<Vec<u8>>, link: &Link) {
    let mut message = Vec::new();
    while receiver.receive_data(&mut message).await.is_ok() {
        link.record_message();
        if message.contains(&b'\n') {
            tracing::warn!("disconnected an editor that sent a message of more than one line");
            return;
        }
        message.push(b'\n');
        if lines.send(std::mem::take(&mut message)).await.is_err() {
            return;
        }
    }
}

/// Sends each line as a message.
async fn forward_to_editor(sender: &mut Sender<Stream>, mut bytes: mpsc::Receiver<Vec<u8>>) {
    let mut line = Vec::new();
    while let Some(more) = bytes.recv().await {
        line.extend(more);
        while let Some(end) = line.iter().position(|byte| *byte == b'\n') {
            let rest = line.split_off(end + 1);
            line.truncate(end);
            let Ok(text) = String::from_utf8(std::mem::replace(&mut line, rest)) else { return };
            if sender.send_text_owned(text).await.is_err() {
                return;
            }
        }
        if sender.flush().await.is_err() {
            return;
        }
    }
}
