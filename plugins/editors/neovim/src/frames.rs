//! Finds the boundaries of MessagePack values in a byte stream. Each byte is examined once.

/// Maximum size of a message in bytes.
const MAX_MESSAGE: usize = 16 << 20;
/// Maximum number of values in a message. It limits memory, because a decoded value takes much more than its bytes.
const MAX_VALUES: usize = 500_000;
/// Maximum nesting of arrays and maps.
const MAX_DEPTH: usize = 64;

/// Buffer of the bytes that have been received but not yet returned as messages.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    bytes: Vec<u8>,
    /// Start of the current message. The bytes before it have already been returned.
    start: usize,
    /// Number of bytes that have been examined.
    examined: usize,
    /// Number of values in the current message.
    values: usize,
    /// Number of content bytes that are missing from the current value.
    content: usize,
    /// For each open array or map, the number of values that are still to come.
    open: Vec<u64>,
}

/// Error that ends the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameError {
    /// The message is too long.
    TooLong,
    /// The message is nested too deeply.
    TooDeep,
    /// The first byte of a value is one that MessagePack reserves (`0xc1`).
    Reserved,
}

/// The header of a value, as determined by its first byte.
struct ValueHeader {
    /// Number of length bytes after the first byte.
    length: usize,
    /// Number of content bytes that the length does not count: a number, an extension of fixed size, or the type byte
    /// of another extension.
    fixed: usize,
    /// Number of values per element: 1 for an array, 2 for a map, 0 if the content is bytes.
    values: u64,
    /// Number of elements or bytes, if the first byte contains it.
    count: u64,
}

fn value_header(byte: u8) -> Option<ValueHeader> {
    let (length, fixed, values, count) = match byte {
        0x00..=0x7f | 0xc0 | 0xc2 | 0xc3 | 0xe0..=0xff => (0, 0, 0, 0),
        0x80..=0x8f => (0, 0, 2, u64::from(byte & 15)),
        0x90..=0x9f => (0, 0, 1, u64::from(byte & 15)),
        0xa0..=0xbf => (0, 0, 0, u64::from(byte & 31)),
        0xc1 => return None,
        // Extensions have an additional type byte.
        0xc4 | 0xd9 => (1, 0, 0, 0),
        0xc5 | 0xda => (2, 0, 0, 0),
        0xc6 | 0xdb => (4, 0, 0, 0),
        0xc7 => (1, 1, 0, 0),
        0xc8 => (2, 1, 0, 0),
        0xc9 => (4, 1, 0, 0),
        0xcc | 0xd0 => (0, 1, 0, 0),
        0xcd | 0xd1 => (0, 2, 0, 0),
        0xca | 0xce | 0xd2 => (0, 4, 0, 0),
        0xcb | 0xcf | 0xd3 => (0, 8, 0, 0),
        0xd4 => (0, 2, 0, 0),
        0xd5 => (0, 3, 0, 0),
        0xd6 => (0, 5, 0, 0),
        0xd7 => (0, 9, 0, 0),
        0xd8 => (0, 17, 0, 0),
        0xdc => (2, 0, 1, 0),
        0xdd => (4, 0, 1, 0),
        0xde => (2, 0, 2, 0),
        0xdf => (4, 0, 2, 0),
    };
    Some(ValueHeader { length, fixed, values, count })
}

impl Frames {
    /// Adds received bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.start);
        self.examined -= self.start;
        self.start = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the next complete message, if there is one.
    pub(crate) fn next(&mut self) -> Result<Option<Vec<u8>>, FrameError> {
        loop {
            if self.content > 0 {
                let there = self.content.min(self.bytes.len() - self.examined);
                self.examined += there;
                self.content -= there;
                if self.content > 0 {
                    return Ok(None);
                }
            } else {
                let Some((head, count)) = self.next_header()? else { return Ok(None) };
                if head.values == 0 {
                    self.content = head.fixed + count;
                    if self.examined - self.start + self.content > MAX_MESSAGE {
                        return Err(FrameError::TooLong);
                    }
                    if self.content > 0 {
                        continue;
                    }
                } else if count > 0 {
                    if self.open.len() == MAX_DEPTH {
                        return Err(FrameError::TooDeep);
                    }
                    self.open.push(head.values * count as u64);
                    continue;
                }
            }
            if self.end_value() {
                let message = self.bytes[self.start..self.examined].to_vec();
                (self.start, self.values) = (self.examined, 0);
                return Ok(Some(message));
            }
        }
    }

