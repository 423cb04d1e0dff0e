//! A plugin as an artifact of an OCI registry, in the layout of the CNCF WebAssembly working group: one layer with the
//! bytes, and a configuration that describes them. `wkg` and other tools use the same layout.

use std::collections::BTreeMap;

use base64::{Engine, engine::general_purpose::STANDARD};
use marquetry_model::{Error, Kind, Result, limits};
use oci_client::{
    client::{Config, ImageLayer},
    manifest::{OCI_IMAGE_MEDIA_TYPE, OciDescriptor, OciImageManifest},
};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::{Publication, too_large_error};

/// The media type of the configuration.
pub(crate) const CONFIG: &str = "application/vnd.wasm.config.v0+json";
/// The media type of the layer.
pub(crate) const LAYER: &str = "application/wasm";
/// The annotation that contains the signature. The layout allows only one layer, so the signature cannot be a layer. It
/// is encoded in base64, because the OCI client does not escape line breaks in annotations.
const SIGNATURE: &str = "dev.marquetry.signature.minisign";
const TITLE: &str = "org.opencontainers.image.title";
const VERSION: &str = "org.opencontainers.image.version";

/// The configuration, as defined by the layout.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Configuration<'a> {
    created: &'a str,
    author: Option<&'a str>,
    architecture: &'a str,
    os: &'a str,
    layer_digests: [String; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    component: Option<Component<'a>>,
}

#[derive(Serialize)]
struct Component<'a> {
    exports: &'a [String],
    imports: &'a [String],
    target: Option<&'a str>,
}

/// Returns the SHA-256 digest in lower-case hexadecimal.
pub(crate) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Everything that is sent to a registry.
pub(crate) struct ArtifactParts {
    pub(crate) manifest: OciImageManifest,
    pub(crate) layer: ImageLayer,
    pub(crate) config: Config,
}

/// Builds the artifact of a plugin. The result is deterministic: the same plugin gives the same bytes. Therefore the
/// configuration contains a fixed time instead of the current one.
pub(crate) fn parts(publication: Publication) -> Result<ArtifactParts> {
    let Publication { title, version, bytes, is_module, exports, imports, signature, .. } = publication;
    let configuration = Configuration {
        created: "1970-01-01T00:00:00Z",
        author: None,
        architecture: "wasm",
        os: if is_module { "wasip1" } else { "wasip2" },
        layer_digests: [format!("sha256:{}", digest(&bytes))],
        component: (!is_module).then_some(Component { exports: &exports, imports: &imports, target: None }),
    };
    let text = serde_json::to_vec(&configuration).map_err(|error| Error::internal(error.to_string()))?;
    let layer = ImageLayer::new(bytes, LAYER.to_owned(), None);
    let config = Config::new(text, CONFIG.to_owned(), None);
    let title = title.replace(char::is_control, " ");
    let mut notes = BTreeMap::from([(TITLE.to_owned(), title), (VERSION.to_owned(), version.to_string())]);
    notes.extend(signature.map(|signature| (SIGNATURE.to_owned(), STANDARD.encode(signature))));
    let mut manifest = OciImageManifest::build(std::slice::from_ref(&layer), &config, Some(notes));
    manifest.media_type = Some(OCI_IMAGE_MEDIA_TYPE.to_owned());
    Ok(ArtifactParts { manifest, layer, config })
}

/// Returns whether a manifest describes a WebAssembly artifact.
pub(crate) fn is_artifact(manifest: &OciImageManifest) -> bool {
    manifest.config.media_type == CONFIG
}

