//! Profile: what each provider takes of JSON Schema, as data.
//!
//! Decides nothing: `lower` and `plain` act on it, and the tests hold every declaration against it. After the published
//! schema rules of each provider (Anthropic and Bedrock "strict tool use", OpenAI "structured outputs", Gemini `Schema` and
//! `parametersJsonSchema`) and, where a rule is not published, after the request errors that people met; those are named.

/// What a provider takes in one mode.
#[derive(Debug)]
pub(super) enum Column {
    /// The schema as it is declared; below the root every keyword is a hint.
    AsDeclared(AsDeclared),
    /// Only what is listed.
    Lowered(Profile),
}

/// Where a schema is taken as it is, but for its root.
#[derive(Debug)]
pub(super) struct AsDeclared {
    /// Keywords that fail the whole request at the root.
    pub(super) root_refuses: &'static [&'static str],
    /// Whether a list without `items` (aichat#1049) and a root without `properties` (spring-ai#4776) fail the request.
    pub(super) parts_are_said: bool,
    /// Which property names are taken.
    pub(super) names: Names,
}

/// Where a schema is written anew.
#[derive(Debug)]
pub(super) struct Profile {
    /// Every keyword that may stand in a schema. A constraint that is not among them is said in words.
    pub(super) keywords: &'static [&'static str],
    /// The values of `format`, where that is a keyword.
    pub(super) formats: &'static [&'static str],
    /// The value of `pattern`, where that is a keyword.
    pub(super) patterns: Patterns,
    /// The values of `minItems`, where that is a keyword.
    pub(super) min_items: MinItems,
    /// The values of `enum`.
    pub(super) values: Values,
    /// How a schema allows null beside something else.
    pub(super) null: Null,
    /// What an object says about undeclared keys.
    pub(super) objects: Objects,
    /// What stands for an absent optional key.
    pub(super) optional: OptionalKeys,
    /// What becomes of a schema that refers to itself.
    pub(super) recursion: Recursion,
    /// What becomes of a schema that says no type.
    pub(super) untyped: Untyped,
    /// What becomes of a list whose places differ.
    pub(super) tuples: Tuples,
    /// Which property names are taken.
    pub(super) names: Names,
    /// Largest schema.
    pub(super) size: Size,
}

/// Which patterns are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patterns {
    /// Any.
    Any,
    /// Without look-around and back-references.
    Plain,
    /// Without word boundaries either.
    PlainWithoutBoundaries,
}

/// Which least numbers of items are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MinItems {
    /// Any.
    Any,
    /// 0 and 1.
    UpToOne,
}

/// Which values an `enum` may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Values {
    /// Anything but lists and objects.
    Scalars,
    /// Strings and numbers.
    StringsAndNumbers,
    /// Strings. A number written as one would make the model answer `"1"`, which the host then refuses.
    Strings,
}

/// How null stands beside something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Null {
    /// As one more type.
    Type,
    /// As `nullable`; several types are alternatives.
    Flag,
}

/// What objects say about undeclared keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Objects {
    /// `additionalProperties: false`, all of them. A free map would come back empty.
    Closed,
    /// What they are declared to say.
    AsDeclared,
    /// Nothing.
    Silent,
}

/// What stands for an absent key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OptionalKeys {
    /// Its absence.
    Absent,
    /// `null`, since every key is required.
    Null,
}

/// What becomes of a schema that refers to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recursion {
    /// A reference into `$defs`.
    Kept,
    /// The same where an optional key lies on the circle, else it is cut.
    KeptUnderOptional,
    /// It is cut where it would begin again.
    Cut,
    /// The tool is declared without `strict`.
    Refused,
}

/// What becomes of a schema that says no type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Untyped {
    /// It takes anything.
    Anything,
    /// The tool is declared without `strict`.
    Refused,
}

/// What becomes of a list whose places differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tuples {
    /// They stay.
    Kept,
    /// Every place takes what any of them takes.
    Widened,
    /// A tuple of one is a list of it; another makes the tool be declared without `strict`.
    OnlyOfOne,
}

/// Which property names are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Names {
    /// Any.
    Any,
    /// `^[a-zA-Z0-9_.-]{1,64}$` at the root.
    AnthropicRoot,
    /// `^[A-Za-z_][A-Za-z0-9_]{0,63}$` everywhere.
    Gemini,
}

impl Names {
    /// The rule that this name of a property breaks.
    pub(super) fn broken_by(self, name: &str, at_root: bool) -> Option<&'static str> {
        let fits = |head: fn(u8) -> bool, tail: fn(u8) -> bool| {
            let mut bytes = name.bytes();
            name.len() <= 64 && bytes.next().is_some_and(head) && bytes.all(tail)
        };
        match self {
            Self::AnthropicRoot if at_root => {
                let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-');
                (!fits(plain, plain)).then_some("^[a-zA-Z0-9_.-]{1,64}$")
            }
            Self::Gemini => {
                let head = |b: u8| b.is_ascii_alphabetic() || b == b'_';
                let tail = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
                (!fits(head, tail)).then_some("^[A-Za-z_][A-Za-z0-9_]{0,63}$")
            }
            Self::Any | Self::AnthropicRoot => None,
        }
    }
}

