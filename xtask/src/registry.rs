//! A real registry of OCI beside the program: Debian's package `docker-registry`, with its blobs on a disk that the test changes.

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
    shell::{self, step, top},
    test::PROGRAM,
};

const SERVER: &str = "docker-registry";
const FOLDER: &str = "target/e2e/registry";
/// The pack that is published: any would do.
const PACK: &str = "properties";
/// How long the server may take to answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// The server; it ends with this.
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

/// Publish, search, add, use; then lie, and go away.
pub(crate) fn run() -> Result<()> {
    install()?;
    step("plugins from a real registry: published, found, added, used without it, tampered with on its disk");
    let place = top().join(FOLDER);
    if place.exists() {
        fs::remove_dir_all(&place)?;
    }
    let project = place.join("project");
    fs::create_dir_all(&project)?;
    let server = start(&place)?;
    let (file, source) = (project.join("pack.wasm"), format!("oci:{}/me/{PACK}", server.address));
    fs::copy(top().join(plugins::FOLDER).join(format!("marquetry_{PACK}.wasm")), &file).context("the pack is built")?;
    fs::write(project.join(format!("a.{PACK}")), "name = value\n")?;

    let marq = |arguments: &[&str], well: bool, wanted: &str| said(&place, arguments, well, wanted);
    let read = format!("a.{PACK}");
    let works = || marq(&["read", &read, "name"], true, "value");
    marq(&["plugin", "publish", "pack.wasm", &source], true, "published")?;
    marq(&["plugin", "publish", "pack.wasm", &source], true, "was there already")?;
    let mut other = fs::read(&file)?;
    // An empty section more: other bytes under the same version.
    other.extend([0, 2, 1, b'x']);
    fs::write(project.join("other.wasm"), &other)?;
    marq(&["plugin", "publish", "other.wasm", &source], false, "is there, with other bytes")?;
    marq(&["plugin", "search", PACK, &format!("oci:{}", server.address)], true, &source)?;
    marq(&["plugin", "add", &format!("{source}-none")], false, "there is no oci:")?;
    marq(&["plugin", "add", &source], true, "wrote registry.lock")?;
    marq(&["read", &read, "name"], false, "nobody allowed")?;
    marq(&["trust", "--allow"], true, "")?;
    works()?;
    marq(&["plugin", "update"], true, "as it was")?;

    // Another user of the project brings the same again, and the registry's disk has other bytes then.
    let store = place.join("state/plugins");
    fs::remove_dir_all(&store)?;
    marq(&["plugin", "update", "--locked"], true, "is here")?;
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
    marq(&["plugin", "update", "--locked"], false, "sends other bytes")?;
    marq(&["read", &read, "name"], false, "is not on this machine")?;
    fs::copy(&file, &blob)?;
    marq(&["plugin", "update", "--locked"], true, "is here")?;

    drop(server);
    works()?;
    marq(&["plugin", "update"], false, "cannot be reached")?;
    works()
}

/// The server, from Debian's package where it is not there.
fn install() -> Result<()> {
    if Command::new(SERVER).arg("--version").output().is_ok() {
        return Ok(());
    }
    step("a registry of OCI: Debian's package docker-registry");
    let arguments = ["install", "--quiet", "--yes", "--no-install-recommends", SERVER];
    shell::run("apt-get", &["update", "--quiet"]).and_then(|()| shell::run("apt-get", &arguments)).context(
        "`docker-registry` is not there and cannot be installed: install it, or leave `cargo xtask e2e registry` out",
    )
}

fn start(place: &Path) -> Result<Server> {
    // A port that was free a moment ago.
    let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string();
    let (data, config) = (place.join("data"), place.join("config.yml"));
    let text = format!(
        "version: 0.1\nlog: {{ level: error, accesslog: {{ disabled: true }} }}\nstorage: {{ filesystem: {{ rootdirectory: '{}' }} }}\nhttp: {{ addr: '{address}' }}\n",
        data.display()
    );
    fs::write(&config, text)?;
    let log = fs::File::create(place.join("registry.log"))?;
    let mut command = Command::new(SERVER);
    command.arg("serve").arg(&config).stdout(Stdio::null()).stderr(log);
    let process = command.spawn().with_context(|| format!("`{SERVER}` cannot be started"))?;
    let server = Server { process, blobs: data.join("docker/registry/v2/blobs/sha256"), address };
    let began = Instant::now();
    while TcpStream::connect(&server.address).is_err() {
        if began.elapsed() > PATIENCE {
            bail!("{SERVER} does not answer: see {}", place.join("registry.log").display());
        }
        thread::sleep(Duration::from_millis(20));
    }
    Ok(server)
}

/// What `marq` says in the project, which has to end as it should.
fn said(place: &Path, arguments: &[&str], well: bool, wanted: &str) -> Result<()> {
    let mut command = Command::new(top().join(PROGRAM));
    command.args(arguments).current_dir(place.join("project"));
    // The bundled pack is not what answers.
    command.env("MARQ_STATE_DIR", place.join("state")).env("MARQ_PLUGINS", place.join("none"));
    command.env("MARQ_CACHE_DIR", top().join("target/test-cache")).env("DOCKER_CONFIG", place.join("none"));
    let output = command.output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success() == well && said.contains(wanted), "marq {}: {said}", arguments.join(" "));
    println!("    marq {}", arguments.join(" "));
    Ok(())
}
