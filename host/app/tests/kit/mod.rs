//! The hostile repository kit: a clone with files that could do harm, and files next to it that must not be touched.
#![allow(unreachable_pub, reason = "shared by test files")]

use std::{
    ffi::OsStr,
    fs::{self, File},
    os::unix::{
        ffi::OsStrExt,
        fs::{PermissionsExt, symlink},
        net::UnixListener,
    },
    path::{Path, PathBuf},
    process::Command,
};

use marquetry_torture::tree::{self, Tree};
use tempfile::TempDir;

/// Content of the files outside of the clone. No answer may contain it.
pub const OUTSIDE: &str = "CANARY-OUTSIDE-5d1c";
/// Number of letters of a large text. Calls with it take a noticeable but limited time.
const LARGE: usize = 3 << 20;
/// Number of nested folders.
const DEEP: usize = 600;

/// A hostile clone and its surroundings.
pub struct Kit {
    folder: TempDir,
}

impl Kit {
    /// Creates the kit with a registry that requests everything, or without one, so that bundled packs process the
    /// files.
    pub fn new(with_registry: bool) -> Kit {
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder");
        let kit = Kit { folder };
        kit.outside();
        for part in
            [Kit::text_files, Kit::bombs, Kit::cycles, Kit::names, Kit::special_files, Kit::planted, Kit::templates]
        {
            part(&kit);
        }
        if with_registry {
            kit.registry();
        }
        kit
    }

    pub fn top(&self) -> &Path {
        self.folder.path()
    }

    pub fn root(&self) -> PathBuf {
        self.top().join("clone")
    }

    /// Returns everything that must not change: files outside, folders of version control, and planted folders.
    pub fn untouchable(&self) -> Vec<Tree> {
        let inside = [".git", ".hg", ".state", ".cache"];
        let folders = inside.iter().map(|folder| self.root().join(folder)).chain([self.top().join("outside")]);
        folders.map(|folder| tree::read(&folder).expect("readable")).collect()
    }

    fn outside(&self) {
        let write = |path: &str, text: &str| write(&self.top().join("outside"), path, text.as_bytes());
        write("secret.txt", &format!("{OUTSIDE}\n"));
        write("secret.ts", &format!("export const secret = '{OUTSIDE}';\n"));
        write("tsconfig.json", &format!("{{ \"compilerOptions\": {{ \"paths\": {{ \"{OUTSIDE}\": [\"x\"] }} }} }}"));
        write("folder/inner.json", &format!("{{ \"{OUTSIDE}\": 1 }}"));
        write(".bashrc", "export PS1=1\n");
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        write(&self.root(), path, text.as_ref());
    }

    fn link(&self, path: &str, target: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        symlink(target, path).expect("linked");
    }

    /// Texts that are large, malformed or binary.
    fn text_files(&self) {
        self.write("plain.txt", "one\ntwo\nthree\n");
        self.write("plain.ts", "export function plain() {\n  return 1;\n}\n");
        self.write("large.txt", "x".repeat(LARGE));
        self.write("large.json", format!("[{}0]", "[0],".repeat(LARGE / 16)));
        self.write("binary.ts", b"\x7fELF\0\0\x01\x02\xff\xfe\0");
        self.write("broken-utf8.ts", b"export const a = '\xff\xfe\xc3\x28';\n");
        self.write("half-utf16.json", b"\xff\xfe{\0\"\0a\0\"");
        self.write("bom.json", "\u{feff}{ \"a\": 1 }\r\n");
        self.write("zero.css", "a { }\0b { }");
        self.write("bidi.ts", "const access = 'user\u{202e} \u{2066}// check\u{2069}';\n");
        self.write("escape.md", "# \u{1b}]0;owned\u{7}\u{1b}[2J\n\ntext\n");
        File::create(self.root().join("sparse.bin")).expect("made").set_len(600 << 20).expect("sparse");
        File::create(self.root().join("sparse.json")).expect("made").set_len(600 << 20).expect("sparse");
    }

    /// Small files that expand to large ones, or nest deeply.
    fn bombs(&self) {
        let mut yaml = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        let mut xml = "<?xml version=\"1.0\"?>\n<!DOCTYPE b [\n<!ENTITY e0 \"lol\">\n".to_owned();
        for n in 1..12 {
            let below = n - 1;
            yaml += &format!("a{n}: &a{n} [{}]\n", vec![format!("*a{below}"); 9].join(", "));
            xml += &format!("<!ENTITY e{n} \"{}\">\n", format!("&e{below};").repeat(9));
        }
        self.write("bomb.yaml", yaml);
        self.write("self.yaml", "a: &a\n  b: *a\n<<: *a\n");
        xml += "<!ENTITY out SYSTEM \"file://../outside/secret.txt\">\n]>\n<b>&e11;&out;</b>\n";
        self.write("bomb.xml", xml);
        self.write("deep.json", "[".repeat(20_000));
        self.write("deep.yaml", "- ".repeat(5_000));
        self.write("deep.html", "<div>".repeat(5_000));
        self.write("deep.xml", "<a>".repeat(20_000));
        self.write("deep.css", format!("a {{ width: {}", "(".repeat(50_000)));
        self.write("deep.ts", format!("const a = {}", "(".repeat(20_000)));
        self.write("deep.md", ">".repeat(20_000));
        self.write("links.md", "[a](b.md) ".repeat(8_000));
        self.write("keys.properties", "k=".repeat(20_000));
        let deep = self.root().join(vec!["d"; DEEP].join("/"));
        fs::create_dir_all(&deep).expect("made");
        fs::write(deep.join("deep.txt"), "deep\n").expect("written");
    }

