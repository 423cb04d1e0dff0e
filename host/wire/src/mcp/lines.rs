//! MCP as lines of JSON, with features that the protocol library lacks: responses to invalid input, batches, and
//! cancellation when the client disconnects.

use std::{
    collections::{HashSet, VecDeque},
    io,
    sync::Arc,
    time::{Duration, Instant},
};

use marquetry_model::Error;
use rmcp::{
    RoleServer,
    model::{
        ClientJsonRpcMessage, ClientNotification, ClientRequest, GetMeta, JsonRpcMessage, JsonRpcRequest, RequestId,
        ServerJsonRpcMessage, ServerResult,
    },
    transport::Transport,
};
use serde_json::value::RawValue;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    sync::{Notify, mpsc},
    task::JoinHandle,
};

use super::Server;
use crate::{
    calls::Calls,
    disconnect::{self, StdioClient},
    limits::{MESSAGE, WRITE_AHEAD},
    rpc::{self, Message},
    unread::Unread,
};

/// The last protocol version with batches.
const BATCHES_UNTIL: &str = "2025-03-26";
/// Interval for checking whether a client that closed its input still reads.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// Transport to a client over two streams.
pub(crate) struct LineTransport<R, W> {
    input: Input<R>,
    /// Parsed messages that have not been passed on.
    read: VecDeque<ClientJsonRpcMessage>,
    /// Responses to messages that are not passed on.
    rejections: VecDeque<String>,
    output: Option<mpsc::Sender<String>>,
    unread: Arc<Unread>,
    writer: JoinHandle<()>,
    requests: OpenRequests,
    ending: Shutdown,
    _writes: std::marker::PhantomData<fn() -> W>,
}

/// Requests without a response yet.
#[derive(Default)]
struct OpenRequests {
    open: HashSet<RequestId>,
    batches: Vec<Batch>,
    /// True once the client has sent `initialize` or a request with a protocol version. Before that, only pings and
    /// discovery are answered.
    is_initialized: bool,
    /// True if the negotiated version has batches.
    has_batches: bool,
}

/// Requests of a batch, whose responses are sent together.
struct Batch {
    open: HashSet<RequestId>,
    answers: Vec<String>,
}

