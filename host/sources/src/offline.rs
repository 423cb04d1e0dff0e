//! Replaces the module `network` in builds without network support: plugins come from folders and files only.

use marquetry_model::{Error, Kind, Result};
use semver::VersionReq;

use crate::{DownloadedPlugin, Publication, Published, SearchResults};

/// Refuses every request.
pub(crate) struct Network;

impl Network {
    pub(crate) fn new() -> Result<Network> {
        Ok(Network)
    }

    pub(crate) fn fetch(&self, address: &str, _signed: bool) -> Result<DownloadedPlugin> {
        Err(refused(address))
    }

    pub(crate) fn pull(&self, name: &str, _wanted: &VersionReq) -> Result<DownloadedPlugin> {
        Err(refused(&format!("oci:{name}")))
    }

    pub(crate) fn pull_manifest(&self, name: &str, _digest: &str) -> Result<DownloadedPlugin> {
        Err(refused(&format!("oci:{name}")))
    }

    pub(crate) fn push(&self, name: &str, _publication: Publication) -> Result<Published> {
        Err(refused(&format!("oci:{name}")))
    }

    pub(crate) fn search(&self, name: &str, _word: &str) -> Result<SearchResults> {
        Err(refused(&format!("oci:{name}")))
    }
}

fn refused(source: &str) -> Error {
    Error::new(Kind::Unsupported, format!("{source} cannot be reached: this build of marq has no network support"))
        .hint("use `folder:FOLDER` or a file, or build marq with the feature `network`")
}

#[cfg(test)]
mod tests {
    use marquetry_model::{Kind, source::Source};
    use semver::VersionReq;

    use crate::Sources;

    #[test]
    fn network_sources_are_refused_with_a_hint() {
        let sources = Sources::new().expect("no network is needed");
        let refused = sources
            .download(&Source::Oci("registry.example/p".to_owned()), &VersionReq::STAR, false)
            .expect_err("there is no network");
        let content = refused.content();
        assert_eq!(content.kind, Kind::Unsupported);
        assert!(content.message.starts_with("oci:registry.example/p cannot be reached"), "{}", content.message);
        assert!(content.hint.as_deref().is_some_and(|hint| hint.contains("`network`")), "{:?}", content.hint);
    }
}