    /// Parses the header of the next value and its length, once all of its bytes have been received.
    fn next_header(&mut self) -> Result<Option<(ValueHeader, usize)>, FrameError> {
        let Some(first) = self.bytes.get(self.examined) else { return Ok(None) };
        let head = value_header(*first).ok_or(FrameError::Reserved)?;
        let Some(length) = self.bytes.get(self.examined + 1..self.examined + 1 + head.length) else { return Ok(None) };
        let said = length.iter().fold(head.count, |sum, byte| sum << 8 | u64::from(*byte));
        let count = usize::try_from(said).map_err(|_| FrameError::TooLong)?;
        self.values += 1;
        if count > MAX_MESSAGE || (head.values > 0 && count > MAX_VALUES) || self.values > MAX_VALUES {
            return Err(FrameError::TooLong);
        }
        self.examined += 1 + head.length;
        Ok(Some((head, count)))
    }

    /// Ends a value, and the arrays and maps of which it is the last value. Returns whether the message is complete.
    fn end_value(&mut self) -> bool {
        while let Some(left) = self.open.last_mut() {
            *left -= 1;
            if *left > 0 {
                return false;
            }
            self.open.pop();
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn frames(bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut all = Frames::default();
        all.push(bytes);
        std::iter::from_fn(|| all.next().expect("msgpack")).collect()
    }

    #[track_caller]
    fn broken(bytes: &[u8]) -> FrameError {
        let mut all = Frames::default();
        all.push(bytes);
        loop {
            match all.next() {
                Ok(Some(_)) => {}
                Ok(None) => panic!("the bytes were accepted as valid messages"),
                Err(broken) => return broken,
            }
        }
    }

    #[test]
    fn frame_ends_are_found_for_every_type() {
        use rmpv::Value;
        let values = [
            Value::Nil,
            true.into(),
            7.into(),
            (-3).into(),
            200.into(),
            70_000.into(),
            (-70_000).into(),
            u64::MAX.into(),
            i64::MIN.into(),
            Value::F32(1.5),
            1.5_f64.into(),
            "".into(),
            "short".into(),
            "x".repeat(300).into(),
            "x".repeat(70_000).into(),
            Value::Binary(vec![0; 300]),
            Value::Ext(1, vec![1]),
            Value::Ext(1, vec![1; 16]),
            Value::Ext(1, vec![1; 3]),
            Value::Array(vec![]),
            Value::Array(vec![Value::Array(vec![1.into()]), Value::Map(vec![("a".into(), Value::Nil)])]),
            Value::Array(vec![Value::Nil; 20]),
            Value::Map((0..20).map(|number| (number.into(), Value::Array(vec![]))).collect()),
        ];
        let mut bytes = Vec::new();
        let mut each = Vec::new();
        for value in &values {
            let start = bytes.len();
            rmpv::encode::write_value(&mut bytes, value).expect("written");
            each.push(bytes[start..].to_vec());
        }
        assert_eq!(frames(&bytes), each);
        assert_eq!(frames(&bytes[..bytes.len() - 1]), each[..each.len() - 1]);
    }

    #[test]
    fn too_large_frames_are_refused_early() {
        assert_eq!(broken(&[0xc1]), FrameError::Reserved);
        assert_eq!(broken(&[0xdb, 0xff, 0xff, 0xff, 0xff]), FrameError::TooLong);
        assert_eq!(broken(&[0xdd, 0xff, 0xff, 0xff, 0xff]), FrameError::TooLong);
        assert_eq!(broken(&[0x91; 100]), FrameError::TooDeep);
    }
}
