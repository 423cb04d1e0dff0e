//! The plugins that are part of the program, and their decompression.

use std::io;

use marquetry_runtime::BundledPlugin;

include!(concat!(env!("OUT_DIR"), "/bundle.rs"));

/// Decompresses up to `most` bytes.
fn decompress(bytes: &[u8], most: usize) -> io::Result<Vec<u8>> {
    let size = zstd::zstd_safe::get_frame_content_size(bytes).ok().flatten();
    let size = size.and_then(|size| usize::try_from(size).ok()).filter(|size| *size <= most);
    let size = size.ok_or_else(|| io::Error::other("it is damaged, or too large"))?;
    zstd::bulk::decompress(bytes, size)
}
