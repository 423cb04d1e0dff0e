//! Tests against a real OCI registry: Debian's package `docker-registry`, with blobs that the test tampers with.

use std::{
    fs,
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};

use crate::{
    plugins,
    shell::{self, begin_step, cache_folder, command, top},
    test::PROGRAM,
};

const SERVER: &str = "docker-registry";
const FOLDER: &str = "target/e2e/registry";
/// The folder into which Debian's package is extracted.
const PACKAGE_FOLDER: &str = "target/e2e/docker-registry";
/// The pack to publish; any would do.
const PACK: &str = "properties";
/// Timeout for the server.
const SERVER_TIMEOUT: Duration = Duration::from_secs(20);

/// The server process, stopped when this is dropped.
struct Server {
    process: Child,
    address: String,
    blobs: PathBuf,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Runs the test, or reports that it was skipped: not every system has Debian packages.
pub(crate) fn run_if_available() -> Result<()> {
    match find_or_fetch() {
        Ok(program) => test_plugin_lifecycle(&program),
        Err(error) => {
            begin_step(&format!(
                "SKIPPED: plugins from a real registry, because there is no `{SERVER}` on this system"
            ));
            println!("    {error:#}");
            println!("    `cargo xtask e2e registry` tries it where the program is on the path");
            Ok(())
        }
    }
}

/// Runs the test. Fails if the server is not available.
pub(crate) fn run() -> Result<()> {
    let program = find_or_fetch().with_context(|| {
        format!("`{SERVER}` is missing and cannot be downloaded: install it, or leave out `cargo xtask e2e registry`")
    })?;
    test_plugin_lifecycle(&program)
}

/// Publishes, searches, adds and uses a plugin; then tampers with it, and stops the server.
fn test_plugin_lifecycle(program: &Path) -> Result<()> {
    begin_step("plugins from a real registry: published, found, added, used without it, tampered with on its disk");
    let place = top().join(FOLDER);
    if place.exists() {
        fs::remove_dir_all(&place)?;
    }
    let project = place.join("project");
    fs::create_dir_all(&project)?;
    let server = start(program, &place)?;
    let (file, source) = (project.join("pack.wasm"), format!("oci:{}/me/{PACK}", server.address));
    fs::copy(top().join(plugins::FOLDER).join(format!("marquetry_{PACK}.wasm")), &file).context("the pack is built")?;
    fs::write(project.join(format!("a.{PACK}")), "name = value\n")?;

    let marq = |arguments: &[&str], well: bool, wanted: &str| run_marq(&place, arguments, well, wanted);
    let read = format!("a.{PACK}");
    let works = || marq(&["read", &read, "name"], true, "value");
    marq(&["plugin", "publish", "pack.wasm", &source], true, "published")?;
    marq(&["plugin", "publish", "pack.wasm", &source], true, "was already published")?;
    let mut other = fs::read(&file)?;
    // Adds an empty section, so that the same version has different bytes.
    other.extend([0, 2, 1, b'x']);
    fs::write(project.join("other.wasm"), &other)?;
    marq(&["plugin", "publish", "other.wasm", &source], false, "already exists with other bytes")?;
    marq(&["plugin", "search", PACK, &format!("oci:{}", server.address)], true, &source)?;
    marq(&["plugin", "add", &format!("{source}-none")], false, " does not exist")?;
    marq(&["plugin", "add", &source], true, "wrote registry.lock")?;
    marq(&["read", &read, "name"], false, "not approved")?;
    marq(&["trust", "--allow"], true, "")?;
    works()?;
    marq(&["plugin", "update"], true, "unchanged")?;

    // Another user of the project downloads the same plugin; then its bytes in the registry change.
    let store = place.join("state/plugins");
    fs::remove_dir_all(&store)?;
    marq(&["plugin", "update", "--locked"], true, "is on this machine")?;
    works()?;
    let kept = fs::read_dir(&store)?.next().context("it was kept")??.file_name().to_string_lossy().into_owned();
    let digest = kept.trim_end_matches(".wasm");
    let blob = server.blobs.join(&digest[..2]).join(digest).join("data");
    ensure!(blob.is_file(), "{} is where the registry keeps it", blob.display());
    other.truncate(fs::metadata(&file)?.len() as usize);
    let last = other.len() - 1;
    other[last] ^= 1;
    fs::write(&blob, &other)?;
    fs::remove_dir_all(&store)?;
    marq(&["plugin", "update", "--locked"], false, "returned other bytes")?;
    marq(&["read", &read, "name"], false, "is not on this machine")?;
    fs::copy(&file, &blob)?;
    marq(&["plugin", "update", "--locked"], true, "is on this machine")?;

    drop(server);
    works()?;
    marq(&["plugin", "update"], false, "cannot be reached")?;
    works()
}

/// Finds an installed server, or extracts Debian's package below `target`, which needs no privileges.
fn find_or_fetch() -> Result<PathBuf> {
    let runs =
        |program: &Path| Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    let fetched = top().join(PACKAGE_FOLDER).join("usr/bin").join(SERVER);
    for program in [PathBuf::from(SERVER), fetched.clone()] {
        if runs(&program) {
            return Ok(program);
        }
    }
    begin_step("a registry of OCI: Debian's package docker-registry, below target/e2e");
    fetch(&top().join(PACKAGE_FOLDER))?;
    ensure!(runs(&fetched), "the package has no {} that runs", fetched.display());
    Ok(fetched)
}

fn fetch(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    let apt = |arguments: &[&str]| {
        let status = command("apt-get", arguments).current_dir(folder).stdout(Stdio::null()).status();
        status.context("`apt-get` cannot be started").map(|status| status.success())
    };
    let download = ["download", "--quiet", SERVER];
    if !apt(&download)? {
        // The package lists are outdated or missing. Updating them needs privileges.
        let listed = apt(&["update", "--quiet"])?;
        ensure!(listed && apt(&download)?, "`apt-get download {SERVER}` fails, even after `apt-get update`");
    }
    let of_debian = |path: &PathBuf| path.extension().is_some_and(|end| end == "deb");
    let package = fs::read_dir(folder)?.flatten().map(|entry| entry.path()).find(of_debian);
    let package = package.context("apt-get says that it brought a package")?.to_string_lossy().into_owned();
    shell::run("dpkg-deb", &["--extract", &package, &folder.to_string_lossy()])
}

fn start(program: &Path, place: &Path) -> Result<Server> {
    // A port that is currently free.
    let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string();
    let (data, config) = (place.join("data"), place.join("config.yml"));
    let text = format!(
        "version: 0.1\nlog: {{ level: error, accesslog: {{ disabled: true }} }}\nstorage: {{ filesystem: {{ rootdirectory: '{}' }} }}\nhttp: {{ addr: '{address}' }}\n",
        data.display()
    );
    fs::write(&config, text)?;
    let log = fs::File::create(place.join("registry.log"))?;
    let mut command = Command::new(program);
    command.arg("serve").arg(&config).stdout(Stdio::null()).stderr(log);
    let process = command.spawn().with_context(|| format!("`{}` cannot be started", program.display()))?;
    let server = Server { process, blobs: data.join("docker/registry/v2/blobs/sha256"), address };
    let began = Instant::now();
    while TcpStream::connect(&server.address).is_err() {
        if began.elapsed() > SERVER_TIMEOUT {
            bail!("{SERVER} does not answer: see {}", place.join("registry.log").display());
        }
        thread::sleep(Duration::from_millis(20));
    }
    Ok(server)
}

/// Runs `marq` in the project and checks its exit code and output.
fn run_marq(place: &Path, arguments: &[&str], well: bool, wanted: &str) -> Result<()> {
    let mut command = Command::new(top().join(PROGRAM));
    command.args(arguments).current_dir(place.join("project"));
    // Disables the bundled packs, so that none of them handles the file.
    command.env("MARQ_STATE_DIR", place.join("state")).env("MARQ_PLUGINS", place.join("none"));
    command.env("MARQ_CACHE_DIR", cache_folder()).env("DOCKER_CONFIG", place.join("none"));
    let output = command.output()?;
    let output_text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success() == well && output_text.contains(wanted),
        "marq {}: {output_text}",
        arguments.join(" ")
    );
    println!("    marq {}", arguments.join(" "));
    Ok(())
}
