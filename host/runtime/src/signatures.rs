//! Signers required by a registry, and verification of plugin signatures. Verification needs no network, and a
//! signature that cannot be verified is rejected.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use marquetry_model::{Error, Kind, Result};
use minisign_verify::{PublicKey, Signature};
use serde::Deserialize;

use crate::cached_plugin::FileFingerprint;

/// File extension of a signature, appended to the full name of the signed file.
pub(crate) const ENDING: &str = "minisig";
/// Maximum bytes of a signature.
const MAX_SIGNATURE_BYTES: u64 = 8 << 10;

/// A signer of plugins in a registry.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Signer {
    pub(crate) name: String,
    /// The public key in minisign's format.
    pub(crate) key: String,
    /// The last day on which the key is valid.
    until: Option<toml::value::Date>,
}

/// A signer as it is written in the registry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignerTable {
    minisign: Option<String>,
    until: Option<toml::value::Datetime>,
    sigstore: Option<toml::Value>,
}

impl Signer {
    pub(crate) fn parse(name: &str, written: SignerTable) -> Result<Signer> {
        if written.sigstore.is_some() {
            let message = format!("signer `{name}`: this marq cannot verify sigstore identities");
            return Err(Error::new(Kind::Unsupported, message)
                .hint("give a minisign key: `minisign = \"RW…\"`; signatures that marq cannot verify are rejected"));
        }
        let key = written.minisign.ok_or_else(|| {
            Error::argument(format!("signer `{name}`: `minisign` is missing"))
                .hint("write the line of the signer's `minisign.pub` that begins with `RW`")
        })?;
        PublicKey::from_base64(&key).map_err(|error| {
            Error::argument(format!("signer `{name}`: not a minisign key: {error}"))
                .hint("write the line of the signer's `minisign.pub` that begins with `RW`")
        })?;
        let until = match written.until {
            Some(toml::value::Datetime { date: Some(date), time: None, offset: None }) => Some(date),
            Some(other) => {
                return Err(Error::argument(format!(
                    "signer `{name}`: `until` is not a date like 2027-12-31: {other}"
                )));
            }
            None => None,
        };
        Ok(Signer { name: name.to_owned(), key, until })
    }

    /// Rejects bytes that this signer did not sign, and any bytes after the key's last valid day.
    pub(crate) fn check(&self, plugin: &str, bytes: &[u8], signature: Option<&str>) -> Result<()> {
        let refused = |what: String| Error::new(Kind::PermissionDenied, format!("plugin `{plugin}` {what}"));
        if let Some(until) = self.until.filter(|until| days_since_1970(*until) < today()) {
            return Err(refused(format!("is signed by `{}`, whose key was valid until {until}", self.name)).hint(
                format!("ask for the signer's new key, and write it and its last day to `[signers.{}]`", self.name),
            ));
        }
        let signature = signature.ok_or_else(|| {
            refused(format!("has no signature, but the registry requires one of `{}`", self.name))
                .hint(format!("put the signature next to the file, as `FILE.wasm.{ENDING}`, or publish it as well"))
        })?;
        let wrong = |error: minisign_verify::Error| {
            refused(format!("is not signed by `{}` ({}): {error}", self.name, self.key))
                .hint("do not use it until its author explains why")
        };
        let key = PublicKey::from_base64(&self.key).map_err(wrong)?;
        key.verify(bytes, &Signature::decode(signature).map_err(wrong)?, false).map_err(wrong)
    }

    /// Returns the description for users.
    pub(crate) fn describe(&self) -> String {
        format!("signed by {} ({})", self.name, self.key)
    }
}

/// Returns the signer of this name, or an error that lists the known names.
pub(crate) fn find_signer(signers: &BTreeMap<String, Signer>, name: &str) -> Result<Signer> {
    signers.get(name).cloned().ok_or_else(|| {
        Error::argument(format!("unknown signer `{name}`"))
            .hint(format!("write `[signers.{name}]` with `minisign = \"RW…\"`"))
            .candidates(signers.keys().cloned())
    })
}

/// Returns the path of a file's signature.
pub fn signature_path(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(format!(".{ENDING}"));
    name.into()
}

/// Reads the signature of a file if it exists and is not too large.
pub(crate) fn read_signature(file: &Path) -> Option<String> {
    let path = signature_path(file);
    let metadata = std::fs::metadata(&path).ok()?;
    (metadata.is_file() && metadata.len() <= MAX_SIGNATURE_BYTES).then(|| std::fs::read_to_string(path).ok()).flatten()
}

