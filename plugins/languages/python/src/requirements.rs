//! Modules from outside of the project: the standard library, and the packages that the project requires.

use marquetry_sdk::{
    paths::folders_around,
    workspace::{self, EntryKind},
};

/// Names of the modules that `sys.stdlib_module_names` lists for Python 3.11, those that later versions added, and those
/// that Python 3.12 removed.
const MODULES: &str = "
abc aifc annotationlib antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb
binascii bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys
compileall compression concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses
dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler
fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib
grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json
keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib
msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev
pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty
pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter
runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver
spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau
symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading time timeit
tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types typing unicodedata
unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp
zipfile zipimport zlib zoneinfo
";

/// Returns whether the standard library has a module with this name.
pub(crate) fn is_standard(name: &str) -> bool {
    MODULES.split_ascii_whitespace().any(|module| module == name)
}

/// Files that list the packages which a project requires. The other ones are called `requirements*.txt` or are in the
/// folder `requirements`.
const FILES: [&str; 6] = ["pyproject.toml", "setup.cfg", "setup.py", "Pipfile", "environment.yml", "environment.yaml"];
const FOLDER: &str = "requirements";

/// Returns whether a project around a file requires a package with this name.
pub(crate) fn is_installed(file: &str, name: &str) -> bool {
    let below = |folder: &str, name: &str| match folder {
        "" => name.to_owned(),
        _ => format!("{folder}/{name}"),
    };
    folders_around(file).any(|folder| {
        workspace::entries(folder).iter().any(|entry| {
            let path = below(folder, &entry.name);
            let is_list = |name: &str| name.starts_with(FOLDER) && name.ends_with(".txt");
            match entry.kind {
                EntryKind::File if FILES.contains(&entry.name.as_str()) || is_list(&entry.name) => names(&path, name),
                EntryKind::Directory if entry.name == FOLDER => workspace::entries(&path)
                    .iter()
                    .any(|list| list.name.ends_with(".txt") && names(&below(&path, &list.name), name)),
                _ => false,
            }
        })
    })
}

/// Returns whether a file names a package. The name of a package may differ from that of its module: `PyYAML` has the
/// module `yaml`, and `python-dateutil` the module `dateutil`.
fn names(path: &str, module: &str) -> bool {
    let normal = |name: &str| name.to_lowercase().replace(['_', '.'], "-");
    let module = normal(module);
    let is_it = |word: &str| {
        let word = normal(word);
        word == module || ["py", "python-"].iter().any(|start| word.strip_prefix(start) == Some(module.as_str()))
    };
    workspace::read(path).is_ok_and(|text| text.split(|c: char| !c.is_alphanumeric() && !"-_.".contains(c)).any(is_it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_names_are_modules() {
        assert!(["abc", "logging", "zoneinfo", "distutils"].into_iter().all(is_standard));
        assert!(["", "log", "requests", "logging.handlers", "abc aifc"].into_iter().all(|name| !is_standard(name)));
    }
}
