//! The plugins that are part of the program, and their decompression.

use std::io;

use marquetry_runtime::BundledPlugin;

// The generated list creates plugins from parts that were made when the program was built.
#[expect(unsafe_code, reason = "the code is part of the program")]
mod parts {
    use super::{BundledPlugin, decompress};

    include!(concat!(env!("OUT_DIR"), "/bundle.rs"));
}

pub(crate) use parts::BUNDLED;

/// Decompresses up to `most` bytes.
fn decompress(bytes: &[u8], most: usize) -> io::Result<Vec<u8>> {
    let size = zstd::zstd_safe::get_frame_content_size(bytes).ok().flatten();
    let size = size.and_then(|size| usize::try_from(size).ok()).filter(|size| *size <= most);
    let size = size.ok_or_else(|| io::Error::other("it is damaged, or too large"))?;
    zstd::bulk::decompress(bytes, size)
}
