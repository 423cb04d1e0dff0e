//! Connections of the JSON-RPC server: admission, cancellation and progress of calls, and disconnects.
//!
//! A call is cancelled when its connection closes. Progress is sent to connections that subscribed to it; over HTTP it
//! cannot be sent.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use jsonrpsee::{
    Extensions, RpcModule,
    server::{
        ConnectionId, MethodResponse, SubscriptionSink,
        middleware::rpc::{Batch, BatchEntry, BatchEntryErr, Notification, Request, RpcServiceT},
    },
    types::{ErrorObjectOwned, Id},
};
use marquetry_catalog::error_json;
use marquetry_model::{Error, Work};
use serde_json::{
    Value,
    value::{RawValue, to_raw_value},
};

use crate::{
    ServedCatalog,
    calls::{CANCEL, Call, Calls, Outbox, PROGRESS},
    queues::{Admitted, Queue},
    rpc,
    socket::Link,
    ui,
};

const SUBSCRIBE: &str = "progress/subscribe";
const UNSUBSCRIBE: &str = "progress/unsubscribe";

/// The connections of a server.
#[derive(Clone)]
pub(crate) struct Connections {
    catalog: ServedCatalog,
    calls: Calls,
    listeners: Listeners,
}

/// Progress sink of a connection. It holds `None` if the connection closed before the subscription was accepted.
type Sink = Arc<OnceLock<Option<SubscriptionSink>>>;
type Listeners = Arc<Mutex<HashMap<usize, Sink>>>;

/// A connection's progress subscription, until dropped.
struct ProgressSubscription {
    listeners: Listeners,
    connection: usize,
    sink: Sink,
}

impl ProgressSubscription {
    fn begin(listeners: &Listeners, connection: usize) -> ProgressSubscription {
        let sink = Sink::default();
        listeners.lock().unwrap_or_else(PoisonError::into_inner).insert(connection, Arc::clone(&sink));
        ProgressSubscription { listeners: Arc::clone(listeners), connection, sink }
    }
}

impl Drop for ProgressSubscription {
    fn drop(&mut self) {
        // Wake calls that wait for the sink.
        let _ = self.sink.set(None);
        let mut listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        if listeners.get(&self.connection).is_some_and(|sink| Arc::ptr_eq(sink, &self.sink)) {
            listeners.remove(&self.connection);
        }
    }
}

impl Connections {
    pub(crate) fn new(catalog: ServedCatalog) -> Connections {
        Connections { catalog, calls: Calls::default(), listeners: Listeners::default() }
    }

    /// Returns the error for an unknown method, with candidates. `None` if the method exists.
    fn unknown_method(&self, method: &str) -> Option<ErrorObjectOwned> {
        if self.catalog.find(method).is_ok() || [SUBSCRIBE, UNSUBSCRIBE].contains(&method) || ui::has_method(method) {
            return None;
        }
        let error = rpc::no_method(&self.catalog, method);
        Some(ErrorObjectOwned::owned(rpc::NO_METHOD, error.content().message.clone(), Some(error_json(&error))))
    }

    /// Registers the subscription to the progress of a connection's calls.
    pub(crate) fn register_progress(&self, module: &mut RpcModule<ServedCatalog>) -> Result<(), Error> {
        let listening = Arc::clone(&self.listeners);
        let subscribed = module.register_subscription(SUBSCRIBE, PROGRESS, UNSUBSCRIBE, move |_, pending, _, _| {
            let listening = Arc::clone(&listening);
            async move {
                // Registered before the answer is sent, so that the caller's next call already reports progress.
                let known = ProgressSubscription::begin(&listening, pending.connection_id().0);
                let Ok(sink) = pending.accept().await else { return };
                let _ = known.sink.set(Some(sink.clone()));
                sink.closed().await;
            }
        });
        subscribed.map(|_| ()).map_err(|error| Error::internal(error.to_string()))
    }

    /// Registers a call, so that it can be cancelled and report progress.
    fn begin(&self, request: &mut Request<'_>) -> Call {
        let connection = connection(request.extensions());
        let call = self.calls.begin(connection, serde_json::to_string(&request.id).unwrap_or_default());
        request.extensions_mut().insert(call.work.clone());
        if let Some(sink) = self.listeners.lock().unwrap_or_else(PoisonError::into_inner).get(&connection) {
            request.extensions_mut().insert(outbox(Arc::clone(sink)));
        }
        call
    }

    /// The queue for a request.
    fn queue(&self, request: &Request<'_>) -> Queue {
        let tool = self.catalog.find(request.method_name());
        tool.map_or(Queue::Read, |tool| Queue::for_call(tool.name, request.params.as_deref().map(RawValue::get)))
    }

    /// Admits calls that arrived together, or refuses them because there are too many. Closes the connection of a
    /// client that does not read these errors.
    fn admit(&self, extensions: &Extensions, calls: usize, parameters: usize) -> Result<Admitted, ErrorObjectOwned> {
        let link = extensions.get::<Arc<Link>>();
        let own = link.map_or_else(Arc::default, |link| Arc::clone(&link.calls));
        if let Some(link) = link {
            link.record_message();
        }
        let queues = self.catalog.queues();
        queues.admit(&own, calls, parameters).map_err(|error| {
            if let Some(link) = link.filter(|link| link.unread.exceeds(queues.limits().unread)) {
                link.close("the client does not read the answers");
            }
            rpc::error_object(&error)
        })
    }

