//! JSON-RPC methods for the web page, in addition to the tools, and a subscription to changes.

use std::time::Duration;

use jsonrpsee::{RpcModule, core::RegisterMethodError, server::SubscriptionMessage};
use marquetry_model::{Error, Kind, Result, limits};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::value::{RawValue, to_raw_value};

use super::messages::{
    About, AboutCall, AboutChange, AboutFile, Change, Changed, InProgress, Listing, Plugins, Text, Workspace,
};
use crate::{ServedCatalog, rpc, served::watch_calls};

type Answer = Result<Box<RawValue>>;
type Method = fn(&ServedCatalog, Option<&str>) -> Answer;

/// All methods.
const METHODS: [(&str, Method); 7] = [
    ("ui/workspace", |catalog, given| answer_with(given, |About { root: _ }| Ok(workspace(catalog)))),
    ("ui/files", |catalog, given| answer_with(given, |about| listing(catalog, &about))),
    ("ui/text", |catalog, given| answer_with(given, |about| text(catalog, &about))),
    ("ui/change", |catalog, given| answer_with(given, |about| change(catalog, &about))),
    ("ui/plugins", |catalog, given| answer_with(given, |about| plugins(catalog, &about))),
    ("ui/calls", |catalog, given| answer_with(given, |About { root: _ }| Ok(in_progress(catalog)))),
    ("ui/cancel", |catalog, given| answer_with(given, |about| cancel(catalog, &about))),
];
const WATCH: &str = "ui/watch";
const CHANGED: &str = "ui/changed";
const UNWATCH: &str = "ui/unwatch";

/// Maximum number of files in a listing.
const FILES: usize = 20_000;
/// Minimum interval between two events; changes in between are coalesced.
const EVENT_INTERVAL: Duration = Duration::from_millis(100);
/// Interval while a call is in progress, to show its progress.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);

/// Returns whether there is such a method.
pub(crate) fn has_method(method: &str) -> bool {
    [WATCH, UNWATCH].contains(&method) || METHODS.iter().any(|(name, _)| *name == method)
}

/// Registers the methods.
pub(crate) fn register(module: &mut RpcModule<ServedCatalog>) -> Result<()> {
    let failed = |error: RegisterMethodError| Error::internal(error.to_string());
    for (name, method) in METHODS {
        let answer = move |params: jsonrpsee::types::Params<'_>, catalog: std::sync::Arc<ServedCatalog>, _| {
            method(&catalog, params.as_str()).map_err(|error| rpc::error_object(&error))
        };
        module.register_blocking_method(name, answer).map_err(failed)?;
    }
    let watched = module.register_subscription(WATCH, CHANGED, UNWATCH, |_, pending, catalog, _| async move {
        let Ok(sink) = pending.accept().await else { return };
        let (mut changes, _subscription) = watch_calls(catalog.running());
        loop {
            changes.mark_unchanged();
            let seen = in_progress(&catalog);
            let is_idle = seen.calls.is_empty();
            let Ok(message) = to_raw_value(&seen) else { return };
            if sink.send(SubscriptionMessage::from(message)).await.is_err() {
                return;
            }
            tokio::time::sleep(EVENT_INTERVAL).await;
            let changed = async {
                // While idle, wait for an event without a timeout.
                if is_idle {
                    let _ = changes.changed().await;
                } else {
                    let _ = tokio::time::timeout(PROGRESS_INTERVAL, changes.changed()).await;
                }
            };
            tokio::select! {
                () = changed => {}
                () = sink.closed() => return,
            }
        }
    });
    watched.map(|_| ()).map_err(failed)
}

/// Parses the parameters, which must be an object, and serializes the answer.
fn answer_with<A: DeserializeOwned, R: Serialize>(given: Option<&str>, answer: impl FnOnce(A) -> Result<R>) -> Answer {
    let given = given.map(str::trim).filter(|given| !given.is_empty() && *given != "null").unwrap_or("{}");
    if !given.starts_with('{') {
        return Err(Error::argument("the parameters are not an object").hint("pass parameters by name"));
    }
    let about = serde_json::from_str(given).map_err(|error| Error::argument(format!("the parameters: {error}")))?;
    to_raw_value(&answer(about)?).map_err(|error| Error::internal(error.to_string()))
}

fn workspace(catalog: &ServedCatalog) -> Workspace {
    let (roots, editors) = (catalog.bench().roots().served(), catalog.bench().editors().attached(None));
    let version = env!("CARGO_PKG_VERSION");
    let (editors, clients) = (editors.into_iter().map(Into::into).collect(), catalog.clients().names());
    Workspace { version, roots, editors, clients }
}

fn listing(catalog: &ServedCatalog, about: &About) -> Result<Listing> {
    let found = catalog.bench().files(about.root.as_deref())?.walk("")?;
    let more = found.len().saturating_sub(FILES);
    Ok(Listing { files: found.into_iter().take(FILES).map(|stamp| stamp.path).collect(), more })
}

fn text(catalog: &ServedCatalog, about: &AboutFile) -> Result<Text> {
    let files = catalog.bench().files(about.root.as_deref())?;
    let source = files.read(&files.locate(&about.path)?)?;
    if source.text.len() > limits::EDITOR_TEXT {
        let (size, most) = (source.text.len() >> 20, limits::EDITOR_TEXT >> 20);
        let message = format!("`{}` has {size} MiB; the page shows {most} MiB", source.path);
        return Err(Error::new(Kind::LimitExceeded, message).hint("read a part of it with `marq read`"));
    }
    Ok(Text { path: source.path, text: source.text.to_string(), hash: source.hash })
}

fn change(catalog: &ServedCatalog, about: &AboutChange) -> Result<Change> {
    let files = catalog.bench().files(about.root.as_deref())?;
    let decode = |path: &str, bytes: &[u8]| {
        (bytes.len() <= limits::EDITOR_TEXT).then(|| files.decode(path, bytes).ok()).flatten()
    };
    let replaced = files.replaced_files(&about.id)?;
    Ok(Change { files: replaced.into_iter().map(|one| Changed::new(one, decode)).collect() })
}

fn plugins(catalog: &ServedCatalog, about: &About) -> Result<Plugins> {
    let (bench, files) = (catalog.bench(), catalog.bench().files(about.root.as_deref())?);
    let plugins = bench.packs().plugins(&files).into_iter().map(Into::into).collect();
    Ok(Plugins { plugins, trust: bench.packs().approval_state(&files) })
}

fn in_progress(catalog: &ServedCatalog) -> InProgress {
    let (calls, changes) = catalog.running().calls();
    InProgress { calls: calls.into_iter().map(Into::into).collect(), changes }
}

fn cancel(catalog: &ServedCatalog, about: &AboutCall) -> Result<InProgress> {
    if catalog.running().cancel(about.call) {
        return Ok(in_progress(catalog));
    }
    Err(Error::argument(format!("no call {} is in progress", about.call)).hint("it may have ended already"))
}
