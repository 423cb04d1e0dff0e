//! Where one msgpack value ends and the next begins, however the bytes come. Each byte is looked at once.

/// Bytes of one message.
const LONGEST: usize = 16 << 20;
/// Values in one message: each takes much more than the byte that it may be.
const MOST: usize = 500_000;
/// Levels of arrays and maps within each other.
const DEEPEST: usize = 64;

/// Bytes that came, up to the end of the last whole message.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    bytes: Vec<u8>,
    /// The message begins here: what is before it was given out.
    start: usize,
    /// Up to here it is known what the bytes are.
    known: usize,
    /// Values that the message has so far.
    values: usize,
    /// Bytes of content that belong to what was begun.
    content: usize,
    /// For each array and map that is open: values that are still to come.
    open: Vec<u64>,
}

/// Why there is no talking on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Broken {
    /// A message is too long.
    Long,
    /// A message is nested too deeply.
    Deep,
    /// A byte that begins nothing.
    Reserved,
}

/// What a byte begins: bytes of its length, then content and values.
struct Head {
    /// Bytes after the first one that say how much there is.
    length: usize,
    /// Content beside what they say.
    fixed: usize,
    /// Values that follow for each of what they say; 0 where bytes follow.
    values: u64,
    /// How much there is, where the first byte says it.
    count: u64,
}

fn head(byte: u8) -> Option<Head> {
    let (length, fixed, values, count) = match byte {
        0x00..=0x7f | 0xc0 | 0xc2 | 0xc3 | 0xe0..=0xff => (0, 0, 0, 0),
        0x80..=0x8f => (0, 0, 2, u64::from(byte & 15)),
        0x90..=0x9f => (0, 0, 1, u64::from(byte & 15)),
        0xa0..=0xbf => (0, 0, 0, u64::from(byte & 31)),
        0xc1 => return None,
        // Extensions have a byte that says which.
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
    Some(Head { length, fixed, values, count })
}

impl Frames {
    /// More bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.start);
        self.known -= self.start;
        self.start = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole message, if it is there.
    pub(crate) fn next(&mut self) -> Result<Option<Vec<u8>>, Broken> {
        loop {
            if self.content > 0 {
                let there = self.content.min(self.bytes.len() - self.known);
                self.known += there;
                self.content -= there;
                if self.content > 0 {
                    return Ok(None);
                }
            } else {
                let Some((head, count)) = self.begun()? else { return Ok(None) };
                if head.values == 0 {
                    self.content = head.fixed + count;
                    if self.known - self.start + self.content > LONGEST {
                        return Err(Broken::Long);
                    }
                    if self.content > 0 {
                        continue;
                    }
                } else if count > 0 {
                    if self.open.len() == DEEPEST {
                        return Err(Broken::Deep);
                    }
                    self.open.push(head.values * count as u64);
                    continue;
                }
            }
            if self.ended() {
                let message = self.bytes[self.start..self.known].to_vec();
                (self.start, self.values) = (self.known, 0);
                return Ok(Some(message));
            }
        }
    }

    /// What begins here and how much of it there is, once all bytes that say so are there.
    fn begun(&mut self) -> Result<Option<(Head, usize)>, Broken> {
        let Some(first) = self.bytes.get(self.known) else { return Ok(None) };
        let head = head(*first).ok_or(Broken::Reserved)?;
        let Some(length) = self.bytes.get(self.known + 1..self.known + 1 + head.length) else { return Ok(None) };
        let said = length.iter().fold(head.count, |sum, byte| sum << 8 | u64::from(*byte));
        let count = usize::try_from(said).map_err(|_| Broken::Long)?;
        self.values += 1;
        if count > LONGEST || (head.values > 0 && count > MOST) || self.values > MOST {
            return Err(Broken::Long);
        }
        self.known += 1 + head.length;
        Ok(Some((head, count)))
    }

    /// A value is over, and with it all that it was the last one of. Whether that is the message.
    fn ended(&mut self) -> bool {
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
    fn broken(bytes: &[u8]) -> Broken {
        let mut all = Frames::default();
        all.push(bytes);
        loop {
            match all.next() {
                Ok(Some(_)) => {}
                Ok(None) => panic!("it is not broken"),
                Err(broken) => return broken,
            }
        }
    }

    #[test]
    fn every_kind_of_value_ends_where_it_does() {
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
    fn what_is_too_much_is_refused_before_it_came() {
        assert_eq!(broken(&[0xc1]), Broken::Reserved);
        assert_eq!(broken(&[0xdb, 0xff, 0xff, 0xff, 0xff]), Broken::Long);
        assert_eq!(broken(&[0xdd, 0xff, 0xff, 0xff, 0xff]), Broken::Long);
        assert_eq!(broken(&[0x91; 100]), Broken::Deep);
    }
}