    /// Files that refer to each other, to themselves, or to files outside.
    fn cycles(&self) {
        self.write("tsconfig.json", "{ \"extends\": \"./app/tsconfig.json\", \"include\": [\"**/*\"] }");
        self.write("app/tsconfig.json", "{ \"extends\": [\"../tsconfig.json\", \"../../outside/tsconfig.json\"] }");
        self.write(
            "app/own/tsconfig.json",
            "{ \"extends\": \"./tsconfig.json\", \"references\": [{ \"path\": \".\" }] }",
        );
        self.write("package.json", "{ \"name\": \"c\", \"main\": \"../outside/secret.ts\", \"exports\": { \"./*\": \"../../outside/*\" }, \"imports\": { \"#a\": \"#b\", \"#b\": \"#a\" }, \"workspaces\": [\"../*\", \".\"] }");
        self.write("schema.json", "{ \"$ref\": \"other.json#/a\", \"x\": { \"$ref\": \"#/x\" }, \"y\": { \"$ref\": \"../outside/folder/inner.json\" } }");
        self.write("other.json", "{ \"a\": { \"$ref\": \"schema.json\" } }");
        self.write("app/one.ts", "export * from './two';\nimport { secret } from '../../outside/secret';\nimport x from '/etc/passwd';\nexport class A extends B {}\nconsole.log(secret, x);\n");
        self.write("app/two.ts", "export * from './one';\nexport class B extends A {}\nimport { A } from './one';\n");
        self.write("page.html", "<link rel=stylesheet href='../outside/x.css'><script src='../../../../etc/passwd'></script><a href='page.html#a'>x</a>");
        self.write(
            "style.css",
            "@import 'style.css';\n@import '../outside/x.css';\na { background: url(/etc/passwd); }\n",
        );
        self.write("include.xml", "<a xmlns:xi='http://www.w3.org/2001/XInclude'><xi:include href='include.xml'/><xi:include href='../outside/secret.txt' parse='text'/></a>");
        self.write(".gitignore", "!../outside\n".to_owned() + &"**/".repeat(2_000) + "x\n");
        self.write(".editorconfig", "root = true\n[*{\n[[[[\n");
    }

    /// Names with control characters or shell syntax, or names that some file systems treat as equal.
    fn names(&self) {
        for name in [
            "new\nline.ts",
            "escape\u{1b}[2J.md",
            "tab\t.json",
            " blank.ts",
            "-rf",
            "--help.txt",
            "quote'\"`$(id).ts",
            "a:b.ts",
            "con.ts",
            "\u{202e}txt.exe.ts",
            "%2e%2e%2fup.ts",
            "~",
            "*",
            "back\\slash.ts",
            "...",
            "Case.ts",
            "case.ts",
            "K.ts",
            "\u{212a}.ts",
        ] {
            self.write(name, "export const a = 1;\n");
        }
        self.write(&"n".repeat(255), "long\n");
        fs::write(self.root().join(OsStr::from_bytes(b"not-utf8-\xff.ts")), "export const b = 1;\n").expect("written");
        self.write("user.ts", "import { a } from './Case';\nimport { a as b } from './case';\nconsole.log(a, b);\n");
    }

    /// Links, pipes, sockets and devices.
    fn special_files(&self) {
        for (path, target) in [
            ("out-file.txt", "../outside/secret.txt"),
            ("out-file.ts", "../outside/secret.ts"),
            ("out-folder", "../outside/folder"),
            ("out-all", ".."),
            ("absolute.txt", "/etc/passwd"),
            ("zero.json", "/dev/zero"),
            ("process.txt", "/proc/self/environ"),
            ("git-folder", ".git"),
            ("git-config.txt", ".git/config"),
            ("loop-a.ts", "loop-b.ts"),
            ("loop-b.ts", "loop-a.ts"),
            ("self/self", "."),
            ("nowhere.ts", "not/there.ts"),
        ] {
            self.link(path, target);
        }
        let pipe = self.root().join("pipe.ts");
        assert!(Command::new("mkfifo").arg(pipe).status().expect("mkfifo").success());
        // The path of a socket must be short.
        let socket = self.top().join("s");
        drop(UnixListener::bind(&socket).expect("bound"));
        fs::rename(socket, self.root().join("socket.json")).expect("moved");
        // Only root can create devices, and in many containers not even root.
        let _ = Command::new("mknod").arg(self.root().join("device.json")).args(["c", "1", "5"]).output();
        self.write("no-rights.ts", "export const a = 1;\n");
        fs::set_permissions(self.root().join("no-rights.ts"), fs::Permissions::from_mode(0o0)).expect("set");
    }

