//! JSON-RPC: the catalog as methods, the same for every transport.

use jsonrpsee::{
    RpcModule,
    types::{ErrorObjectOwned, Params},
};
use marquetry_model::Error;

use crate::catalog::{Catalog, code, error_json};

/// A module with a method for every tool (`file/read`), under its tool name (`file_read`) as well.
pub fn module(catalog: Catalog) -> Result<RpcModule<Catalog>, Error> {
    let names: Vec<(&'static str, &'static str)> =
        catalog.tools().iter().map(|tool| (tool.method, tool.name)).collect();
    let mut module = RpcModule::new(catalog);
    for (method, name) in names {
        let registered = module.register_blocking_method(method, move |params: Params<'_>, catalog, _| {
            let answer = catalog.find(method).and_then(|tool| catalog.call(tool, params.as_str().unwrap_or("{}")));
            answer.map_err(|error| object(&error))
        });
        registered.map(|_| ()).map_err(|error| Error::internal(error.to_string()))?;
        if name != method {
            module.register_alias(name, method).map_err(|error| Error::internal(error.to_string()))?;
        }
    }
    Ok(module)
}

/// An error as JSON-RPC has it.
pub fn object(error: &Error) -> ErrorObjectOwned {
    ErrorObjectOwned::owned(code(error.kind()), error.content().message.clone(), Some(error_json(error)))
}
