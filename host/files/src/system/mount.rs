//! Detection of mount boundaries. Linux gives every mount an id, even if several mounts have the same device; on other
//! systems the device is used.

use std::os::fd::OwnedFd;

use rustix::{
    fs::{AtFlags, fstat, statat},
    io::Result,
};

/// Returns the mount of an open directory.
pub(super) fn mount_id(directory: &OwnedFd) -> Result<(u64, u64)> {
    #[cfg(target_os = "linux")]
    if let Ok(found) = rustix::fs::statx(directory, "", AtFlags::EMPTY_PATH, rustix::fs::StatxFlags::MNT_ID) {
        let device = (u64::from(found.stx_dev_major) << 32) | u64::from(found.stx_dev_minor);
        return Ok((device, found.stx_mnt_id));
    }
    Ok((device_of(&fstat(directory)?), 0))
}

/// Returns whether a name in a directory is a mount point.
pub(super) fn is_mount_point(directory: &OwnedFd, name: &str) -> Result<bool> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{StatxAttributes, StatxFlags, statx};
        match statx(directory, name, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::TYPE) {
            Ok(found) if found.stx_attributes_mask.contains(StatxAttributes::MOUNT_ROOT) => {
                return Ok(found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT));
            }
            Err(rustix::io::Errno::NOENT) => return Ok(false),
            _ => {}
        }
    }
    match statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) => Ok(device_of(&found) != device_of(&fstat(directory)?)),
        Err(rustix::io::Errno::NOENT) => Ok(false),
        Err(error) => Err(error),
    }
}

#[allow(clippy::unnecessary_cast, reason = "the field has another type on other systems")]
fn device_of(found: &rustix::fs::Stat) -> u64 {
    found.st_dev as u64
}
