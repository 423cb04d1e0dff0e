//! Random tokens and constant-time comparison.

use marquetry_model::Error;

/// Returns a random token of 32 bytes, in hexadecimal digits.
///
/// # Errors
/// Fails if the system cannot provide random bytes.
pub fn token() -> Result<String, Error> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|error| Error::internal(format!("no randomness: {error}")))?;
    Ok(hex(&bytes))
}

/// Converts bytes to hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns whether two byte strings are equal, in a time that depends only on their lengths.
pub(crate) fn constant_time_eq(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
}