/// State of the shutdown.
struct Shutdown {
    calls: Calls,
    client: StdioClient,
    /// Notified to stop waiting for running calls.
    stop: Arc<Notify>,
    input_ended: Option<Instant>,
    cancelled: Option<Instant>,
}

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(crate) fn new(
        input: R,
        output: W,
        server: &Server,
        client: StdioClient,
        over: Arc<Notify>,
    ) -> LineTransport<R, W> {
        let (calls, unread) = (server.calls.clone(), Arc::clone(&server.unread));
        let (sender, lines) = mpsc::channel(WRITE_AHEAD);
        LineTransport {
            input: Input { stream: BufReader::new(input), line: Vec::new(), skipping: false },
            read: VecDeque::new(),
            rejections: VecDeque::new(),
            output: Some(sender),
            writer: tokio::spawn(write_lines(output, lines, Arc::clone(&unread))),
            unread,
            requests: OpenRequests::default(),
            ending: Shutdown { calls, client, stop: over, input_ended: None, cancelled: None },
            _writes: std::marker::PhantomData,
        }
    }

    /// Handles one line.
    fn handle_line(&mut self, line: Result<String, String>) {
        let text = match line {
            Ok(text) if text.trim().is_empty() => return,
            Ok(text) => text,
            Err(answer) => return self.rejections.push_back(answer),
        };
        let text = text.trim_start_matches('\u{feff}').trim();
        if !text.starts_with('[') {
            match parse_message(text) {
                Ok(Some(JsonRpcMessage::Request(request))) if self.requests.is_too_early(&request.request) => {
                    self.rejections.push_back(not_initialized(&request));
                }
                Ok(message) => self.read.extend(message.filter(|message| self.requests.begin(message))),
                Err(answer) => self.rejections.push_back(answer),
            }
            return;
        }
        match serde_json::from_str::<Vec<Box<RawValue>>>(text) {
            Err(error) => self.rejections.push_back(rpc::not_json(&error)),
            Ok(batch) if batch.is_empty() => {
                self.rejections.push_back(rpc::not_a_request("null", "a batch must not be empty"))
            }
            Ok(_) if !self.requests.has_batches => {
                let why = "batches are not supported before `initialize` or in this protocol version";
                self.rejections.push_back(rpc::not_a_request("null", why));
            }
            Ok(batch) => self.take_batch(&batch),
        }
    }

    fn take_batch(&mut self, batch: &[Box<RawValue>]) {
        let mut together = Batch { open: HashSet::new(), answers: Vec::new() };
        for text in batch {
            match parse_message(text.get()) {
                Ok(Some(message)) => {
                    if let JsonRpcMessage::Request(request) = &message {
                        together.open.insert(request.id.clone());
                    }
                    if self.requests.begin(&message) {
                        self.read.push_back(message);
                    }
                }
                Ok(None) => {}
                Err(answer) => together.answers.push(answer),
            }
        }
        // A notification in the batch may have cancelled one of its requests.
        together.open.retain(|id| self.requests.open.contains(id));
        match together.complete() {
            Some(line) => self.rejections.push_back(line),
            None if !together.open.is_empty() => self.requests.batches.push(together),
            None => {}
        }
    }

    /// Called at the end of the input, when responses may still be expected.
    async fn wait_for_answers(&mut self) {
        let ended = *self.ending.input_ended.get_or_insert_with(Instant::now);
        while !self.requests.open.is_empty() {
            if self.ending.cancelled.is_none() && self.ending.client.is_disconnected(ended.elapsed()) {
                self.ending.cancelled = Some(Instant::now());
            }
            if let Some(since) = self.ending.cancelled {
                self.ending.calls.cancel_all();
                if since.elapsed() > disconnect::CANCEL_TIMEOUT {
                    self.ending.stop.notify_one();
                    return;
                }
            }
            // The library calls `receive` again after each response it sends.
            tokio::time::sleep(CHECK_INTERVAL).await;
        }
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let line = serde_json::to_string(&message).map(|text| self.requests.end(&message, text));
        let (output, unread) = (self.output.clone(), Arc::clone(&self.unread));
        async move {
            let closed = || io::Error::new(io::ErrorKind::NotConnected, "the client no longer reads");
            match line? {
                Some(line) => {
                    unread.answered(line.len());
                    output.ok_or_else(closed)?.send(line).await.map_err(|_| closed())
                }
                None => Ok(()),
            }
        }
    }

    /// Cancel-safe: may be dropped at each `await` and called again.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            while !self.rejections.is_empty() {
                let place = self.output.as_ref()?.reserve().await.ok()?;
                if let Some(line) = self.rejections.pop_front() {
                    self.unread.answered(line.len());
                    place.send(line);
                }
            }
            if let Some(message) = self.read.pop_front() {
                return Some(message);
            }
            match self.input.next().await {
                Some(line) => self.handle_line(line),
                None => {
                    self.wait_for_answers().await;
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output = None;
        // Write what is queued, unless the client no longer reads.
        let _ = tokio::time::timeout(disconnect::CANCEL_TIMEOUT, &mut self.writer).await;
        Ok(())
    }
}

impl OpenRequests {
    /// Returns whether a request needs a handshake that has not happened yet.
    fn is_too_early(&self, request: &ClientRequest) -> bool {
        let begins = matches!(
            request,
            ClientRequest::InitializeRequest(_) | ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_)
        );
        !self.is_initialized && !begins && request.get_meta().protocol_version().is_none()
    }

    /// Registers a message. Returns whether to pass it on.
    fn begin(&mut self, message: &ClientJsonRpcMessage) -> bool {
        match message {
            JsonRpcMessage::Request(request) => {
                self.open.insert(request.id.clone());
                let probe =
                    matches!(request.request, ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_));
                let initialize = matches!(request.request, ClientRequest::InitializeRequest(_));
                self.is_initialized |=
                    initialize || (!probe && request.request.get_meta().protocol_version().is_some());
                true
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    // A cancelled request gets no response.
                    self.open.remove(id);
                    self.batches.iter_mut().for_each(|batch| _ = batch.open.remove(id));
                }
                self.is_initialized
            }
            _ => self.is_initialized,
        }
    }

    /// Registers a response. Returns the line to write, if any.
    fn end(&mut self, message: &ServerJsonRpcMessage, text: String) -> Option<String> {
        let id = match message {
            JsonRpcMessage::Response(response) => {
                if let ServerResult::InitializeResult(result) = &response.result {
                    self.has_batches = result.protocol_version.as_str() <= BATCHES_UNTIL;
                }
                Some(&response.id)
            }
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        let Some(id) = id else { return Some(text) };
        self.open.remove(id);
        let Some(place) = self.batches.iter().position(|batch| batch.open.contains(id)) else { return Some(text) };
        let batch = &mut self.batches[place];
        batch.open.remove(id);
        batch.answers.push(text);
        let whole = batch.complete()?;
        self.batches.remove(place);
        Some(whole)
    }
}

