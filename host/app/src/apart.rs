//! Work that this program does in a process of its own, with bounds of the system: it starts itself with a hidden command.

use std::{
    io,
    path::{Path, PathBuf},
    process::ExitCode,
};

/// The command by which this program compiles a plugin for another process of its own.
pub(crate) const COMPILE_COMMAND: &str = "compile-plugin";

/// This program, however its file is called by now.
pub(crate) fn program() -> io::Result<PathBuf> {
    let running = Path::new("/proc/self/exe");
    if running.exists() { Ok(running.to_owned()) } else { std::env::current_exe() }
}

/// Compile the plugin that comes in, and answer with its code: the other side of the pipe.
pub(crate) fn compile() -> ExitCode {
    match marquetry_runtime::compile_for_parent(&mut io::stdin().lock(), &mut io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
