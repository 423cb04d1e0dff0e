//! A test registry: the OCI distribution API in memory, over local HTTP. It can be made to give wrong answers.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]

use std::{
    collections::BTreeMap,
    convert::Infallible,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
};

use http_body_util::{BodyExt, Full};
use hyper::{
    Method, Request, Response, StatusCode,
    body::{Bytes, Incoming},
    header,
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use marquetry_runtime::digest;
use tokio::{net::TcpListener, sync::oneshot};

type Answer = Response<Full<Bytes>>;

/// Contents and behavior of a registry.
#[derive(Default)]
pub struct State {
    /// Blobs by digest.
    pub blobs: BTreeMap<String, Vec<u8>>,
    /// Manifests by repository, and by tag or digest.
    pub manifests: BTreeMap<(String, String), Vec<u8>>,
    /// Plain files, by path.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Redirects, by path.
    pub moved: BTreeMap<String, String>,
    /// Credentials, `name:password` in base64, which are then required for everything.
    pub password: Option<String>,
    pub has_no_catalog: bool,
    /// All received requests.
    pub asked: Vec<String>,
    uploads: BTreeMap<String, Vec<u8>>,
}

/// A registry that runs until it is dropped.
pub struct Registry {
    pub address: SocketAddr,
    state: Arc<Mutex<State>>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Registry {
    pub fn start() -> Registry {
        let state = Arc::new(Mutex::new(State::default()));
        let (sender, address) = std::sync::mpsc::channel();
        let (stop, mut stopped) = oneshot::channel();
        let served = Arc::clone(&state);
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async move {
                let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
                sender.send(listener.local_addr().expect("an address")).expect("told");
                loop {
                    let stream = tokio::select! {
                        _ = &mut stopped => return,
                        accepted = listener.accept() => accepted.expect("a connection").0,
                    };
                    let state = Arc::clone(&served);
                    tokio::spawn(async move {
                        let service = service_fn(move |request| answer(Arc::clone(&state), request));
                        let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
                    });
                }
            });
        });
        let address = address.recv().expect("it runs");
        Registry { address, state, stop: Some(stop), thread: Some(thread) }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the source of a repository.
    pub fn source(&self, repository: &str) -> String {
        format!("oci:{}/{repository}", self.address)
    }

    /// Returns the address of a plain file.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    /// Returns the manifest of a tag.
    pub fn manifest(&self, repository: &str, tag: &str) -> serde_json::Value {
        let bytes = self.state().manifests[&(repository.to_owned(), tag.to_owned())].clone();
        serde_json::from_slice(&bytes).expect("JSON")
    }

    /// Replaces the manifest of a tag, also under its digest.
    pub fn replace(&self, repository: &str, tag: &str, manifest: &serde_json::Value) {
        let bytes = serde_json::to_vec(manifest).expect("JSON");
        self.state().put(repository, tag, bytes);
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        drop(self.stop.take());
        let _ = self.thread.take().map(thread::JoinHandle::join);
    }
}

impl State {
    fn put(&mut self, repository: &str, tag: &str, bytes: Vec<u8>) -> String {
        let named = format!("sha256:{}", digest(&bytes));
        self.manifests.insert((repository.to_owned(), named.clone()), bytes.clone());
        self.manifests.insert((repository.to_owned(), tag.to_owned()), bytes);
        named
    }

    /// Returns the tags of a repository in order.
    fn tags(&self, repository: &str) -> Vec<String> {
        let names = self.manifests.keys().filter(|(name, tag)| name == repository && !tag.contains(':'));
        names.map(|(_, tag)| tag.clone()).collect()
    }

    fn repositories(&self) -> Vec<String> {
        let mut names: Vec<String> = self.manifests.keys().map(|(name, _)| name.clone()).collect();
        names.dedup();
        names
    }
}

async fn answer(state: Arc<Mutex<State>>, request: Request<Incoming>) -> Result<Answer, Infallible> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
    state.asked.push(format!("{} {}", parts.method, parts.uri));
    if let Some(password) = &state.password {
        let wanted = format!("Basic {password}");
        if parts.headers.get(header::AUTHORIZATION).is_none_or(|given| given.as_bytes() != wanted.as_bytes()) {
            let answer = Response::builder().status(401).header(header::WWW_AUTHENTICATE, "Basic realm=\"test\"");
            return Ok(answer.body(Full::default()).expect("an answer"));
        }
    }
    let path = parts.uri.path().trim_start_matches('/').to_owned();
    let query = parts.uri.query().unwrap_or_default().to_owned();
    Ok(match path.strip_prefix("v2/") {
        Some(rest) => distribution(&mut state, &parts.method, rest, &query, &body),
        None => match (state.moved.get(&path), state.files.get(&path)) {
            (Some(to), _) => with(StatusCode::FOUND, &[("location", to)], Vec::new()),
            (None, Some(bytes)) => with(StatusCode::OK, &[], bytes.clone()),
            (None, None) => with(StatusCode::NOT_FOUND, &[], Vec::new()),
        },
    })
}