impl Batch {
    /// The responses of the batch, once all of them have been received.
    fn complete(&self) -> Option<String> {
        (self.open.is_empty() && !self.answers.is_empty()).then(|| format!("[{}]", self.answers.join(",")))
    }
}

/// Returns the response to a request before the handshake. It is also the response to an `initialize` with invalid
/// parameters.
fn not_initialized(request: &JsonRpcRequest<ClientRequest>) -> String {
    let id = serde_json::to_string(&request.id).unwrap_or_default();
    let error = match &request.request {
        ClientRequest::CustomRequest(custom) if custom.method == "initialize" => {
            let needs = super::parameters_of("initialize").unwrap_or_default();
            Error::argument("the parameters of `initialize` are wrong").hint(format!("it takes {needs}"))
        }
        _ => Error::argument("the session is not initialized").hint(
            "send `initialize` first; clients of the stateless revision give the version in `_meta` of each \
             request, as `io.modelcontextprotocol/protocolVersion`",
        ),
    };
    rpc::error_response(&id, rpc::WRONG_PARAMETERS, &error)
}

/// Parses a message. `None` for an unknown notification; fails with the response to an invalid message.
fn parse_message(text: &str) -> Result<Option<ClientJsonRpcMessage>, String> {
    if let Ok(message) = serde_json::from_str(text) {
        return Ok(Some(message));
    }
    match Message::read(text) {
        Message::Invalid(answer) => Err(answer),
        Message::Notification { .. } => Ok(None),
        Message::Request { id, .. } if serde_json::from_str::<RequestId>(&id).is_err() => {
            Err(rpc::not_a_request(&id, "`id` must be a whole number or a string"))
        }
        Message::Request { id, method, .. } => {
            let error =
                Error::argument(format!("the parameters of `{method}` are wrong")).hint("they must be an object");
            Err(rpc::error_response(&id, rpc::WRONG_PARAMETERS, &error))
        }
    }
}

/// Reads lines of limited length.
struct Input<R> {
    stream: BufReader<R>,
    /// The part of the line that has been read.
    line: Vec<u8>,
    /// True if the line is too long: its rest is skipped.
    skipping: bool,
}

impl<R: AsyncRead + Unpin> Input<R> {
    /// Returns the next line, or the response to one that is invalid. Cancel-safe.
    async fn next(&mut self) -> Option<Result<String, String>> {
        loop {
            let part = self.stream.fill_buf().await.ok()?;
            if part.is_empty() {
                // The last line may lack a line break.
                return (!self.line.is_empty()).then(|| self.finish_line());
            }
            let end = part.iter().position(|byte| *byte == b'\n');
            let length = end.map_or(part.len(), |end| end + 1);
            if self.line.len() + length > MESSAGE {
                self.skipping = true;
                self.line.clear();
            }
            if !self.skipping {
                self.line.extend_from_slice(&part[..length]);
            }
            self.stream.consume(length);
            if end.is_some() {
                return Some(self.finish_line());
            }
        }
    }

    fn finish_line(&mut self) -> Result<String, String> {
        if std::mem::take(&mut self.skipping) {
            return Err(rpc::not_a_request("null", &format!("it is longer than {} MiB", MESSAGE >> 20)));
        }
        let line = std::mem::take(&mut self.line);
        let wrong = |_| rpc::error_response("null", rpc::NOT_JSON, &Error::argument("not JSON: not UTF-8"));
        String::from_utf8(line).map_err(wrong)
    }
}

/// Writer task. Lines that are waiting are written together.
async fn write_lines(mut output: impl AsyncWrite + Unpin, mut lines: mpsc::Receiver<String>, unread: Arc<Unread>) {
    while let Some(mut text) = lines.recv().await {
        text.push('\n');
        while let Ok(next) = lines.try_recv() {
            text += &next;
            text.push('\n');
        }
        // A write fails if the client has disconnected, which is not an error.
        if output.write_all(text.as_bytes()).await.is_err() || output.flush().await.is_err() {
            return;
        }
        unread.written(text.len());
    }
}
