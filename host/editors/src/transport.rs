//! Connections to editors: byte streams in both directions that either side can close.

use std::{
    io::{self, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use marquetry_model::editor::IncomingConnection;

use crate::address::Address;

/// Timeout for connecting to a port.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// An open connection.
pub(crate) struct Connection {
    pub(crate) read: Box<dyn Read + Send>,
    pub(crate) write: Box<dyn Write + Send>,
    pub(crate) end: Closer,
}

/// Closes a connection, even while other threads read or write.
#[derive(Clone)]
pub(crate) struct Closer(Arc<dyn Fn() + Send + Sync>);

impl Closer {
    pub(crate) fn close(&self) {
        (self.0)();
    }
}

impl From<IncomingConnection> for Connection {
    fn from(IncomingConnection { read, write, end }: IncomingConnection) -> Connection {
        Connection { read, write, end: Closer(Arc::from(end)) }
    }
}

/// Connects to an editor.
pub(crate) fn connect(place: &Address) -> io::Result<Connection> {
    match place {
        Address::Socket(path) => socket(path),
        Address::Port(address) => {
            let stream = TcpStream::connect_timeout(address, CONNECT_TIMEOUT)?;
            stream.set_nodelay(true)?;
            let (write, end) = (stream.try_clone()?, stream.try_clone()?);
            let end = Closer(Arc::new(move || drop(end.shutdown(std::net::Shutdown::Both))));
            Ok(Connection { read: Box::new(stream), write: Box::new(write), end })
        }
        // The editor opened this connection, and the host cannot open it again.
        Address::Incoming(..) => Err(io::ErrorKind::NotConnected.into()),
        Address::Program(words) => program(words),
    }
}

#[cfg(unix)]
fn socket(path: &std::path::Path) -> io::Result<Connection> {
    let stream = std::os::unix::net::UnixStream::connect(path)?;
    let (write, end) = (stream.try_clone()?, stream.try_clone()?);
    let end = Closer(Arc::new(move || drop(end.shutdown(std::net::Shutdown::Both))));
    Ok(Connection { read: Box::new(stream), write: Box::new(write), end })
}

#[cfg(not(unix))]
fn socket(_path: &std::path::Path) -> io::Result<Connection> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "this system has no Unix sockets"))
}

fn program(words: &[String]) -> io::Result<Connection> {
    let (program, arguments) = words.split_first().ok_or_else(|| io::Error::other("no program is named"))?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let none = || io::Error::other("the program has no standard streams");
    let (read, write) = (child.stdout.take().ok_or_else(none)?, child.stdin.take().ok_or_else(none)?);
    let child = Mutex::new(Some(child));
    let end = Closer(Arc::new(move || {
        let child: Option<Child> = child.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut child) = child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }));
    Ok(Connection { read: Box::new(read), write: Box::new(write), end })
}