    /// Files that look like those of version control or of marq.
    fn planted(&self) {
        let ran = self.top().join("outside/ran");
        let hook = format!("#!/bin/sh\ntouch {}\n", ran.display());
        self.write(".git/config", format!("[core]\n\tfsmonitor = touch {}\n", ran.display()));
        self.write(".git/HEAD", "ref: refs/heads/main\n");
        self.write(".git/index.lock", "");
        for hook_name in [".git/hooks/pre-commit", ".git/hooks/post-checkout", ".hg/hooks"] {
            self.write(hook_name, &hook);
            fs::set_permissions(self.root().join(hook_name), fs::Permissions::from_mode(0o755)).expect("set");
        }
        let journal = self.root().join(".state/0123456789abcdef/changes/pending");
        let marker = format!(
            "{{\"about\":\"\",\"journal\":\"{}\",\"id\":\"1-abcde\",\"process\":1,\"alone\":false}}",
            journal.display()
        );
        for folder in [".marq-journal", "sub/.marq-journal"] {
            self.write(&format!("{folder}/change"), &marker);
            self.write(&format!("{folder}/.gitignore"), "*\n");
        }
        self.link("linked/.marq-journal", "../../outside");
        self.write("file/.marq-journal", "no folder");
        self.write("sub/inner.ts", "export const inner = 1;\n");
        self.write("linked/inner.ts", "export const inner = 1;\n");
        self.write("file/inner.ts", "export const inner = 1;\n");
        self.write(".state/0123456789abcdef/root", self.root().display().to_string());
        let manifest = "{\"id\":\"1-abcde\",\"title\":\"t\",\"time\":1,\"undoes\":null,\"operations\":[{\"Put\":{\"path\":\"../outside/.bashrc\",\"before\":null,\"after\":{\"File\":{}}}}],\"waiting\":[\"x\"],\"effects\":[],\"kept\":[]}";
        let mut forged = b"marquetry journal 2\n".to_vec();
        for part in ["[\"\"]", manifest] {
            forged.extend((part.len() as u64).to_le_bytes());
            forged.extend(part.as_bytes());
        }
        forged.extend([0; 32]);
        self.write(".state/0123456789abcdef/changes/pending", forged);
        self.write(".state/servers/1.json", "{}");
        self.write(".state/trust/x.json", "{}");
        self.write(".cache/key", [7; 32]);
        self.write(".cache/index/0000000000000000.index", "index");
        for name in ["lock", ".lock", "locks/1-2", "marq.lock", ".marq-lock"] {
            self.write(name, "");
        }
    }

    /// Templates that access files, or never end.
    fn templates(&self) {
        let long = format!("{{{{ {}1 }}}}", "-".repeat(30_000));
        let double = "{% set a = 'xxxxxxxxxxxxxxxx' %}".to_owned() + &"{% set a = a ~ a %}".repeat(22) + "{{ a }}";
        let endless = "{% set a = 'xxxxxxxxxxxxxxxx' %}".to_owned() + &"{% set a = a ~ a %}".repeat(2_000);
        for (name, text) in [
            ("include", "{% include '../../../outside/secret.txt' %}"),
            ("import", "{% from '/etc/passwd' import x %}{{ x }}"),
            ("forever", "{% for a in range(100000) %}{% for b in range(100000) %}x{% endfor %}{% endfor %}"),
            ("double", &double),
            ("endless", &endless),
            ("multiplied", "{{ ('x' * 90000) | replace('x', 'y' * 90000) }}"),
            ("nested", &long),
            ("recursive", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"),
            ("broken", "{% if %}{{"),
        ] {
            self.write(&format!(".marquetry/templates/{name}.txt.j2"), text);
        }
        self.link(".marquetry/templates/linked.txt.j2", "../../../outside/secret.txt");
    }

    /// A registry that requests everything.
    fn registry(&self) {
        let bundled =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/wasm32-wasip2/release/marquetry_text.wasm");
        // A plugin that would work if it were run.
        fs::create_dir_all(self.root().join("tools")).expect("made");
        for to in [self.root().join("tools/own.wasm"), self.top().join("outside/own.wasm")] {
            fs::copy(&bundled, to).expect("the packs are built");
        }
        self.write("a.own", "own\n");
        self.write("a.far", "far\n");
        self.write(
            "registry.toml",
            "marquetry = 1\n\
             [plugins.own]\nsource = \"path:tools/own.wasm\"\nfiles = [\"*.own\"]\n\
             [plugins.far]\nsource = \"path:../outside/own.wasm\"\nfiles = [\"*.far\"]\n\
             [plugins.json]\nsource = \"path:tools/own.wasm\"\ngrants = [\"workspace\"]\n\
             [plugins.yaml]\nlimits = { seconds = 1000000000, memory-mib = 1000000 }\n",
        );
    }
}

fn write(root: &Path, path: &str, text: &[u8]) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(path, text).expect("written");
}