    /// Waits until the client has read earlier answers, and then for a slot in the queue. The slot stays in the
    /// extensions, which move to the call's thread.
    async fn enter(&self, extensions: &mut Extensions, queue: Queue) -> Result<(), ErrorObjectOwned> {
        let queues = self.catalog.queues();
        if let Some(link) = extensions.get::<Arc<Link>>().cloned() {
            link.unread.wait_until_read(queues.limits().unread).await;
        }
        let place = queues.enter(queue).await.map_err(|error| rpc::error_object(&error))?;
        if let Some(work) = extensions.get::<Work>() {
            place.release_while_waiting(work);
        }
        extensions.insert(place);
        Ok(())
    }

    fn handle_notification(&self, notification: &Notification<'_>) {
        if let Some(link) = notification.extensions().get::<Arc<Link>>() {
            link.record_message();
        }
        if notification.method_name() == CANCEL {
            let params = notification.params.as_deref().map(|params| params.get());
            self.calls.cancel(connection(notification.extensions()), params);
        }
    }
}

fn connection(extensions: &Extensions) -> usize {
    extensions.get::<ConnectionId>().map_or(0, |connection| connection.0)
}

fn link(extensions: &Extensions) -> Option<Arc<Link>> {
    extensions.get::<Arc<Link>>().cloned()
}

/// Size of a request's parameters in bytes.
fn size(request: &Request<'_>) -> usize {
    request.params.as_deref().map_or(0, |params| params.get().len())
}

/// Counts an answer as unread and passes it on.
fn count_unread(link: Option<Arc<Link>>, answer: MethodResponse) -> MethodResponse {
    if let Some(link) = link {
        link.unread.answered(answer.as_json().get().len());
    }
    answer
}

/// Returns a function that sends progress to a subscription. Progress is dropped if the client does not read it in
/// time.
fn outbox(sink: Sink) -> Outbox {
    Outbox(Arc::new(move |params: Value| {
        if let (Some(sink), Ok(params)) = (sink.wait(), to_raw_value(&params)) {
            let _ = sink.clone().try_send(params);
        }
    }))
}

/// Middleware that tracks the calls of each connection.
#[derive(Clone)]
pub(crate) struct TrackedService<S> {
    pub(crate) inner: S,
    pub(crate) connections: Connections,
}

impl<S> RpcServiceT for TrackedService<S>
where
    S: RpcServiceT<
            MethodResponse = MethodResponse,
            BatchResponse = MethodResponse,
            NotificationResponse = MethodResponse,
        > + Clone
        + Send
        + Sync
        + 'static,
{
    type MethodResponse = MethodResponse;
    type BatchResponse = MethodResponse;
    type NotificationResponse = MethodResponse;

    fn call<'a>(&self, mut request: Request<'a>) -> impl Future<Output = MethodResponse> + Send + 'a {
        let unknown = self.connections.unknown_method(request.method_name());
        let (inner, connections) = (self.inner.clone(), self.connections.clone());
        let call = connections.begin(&mut request);
        let admitted = connections.admit(request.extensions(), 1, size(&request));
        async move {
            let refused = match (unknown, &admitted) {
                (Some(error), _) => Some(error),
                (None, Err(error)) => Some(error.clone()),
                (None, Ok(_)) => {
                    let queue = connections.queue(&request);
                    connections.enter(request.extensions_mut(), queue).await.err()
                }
            };
            let link = link(request.extensions());
            let answer = match refused {
                Some(error) => MethodResponse::error(request.id, error),
                None => inner.call(request).await,
            };
            drop(call);
            count_unread(link, answer)
        }
    }

    fn batch<'a>(&self, mut batch: Batch<'a>) -> impl Future<Output = MethodResponse> + Send + 'a {
        let connections = self.connections.clone();
        let (mut calls, mut queue, mut parameters) = (Vec::new(), Queue::Read, 0);
        for entry in batch.iter_mut() {
            let unknown = match entry {
                Ok(BatchEntry::Call(request)) => self.connections.unknown_method(request.method_name()).map(|error| {
                    let id: Id<'a> = request.id.clone();
                    BatchEntryErr::new(id, error)
                }),
                _ => None,
            };
            match (entry, unknown) {
                (entry, Some(unknown)) => *entry = Err(unknown),
                (Ok(BatchEntry::Call(request)), None) => {
                    calls.push(connections.begin(request));
                    queue = queue.max(connections.queue(request));
                    parameters += size(request);
                }
                (Ok(BatchEntry::Notification(notification)), None) => {
                    self.connections.handle_notification(notification)
                }
                (Err(_), None) => {}
            }
        }
        let first = batch.iter_mut().find_map(|entry| match entry {
            Ok(BatchEntry::Call(request)) => Some(request.extensions().clone()),
            _ => None,
        });
        let mut extensions = first.unwrap_or_default();
        let admitted = connections.admit(&extensions, calls.len(), parameters);
        let inner = self.inner.clone();
        async move {
            let refused = match &admitted {
                Ok(_) if calls.is_empty() => None,
                Ok(_) => connections.enter(&mut extensions, queue).await.err(),
                Err(error) => Some(error.clone()),
            };
            if let Some(error) = refused {
                for entry in batch.iter_mut() {
                    let id: Option<Id<'a>> = match entry {
                        Ok(BatchEntry::Call(request)) => Some(request.id.clone()),
                        _ => None,
                    };
                    if let Some(id) = id {
                        *entry = Err(BatchEntryErr::new(id, error.clone()));
                    }
                }
            }
            // The calls of a batch run one after another in the slot that they share.
            let answer = inner.batch(batch).await;
            drop(calls);
            count_unread(link(&extensions), answer)
        }
    }

    fn notification<'a>(&self, notification: Notification<'a>) -> impl Future<Output = MethodResponse> + Send + 'a {
        self.connections.handle_notification(&notification);
        let inner = self.inner.clone();
        async move { inner.notification(notification).await }
    }
}
