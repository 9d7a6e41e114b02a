//! Reader: text to a document in one pass, without recursion.
//!
//! Takes exactly what RFC 8259 takes, and turns away what a lenient reader would quietly change: a repeated key (the last
//! would win), a number that would be rounded, half a surrogate pair. Each fault has its byte and its path. With a
//! [`Leniency`] it also takes three slips that have one meaning, and says which it met.

use smallvec::SmallVec;

use super::{Extent, Fault, Json, JsonLimits, MAX_NUMBER, MAX_SCANNED, Node, Num, Span, small, wide};
use crate::field_path::{FieldPath, Segment};

/// Slips that are taken where the operator wants it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Leniency {
    /// A comma after the last item or member.
    pub(crate) trailing_commas: bool,
    /// A control character in a string without its escape.
    pub(crate) control_characters: bool,
    /// Half a surrogate pair, which becomes U+FFFD.
    pub(crate) lone_surrogates: bool,
}

/// What was met in reading, beside the value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mended {
    /// `-0`, always read as `0`.
    pub(crate) negative_zeros: Vec<FieldPath>,
    /// A trailing comma was left out.
    pub(crate) trailing_comma: bool,
    /// A control character was taken.
    pub(crate) control_character: bool,
    /// Strings in which half a surrogate pair was replaced.
    pub(crate) surrogates: Vec<FieldPath>,
}

impl Mended {
    /// Whether the document says something else than its text.
    pub(crate) fn is_any(&self) -> bool {
        *self != Self::default()
    }
}

/// A value that a text starts with.
pub(crate) struct Prefix {
    pub(crate) json: Json,
    pub(crate) mended: Mended,
    /// The byte at which something else follows, or the end of the text.
    pub(crate) end: usize,
}

/// A text that does not read, given back with what is wrong with it.
pub(crate) struct Unread {
    pub(crate) fault: Fault,
    pub(crate) text: String,
}

/// Reads exactly one value.
///
/// # Errors
/// The first fault in reading order.
pub(crate) fn read(text: String, limits: &JsonLimits) -> Result<(Json, Mended), Fault> {
    let Prefix { json, mended, end } = read_prefix(text, limits, Leniency::default()).map_err(|unread| unread.fault)?;
    if end < json.text.len() {
        return Err(Fault::Trailing { byte: end });
    }
    Ok((json, mended))
}

/// Reads the value the text starts with.
///
/// # Errors
/// The first fault in reading order, and the text.
pub(crate) fn read_prefix(text: String, limits: &JsonLimits, leniency: Leniency) -> Result<Prefix, Unread> {
    // About one value in eight bytes; a guess that is too small costs a copy.
    let nodes = Vec::with_capacity((text.len() >> 3).saturating_add(4));
    let json = Json { text, nodes, is_compact: true, ..Json::default() };
    let mut reader = Reader { json, at: 0, limits, leniency, open: SmallVec::new(), mended: Mended::default() };
    if let Err(fault) = reader.read_value() {
        return Err(Unread { fault, text: reader.json.text });
    }
    reader.skip_space();
    reader.json.is_compact &= reader.at == reader.json.text.len();
    Ok(Prefix { json: reader.json, mended: reader.mended, end: reader.at })
}

/// A container that has not ended yet.
#[derive(Clone, Copy)]
struct Open {
    node: usize,
    is_object: bool,
    len: u32,
    /// The node of the key whose value is being read.
    key: usize,
}

struct Reader<'l> {
    json: Json,
    at: usize,
    limits: &'l JsonLimits,
    leniency: Leniency,
    open: SmallVec<[Open; 8]>,
    mended: Mended,
}

/// What may come next.
enum Next {
    /// A value.
    Value,
    /// A comma or the end of the innermost container.
    AfterValue,
}

