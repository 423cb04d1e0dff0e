//! Links: references to other files, for known formats.

pub(crate) mod collect;
mod rules;
mod specifier;
mod unlink;

use marquetry_sdk::{Context, Destination, Link, Linking, Request, Result, Rewrite, SpecifierRequest};

use crate::{Xml, XmlDocument};

pub(crate) use specifier::resolve;

impl Linking for Xml {
    fn links(document: &XmlDocument) -> Vec<Link> {
        collect::collect_links(document).into_iter().map(|found| found.link).collect()
    }

    fn resolve(context: &Context, requests: &[Request]) -> Vec<Destination> {
        requests.iter().map(|request| specifier::resolve(&context.path, &request.kind, &request.specifier)).collect()
    }

    fn format_specifiers(_context: &Context, requests: &[SpecifierRequest]) -> Vec<Result<String>> {
        requests.iter().map(specifier::format_specifier).collect()
    }

    fn unlink(document: &XmlDocument, links: &[u32]) -> Result<Rewrite> {
        unlink::unlink(document, links).map(Rewrite::from)
    }
}
