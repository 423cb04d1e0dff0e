//! Format pages as resources: how to address things in a format, what each operation does, and what is refused.

use std::sync::Arc;

use marquetry_model::{nearest::nearest_names, pack::Description};
use rmcp::{
    ErrorData,
    model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate},
};

use crate::ServedCatalog;

const SCHEME: &str = "marq://formats/";
const PLAIN: &str = "text/plain";

fn formats(catalog: &ServedCatalog) -> Vec<Arc<Description>> {
    let files = catalog.bench().files(None);
    files.map(|files| catalog.bench().packs().descriptions(&files)).unwrap_or_default()
}

/// Lists the pages of all formats.
pub(crate) fn list(catalog: &ServedCatalog) -> Vec<Resource> {
    let page = |format: &Arc<Description>| {
        Resource::new(format!("{SCHEME}{}", format.id), format.id.clone())
            .with_title(format!("{}: how to address and edit it", format.name))
            .with_mime_type(PLAIN)
            .with_size(format.help.len() as u64)
    };
    formats(catalog).iter().map(page).collect()
}

/// URI template of the pages.
pub(crate) fn template() -> ResourceTemplate {
    ResourceTemplate::new(format!("{SCHEME}{{format}}"), "format")
        .with_title("How a format is addressed and edited")
        .with_mime_type(PLAIN)
}

/// Returns the page of a format.
pub(crate) fn read(catalog: &ServedCatalog, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let formats = formats(catalog);
    let found = uri.strip_prefix(SCHEME).and_then(|id| formats.iter().find(|format| format.id == id));
    let Some(format) = found else {
        let known = || formats.iter().map(|format| format!("{SCHEME}{}", format.id));
        let near = nearest_names(uri, known());
        let candidates = if near.is_empty() { known().collect() } else { near };
        let message = format!("no resource `{uri}`; there are: {}", candidates.join(", "));
        return Err(ErrorData::resource_not_found(
            message,
            Some(serde_json::json!({ "uri": uri, "candidates": candidates })),
        ));
    };
    Ok(ReadResourceResult::new(vec![ResourceContents::text(format.help.clone(), uri).with_mime_type(PLAIN)]))
}