impl Reader<'_> {
    fn read_value(&mut self) -> Result<(), Fault> {
        let mut next = Next::Value;
        loop {
            next = match next {
                Next::Value => self.begin_value()?,
                Next::AfterValue if self.open.is_empty() => return Ok(()),
                Next::AfterValue => self.end_or_go_on()?,
            };
        }
    }

    fn begin_value(&mut self) -> Result<Next, Fault> {
        self.skip_space();
        let start = self.at;
        match self.peek() {
            Some(b'"') => self.read_string().map(|()| Next::AfterValue),
            Some(b'{') => self.begin_container(true),
            Some(b'[') => self.begin_container(false),
            Some(b'-' | b'0'..=b'9') => self.read_number().map(|()| Next::AfterValue),
            Some(b't') => self.read_word("true", Node::Bool(true)),
            Some(b'f') => self.read_word("false", Node::Bool(false)),
            Some(b'n') => self.read_word("null", Node::Null),
            Some(b',' | b']' | b'}') => Err(Fault::Syntax { byte: start, problem: "a value is missing" }),
            Some(b'\'') => {
                Err(Fault::Syntax { byte: start, problem: "text stands in double quotes, not single ones," })
            }
            Some(_) => Err(Fault::Syntax { byte: start, problem: "no value starts like this" }),
            None => Err(Fault::Truncated { byte: start }),
        }
    }

    fn begin_container(&mut self, is_object: bool) -> Result<Next, Fault> {
        if self.open.len() >= wide(self.limits.depth.get()) {
            return Err(Fault::TooDeep { byte: self.at, max: self.limits.depth });
        }
        let node = self.json.nodes.len();
        let extent = Extent { len: 0, end: 0 };
        self.push(self.at, if is_object { Node::Object(extent) } else { Node::List(extent) })?;
        self.open.push(Open { node, is_object, len: 0, key: node });
        self.at = self.at.saturating_add(1);
        self.skip_space();
        match self.peek() {
            Some(end) if end == closing(is_object) => self.end_container(),
            _ => self.begin_member(),
        }
    }

    /// What comes before a value inside a container: a key and its colon, or nothing.
    fn begin_member(&mut self) -> Result<Next, Fault> {
        let Some(container) = self.open.last().copied() else { return Ok(Next::AfterValue) };
        if container.is_object {
            self.read_key(container)?;
        }
        if let Some(container) = self.open.last_mut() {
            container.len = container.len.saturating_add(1);
        }
        Ok(Next::Value)
    }

    fn read_key(&mut self, object: Open) -> Result<(), Fault> {
        let start = self.at;
        match self.peek() {
            Some(b'"') => {}
            Some(b'\'') => {
                return Err(Fault::Syntax { byte: start, problem: "a key stands in double quotes, not single ones," });
            }
            Some(_) => return Err(Fault::Syntax { byte: start, problem: "a key in double quotes is due" }),
            None => return Err(Fault::Truncated { byte: start }),
        }
        let key = self.json.nodes.len();
        if let Some(object) = self.open.last_mut() {
            object.key = key;
        }
        self.read_string()?;
        self.check_key(object, key, start)?;
        self.skip_space();
        match self.peek() {
            Some(b':') => self.at = self.at.saturating_add(1),
            Some(_) => return Err(Fault::Syntax { byte: self.at, problem: "a colon is due" }),
            None => return Err(Fault::Truncated { byte: self.at }),
        }
        Ok(())
    }

    /// A key stands once in its object.
    fn check_key(&mut self, object: Open, key: usize, byte: usize) -> Result<(), Fault> {
        let n_before = wide(object.len);
        let said = self.json.string(key).unwrap_or_default();
        if self.json.find(object.node, n_before, said).is_some() {
            return Err(Fault::DuplicateKey { byte, at: self.path() });
        }
        if n_before > MAX_SCANNED {
            self.json.note_key(object.node, key);
        } else if n_before == MAX_SCANNED {
            self.json.note_keys(object.node, n_before);
            self.json.note_key(object.node, key);
        }
        Ok(())
    }

    fn end_or_go_on(&mut self) -> Result<Next, Fault> {
        let is_object = self.open.last().is_some_and(|container| container.is_object);
        self.skip_space();
        let at = self.at;
        match self.peek() {
            Some(b',') => {
                self.at = at.saturating_add(1);
                self.skip_space();
                if self.peek() != Some(closing(is_object)) {
                    return self.begin_member();
                }
                if !self.leniency.trailing_commas {
                    return Err(Fault::Syntax { byte: at, problem: "a comma stands after the last one" });
                }
                self.mended.trailing_comma = true;
                self.json.is_compact = false;
                self.end_container()
            }
            Some(end) if end == closing(is_object) => self.end_container(),
            Some(_) if is_object => Err(Fault::Syntax { byte: at, problem: "a comma or `}` is due" }),
            Some(_) => Err(Fault::Syntax { byte: at, problem: "a comma or `]` is due" }),
            None => Err(Fault::Truncated { byte: at }),
        }
    }

    fn end_container(&mut self) -> Result<Next, Fault> {
        self.at = self.at.saturating_add(1);
        let end = small(self.json.nodes.len());
        if let Some(container) = self.open.pop()
            && let Some(node) = self.json.nodes.get_mut(container.node)
        {
            let extent = Extent { len: container.len, end };
            *node = if container.is_object { Node::Object(extent) } else { Node::List(extent) };
        }
        Ok(Next::AfterValue)
    }

    fn read_word(&mut self, word: &'static str, node: Node) -> Result<Next, Fault> {
        let rest = self.json.text.get(self.at..).unwrap_or_default();
        if rest.starts_with(word) {
            self.push(self.at, node)?;
            self.at = self.at.saturating_add(word.len());
            return Ok(Next::AfterValue);
        }
        if word.starts_with(rest) {
            return Err(Fault::Truncated { byte: self.json.text.len() });
        }
        Err(Fault::Syntax { byte: self.at, problem: "no value starts like this" })
    }

    fn read_number(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.skip_one(|byte| byte == b'-');
        let zero = self.peek() == Some(b'0');
        let n_whole = self.skip_digits()?;
        if zero && n_whole > 1 {
            return Err(Fault::Syntax { byte: start, problem: "a number starts with a zero too many" });
        }
        if self.skip_one(|byte| byte == b'.') {
            self.skip_digits()?;
        }
        if self.skip_one(|byte| matches!(byte, b'e' | b'E')) {
            self.skip_one(|byte| matches!(byte, b'+' | b'-'));
            self.skip_digits()?;
        }
        if self.at.saturating_sub(start) > MAX_NUMBER {
            return Err(Fault::LongNumber { byte: start, max: MAX_NUMBER });
        }
        let literal = self.json.text.get(start..self.at).unwrap_or_default();
        let Some(number) = Num::read(literal) else {
            if self.peek().is_none() && !self.open.is_empty() {
                // The next digit could have made it a fraction: what is known is that the text ends too early.
                return Err(Fault::Truncated { byte: self.at });
            }
            return Err(Fault::InexactNumber { byte: start, at: self.path() });
        };
        if literal.starts_with('-') && matches!(number, Num::Whole(0) | Num::Double(0.0)) {
            let at = self.path();
            self.mended.negative_zeros.push(at);
            self.json.is_compact = false;
        }
        if let Num::Double(_) = number {
            self.json.is_compact = false;
        }
        self.push(start, Node::Number(number))
    }

    /// At least one digit; how many there were.
    fn skip_digits(&mut self) -> Result<usize, Fault> {
        let start = self.at;
        while self.skip_one(|byte| byte.is_ascii_digit()) {}
        match (self.at.saturating_sub(start), self.peek()) {
            (0, None) => Err(Fault::Truncated { byte: start }),
            (0, Some(_)) => Err(Fault::Syntax { byte: start, problem: "a digit is due" }),
            (n_digits, _) => Ok(n_digits),
        }
    }

    /// A string from its opening quote on, as the next node.
    fn read_string(&mut self) -> Result<(), Fault> {
        let quote = self.at;
        let start = quote.saturating_add(1);
        self.at = self.end_of_plain(start);
        if self.peek() == Some(b'"') {
            self.check_length(quote, self.at.saturating_sub(start))?;
            self.push(quote, Node::Plain(Span::new(start, self.at)))?;
            self.at = self.at.saturating_add(1);
            return Ok(());
        }
        self.read_escaped(quote, start)
    }

    /// The rest of a string that has an escape in it, or something worse.
    fn read_escaped(&mut self, quote: usize, start: usize) -> Result<(), Fault> {
        self.json.is_compact = false;
        let first = self.json.unescaped.len();
        let mut copied = start;
        let mut is_replaced = false;
        loop {
            let plain = self.json.text.get(copied..self.at).unwrap_or_default();
            self.json.unescaped.push_str(plain);
            self.check_length(quote, self.json.unescaped.len().saturating_sub(first))?;
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => is_replaced |= self.read_escape()?,
                Some(0) => return Err(self.bad_text(self.at, "U+0000")),
                Some(control) if self.leniency.control_characters => {
                    self.json.unescaped.push(char::from(control));
                    self.mended.control_character = true;
                    self.at = self.at.saturating_add(1);
                }
                Some(_) => {
                    return Err(Fault::Syntax { byte: self.at, problem: "a control character stands without escape" });
                }
                None => return Err(Fault::Truncated { byte: self.at }),
            }
            copied = self.at;
            self.at = self.end_of_plain(self.at);
        }
        if is_replaced {
            let at = self.path();
            self.mended.surrogates.push(at);
        }
        self.at = self.at.saturating_add(1);
        self.push(quote, Node::Unescaped(Span::new(first, self.json.unescaped.len())))
    }

    /// An escape from its backslash on; whether half a surrogate pair was replaced.
    fn read_escape(&mut self) -> Result<bool, Fault> {
        let start = self.at;
        let kind = self.byte(start.saturating_add(1)).ok_or(Fault::Truncated { byte: self.json.text.len() })?;
        self.at = start.saturating_add(2);
        let said = match kind {
            b'"' | b'\\' | b'/' => char::from(kind),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.read_unicode_escape(start),
            _ => return Err(Fault::Syntax { byte: start, problem: "JSON has no such escape" }),
        };
        self.json.unescaped.push(said);
        Ok(false)
    }

    fn read_unicode_escape(&mut self, start: usize) -> Result<bool, Fault> {
        let unit = self.read_hex()?;
        if unit == 0 {
            return Err(self.bad_text(start, "U+0000"));
        }
        if let Some(said) = char::from_u32(unit) {
            self.json.unescaped.push(said);
            return Ok(false);
        }
        if let Some(said) = self.low_half(unit)? {
            self.json.unescaped.push(said);
            return Ok(false);
        }
        if !self.leniency.lone_surrogates {
            return Err(self.bad_text(start, "half a surrogate pair"));
        }
        self.json.unescaped.push(char::REPLACEMENT_CHARACTER);
        Ok(true)
    }

    /// What a high surrogate and the low one behind it stand for; nothing is taken where there is none.
    fn low_half(&mut self, high: u32) -> Result<Option<char>, Fault> {
        let before = self.at;
        let is_high = (0xd800..0xdc00).contains(&high);
        if is_high && r"\u".starts_with(self.json.text.get(before..).unwrap_or_default()) {
            return Err(Fault::Truncated { byte: self.json.text.len() });
        }
        let escape_follows = self.byte(before) == Some(b'\\') && self.byte(before.saturating_add(1)) == Some(b'u');
        if !is_high || !escape_follows {
            return Ok(None);
        }
        self.at = before.saturating_add(2);
        let low = self.read_hex()?;
        let pair = [u16::try_from(high).unwrap_or_default(), u16::try_from(low).unwrap_or_default()];
        match (low, char::decode_utf16(pair).next()) {
            (0xdc00..=0xdfff, Some(Ok(said))) => Ok(Some(said)),
            _ => {
                self.at = before;
                Ok(None)
            }
        }
    }

    fn read_hex(&mut self) -> Result<u32, Fault> {
        let mut unit: u32 = 0;
        for _ in 0..4 {
            let byte = self.peek().ok_or(Fault::Truncated { byte: self.at })?;
            let digit = char::from(byte)
                .to_digit(16)
                .ok_or(Fault::Syntax { byte: self.at, problem: "`\\u` takes four hexadecimal digits" })?;
            unit = (unit << 4) | digit;
            self.at = self.at.saturating_add(1);
        }
        Ok(unit)
    }

    /// Where the next quote, backslash or control character stands, or the text ends.
    fn end_of_plain(&self, from: usize) -> usize {
        let rest = self.json.text.as_bytes().get(from..).unwrap_or_default();
        let n_plain = rest.iter().position(|byte| !is_plain(*byte)).unwrap_or(rest.len());
        from.saturating_add(n_plain)
    }

    fn check_length(&self, quote: usize, len: usize) -> Result<(), Fault> {
        if len > self.limits.string.as_usize() {
            return Err(Fault::LongString { byte: quote, max: self.limits.string });
        }
        Ok(())
    }

    /// Adds the value or key that starts at this byte.
    fn push(&mut self, byte: usize, node: Node) -> Result<(), Fault> {
        if self.json.nodes.len() >= self.limits.nodes {
            return Err(Fault::TooMany { byte, max: self.limits.nodes });
        }
        self.json.nodes.push(node);
        Ok(())
    }

    fn bad_text(&self, byte: usize, what: &'static str) -> Fault {
        Fault::BadText { byte, at: self.path(), what }
    }

    /// The path of the value, or of the key, that is being read.
    fn path(&self) -> FieldPath {
        let segments = self.open.iter().filter_map(|container| match container.is_object {
            true => self.json.string(container.key).map(|key| Segment::Key(key.to_owned())),
            false => Some(Segment::Index(wide(container.len).saturating_sub(1))),
        });
        FieldPath::from_segments(segments.collect())
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.json.text.as_bytes().get(at).copied()
    }

    fn peek(&self) -> Option<u8> {
        self.byte(self.at)
    }

    /// Takes the next byte where it is one of these.
    fn skip_one(&mut self, is_it: impl Fn(u8) -> bool) -> bool {
        let found = self.peek().is_some_and(is_it);
        if found {
            self.at = self.at.saturating_add(1);
        }
        found
    }

    fn skip_space(&mut self) {
        while self.skip_one(|byte| matches!(byte, b' ' | b'\n' | b'\t' | b'\r')) {
            self.json.is_compact = false;
        }
    }
}

