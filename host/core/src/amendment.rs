//! Amendment: one thing about a call that was read as what it means, and is said in the reply.
//!
//! Names only. Slips that have one meaning are always read so (`normalised:`); what a schema shows to be meant is read so
//! where the operator wants it (`coerced:`). Who finds which: `wire` the ids, `gate` the text, `registry` the values,
//! `check` what a tool answered.

use std::fmt;

use crate::field_path::FieldPath;
use crate::text;

/// A slip that was read as what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Amendment {
    /// Empty text stands for no arguments.
    EmptyArguments,
    /// Arguments were absent or `null`.
    NullArguments,
    /// An empty object was glued before the real one.
    EmptyObjectPrefix,
    /// A byte order mark stood in front.
    Bom,
    /// An object came where its text was due.
    ParsedObject,
    /// The call had no id and was given one.
    MintedId,
    /// The call had the id of another call of the turn, or one that its provider refuses, and was given one of its own.
    ReassignedId,
    /// A `null` that only a strict declaration asks for stands for an absent key.
    StrictNull(FieldPath),
    /// `-0` is `0`.
    NegativeZero(FieldPath),
    /// `-0` is `0`, in the result.
    NegativeZeroInResult(FieldPath),
    /// One code fence stood around the object.
    Fence,
    /// Text without an object of its own stood after the object.
    TrailingText,
    /// A comma stood after the last item or member.
    TrailingComma,
    /// A control character stood in a string without its escape.
    ControlCharacters,
    /// The object was encoded twice.
    DecodedArguments,
    /// A list or object was sent as its text.
    DecodedString(FieldPath),
    /// A number was sent in quotes.
    NumberFromString(FieldPath),
    /// `true` or `false` was sent in quotes.
    BooleanFromString(FieldPath),
    /// A text of digits was sent as an integer.
    StringFromInteger(FieldPath),
    /// A `null` for an optional key stands for an absent one.
    DroppedNull(FieldPath),
    /// The arguments were wrapped in this key.
    Unwrapped(String),
    /// A known prefix stood before the tool's name.
    ToolPrefix,
    /// A model's control token stood behind the tool's name.
    ToolToken,
    /// A permitted value came in another letter case.
    EnumCase(FieldPath),
    /// Half a surrogate pair became U+FFFD.
    ReplacedSurrogate(FieldPath),
}

impl Amendment {
    /// The name without its place.
    const fn rule(&self) -> &'static str {
        match self {
            Self::EmptyArguments => "normalised:empty_arguments",
            Self::NullArguments => "normalised:null_arguments",
            Self::EmptyObjectPrefix => "normalised:empty_object_prefix",
            Self::Bom => "normalised:bom",
            Self::ParsedObject => "normalised:parsed_object",
            Self::MintedId => "normalised:minted_id",
            Self::ReassignedId => "normalised:reassigned_id",
            Self::StrictNull(_) => "normalised:strict_null",
            Self::NegativeZero(_) => "normalised:negative_zero",
            Self::NegativeZeroInResult(_) => "normalised:result_negative_zero",
            Self::Fence => "coerced:fence",
            Self::TrailingText => "coerced:trailing_text",
            Self::TrailingComma => "coerced:trailing_comma",
            Self::ControlCharacters => "coerced:control_characters",
            Self::DecodedArguments => "coerced:decoded_arguments",
            Self::DecodedString(_) => "coerced:decoded_string",
            Self::NumberFromString(_) => "coerced:number_from_string",
            Self::BooleanFromString(_) => "coerced:boolean_from_string",
            Self::StringFromInteger(_) => "coerced:string_from_integer",
            Self::DroppedNull(_) => "coerced:dropped_null",
            Self::Unwrapped(_) => "coerced:unwrapped",
            Self::ToolPrefix => "coerced:tool_prefix",
            Self::ToolToken => "coerced:tool_token",
            Self::EnumCase(_) => "coerced:enum_case",
            Self::ReplacedSurrogate(_) => "coerced:replaced_surrogate",
        }
    }

    /// Where in the arguments or in the result, for those that have a place.
    const fn place(&self) -> Option<&FieldPath> {
        match self {
            Self::StrictNull(at)
            | Self::NegativeZero(at)
            | Self::NegativeZeroInResult(at)
            | Self::DecodedString(at)
            | Self::NumberFromString(at)
            | Self::BooleanFromString(at)
            | Self::StringFromInteger(at)
            | Self::DroppedNull(at)
            | Self::EnumCase(at)
            | Self::ReplacedSurrogate(at) => Some(at),
            Self::EmptyArguments
            | Self::NullArguments
            | Self::EmptyObjectPrefix
            | Self::Bom
            | Self::ParsedObject
            | Self::MintedId
            | Self::ReassignedId
            | Self::Fence
            | Self::TrailingText
            | Self::TrailingComma
            | Self::ControlCharacters
            | Self::DecodedArguments
            | Self::Unwrapped(_)
            | Self::ToolPrefix
            | Self::ToolToken => None,
        }
    }
}

impl fmt::Display for Amendment {
    /// Such as `normalised:bom` or `coerced:number_from_string:limit`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.rule())?;
        match (self, self.place()) {
            (Self::Unwrapped(key), _) => write!(f, ":{}", text::one_line(key, 64)),
            (_, Some(at)) if !at.is_root() => write!(f, ":{at}"),
            _ => Ok(()),
        }
    }
}

/// Whether a call is amended by what its tool's schema shows to be meant: a number in quotes, a code fence, a list as its
/// text. Nothing is lost or guessed by it, each amendment is recorded, and the amended call is checked as a whole again.
/// Slips with only one meaning (`normalised:`) are read so in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coercion {
    /// A call is taken as it is written. A model that is corrected once gets it right; one that is read leniently never
    /// learns.
    #[default]
    Off,
    /// Amendments that lose nothing are made.
    Lossless,
}