/// Returns the layer with the bytes of the plugin.
pub(crate) fn layer<'m>(source: &str, manifest: &'m OciImageManifest) -> Result<&'m OciDescriptor> {
    let refused = |what: String| {
        Err(Error::new(Kind::PluginFailed, format!("{source} is not a WebAssembly artifact: {what}"))
            .hint("publish it with `marq plugin publish` or `wkg oci push`; container images are not plugins"))
    };
    if !is_artifact(manifest) {
        return refused(format!("its configuration is `{}`, not `{CONFIG}`", manifest.config.media_type));
    }
    match manifest.layers.as_slice() {
        [layer] if layer.media_type != LAYER => refused(format!("its layer is `{}`, not `{LAYER}`", layer.media_type)),
        [layer] if !layer.digest.starts_with("sha256:") => {
            refused(format!("the digest of its layer is `{}`, not a SHA-256", layer.digest))
        }
        [layer] if u64::try_from(layer.size).is_ok_and(|size| size <= limits::PLUGIN_BYTES) => Ok(layer),
        [_] => Err(too_large_error(source)),
        layers => refused(format!("it has {} layers, not one", layers.len())),
    }
}

/// Returns the signature of an artifact; `None` if it is missing or cannot be decoded.
pub(crate) fn signature(manifest: &OciImageManifest) -> Option<String> {
    let bytes = STANDARD.decode(manifest.annotations.as_ref()?.get(SIGNATURE)?).ok()?;
    String::from_utf8(bytes).ok()
}

/// Returns the display name of an artifact.
pub(crate) fn title(manifest: &OciImageManifest) -> Option<&str> {
    manifest.annotations.as_ref()?.get(TITLE).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use semver::Version;

    use super::*;

    fn publication(is_module: bool) -> Publication {
        Publication {
            id: "notes".to_owned(),
            title: "Notes".to_owned(),
            version: Version::new(0, 1, 0),
            bytes: b"\0asm".to_vec(),
            is_module,
            exports: vec!["marquetry:language/language@0.1.0".to_owned()],
            imports: Vec::new(),
            signature: Some("signed\nby me\n".to_owned()),
        }
    }

    #[test]
    fn artifact_has_the_wasm_layout() {
        let ArtifactParts { manifest, layer, config } = parts(publication(false)).expect("parts");
        assert_eq!((manifest.media_type.as_deref(), manifest.layers.len()), (Some(OCI_IMAGE_MEDIA_TYPE), 1));
        let text = String::from_utf8(config.data.to_vec()).expect("text");
        assert_eq!(
            text,
            "{\"created\":\"1970-01-01T00:00:00Z\",\"author\":null,\"architecture\":\"wasm\",\"os\":\"wasip2\",\
             \"layerDigests\":[\"sha256:cd5d4935a48c0672cb06407bb443bc0087aff947c6b864bac886982c73b3027f\"],\
             \"component\":{\"exports\":[\"marquetry:language/language@0.1.0\"],\"imports\":[],\"target\":null}}"
        );
        assert_eq!((layer.media_type.as_str(), self::layer("x", &manifest).expect("a layer").size), (LAYER, 4));
        assert_eq!((signature(&manifest).as_deref(), title(&manifest)), (Some("signed\nby me\n"), Some("Notes")));
        let module = String::from_utf8(parts(publication(true)).expect("parts").config.data.to_vec()).expect("text");
        assert!(module.contains("\"os\":\"wasip1\"") && !module.contains("component"), "{module}");
    }

    #[track_caller]
    fn check(change: impl Fn(&mut OciImageManifest), wanted: &str) {
        let mut manifest = parts(publication(false)).expect("parts").manifest;
        change(&mut manifest);
        let error = layer("x", &manifest).expect_err("refused");
        assert!(error.content().message.contains(wanted), "{error}");
    }

    #[test]
    fn other_artifacts_are_refused() {
        check(
            |it| it.config.media_type = "application/vnd.oci.image.config.v1+json".to_owned(),
            "its configuration is",
        );
        check(|it| it.layers.clear(), "it has 0 layers, not one");
        check(|it| it.layers.push(it.layers[0].clone()), "it has 2 layers, not one");
        check(|it| it.layers[0].media_type = "application/gzip".to_owned(), "its layer is `application/gzip`");
        check(|it| it.layers[0].digest = "md5:0".to_owned(), "the digest of its layer is `md5:0`");
        check(|it| it.layers[0].size = 1 << 40, "x is larger than 256 MiB");
        check(|it| it.layers[0].size = -1, "x is larger than 256 MiB");
    }
}