/// Largest schema of one tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    /// Properties of all objects together.
    pub(super) properties: usize,
    /// Objects inside each other.
    pub(super) depth: usize,
    /// Characters of all property names, names of definitions and values of enums together.
    pub(super) characters: usize,
    /// Values of all enums together.
    pub(super) values: usize,
    /// Characters of the values of one enum with more than 250.
    pub(super) long_enum: usize,
}

impl Size {
    /// Where no size is published.
    const ANY: Self = Self {
        properties: usize::MAX,
        depth: usize::MAX,
        characters: usize::MAX,
        values: usize::MAX,
        long_enum: usize::MAX,
    };
}

/// What one request may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Request {
    /// Tools.
    pub(super) tools: usize,
    /// Tools with `strict`.
    pub(super) strict_tools: usize,
    /// Optional keys of all tools with `strict`.
    pub(super) optional_keys: usize,
    /// Schemas with several types or alternatives, of all tools with `strict`.
    pub(super) unions: usize,
}

impl Request {
    /// Where nothing is published.
    pub(super) const ANY: Self =
        Self { tools: usize::MAX, strict_tools: usize::MAX, optional_keys: usize::MAX, unions: usize::MAX };
    /// Anthropic, and Claude behind Bedrock.
    pub(super) const ANTHROPIC: Self = Self { strict_tools: 20, optional_keys: 24, unions: 16, ..Self::ANY };
    /// OpenAI.
    pub(super) const OPENAI: Self = Self { tools: 128, ..Self::ANY };
    /// Gemini.
    pub(super) const GEMINI: Self = Self { tools: 512, ..Self::ANY };
}

/// Anthropic without `strict`; Bedrock too, whose rules are those of the model behind it. Combinators at the root fail the
/// whole request (claude-code#5319).
pub(super) const ANTHROPIC: Column = Column::AsDeclared(AsDeclared {
    root_refuses: &["allOf", "anyOf", "oneOf"],
    parts_are_said: false,
    names: Names::AnthropicRoot,
});

/// OpenAI without `strict`; Mistral and compatible servers too. What fails at the root: langchainjs#9804.
pub(super) const OPENAI: Column = Column::AsDeclared(AsDeclared {
    root_refuses: &["allOf", "anyOf", "const", "enum", "not", "oneOf"],
    parts_are_said: true,
    names: Names::Any,
});

/// Anthropic with `strict`.
pub(super) const ANTHROPIC_STRICT: Column = Column::Lowered(CLAUDE_STRICT);

/// Bedrock with `strict`, which is Claude behind it.
pub(super) const BEDROCK_STRICT: Column = Column::Lowered(Profile { patterns: Patterns::Plain, ..CLAUDE_STRICT });

const CLAUDE_STRICT: Profile = Profile {
    keywords: &[
        "additionalProperties",
        "anyOf",
        "description",
        "enum",
        "format",
        "items",
        "minItems",
        "pattern",
        "properties",
        "required",
        "type",
    ],
    formats: &["date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uri", "uuid"],
    patterns: Patterns::PlainWithoutBoundaries,
    min_items: MinItems::UpToOne,
    values: Values::Scalars,
    null: Null::Type,
    objects: Objects::Closed,
    optional: OptionalKeys::Absent,
    recursion: Recursion::Refused,
    untyped: Untyped::Refused,
    tuples: Tuples::Widened,
    names: Names::AnthropicRoot,
    size: Size::ANY,
};

/// OpenAI with `strict`. Lengths of strings are taken by OpenAI and not documented, and compatible servers refuse them.
pub(super) const OPENAI_STRICT: Column = Column::Lowered(Profile {
    keywords: &[
        "$defs",
        "$ref",
        "additionalProperties",
        "anyOf",
        "description",
        "enum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "items",
        "maxItems",
        "maximum",
        "minItems",
        "minimum",
        "multipleOf",
        "pattern",
        "properties",
        "required",
        "type",
    ],
    formats: &["date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uuid"],
    patterns: Patterns::Plain,
    min_items: MinItems::Any,
    values: Values::Scalars,
    null: Null::Type,
    objects: Objects::Closed,
    optional: OptionalKeys::Null,
    recursion: Recursion::Kept,
    untyped: Untyped::Refused,
    tuples: Tuples::OnlyOfOne,
    names: Names::Any,
    size: Size { properties: 5000, depth: 10, characters: 120_000, values: 1000, long_enum: 15_000 },
});

