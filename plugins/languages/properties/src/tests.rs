//! Tests by topic. They compare the text before and after an operation.

mod edits;
mod laws;
mod outline;
mod problems;
mod renames;
mod targets;
mod views;

/// One file of each format, used by most tests.
const ENV: &str = "# Where the data is.\nDATABASE_URL=\"postgres://db/shop\" # local\nexport PORT = 8080\n\nEMPTY=\n";
const INI: &str = "# For all files.\nroot = true\n\n[*]\nindent_style = space\n\n; wider\n[*.md]\nindent_size = 4\n";
const SETUP: &str = "[metadata]\nname = shop\n\n[options]\ninstall_requires =\n    one\n    # about two\n    two>=2; os == 'x'\nzip_safe: no\n";
const JAVA: &str =
    "! Server.\nserver.port = 8080\nserver.hosts a.example, \\\n             b.example\nserver[0]:x\nempty\n";
