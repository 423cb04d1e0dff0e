//! Proof that a server knows the token in its discovery file. Clients require it before they send the token.
//!
//! A server that was killed does not delete its discovery file, and any user of the machine may then listen on its
//! port. Therefore a client first sends a random nonce, `GET /proof?nonce=HEX`, and receives the HMAC-SHA-256 of the
//! nonce, the port and the process ID, with the token as the key. It sends the token, over the same connection, only if
//! this proof is correct.

use std::{
    io::{self, ErrorKind, Read, Write},
    net::TcpStream,
};

use hmac::{Hmac, KeyInit as _, Mac};
use http::{HeaderValue, Method, StatusCode, header};
use jsonrpsee::server::{HttpBody, HttpRequest, HttpResponse};
use marquetry_model::Error;
use sha2::Sha256;

use crate::{secret, ui::plain_response};

/// Path of the proof request, which needs no token.
pub const PATH: &str = "/proof";
/// Length of a proof in hexadecimal digits.
const DIGITS: usize = 64;
/// Maximum length of a response that clients read, in bytes.
const LONGEST: usize = 4 << 10;

/// Computes the proof for a nonce, in hexadecimal digits.
fn proof(token: &str, nonce: &str, port: u16, process: u32) -> Result<String, Error> {
    let mut code = Hmac::<Sha256>::new_from_slice(token.as_bytes())
        .map_err(|error| Error::internal(format!("the token cannot be used as a key: {error}")))?;
    code.update(format!("marquetry server proof\n{nonce}\n{port}\n{process}").as_bytes());
    Ok(secret::hex(&code.finalize().into_bytes()))
}

/// Returns the nonce in a request. `None` if it is not 32 to 128 hexadecimal digits.
fn nonce(request: &HttpRequest) -> Option<&str> {
    let nonce = request.uri().query()?.strip_prefix("nonce=")?;
    let is_hex = nonce.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_hex && (32..=128).contains(&nonce.len())).then_some(nonce)
}

/// Answers a request at [`PATH`]. The connection stays open for the next request.
pub(crate) fn answer(request: &HttpRequest, token: &str, port: u16) -> HttpResponse {
    if request.method() != Method::GET {
        return plain_response(StatusCode::METHOD_NOT_ALLOWED, "request a proof with GET");
    }
    let Some(nonce) = nonce(request) else {
        return plain_response(StatusCode::BAD_REQUEST, "a proof needs `?nonce=` with 32 to 128 hexadecimal digits");
    };
    let Ok(proof) = proof(token, nonce, port, std::process::id()) else {
        return plain_response(StatusCode::INTERNAL_SERVER_ERROR, "the proof cannot be computed");
    };
    let mut response = HttpResponse::new(HttpBody::from(proof));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Makes the peer of a connection prove that it is the server that wrote `token` and `process` to its discovery file.
/// The connection can be used for another request afterwards; no secret is sent over it.
///
/// # Errors
/// Fails with [`ErrorKind::PermissionDenied`] if the proof is wrong, or with the error of the connection.
pub fn challenge(stream: &mut TcpStream, token: &str, process: u32) -> io::Result<()> {
    let (address, nonce) = (stream.peer_addr()?, secret::token().map_err(io::Error::other)?);
    stream.write_all(format!("GET {PATH}?nonce={nonce} HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes())?;
    let (mut answer, mut part) = (Vec::new(), [0; 512]);
    let start = loop {
        let head = answer.windows(4).position(|end| end == b"\r\n\r\n").map(|at| at + 4);
        if let Some(start) = head.filter(|start| answer.len() >= start + DIGITS) {
            break start;
        }
        match stream.read(&mut part)? {
            0 => return Err(ErrorKind::UnexpectedEof.into()),
            _ if answer.len() > LONGEST => return Err(ErrorKind::InvalidData.into()),
            read => answer.extend_from_slice(&part[..read]),
        }
    };
    let expected = proof(token, &nonce, address.port(), process).map_err(io::Error::other)?;
    if secret::constant_time_eq(&answer[start..], expected.as_bytes()) {
        Ok(())
    } else {
        Err(ErrorKind::PermissionDenied.into())
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    /// Computed with `printf 'marquetry server proof\n%s\n4000\n7' 00112233445566778899aabbccddeeff | openssl dgst -sha256 -hmac token`.
    #[test]
    fn proof_is_an_hmac_over_nonce_port_and_process() {
        let nonce = "00112233445566778899aabbccddeeff";
        let proof = |token, port, process| proof(token, nonce, port, process).expect("a proof");
        assert_eq!(proof("token", 4000, 7), "021ccbf33aaebc84361bcfa0f1509ab78752c47f77db2ae8befe65f31753f7d5");
        for other in [proof("token", 4001, 7), proof("token", 4000, 8), proof("Token", 4000, 7)] {
            assert_ne!(other, proof("token", 4000, 7));
        }
    }

    /// Answers of impostors that have another token or respond with something else.
    #[test]
    fn servers_with_wrong_proofs_are_rejected() {
        let answers: [fn(&str, u16) -> String; 5] = [
            |nonce, port| proof("other", nonce, port, std::process::id()).expect("a proof"),
            |nonce, port| proof("token", nonce, port ^ 1, std::process::id()).expect("a proof"),
            |nonce, port| proof("token", &format!("{nonce}0"), port, std::process::id()).expect("a proof"),
            |_, _| String::new(),
            |nonce, _| nonce.to_owned(),
        ];
        for (at, forge) in answers.into_iter().enumerate() {
            let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
            let address = listener.local_addr().expect("an address");
            let stranger = std::thread::spawn(move || {
                let (mut stream, _) = listener.accept().expect("dialled");
                let mut asked = [0; 512];
                let read = stream.read(&mut asked).expect("asked");
                let asked = String::from_utf8_lossy(&asked[..read]).into_owned();
                let nonce = asked.split_once("nonce=").and_then(|(_, rest)| rest.split(' ').next()).expect("a nonce");
                write!(stream, "HTTP/1.1 200 OK\r\n\r\n{}", forge(nonce, address.port())).expect("answered");
                asked
            });
            let mut stream = TcpStream::connect(address).expect("connected");
            assert!(challenge(&mut stream, "token", std::process::id()).is_err(), "{at}");
            assert!(!stranger.join().expect("ended").contains("token"), "{at}: the token was sent");
        }
    }
}
