//! JSON-RPC: the catalog as methods, the same for every transport.
//!
//! What a transport knows of a call comes with it as extensions: its `Work`, and the `Outbox` for its progress.

use std::sync::Arc;

use jsonrpsee::{
    Extensions, RpcModule,
    core::RegisterMethodError,
    types::{ErrorObjectOwned, Params},
};
use marquetry_model::{Error, Work};
use serde_json::value::RawValue;

use crate::{
    calls::{Outbox, Report, with_token},
    catalog::{Catalog, code, error_json},
};

/// A module with a method for every tool (`file/read`), under its tool name (`file_read`) as well. Its methods run on threads
/// that may block, and need a runtime that has some.
pub fn module(catalog: Catalog) -> Result<RpcModule<Catalog>, Error> {
    methods(catalog, |module, method| {
        let answer = move |params: Params<'_>, catalog: Arc<Catalog>, extensions: Extensions| {
            result(&catalog, method, &params, &extensions)
        };
        module.register_blocking_method(method, answer).map(|_| ())
    })
}

/// The same for a transport with threads of its own: a method runs on the thread that asks for it.
pub fn direct(catalog: Catalog) -> Result<RpcModule<Catalog>, Error> {
    methods(catalog, |module, method| {
        let answer = move |params: Params<'_>, catalog: &Catalog, extensions: &Extensions| {
            result(catalog, method, &params, extensions)
        };
        module.register_method(method, answer).map(|_| ())
    })
}

fn methods(
    catalog: Catalog,
    register: impl Fn(&mut RpcModule<Catalog>, &'static str) -> Result<(), RegisterMethodError>,
) -> Result<RpcModule<Catalog>, Error> {
    let names: Vec<(&'static str, &'static str)> =
        catalog.tools().iter().map(|tool| (tool.method, tool.name)).collect();
    let mut module = RpcModule::new(catalog);
    for (method, name) in names {
        register(&mut module, method).map_err(|error| Error::internal(error.to_string()))?;
        if name != method {
            module.register_alias(name, method).map_err(|error| Error::internal(error.to_string()))?;
        }
    }
    Ok(module)
}

fn result(
    catalog: &Catalog,
    method: &str,
    params: &Params<'_>,
    extensions: &Extensions,
) -> Result<Box<RawValue>, ErrorObjectOwned> {
    answer(catalog, method, params.as_str().unwrap_or("{}"), extensions).map_err(|error| object(&error))
}

fn answer(catalog: &Catalog, method: &str, params: &str, extensions: &Extensions) -> Result<Box<RawValue>, Error> {
    let tool = catalog.find(method)?;
    let work = extensions.get::<Work>().cloned().unwrap_or_default();
    let (arguments, token) = with_token(params);
    let report = token.zip(extensions.get::<Outbox>());
    let report = report.map(|(token, outbox)| Report::begin(outbox, token, tool.title, &work));
    let answer = catalog.call(tool, &arguments, &work);
    drop(report);
    answer
}

/// An error as JSON-RPC has it.
pub fn object(error: &Error) -> ErrorObjectOwned {
    ErrorObjectOwned::owned(code(error.kind()), error.content().message.clone(), Some(error_json(error)))
}