/// Returns the metadata of a file's signature, which shows whether it has changed.
pub(crate) fn signature_stamp(file: &Path) -> Option<FileFingerprint> {
    FileFingerprint::read(&signature_path(file)).ok()
}

/// Returns days since 1970-01-01.
fn days_since_1970(date: toml::value::Date) -> i64 {
    // In this calculation, years start in March, so that the leap day is the last day.
    let (month, day) = (i64::from(date.month), i64::from(date.day));
    let year = i64::from(date.year) - i64::from(month <= 2);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year - 719_468
}

fn today() -> i64 {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    i64::try_from(seconds / 86_400).unwrap_or(i64::MAX)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A public key. `SIGNATURE` is a signature of `abc` with it.
    pub(crate) const KEY: &str = "RWQHBwcHBwcHB+pKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs";
    pub(crate) const SIGNATURE: &str = "untrusted comment: x\nRUQHBwcHBwcHB2uG7rLZuNjN5NW9qQP4DB/W5JTbGesWzrROmCudTI6wSPhXyS1AYZmarRI78FXipefY+FY0gBt0TJc/tCUzawU=\ntrusted comment: a\nQjgA5HQ2Zv/zgH6LrNZYodKguEKrrHhxP6D9xyfSBpqs2cRP2NXVFfqOaKuiYyrOlTBsrJxSBGglqhBRLi4ZAg==\n";
    const OTHER: &str = "RWQICAgICAgICBOY9ixtGkV8UbpqS189vS9p/KkyFiGNyJl+QWvRfZPK";

    fn signer(text: &str) -> Result<Signer> {
        Signer::parse("me", toml::from_str(text).expect("a table"))
    }

    #[track_caller]
    fn check(text: &str, bytes: &[u8], signature: Option<&str>, wanted: &str) {
        let checked = signer(text).expect("a signer").check("p", bytes, signature);
        let result = checked.map_or_else(|error| error.content().message.clone(), |()| "well".to_owned());
        assert!(result.starts_with(wanted), "{result}");
    }

    #[test]
    fn only_bytes_signed_by_the_signer_are_accepted() {
        let mine = format!("minisign = \"{KEY}\"");
        check(&mine, b"abc", Some(SIGNATURE), "well");
        check(&mine, b"abd", Some(SIGNATURE), "plugin `p` is not signed by `me`");
        check(&mine, b"abc", Some("untrusted comment: x\nnone"), "plugin `p` is not signed by `me`");
        check(&mine, b"abc", None, "plugin `p` has no signature, but the registry requires one of `me`");
        check(&format!("minisign = \"{OTHER}\""), b"abc", Some(SIGNATURE), "plugin `p` is not signed by `me`");
        // A changed trusted comment makes the signature invalid, because it is signed too.
        let comment = SIGNATURE.replace("trusted comment: a", "trusted comment: b");
        check(&mine, b"abc", Some(&comment), "plugin `p` is not signed by `me`");
    }

    #[test]
    fn signer_is_accepted_until_the_last_day() {
        let until = |date: &str| format!("minisign = \"{KEY}\"\nuntil = {date}");
        check(&until("2999-12-31"), b"abc", Some(SIGNATURE), "well");
        check(
            &until("2020-02-29"),
            b"abc",
            Some(SIGNATURE),
            "plugin `p` is signed by `me`, whose key was valid until 2020-02-29",
        );
        let day = |year, month, day| days_since_1970(toml::value::Date { year, month, day });
        assert_eq!((day(1970, 1, 1), day(1969, 12, 31), day(2000, 3, 1), day(2026, 11, 24)), (0, -1, 11_017, 20_781));
    }

    #[test]
    fn signers_that_cannot_be_verified_are_refused() {
        let refused = |text: &str| signer(text).expect_err("refused").content().message.clone();
        assert_eq!(
            refused("sigstore = { issuer = \"x\", subject = \"y\" }"),
            "signer `me`: this marq cannot verify sigstore identities"
        );
        assert_eq!(refused(""), "signer `me`: `minisign` is missing");
        assert!(refused("minisign = \"RWx\"").starts_with("signer `me`: not a minisign key"));
        assert!(refused(&format!("minisign = \"{KEY}\"\nuntil = 07:32:00")).contains("`until` is not a date"));
        assert!(toml::from_str::<SignerTable>("minisgn = \"x\"").is_err());
    }
}