/// Gemini, `parametersJsonSchema`.
pub(super) const GEMINI: Column = Column::Lowered(Profile {
    keywords: &[
        "$defs",
        "$ref",
        "additionalProperties",
        "anyOf",
        "description",
        "enum",
        "items",
        "maxItems",
        "maximum",
        "minItems",
        "minimum",
        "prefixItems",
        "properties",
        "required",
        "type",
    ],
    formats: &[],
    patterns: Patterns::Any,
    min_items: MinItems::Any,
    values: Values::StringsAndNumbers,
    null: Null::Type,
    objects: Objects::AsDeclared,
    optional: OptionalKeys::Absent,
    recursion: Recursion::KeptUnderOptional,
    untyped: Untyped::Anything,
    tuples: Tuples::Kept,
    names: Names::Gemini,
    size: Size::ANY,
});

/// Gemini, `parameters`: the API's own `Schema`, the only form of the Live API.
pub(super) const GEMINI_API: Column = Column::Lowered(Profile {
    keywords: &[
        "anyOf",
        "description",
        "enum",
        "format",
        "items",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "nullable",
        "pattern",
        "properties",
        "required",
        "type",
    ],
    formats: &["byte", "date", "date-time", "double", "email", "float", "int32", "int64", "password"],
    patterns: Patterns::Any,
    min_items: MinItems::Any,
    values: Values::Strings,
    null: Null::Flag,
    objects: Objects::Silent,
    optional: OptionalKeys::Absent,
    recursion: Recursion::Cut,
    untyped: Untyped::Anything,
    tuples: Tuples::Widened,
    names: Names::Gemini,
    size: Size::ANY,
});

impl Profile {
    /// Whether a keyword may stand in a schema.
    pub(super) fn takes(&self, keyword: &str) -> bool {
        self.keywords.contains(&keyword)
    }

    /// Whether a pattern may.
    pub(super) fn takes_pattern(&self, pattern: &str) -> bool {
        self.takes("pattern")
            && match self.patterns {
                Patterns::Any => true,
                Patterns::Plain => is_plain_pattern(pattern, true),
                Patterns::PlainWithoutBoundaries => is_plain_pattern(pattern, false),
            }
    }

    /// Whether a least number of items may.
    pub(super) fn takes_min_items(&self, n_items: u64) -> bool {
        self.takes("minItems") && (self.min_items == MinItems::Any || n_items <= 1)
    }

    /// Whether a value may stand in an `enum`.
    pub(super) fn takes_value(&self, value: &serde_json::Value) -> bool {
        match self.values {
            Values::Scalars => !value.is_array() && !value.is_object(),
            Values::StringsAndNumbers => value.is_string() || value.is_number(),
            Values::Strings => value.is_string(),
        }
    }
}

/// Whether a pattern holds nothing but what every engine reads the same way: literals, classes, groups that capture or not,
/// repetitions, anchors, and the escapes listed here.
fn is_plain_pattern(pattern: &str, boundaries: bool) -> bool {
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('b' | 'B') => {
                    if !boundaries {
                        return false;
                    }
                }
                Some('d' | 'D' | 'w' | 'W' | 's' | 'S' | 'n' | 'r' | 't' | 'f' | 'v') => {}
                Some(escaped) if escaped.is_ascii_punctuation() => {}
                _ => return false,
            },
            '(' if chars.peek() == Some(&'?') => {
                chars.next();
                if chars.next() != Some(':') {
                    return false;
                }
            }
            _ => {}
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{Names, is_plain_pattern};

    #[test]
    fn a_pattern_is_plain_where_every_engine_reads_it_the_same_way() {
        for (pattern, with_boundaries, without) in [
            (r"^cus_[a-zA-Z0-9]+$", true, true),
            (r"^(?:a|b)\d{2}\.$", true, true),
            (r"\bword\b", true, false),
            (r"(?=a)", false, false),
            (r"(?i)a", false, false),
            (r"(a)\1", false, false),
            (r"\p{L}", false, false),
        ] {
            assert_eq!(is_plain_pattern(pattern, true), with_boundaries, "{pattern}");
            assert_eq!(is_plain_pattern(pattern, false), without, "{pattern}");
        }
    }

    #[test]
    fn a_name_is_held_against_the_rule_of_its_place() {
        assert_eq!(Names::AnthropicRoot.broken_by("a.b-c", true), None);
        assert!(Names::AnthropicRoot.broken_by("a b", true).is_some());
        assert!(Names::AnthropicRoot.broken_by("", true).is_some());
        assert_eq!(Names::AnthropicRoot.broken_by("a b", false), None);
        assert!(Names::Gemini.broken_by("a.b", false).is_some());
        assert_eq!(Names::Gemini.broken_by("_a1", false), None);
        assert_eq!(Names::Any.broken_by("\n", true), None);
    }
}
