//! The packages of the standard library: their paths and declarations.

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap},
    rc::Rc,
};

use crate::{imports::conventional_name, types::File};

/// The import paths of the standard library, without packages that programs rarely import.
const PATHS: &str = "archive/tar archive/zip bufio bytes cmp compress/bzip2 compress/flate compress/gzip compress/lzw \
    compress/zlib container/heap container/list container/ring context crypto crypto/aes crypto/cipher crypto/des \
    crypto/ecdh crypto/ecdsa crypto/ed25519 crypto/elliptic crypto/hmac crypto/md5 crypto/rand crypto/rc4 crypto/rsa \
    crypto/sha1 crypto/sha256 crypto/sha512 crypto/subtle crypto/tls crypto/x509 crypto/x509/pkix database/sql \
    database/sql/driver debug/buildinfo debug/elf embed encoding encoding/ascii85 encoding/asn1 encoding/base32 \
    encoding/base64 encoding/binary encoding/csv encoding/gob encoding/hex encoding/json encoding/pem encoding/xml \
    errors expvar flag fmt go/ast go/build go/constant go/doc go/format go/importer go/parser go/printer go/scanner \
    go/token go/types hash hash/adler32 hash/crc32 hash/crc64 hash/fnv hash/maphash html html/template image \
    image/color image/draw image/gif image/jpeg image/png index/suffixarray io io/fs io/ioutil iter log log/slog \
    log/syslog maps math math/big math/bits math/cmplx math/rand math/rand/v2 mime mime/multipart \
    mime/quotedprintable net net/http net/http/cookiejar net/http/httptest net/http/httptrace net/http/httputil \
    net/http/pprof net/mail net/netip net/rpc net/smtp net/textproto net/url os os/exec os/signal os/user path \
    path/filepath plugin reflect regexp regexp/syntax runtime runtime/debug runtime/metrics runtime/pprof \
    runtime/trace slices sort strconv strings sync sync/atomic syscall testing testing/fstest testing/iotest \
    testing/quick text/scanner text/tabwriter text/template text/template/parse time unicode unicode/utf16 \
    unicode/utf8 unique unsafe weak";

/// The import paths of the packages with a name.
pub(crate) fn paths_named(name: &str) -> impl Iterator<Item = &'static str> {
    PATHS.split_whitespace().filter(move |path| conventional_name(path) == name)
}

/// The exported declarations of packages, each after a line with its path. `generate.go` writes this file.
const PACKAGES: &str = include_str!("standard/packages.txt");

/// The prefix of the paths of files with the declarations of a package. A path in the workspace has no colon there.
const PREFIX: &str = "std:";

thread_local! {
    static KNOWN: RefCell<HashMap<String, Option<Rc<File>>>> = RefCell::default();
}

/// The declarations of a package as a file. `None` for packages that are not of the standard library, and for those
/// whose declarations are not known.
pub(crate) fn declarations(path: &str) -> Option<Rc<File>> {
    let known = KNOWN.with_borrow(|known| known.get(path).cloned());
    known.unwrap_or_else(|| {
        let found = text_of(path).map(|text| Rc::new(File::new(&format!("{PREFIX}{path}"), text.to_owned())));
        KNOWN.with_borrow_mut(|known| known.insert(path.to_owned(), found.clone()));
        found
    })
}

fn text_of(path: &str) -> Option<&'static str> {
    let header = format!("== {path}\n");
    let at = PACKAGES.find(&header).filter(|at| *at == 0 || PACKAGES[..*at].ends_with('\n'))?;
    let rest = &PACKAGES[at + header.len()..];
    Some(rest.split_once("\n== ").map_or(rest, |(own, _)| own))
}

/// The names of the types with a method of one of these names.
pub(crate) fn types_with_methods(names: &BTreeSet<&str>) -> BTreeSet<&'static str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let first_word = |text: &'static str| text.split(|c: char| !is_word(c)).next().unwrap_or_default();
    let mut found = BTreeSet::new();
    for line in PACKAGES.lines() {
        if let Some((receiver, method)) = line.strip_prefix("func (").and_then(|rest| rest.split_once(") ")) {
            if names.contains(first_word(method)) {
                found.insert(first_word(receiver.trim_start_matches('*')));
            }
        } else if let Some((name, elements)) = line.strip_prefix("type ").and_then(|rest| rest.split_once("interface{"))
            && elements.split("; ").any(|element| names.contains(first_word(element)))
        {
            found.insert(first_word(name));
        }
    }
    found
}

/// The interfaces with a method of a name, without embedded ones: the import path and the name of each.
pub(crate) fn interfaces_with_method(method: &str) -> Vec<(&'static str, &'static str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (mut path, mut found) = ("", Vec::new());
    for line in PACKAGES.lines() {
        if let Some(own) = line.strip_prefix("== ") {
            path = own;
        } else if let Some((name, elements)) =
            line.strip_prefix("type ").and_then(|rest| rest.split_once(" interface{"))
            && elements.split("; ").any(|element| element.split(|c: char| !is_word(c)).next() == Some(method))
        {
            found.push((path, name));
        }
    }
    found
}

/// The import path of the package that a file declares, if it is a file of this module.
pub(crate) fn path_of(file: &File) -> Option<&str> {
    file.document.path().strip_prefix(PREFIX)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{declarations, interfaces_with_method, path_of, paths_named, types_with_methods};

    #[test]
    fn packages_are_found_by_name() {
        assert_eq!(paths_named("http").collect::<Vec<_>>(), ["net/http"]);
        assert_eq!(paths_named("rand").collect::<Vec<_>>(), ["crypto/rand", "math/rand", "math/rand/v2"]);
        assert_eq!(paths_named("foo").count(), 0);
    }

    #[test]
    fn types_are_found_by_their_methods() {
        let found = types_with_methods(&BTreeSet::from(["TryLock", "WriteByte"]));
        let expected = ["Buffer", "Builder", "ByteWriter", "Mutex", "RWMutex", "ReadWriter", "Writer"];
        assert_eq!(found, BTreeSet::from(expected));
    }

    #[test]
    fn interfaces_are_found_by_their_methods() {
        assert!(interfaces_with_method("String").contains(&("fmt", "Stringer")));
        assert!(interfaces_with_method("WriteHeader").contains(&("net/http", "ResponseWriter")));
        assert_eq!(interfaces_with_method("NoSuchMethod"), []);
    }

    #[test]
    fn declarations_have_no_errors() {
        let paths = super::PACKAGES.lines().filter_map(|line| line.strip_prefix("== "));
        let mut count = 0;
        for path in paths {
            let file = declarations(path).expect(path);
            assert_eq!(path_of(&file), Some(path));
            assert!(file.arena().errors.is_empty(), "{path}: {:?}", file.arena().errors);
            count += 1;
        }
        assert!(count > 80, "{count}");
        assert!(declarations("x").is_none() && declarations("http").is_none());
    }
}
