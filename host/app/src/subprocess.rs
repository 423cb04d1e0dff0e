//! Runs work in a separate process with resource limits of the system: the program starts itself with a hidden command.

use std::{
    io,
    path::{Path, PathBuf},
    process::ExitCode,
};

/// The hidden command that compiles a plugin.
pub(crate) const COMPILE_COMMAND: &str = "compile-plugin";

/// Returns the executable of this program, even if it was renamed.
pub(crate) fn executable() -> io::Result<PathBuf> {
    let running = Path::new("/proc/self/exe");
    if running.exists() { Ok(running.to_owned()) } else { std::env::current_exe() }
}

/// Compiles the plugin on standard input and writes its code.
pub(crate) fn compile() -> ExitCode {
    match marquetry_runtime::compile_for_parent(&mut io::stdin().lock(), &mut io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
