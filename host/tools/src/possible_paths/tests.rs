//! Tests of possible paths. The name `server` is a folder.

use super::*;

#[test]
fn possible_paths_are_found_in_text() {
    let found = |text: &'static str| possible_paths(text).map(|it| (it.at, it.path)).collect::<Vec<_>>();
    assert_eq!(found("P=data/t.txt and (./c), see ../x.\nword"), [(2, "data/t.txt"), (18, "./c"), (28, "../x")]);
    assert_eq!(found("from './c'; 'a.b'"), [(6, "./c"), (13, "a.b")]);
    assert_eq!(found("server/ and lib/** of the web"), [(0, "server"), (12, "lib")]);
}

fn check(file: &str, text: &str, expected: usize) {
    assert_eq!(single_names(file, text, "server").len(), expected, "{file}: {text}");
}

#[test]
fn lines_of_lists_are_paths() {
    for (file, text) in [
        (".dockerignore", "server"),
        (".gitignore", "!/server"),
        (".prettierignore", "a\nserver\nb"),
        ("CODEOWNERS", "server @team"),
        (".github/CODEOWNERS", "/server/ @team"),
    ] {
        check(file, text, 1);
    }
    check("CODEOWNERS", "docs @server", 0);
    check(".gitignore", "# server\nclient-server", 0);
}

#[test]
fn arguments_and_values_without_quotes_are_paths() {
    for (file, text) in [
        ("Makefile", "all:\n\tcd server && make"),
        ("Makefile", "all:\n\t$(MAKE) -C server"),
        ("Makefile", "SUBDIRS = server docs"),
        ("Makefile", "SUBDIRS = docs server"),
        ("Makefile", "SRC := server"),
        ("Dockerfile", "COPY server /app"),
        ("Dockerfile.dev", "COPY ./server ./app"),
        ("build.sh", "cp -r \"$ROOT/server\" out"),
        ("build.sh", "cp -r \"${ROOT}/server\" out"),
        ("build.sh", "for d in server web; do"),
        ("build.sh", "DIR=server"),
        ("setup.cfg", "exclude = server,build"),
        ("sonar.properties", "sonar.sources=server"),
        ("CMakeLists.txt", "add_subdirectory(server)"),
        ("Procfile", "web: node server"),
        ("main.tf", "  source = \"./server\""),
    ] {
        check(file, text, 1);
    }
    for (file, text) in [
        ("Makefile", "server: main.o"),
        ("Makefile", "# the server"),
        ("build.sh", "npm run server"),
        ("build.sh", "server --port 1"),
        ("build.sh", "make server"),
        ("setup.cfg", "server = 1"),
    ] {
        check(file, text, 0);
    }
}

#[test]
fn values_of_settings_for_paths_are_paths() {
    for (file, text) in [
        ("a.json", r#"{"files": ["x", "server"]}"#),
        ("a.json", r#"{"sourceRoot": "server"}"#),
        ("a.json", r#"{"cwd": "${workspaceFolder}/server"}"#),
        ("a.json", r#"{"roots": ["<rootDir>/server"]}"#),
        ("a.yml", "ignore:\n  - server\n"),
        ("a.yml", "directory: /server\n"),
        ("a.yml", "paths: [server, web]\n"),
        ("a.toml", "base = \"server\""),
        ("pom.xml", "<module>server</module>"),
        ("meson.build", "subdir('server')"),
        ("settings.gradle", "includeFlat 'a'\ninclude('server')"),
        ("a.js", "readdirSync('server')"),
        ("a.js", "path.join(process.cwd(), 'server')"),
        ("a.js", "const dir: string = 'server'"),
        ("a.js", "export default { root: 'server' }"),
        ("a.py", "ROOT = Path(__file__).parent / 'server'"),
        ("app.rb", "Dir.entries('server')"),
        ("BUILD.bazel", "srcs = [\"//server\"]"),
        ("a.md", "“root”: 'server'"),
        ("a.js", "/* – */ root–: 'server'"),
    ] {
        check(file, text, 1);
    }
    for (file, text) in [
        ("a.json", r#"{"name": "server"}"#),
        ("a.json", r#"{"files": ["x"], "type": "server"}"#),
        ("a.json", r#"{"server": {"path": 1}}"#),
        ("a.yml", "depends_on:\n  - server\n"),
        ("a.js", "server = start(server)"),
        ("a.js", "emit('server')"),
        ("a.js", "f({ path: 'a' }, 'server')"),
        ("notes.txt", "the server"),
    ] {
        check(file, text, 0);
    }
}

#[test]
fn one_long_line_with_many_names_is_searched() {
    let many = "}server ".repeat(5_000);
    check("a.json", &format!("{{\"root\": \"server\", \"x\": \"{many}\"}}"), 1);
    check("Makefile", &format!("SRC = {many}"), 5_000);
}

#[test]
fn arguments_of_commands_in_texts_are_paths() {
    for (file, text) in [
        ("README.md", "cd server"),
        ("README.md", "$ cd server"),
        ("a.yml", "      - run: cd server && make"),
        ("a.yml", "  script:\n    - cd server\n"),
        ("a.yml", "run: |\n  pip install -e server\n"),
        ("package.json", r#""start": "node server""#),
        ("package.json", r#""start": "npm --prefix server start""#),
        ("package.json", r#""lint": "eslint server --ext .ts""#),
        ("package.json", r#""lint": "tsc && eslint lib server""#),
    ] {
        check(file, text, 1);
    }
    for (file, text) in [
        ("package.json", r#""start": "npm run server""#),
        ("package.json", r#""start": "server --port 1""#),
        ("README.md", "A node server is started; the server waits."),
        ("README.md", "start the server"),
    ] {
        check(file, text, 0);
    }
}

#[test]
fn path_aliases_differ_from_package_names() {
    for (path, rest) in [
        ("@/a/b", "a/b"),
        ("~/a", "a"),
        ("$lib/a", "lib/a"),
        ("#a/b", "a/b"),
        ("~core/a", "core/a"),
        ("~@/a", "a"),
        ("~$lib/a", "lib/a"),
        ("@@/a", "a"),
    ] {
        assert_eq!(without_alias(path), Some(rest), "{path}");
    }
    for path in ["@scope/name", "a/b", "./a", "@/", "~", "", "$/a"] {
        assert_eq!(without_alias(path), None, "{path}");
    }
}