fn distribution(state: &mut State, method: &Method, path: &str, query: &str, body: &Bytes) -> Answer {
    let parameter = |name: &str| {
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.filter(|(key, _)| *key == name).map(|(_, value)| value.replace("%3A", ":")).next()
    };
    if path.is_empty() {
        return with(StatusCode::OK, &[], Vec::new());
    }
    if path == "_catalog" {
        if state.has_no_catalog {
            return missing("UNSUPPORTED");
        }
        return page("repositories", state.repositories(), &parameter);
    }
    if let Some(name) = path.strip_suffix("/tags/list") {
        let tags = state.tags(name);
        return if tags.is_empty() { missing("NAME_UNKNOWN") } else { page("tags", tags, &parameter) };
    }
    if let Some((name, reference)) = path.split_once("/manifests/") {
        if method == Method::PUT {
            let digest = state.put(name, reference, body.to_vec());
            let location = format!("/v2/{name}/manifests/{digest}");
            return with(
                StatusCode::CREATED,
                &[("location", &location), ("docker-content-digest", &digest)],
                Vec::new(),
            );
        }
        return match state.manifests.get(&(name.to_owned(), reference.to_owned())) {
            Some(bytes) => {
                with(StatusCode::OK, &[("content-type", "application/vnd.oci.image.manifest.v1+json")], bytes.clone())
            }
            None => missing("MANIFEST_UNKNOWN"),
        };
    }
    if let Some((name, rest)) = path.split_once("/blobs/uploads/") {
        let id = if rest.is_empty() { state.uploads.len().to_string() } else { rest.to_owned() };
        let upload = state.uploads.entry(id.clone()).or_default();
        upload.extend_from_slice(body);
        let (location, range) =
            (format!("/v2/{name}/blobs/uploads/{id}"), format!("0-{}", upload.len().saturating_sub(1)));
        return match parameter("digest") {
            Some(wanted) if wanted == format!("sha256:{}", digest(upload)) => {
                let bytes = std::mem::take(upload);
                state.blobs.insert(wanted.clone(), bytes);
                with(StatusCode::CREATED, &[("location", &format!("/v2/{name}/blobs/{wanted}"))], Vec::new())
            }
            Some(_) => missing("DIGEST_INVALID"),
            None => with(StatusCode::ACCEPTED, &[("location", &location), ("range", &range)], Vec::new()),
        };
    }
    match path.split_once("/blobs/").and_then(|(_, digest)| state.blobs.get(digest)) {
        Some(bytes) => with(StatusCode::OK, &[], bytes.clone()),
        None => missing("BLOB_UNKNOWN"),
    }
}

/// Returns a page of a list, starting after `last`.
fn page(key: &str, all: Vec<String>, parameter: &dyn Fn(&str) -> Option<String>) -> Answer {
    let most = parameter("n").and_then(|n| n.parse().ok()).unwrap_or(usize::MAX);
    let last = parameter("last").map(|last| last.replace("%2F", "/"));
    let names: Vec<String> =
        all.into_iter().filter(|name| last.as_ref().is_none_or(|last| name > last)).take(most).collect();
    let list = serde_json::json!({ "name": "any", key: names });
    with(StatusCode::OK, &[("content-type", "application/json")], list.to_string().into_bytes())
}

fn missing(code: &str) -> Answer {
    let text = serde_json::json!({ "errors": [{ "code": code, "message": "not here" }] }).to_string();
    with(StatusCode::NOT_FOUND, &[("content-type", "application/json")], text.into_bytes())
}

fn with(status: StatusCode, headers: &[(&str, &str)], body: Vec<u8>) -> Answer {
    let answer =
        headers.iter().fold(Response::builder().status(status), |answer, (name, value)| answer.header(*name, *value));
    answer.body(Full::new(Bytes::from(body))).expect("an answer")
}
