//! Extended attributes of files on Unix: metadata that programs store (`user.*`), and access control lists. A rewritten
//! file keeps them, and undoing a deletion restores them. Attributes of the system itself (labels, capabilities) have
//! their own rules on writing, so they are copied only if that is permitted.

use std::{
    io::{self, ErrorKind},
    os::fd::AsFd,
};

use rustix::{fs::XattrFlags, io::Errno};

use super::Attribute;

/// Attributes of users and programs: losing one is an error.
const KEPT_PREFIXES: [&str; 2] = ["user.", "system.posix_acl_"];

/// Reads the attributes of an open file; empty if the file system does not support them.
pub(super) fn read(file: impl AsFd) -> io::Result<Vec<Attribute>> {
    let names = read_sized(|| rustix::fs::flistxattr_query(&file), |buffer| rustix::fs::flistxattr(&file, buffer));
    let names = match names {
        Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(Vec::new()),
        other => other?,
    };
    let mut attributes = Vec::new();
    for name in names.split(|byte| *byte == 0).filter_map(|name| std::str::from_utf8(name).ok()) {
        if name.is_empty() {
            continue;
        }
        match read_sized(|| rustix::fs::fgetxattr_query(&file, name), |value| rustix::fs::fgetxattr(&file, name, value))
        {
            Ok(value) => attributes.push((name.to_owned(), value)),
            // The attribute was removed meanwhile, or it belongs to the system.
            Err(error) if error == Errno::NODATA || !is_kept(name) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(attributes)
}

/// Reads a value after querying its length; repeats both if the value has grown meanwhile.
fn read_sized(
    query: impl Fn() -> rustix::io::Result<usize>,
    get: impl Fn(&mut [u8]) -> rustix::io::Result<usize>,
) -> rustix::io::Result<Vec<u8>> {
    loop {
        let length = query()?;
        if length == 0 {
            return Ok(Vec::new());
        }
        let mut buffer = vec![0; length];
        match get(&mut buffer) {
            Err(Errno::RANGE) => {}
            Err(error) => return Err(error),
            Ok(length) => {
                buffer.truncate(length);
                return Ok(buffer);
            }
        }
    }
}

/// Sets attributes of a new file. Fails if an attribute of a user or program would be lost.
pub(super) fn write(file: impl AsFd, attributes: &[Attribute]) -> io::Result<()> {
    for (name, value) in attributes {
        let result = rustix::fs::fsetxattr(&file, name.as_str(), value, XattrFlags::empty());
        if let (Err(error), true) = (result, is_kept(name)) {
            let error = io::Error::from(error);
            let kind =
                if error.kind() == ErrorKind::StorageFull { ErrorKind::StorageFull } else { ErrorKind::Unsupported };
            return Err(io::Error::new(kind, format!("its extended attribute `{name}` would be lost: {error}")));
        }
    }
    Ok(())
}

fn is_kept(name: &str) -> bool {
    KEPT_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}
