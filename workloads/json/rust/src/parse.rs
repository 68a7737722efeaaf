//! Parses a text as encoding/json of Go does: the last of equal keys wins, at the position of the
//! first; bytes that are not UTF-8, and halves of surrogate pairs, become U+FFFD; a number beyond
//! float64 is an error; and so are more than 10,000 levels.

use std::collections::HashMap;

/// What a parser makes of a text.
pub trait Make {
    type Value;
    fn null() -> Self::Value;
    fn bool(v: bool) -> Self::Value;
    fn number(v: f64) -> Self::Value;
    fn string(v: String) -> Self::Value;
    fn array(items: Vec<Self::Value>) -> Self::Value;
    fn object(members: Vec<(String, Self::Value)>) -> Self::Value;
}

pub fn parse<M: Make>(text: &[u8]) -> Result<M::Value, String> {
    let mut p = Parser { text, at: 0 };
    let value = p.value::<M>(0)?;
    p.space();
    if p.at < text.len() {
        return Err(p.wrong("bytes follow the value"));
    }
    Ok(value)
}

const MOST_LEVELS: usize = 10_000;

/// Objects with more members find equal keys with a table.
const FEW: usize = 16;

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn wrong(&self, what: &str) -> String {
        format!("byte {}: {what}", self.at)
    }

    fn space(&mut self) {
        while matches!(self.text.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// The next byte after white space, which stays there; 0 at the end.
    fn peek(&mut self) -> u8 {
        self.space();
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn accept(&mut self, c: u8) -> bool {
        let is = self.peek() == c;
        self.at += usize::from(is);
        is
    }

    fn expect(&mut self, word: &str) -> Result<(), String> {
        if !self.text[self.at..].starts_with(word.as_bytes()) {
            return Err(self.wrong("not a value"));
        }
        self.at += word.len();
        Ok(())
    }

    fn value<M: Make>(&mut self, level: usize) -> Result<M::Value, String> {
        match self.peek() {
            b'n' => self.expect("null").map(|()| M::null()),
            b't' => self.expect("true").map(|()| M::bool(true)),
            b'f' => self.expect("false").map(|()| M::bool(false)),
            b'"' => self.string().map(M::string),
            b'[' | b'{' if level == MOST_LEVELS => Err(self.wrong("more than 10,000 levels")),
            b'[' => self.array::<M>(level + 1),
            b'{' => self.object::<M>(level + 1),
            _ => self.number().map(M::number),
        }
    }

    fn array<M: Make>(&mut self, level: usize) -> Result<M::Value, String> {
        self.at += 1;
        let mut items = Vec::new();
        if self.accept(b']') {
            return Ok(M::array(items));
        }
        loop {
            items.push(self.value::<M>(level)?);
            if self.accept(b']') {
                return Ok(M::array(items));
            }
            if !self.accept(b',') {
                return Err(self.wrong("an array goes on without a comma"));
            }
        }
    }

    fn object<M: Make>(&mut self, level: usize) -> Result<M::Value, String> {
        self.at += 1;
        let mut members: Vec<(String, M::Value)> = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        if self.accept(b'}') {
            return Ok(M::object(members));
        }
        loop {
            if self.peek() != b'"' {
                return Err(self.wrong("a key is not a string"));
            }
            let key = self.string()?;
            if !self.accept(b':') {
                return Err(self.wrong("a key without a colon"));
            }
            let value = self.value::<M>(level)?;
            let equal = if members.len() < FEW {
                members.iter().position(|m| m.0 == key)
            } else {
                if known.is_empty() {
                    known.extend(members.iter().enumerate().map(|(i, m)| (m.0.clone(), i)));
                }
                known.get(&key).copied()
            };
            if let Some(i) = equal {
                members[i].1 = value;
            } else {
                if members.len() >= FEW {
                    known.insert(key.clone(), members.len());
                }
                members.push((key, value));
            }
            if self.accept(b'}') {
                return Ok(M::object(members));
            }
            if !self.accept(b',') {
                return Err(self.wrong("an object goes on without a comma"));
            }
        }
    }

    fn digits(&mut self) -> Result<(), String> {
        let first = self.at;
        while matches!(self.text.get(self.at), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == first {
            return Err(self.wrong("not a value"));
        }
        Ok(())
    }

    fn number(&mut self) -> Result<f64, String> {
        let first = self.at;
        let next = |p: &Self| p.text.get(p.at).copied().unwrap_or(0);
        self.at += usize::from(next(self) == b'-');
        if next(self) == b'0' {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if next(self) == b'.' {
            self.at += 1;
            self.digits()?;
        }
        if matches!(next(self), b'e' | b'E') {
            self.at += 1;
            self.at += usize::from(matches!(next(self), b'+' | b'-'));
            self.digits()?;
        }
        let text = std::str::from_utf8(&self.text[first..self.at]).map_err(|e| e.to_string())?;
        match text.parse::<f64>() {
            Ok(v) if v.is_finite() => Ok(v),
            _ => Err(self.wrong("a number beyond float64")),
        }
    }

    /// The string that starts here, with a quote.
    fn string(&mut self) -> Result<String, String> {
        self.at += 1;
        let mut bytes = Vec::new();
        loop {
            let first = self.at;
            while !matches!(self.text.get(self.at), None | Some(b'"' | b'\\' | 0..=0x1f)) {
                self.at += 1;
            }
            bytes.extend_from_slice(&self.text[first..self.at]);
            match self.text.get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => self.escape(&mut bytes)?,
                _ => return Err(self.wrong("a string does not end, or has a control character")),
            }
        }
        self.at += 1;
        Ok(String::from_utf8(bytes).unwrap_or_else(|e| repaired(e.as_bytes())))
    }

    fn escape(&mut self, to: &mut Vec<u8>) -> Result<(), String> {
        let c = match self.text.get(self.at + 1) {
            Some(c @ (b'"' | b'\\' | b'/')) => *c,
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => return self.unicode(to),
            _ => return Err(self.wrong("an unknown escape")),
        };
        to.push(c);
        self.at += 2;
        Ok(())
    }

    /// The number after \u at a place.
    fn hex(&self, at: usize) -> Option<u32> {
        let text = self.text.get(at..at + 6)?;
        let digits = text.strip_prefix(b"\\u")?;
        digits
            .iter()
            .try_fold(0, |n, c| Some(16 * n + (*c as char).to_digit(16)?))
    }

    fn unicode(&mut self, to: &mut Vec<u8>) -> Result<(), String> {
        let mut code = self
            .hex(self.at)
            .ok_or_else(|| self.wrong("\\u without four digits"))?;
        self.at += 6;
        if (0xd800..0xdc00).contains(&code) {
            if let Some(low @ 0xdc00..=0xdfff) = self.hex(self.at) {
                code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                self.at += 6;
            }
        }
        let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
        to.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        Ok(())
    }
}

/// The text with U+FFFD for each byte that is not part of a character, as in Go.
fn repaired(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Text;

    impl Make for Text {
        type Value = String;
        fn null() -> String {
            "null".into()
        }
        fn bool(v: bool) -> String {
            v.to_string()
        }
        fn number(v: f64) -> String {
            v.to_string()
        }
        fn string(v: String) -> String {
            format!("{v:?}")
        }
        fn array(items: Vec<String>) -> String {
            format!("[{}]", items.join(","))
        }
        fn object(members: Vec<(String, String)>) -> String {
            let all: Vec<String> = members.iter().map(|(k, v)| format!("{k}:{v}")).collect();
            format!("{{{}}}", all.join(","))
        }
    }

    #[test]
    fn texts_are_read_as_in_go() {
        for (text, want) in [
            (&b" [1, -0.5e1 ,true,null,{}]\n"[..], "[1,-5,true,null,{}]"),
            (br#"{"a":1,"b":2,"a":3}"#, "{a:3,b:2}"),
            (
                br#""\u00e9\ud83d\ude00\ud83d\n\/""#,
                "\"\u{e9}\u{1f600}\u{fffd}\\n/\"",
            ),
            (b"\"\xff\xe2\x82\"", "\"\u{fffd}\u{fffd}\u{fffd}\""),
        ] {
            assert_eq!(parse::<Text>(text).as_deref(), Ok(want));
        }
    }

    #[test]
    fn invalid_texts_are_refused() {
        for text in [
            "",
            "01",
            "1.",
            "-",
            "1e400",
            "[1,]",
            "{\"a\"}",
            "{1:2}",
            "nul",
            "1 2",
            "\"\n\"",
            "\"\\x\"",
            "\"\\u12\"",
            "\"",
            "[",
            "+1",
        ] {
            assert!(parse::<Text>(text.as_bytes()).is_err(), "{text}");
        }
        let deep = |n: usize| "[".repeat(n) + &"]".repeat(n);
        let work = move || {
            (
                parse::<Text>(deep(200).as_bytes()).is_ok(),
                parse::<Text>(deep(10_001).as_bytes()).is_err(),
            )
        };
        let thread = std::thread::Builder::new()
            .stack_size(256 << 20)
            .spawn(work);
        assert_eq!(thread.unwrap().join().unwrap(), (true, true));
    }

    #[test]
    fn equal_keys_are_found_among_many() {
        let keys: Vec<String> = (0..100).map(|i| format!("\"k{}\":{i}", i % 40)).collect();
        let text = parse::<Text>(format!("{{{}}}", keys.join(",")).as_bytes()).unwrap();
        assert_eq!(text.matches(':').count(), 40);
        assert!(text.starts_with("{k0:80,k1:81,"));
    }
}