const fn closing(is_object: bool) -> u8 {
    if is_object { b'}' } else { b']' }
}

/// Whether a byte stands for itself in a string.
const fn is_plain(byte: u8) -> bool {
    byte >= 0x20 && byte != b'"' && byte != b'\\'
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Leniency, read, read_prefix};
    use crate::json::{Fault, JsonLimits};
    use crate::units::{ByteCount, Depth};

    const LIMITS: JsonLimits = JsonLimits { depth: Depth::new(4), nodes: 1_000, string: ByteCount::new(50) };

    fn value(text: &str) -> Value {
        let (json, mended) = read(text.to_owned(), &LIMITS).unwrap_or_else(|fault| panic!("{text}: {fault}"));
        assert!(!mended.is_any(), "{text}");
        json.root().to_value()
    }

    fn fault(text: &str) -> Fault {
        read(text.to_owned(), &LIMITS).map(|(json, _)| json.root().to_value()).expect_err(text)
    }

    #[test]
    fn it_reads_what_serde_json_reads() {
        for text in [
            r#"{"a":[1,-2,3.5,true,null,"x\u0041\n"],"b":{}}"#,
            "18446744073709551615",
            "-9223372036854775808",
            " [ ] ",
            "[[[[1]]]]",
            "1e3",
            "\t\"\\ud83d\\ude00\"\r\n",
            r#"{"":{"":[]},"k\"\\\/\b\f\n\r\t":0.10}"#,
        ] {
            assert_eq!(value(text), serde_json::from_str::<Value>(text).expect("reads"), "{text}");
        }
    }

    #[test]
    fn every_fault_is_told_apart_with_its_byte_and_its_path() {
        assert_eq!(fault(r#"{"a":[1,{"b":2"#), Fault::Truncated { byte: 14 });
        for text in [
            "\"abc",
            "\"a\\",
            "\"\\u12",
            "\"\\ud83d",
            "\"\\ud83d\\",
            "\"\\ud83d\\ude",
            "[9007199254740993.0",
            "nul",
            "-",
            "1.",
            "1e",
            "1e+",
            "{",
            "[",
            "{\"a\"",
            "{\"a\":",
            "[1,",
            "",
        ] {
            assert_eq!(fault(text), Fault::Truncated { byte: text.len() }, "{text}");
        }
        assert_eq!(fault("[[[[[1]]]]]"), Fault::TooDeep { byte: 4, max: Depth::new(4) });
        for (text, byte, path) in
            [(r#"{"rows":[{"q":1},{"q":1,"\u0071":2}]}"#, 24, "rows.1.q"), (r#"{"a":1,"b":{"c":[{}]},"a":2}"#, 22, "a")]
        {
            let Fault::DuplicateKey { byte: found, at } = fault(text) else { panic!("{text}") };
            assert_eq!((found, at.to_string().as_str()), (byte, path), "{text}");
        }
        for (text, byte, path) in
            [(r#"{"a":{"b":1e400}}"#, 10, "a.b"), ("[1,18446744073709551616]", 3, "1"), ("9007199254740993.0", 0, "")]
        {
            let Fault::InexactNumber { byte: found, at } = fault(text) else { panic!("{text}") };
            assert_eq!((found, at.to_string().as_str()), (byte, path), "{text}");
        }
        for (text, byte, path) in [
            (r#"{"a":"\ud800"}"#, 6, "a"),
            (r#"["x\ud800x"]"#, 3, "0"),
            (r#"{"a":"\udc00"}"#, 6, "a"),
            (r#"["\ud83d\u0041"]"#, 2, "0"),
            (r#"["\u0000"]"#, 2, "0"),
            ("[\"\0\"]", 2, "0"),
        ] {
            let Fault::BadText { byte: found, at, what: _ } = fault(text) else { panic!("{text}") };
            assert_eq!((found, at.to_string().as_str()), (byte, path), "{text}");
        }
        for (text, byte) in [
            ("{\"a\":1,}", 6),
            ("{\n\"a\": 01}", 7),
            ("{'a':1}", 1),
            ("{\"a\" 1}", 5),
            ("[1 2]", 3),
            ("[1,,2]", 3),
            ("\"\\x\"", 1),
            ("\"\\u12G4\"", 5),
            ("\"a\tb\"", 2),
            ("NaN", 0),
            ("\u{feff}1", 0),
            ("nulx", 0),
            ("+1", 0),
            (".5", 0),
            ("1.x", 2),
        ] {
            let Fault::Syntax { byte: found, problem: _ } = fault(text) else { panic!("{text}: {}", fault(text)) };
            assert_eq!(found, byte, "{text}");
        }
        assert_eq!(fault("{} {}"), Fault::Trailing { byte: 3 });
        assert_eq!(fault(&format!("[\"{}\"]", "a".repeat(51))), Fault::LongString { byte: 1, max: ByteCount::new(50) });
        assert_eq!(
            fault(&format!("[\"{}\"]", "\\n".repeat(51))),
            Fault::LongString { byte: 1, max: ByteCount::new(50) }
        );
        assert_eq!(fault(&format!("[{}]", "1".repeat(65))), Fault::LongNumber { byte: 1, max: 64 });
        assert_eq!(fault(&format!("[1{}]", ",1".repeat(1_000))), Fault::TooMany { byte: 1_999, max: 1_000 });
    }

    #[test]
    fn depth_far_beyond_the_bound_neither_overflows_nor_waits() {
        let text = "[".repeat(1_000_000);
        assert_eq!(fault(&text), Fault::TooDeep { byte: 4, max: Depth::new(4) });
        let deep = JsonLimits { depth: Depth::new(u32::MAX), nodes: usize::MAX, string: ByteCount::mib(1) };
        assert!(matches!(read(text, &deep), Err(Fault::Truncated { byte: 1_000_000 })));
    }

    #[test]
    fn a_large_object_finds_its_keys_and_its_repetitions() {
        let members: Vec<String> = (0..200).map(|nth| format!("\"k{nth}\":{{\"k{nth}\":{nth}}}")).collect();
        let text = format!("{{{}}}", members.join(","));
        let (json, _) = read(text.clone(), &LIMITS).expect("reads");
        let object = json.root().as_object().expect("an object");
        for nth in [0, 16, 17, 199] {
            let inner = object.get(&format!("k{nth}")).and_then(|value| value.as_object()).expect("is there");
            assert_eq!(inner.get(&format!("k{nth}")).map(|value| value.to_value()), Some(json!(nth)));
        }
        assert!(object.get("k200").is_none());
        for nth in [0, 16, 17, 199] {
            let twice = format!("{},\"k{nth}\":1}}", text.trim_end_matches('}').to_owned() + "}");
            assert!(
                matches!(fault(&twice), Fault::DuplicateKey { byte: _, at } if at.to_string() == format!("k{nth}"))
            );
        }
    }

    #[test]
    fn what_is_written_as_it_is_printed_is_not_printed_again() {
        for (text, is_compact) in [
            ("{\"a b\":[null,true,-7,18446744073709551615,\"\u{e9} \u{7f}\"],\"c\":{}}", true),
            (r#"{"a": 1}"#, false),
            (" 1", false),
            ("[1,2]\n", false),
            (r#"["a\/b"]"#, false),
            (r#"["\u0041"]"#, false),
            ("[1.50]", false),
            ("[1e2]", false),
            ("[-0]", false),
        ] {
            let (json, _) = read(text.to_owned(), &LIMITS).expect("reads");
            assert_eq!(json.is_compact, is_compact, "{text}");
            assert_eq!(json.clone().into_printed(), json.print(), "{text}");
        }
        let lenient = Leniency { trailing_commas: true, ..Leniency::default() };
        for text in ["[1,]", "[1]x"] {
            let prefix = read_prefix(text.to_owned(), &LIMITS, lenient).ok().expect("reads");
            assert_eq!(prefix.json.into_printed(), "[1]");
        }
        let (mut json, _) = read("[1]".to_owned(), &LIMITS).expect("reads");
        json.set_string("tea");
        assert_eq!(json.into_printed(), r#""tea""#);
    }

    #[test]
    fn minus_zero_is_zero_and_said() {
        let (json, mended) = read(r#"{"a":[-0,-0.0,0]}"#.to_owned(), &LIMITS).expect("reads");
        assert_eq!(json.print(), r#"{"a":[0,0.0,0]}"#);
        let places: Vec<String> = mended.negative_zeros.iter().map(ToString::to_string).collect();
        assert_eq!(places, ["a.0", "a.1"]);
    }

    #[test]
    fn slips_are_taken_where_that_is_wanted_and_each_is_said() {
        let all = Leniency { trailing_commas: true, control_characters: true, lone_surrogates: true };
        let text = "{\"a\":[1,2,],\"b\":\"x\ny\",\"c\":\"\\ud83d!\",} and more";
        let read = read_prefix(text.to_owned(), &LIMITS, all).map_err(|unread| unread.fault).expect("reads");
        assert_eq!(read.json.root().to_value(), json!({"a": [1, 2], "b": "x\ny", "c": "\u{fffd}!"}));
        assert_eq!(text.get(read.end..), Some("and more"));
        let surrogates: Vec<String> = read.mended.surrogates.iter().map(ToString::to_string).collect();
        assert_eq!(
            (read.mended.trailing_comma, read.mended.control_character, surrogates),
            (true, true, vec!["c".to_owned()])
        );
        for text in ["[,]", "[1,,]", "{,}", "[\"\0\"]"] {
            assert!(read_prefix(text.to_owned(), &LIMITS, all).is_err(), "{text}");
        }
    }
}
