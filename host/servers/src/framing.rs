//! LSP message framing: a header with the content length, then the content.

use std::io::{self, BufRead, Read, Write};

use crate::limits;

/// Reads the next message. `None` at the end of the stream.
pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let wrong = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let (mut length, mut head) = (None, 0);
    loop {
        let mut line = Vec::new();
        let count = input.by_ref().take(limits::HEAD as u64).read_until(b'\n', &mut line)?;
        head += count;
        if count == 0 && head == 0 {
            return Ok(None);
        }
        if !line.ends_with(b"\n") || head > limits::HEAD {
            return Err(wrong("it sent something that is not a message"));
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        let Some((name, value)) = line.split_once(':') else {
            return Err(wrong("it sent something that is not a message"));
        };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse::<usize>().ok();
        }
    }
    let length = length.ok_or_else(|| wrong("it sent a message without a length"))?;
    if length > limits::MESSAGE {
        return Err(wrong("it sent a message that is too large"));
    }
    // The buffer is not allocated with the announced length, which may be wrong. It grows as bytes arrive.
    let mut message = Vec::new();
    input.by_ref().take(length as u64).read_to_end(&mut message)?;
    if message.len() < length {
        return Err(wrong("it ended in the middle of a message"));
    }
    Ok(Some(message))
}

/// Writes a message.
pub(crate) fn write(output: &mut impl Write, message: &[u8]) -> io::Result<()> {
    write!(output, "Content-Length: {}\r\n\r\n", message.len())?;
    output.write_all(message)?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_messages(bytes: &[u8]) -> Result<Vec<String>, String> {
        let (mut input, mut messages) = (bytes, Vec::new());
        loop {
            match read(&mut input) {
                Ok(Some(message)) => messages.push(String::from_utf8(message).expect("text")),
                Ok(None) => return Ok(messages),
                Err(error) => return Err(error.to_string()),
            }
        }
    }

    #[test]
    fn written_messages_are_read() {
        let mut stream = Vec::new();
        for message in ["{}", "", "é"] {
            write(&mut stream, message.as_bytes()).expect("written");
        }
        assert_eq!(read_messages(&stream), Ok(vec!["{}".to_owned(), String::new(), "é".to_owned()]));
    }

    #[test]
    fn unknown_headers_are_ignored() {
        let text = b"content-type: x\r\nCONTENT-LENGTH:2\r\n\r\n{}content-length: 1\n\n1";
        assert_eq!(read_messages(text), Ok(vec!["{}".to_owned(), "1".to_owned()]));
    }

    #[test]
    fn invalid_message_ends_the_connection() {
        for (bytes, why) in [
            (&b"hello\n"[..], "it sent something that is not a message"),
            (b"Content-Length: 5", "it sent something that is not a message"),
            (b"Content-Length: x\r\n\r\n", "it sent a message without a length"),
            (b"X: 5\r\n\r\n", "it sent a message without a length"),
            (b"Content-Length: 99999999999\r\n\r\n", "it sent a message that is too large"),
            (b"Content-Length: 5\r\n\r\n{}", "it ended in the middle of a message"),
        ] {
            assert_eq!(read_messages(bytes), Err(why.to_owned()));
        }
        assert_eq!(read_messages(&b"x".repeat(100_000)), Err("it sent something that is not a message".to_owned()));
        assert_eq!(
            read_messages(&b"a: b\n".repeat(100_000)),
            Err("it sent something that is not a message".to_owned())
        );
    }
}
