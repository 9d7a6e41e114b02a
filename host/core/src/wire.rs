//! Wire: which calls are in a provider's message, and what does the answer look like in the same dialect?
//!
//! Settles envelopes, never calls: arguments are handed on as the text they came as. A dialect is one file with one trait;
//! `Dialect` lists them, and nothing else does.

mod anthropic;
mod arguments;
mod bedrock;
mod gemini;
mod ids;
mod mend;
mod mistral;
mod names;
mod openai_chat;
mod openai_responses;
mod part;
mod surrogates;

use std::fmt;
use std::str::FromStr;

use serde_json::Value;
use serde_json::value::RawValue;

use self::arguments::Form;
use self::ids::{Asked, IdRule};
use self::mend::Mend;
use self::names::NameRule;
use self::part::{Object, Slot};
use crate::call::{Arguments, RawCall};
use crate::reply::Reply;
use crate::text;
use crate::units::ByteCount;

/// Most bytes of one message. It is held in memory while it is answered; a hundred calls of the largest arguments that
/// anybody sends stay well below.
pub const MAX_MESSAGE: ByteCount = ByteCount::mib(32);

/// Most calls of one message. A model writes a handful; a message of a million would make a reply and a result of each.
pub const MAX_CALLS_IN_MESSAGE: usize = 1024;

/// A provider's way of writing calls and results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Chat Completions, and servers compatible with it.
    OpenAiChat,
    /// OpenAI Responses.
    OpenAiResponses,
    /// Gemini `generateContent`, on its own API and on Vertex.
    Gemini,
    /// Amazon Bedrock Converse.
    Bedrock,
    /// Mistral chat completions.
    Mistral,
}

/// A dialect as it is registered: its name on the command line, what it is called, and what knows it.
type Entry = (&'static str, &'static str, &'static dyn Codec);

impl Dialect {
    /// All dialects, in the order in which they are listed.
    pub const ALL: [Self; 6] =
        [Self::Anthropic, Self::OpenAiChat, Self::OpenAiResponses, Self::Gemini, Self::Bedrock, Self::Mistral];

    const fn entry(self) -> Entry {
        match self {
            Self::Anthropic => ("anthropic", "Anthropic Messages", &anthropic::Anthropic),
            Self::OpenAiChat => {
                ("openai-chat", "OpenAI Chat Completions and compatible servers", &openai_chat::OpenAiChat)
            }
            Self::OpenAiResponses => ("openai-responses", "OpenAI Responses", &openai_responses::OpenAiResponses),
            Self::Gemini => ("gemini", "Gemini generateContent, Vertex included", &gemini::Gemini),
            Self::Bedrock => ("bedrock", "Amazon Bedrock Converse", &bedrock::Bedrock),
            Self::Mistral => ("mistral", "Mistral chat completions", &mistral::Mistral),
        }
    }

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        self.entry().0
    }

    /// What a person calls it, in a few words.
    pub const fn title(self) -> &'static str {
        self.entry().1
    }

    const fn codec(self) -> &'static dyn Codec {
        self.entry().2
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no dialect has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no dialect is called `{0}`")]
pub struct UnknownDialect(String);

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Self, UnknownDialect> {
        let known = Self::ALL.into_iter().find(|dialect| dialect.name() == name);
        known.ok_or_else(|| UnknownDialect(text::one_line(name, 40)))
    }
}

/// What one dialect knows.
trait Codec {
    /// What a message is told by, for a person.
    fn looks_for(&self) -> &'static str;

    /// Whether a message is written in this dialect, by its shape.
    fn recognises(&self, message: &Message<'_>) -> bool;

    /// Whether a block, part or item of a message is a call of this dialect.
    fn is_call(&self, block: &Object<'_>) -> bool;

    /// What is in a message.
    fn read<'m>(&self, message: &Message<'m>) -> Result<Found<'m>, TurnError>;

    /// What the provider takes back in its history.
    fn rules(&self) -> Rules;

    /// The answer to the calls, in order, as JSON.
    fn write(&self, results: &[Answered<'_>]) -> String;
}

/// What a provider takes back in its history.
struct Rules {
    /// Which ids; `None` where calls are matched by their position.
    ids: Option<IdRule>,
    /// Which names of tools.
    names: NameRule,
    /// Arguments in which form.
    arguments: Form,
}

/// What a codec found in a message.
struct Found<'m> {
    calls: Vec<FoundCall<'m>>,
    end: End,
    /// What goes into the next request of the message, before the answer: the assistant's message, or its items.
    assistant: String,
}

/// How a message ended, in the provider's words.
enum End {
    /// As it should.
    Whole,
    /// At a limit: the last call may be incomplete even where its JSON is whole.
    Cut,
    /// With a word that says that no call in it can be used.
    Unusable(String),
}

impl End {
    /// Sorts a provider's word; what a word ends with that ends in `*` may be anything.
    fn of(word: Option<String>, cut: &[&str], unusable: &[&str]) -> Self {
        let among = |words: &[&str], word: &str| {
            words.iter().any(|known| known.strip_suffix('*').map_or(*known == word, |start| word.starts_with(start)))
        };
        match word {
            Some(word) if among(cut, &word) => Self::Cut,
            Some(word) if among(unusable, &word) => Self::Unusable(word),
            Some(_) | None => Self::Whole,
        }
    }
}

/// One call, and where in the message it says what.
struct FoundCall<'m> {
    id: Slot<'m>,
    name: Option<Slot<'m>>,
    arguments: Option<Slot<'m>>,
    /// Whether it is for a tool that takes free text. None of ours does, and yet it is answered.
    is_custom: bool,
    /// Whether the provider says that this very call is incomplete.
    is_cut: bool,
    /// Members that its result has to repeat.
    copied: Vec<(&'static str, Value)>,
    /// Members that the dialect wants and the call has not, with what to write there.
    lacks: Vec<(Slot<'m>, String)>,
}

impl<'m> FoundCall<'m> {
    /// A call whose members all stand in one object, under these keys.
    fn of(object: &Object<'m>, id: &'static str, name: &'static str, arguments: &'static str) -> Self {
        Self {
            id: object.slot(id),
            name: Some(object.slot(name)),
            arguments: Some(object.slot(arguments)),
            is_custom: false,
            is_cut: false,
            copied: Vec::new(),
            lacks: Vec::new(),
        }
    }

    /// The tool it asks for. The colon keeps a custom tool's name from ever meeting one of ours.
    fn tool(&self) -> String {
        let name = self.name.and_then(|slot| slot.value).and_then(part::text).unwrap_or_default();
        if self.is_custom { format!("custom:{name}") } else { name }
    }

    fn raw_arguments(&self) -> Option<&'m RawValue> {
        self.arguments.and_then(|slot| slot.value)
    }
}

/// What a call leaves for its result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Echo {
    /// The name it asked for, as the provider takes it.
    name: String,
    /// Whether it was for a tool that takes free text.
    is_custom: bool,
    /// Members to repeat.
    copied: Vec<(&'static str, Value)>,
}

/// One result to write.
struct Answered<'r> {
    reply: &'r Reply,
    echo: &'r Echo,
}

impl<'r> Answered<'r> {
    /// The members to repeat, for a serializer that flattens them.
    fn copied(&self) -> std::collections::BTreeMap<&'r str, &'r Value> {
        self.echo.copied.iter().map(|(key, value)| (*key, value)).collect()
    }
}

/// A provider's message, read as far as its calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The dialect it is written in.
    pub dialect: Dialect,
    /// Its calls, in order.
    pub calls: Vec<RawCall>,
    echoes: Vec<Echo>,
    assistant: String,
    is_mended: bool,
}

/// Why something is no turn that can be answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TurnError {
    /// More bytes than are held.
    #[error("the message has more than {MAX_MESSAGE}, the most that is read")]
    TooLarge,
    /// Not one JSON object or list.
    #[error(
        "the message is not one JSON object or list, such as a provider's response body or its assistant message: {0}"
    )]
    NotJson(String),
    /// The shape of no known dialect.
    #[error("the message has the shape of no known dialect: looked for {}", looked_for())]
    NoDialect,
    /// The shape of two dialects.
    #[error("the message has the shape of several dialects ({0}): say which with `--dialect`")]
    Ambiguous(String),
    /// The dialect is known, and this part is not as it wants it.
    #[error("`{at}` {problem}")]
    Shape {
        /// The part, dotted.
        at: String,
        /// What is wrong with it.
        problem: String,
    },
    /// More calls than are answered at once.
    #[error("the message has {n_calls} calls, the most is {MAX_CALLS_IN_MESSAGE}")]
    TooManyCalls {
        /// How many.
        n_calls: usize,
    },
    /// Nothing to answer.
    #[error("the message calls no tool, so there is nothing to answer")]
    NoCalls,
    /// The provider itself says that the turn has no call that can be used, after its list of stop reasons.
    #[error("the provider reports no usable call (`{word}`): leave the message out and retry the turn")]
    NoUsableCall {
        /// The provider's word for it.
        word: String,
    },
}

fn looked_for() -> String {
    let each = Dialect::ALL.map(|dialect| format!("{} ({dialect})", dialect.codec().looks_for()));
    each.join(", ")
}

impl Turn {
    /// Reads a whole response body, the bare assistant message, or a list of items where the dialect has one; without a
    /// dialect, in the one whose shape it has.
    ///
    /// Every call has an id that the provider takes once (`Gemini` apart, which matches by position): one that is absent is
    /// made, one that is taken or refused is replaced, the same way every time. [`Turn::assistant`] has them too.
    ///
    /// # Errors
    /// What was looked for and not found; two dialects in one message; a provider that says itself that no call of the turn
    /// can be used. A bad call is no error: it gets its reply.
    pub fn read(body: &[u8], dialect: Option<Dialect>) -> Result<Self, TurnError> {
        if ByteCount::of(body) > MAX_MESSAGE {
            return Err(TurnError::TooLarge);
        }
        let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
        let whole: &RawValue = serde_json::from_slice(body).map_err(|error| not_json(error.to_string()))?;
        let message = Message::read(whole)?;
        let known = match dialect {
            Some(dialect) => dialect,
            None => detect(&message)?,
        };
        let found = known.codec().read(&message)?;
        if dialect.is_none() {
            is_unmixed(known, &found.assistant)?;
        }
        let n_calls = found.calls.len();
        match found.end {
            End::Unusable(word) => Err(TurnError::NoUsableCall { word: text::one_line(&word, 40) }),
            End::Whole | End::Cut if n_calls == 0 => Err(TurnError::NoCalls),
            End::Whole | End::Cut if n_calls > MAX_CALLS_IN_MESSAGE => Err(TurnError::TooManyCalls { n_calls }),
            End::Whole | End::Cut => settle(known, whole, found),
        }
    }

    /// What goes into the next request before [`crate::Answer::message`]: the assistant message, or the list of its items,
    /// as JSON in the turn's dialect. Everything that is not understood is as it came, byte for byte.
    pub fn assistant(&self) -> &str {
        &self.assistant
    }

    /// Whether [`Turn::assistant`] had to change for the provider to take it back.
    pub const fn is_mended(&self) -> bool {
        self.is_mended
    }

    /// The assistant message where it had to change.
    pub(crate) fn into_mended(self) -> Option<String> {
        self.is_mended.then_some(self.assistant)
    }

    /// The answer to the calls, one reply each, in order.
    pub(crate) fn write(&self, replies: &[Reply]) -> String {
        let nothing = Echo::default();
        let echoes = self.echoes.iter().chain(std::iter::repeat(&nothing));
        let results = replies.iter().zip(echoes).map(|(reply, echo)| Answered { reply, echo });
        self.dialect.codec().write(&results.collect::<Vec<_>>())
    }
}

/// The dialect whose shape a message has.
fn detect(message: &Message<'_>) -> Result<Dialect, TurnError> {
    let fitting: Vec<Dialect> =
        Dialect::ALL.into_iter().filter(|dialect| dialect.codec().recognises(message)).collect();
    match fitting.as_slice() {
        // An assistant message that is nothing but text has no calls in any dialect.
        [] if message.get("content").is_some_and(|content| content.get().starts_with('"')) => Err(TurnError::NoCalls),
        [] => Err(TurnError::NoDialect),
        [dialect] => Ok(*dialect),
        several => Err(ambiguous(several)),
    }
}

/// Whether no call of another dialect stands in a message: nobody would answer it.
fn is_unmixed(dialect: Dialect, assistant: &str) -> Result<(), TurnError> {
    let Ok(whole) = serde_json::from_str::<&RawValue>(assistant) else { return Ok(()) };
    for block in Message::read(whole)?.blocks() {
        if !dialect.codec().is_call(&block) {
            let other = Dialect::ALL.into_iter().find(|other| other.codec().is_call(&block));
            other.map_or(Ok(()), |other| Err(ambiguous(&[dialect, other])))?;
        }
    }
    Ok(())
}

fn ambiguous(dialects: &[Dialect]) -> TurnError {
    let names: Vec<&str> = dialects.iter().map(|dialect| dialect.name()).collect();
    TurnError::Ambiguous(names.join(", "))
}

/// Gives every call its id, and the message what the provider would refuse it for.
fn settle(dialect: Dialect, whole: &RawValue, found: Found<'_>) -> Result<Turn, TurnError> {
    let rules = dialect.codec().rules();
    let tools: Vec<String> = found.calls.iter().map(FoundCall::tool).collect();
    let asked = found.calls.iter().zip(&tools).map(|(call, name)| Asked {
        id: call.id.value.and_then(part::text),
        name,
        arguments: call.raw_arguments().map_or("", RawValue::get),
    });
    let assigned = ids::assign(rules.ids.as_ref(), asked.collect());
    let mut mend = Mend::default();
    let (mut calls, mut echoes) = (Vec::new(), Vec::new());
    for ((call, tool), assigned) in found.calls.into_iter().zip(tools).zip(assigned) {
        if assigned.amendment.is_some() {
            mend.write(whole, call.id, &json_text(&assigned.id));
        }
        let name = tidy(whole, &rules, &call, &mut mend);
        let arguments = match call.is_custom {
            true => Arguments::Text("{}".to_owned()),
            false => rules.arguments.read(call.raw_arguments()),
        };
        echoes.push(Echo { name, is_custom: call.is_custom, copied: call.copied });
        let recorded = assigned.amendment.into_iter().collect();
        calls.push(RawCall { id: assigned.id, tool, arguments, cut: call.is_cut, recorded });
    }
    if let (Some(last), End::Cut) = (calls.last_mut(), found.end) {
        last.cut = true;
    }
    let mended = match mend.is_empty() {
        true => None,
        false => Some(reread(dialect, &mend.apply(whole))?),
    };
    let is_mended = mended.is_some();
    let assistant = mended.unwrap_or(found.assistant);
    let well_formed = surrogates::mended(&assistant);
    let is_mended = is_mended || well_formed != assistant;
    Ok(Turn { dialect, calls, echoes, is_mended, assistant: well_formed.into_owned() })
}

/// Writes anew what the provider would refuse of a call beside its id; gives back its name as the provider takes it.
fn tidy(whole: &RawValue, rules: &Rules, call: &FoundCall<'_>, mend: &mut Mend) -> String {
    let asked = call.name.and_then(|slot| slot.value).and_then(part::text);
    let name = rules.names.cleaned(asked.as_deref().unwrap_or_default()).into_owned();
    if let Some(slot) = call.name.filter(|_| asked.as_ref() != Some(&name)) {
        mend.write(whole, slot, &json_text(&name));
    }
    if let Some(slot) = call.arguments
        && let Some(json) = rules.arguments.mended(slot.value)
    {
        mend.write(whole, slot, &json);
    }
    for (slot, json) in &call.lacks {
        mend.write(whole, *slot, json);
    }
    name
}

/// The assistant message of a message that was mended.
fn reread(dialect: Dialect, mended: &str) -> Result<String, TurnError> {
    let whole: &RawValue = serde_json::from_str(mended).map_err(|error| not_json(error.to_string()))?;
    Ok(dialect.codec().read(&Message::read(whole)?)?.assistant)
}

fn json_text(text: &str) -> String {
    Value::from(text).to_string()
}

/// A provider's message: an object, or a list of items.
enum Message<'m> {
    Object(Object<'m>),
    Items(&'m RawValue, Vec<&'m RawValue>),
}

impl<'m> Message<'m> {
    fn read(whole: &'m RawValue) -> Result<Self, TurnError> {
        let read = match whole.get().bytes().next() {
            Some(b'{') => Object::read(whole).map(Self::Object),
            Some(b'[') => part::items(whole).map(|items| Self::Items(whole, items)),
            _ => Err("it is a single value".to_owned()),
        };
        read.map_err(not_json)
    }

    /// The object that it is.
    const fn object(&self) -> Option<&Object<'m>> {
        match self {
            Self::Object(object) => Some(object),
            Self::Items(_, _) => None,
        }
    }

    /// A member; `null` is none.
    fn get(&self, key: &str) -> Option<&'m RawValue> {
        self.object().and_then(|object| object.get(key))
    }

    fn text(&self, key: &str) -> Option<String> {
        self.object().and_then(|object| object.text(key))
    }

    /// A member that is a list, as its items.
    fn list(&self, key: &str) -> Option<Vec<&'m RawValue>> {
        self.get(key).and_then(|list| part::items(list).ok())
    }

    /// Everything that may be a call, in whatever dialect.
    fn blocks(&self) -> Vec<Object<'m>> {
        let blocks = match self {
            Self::Items(_, items) => items.clone(),
            Self::Object(_) => {
                ["content", "parts", "tool_calls", "output"].iter().filter_map(|key| self.list(key)).flatten().collect()
            }
        };
        blocks.into_iter().filter_map(|block| Object::read(block).ok()).collect()
    }
}

fn not_json(problem: String) -> TurnError {
    TurnError::NotJson(text::one_line(&problem, 200))
}

/// A part that must be an object.
fn object<'m>(part: &'m RawValue, at: &str) -> Result<Object<'m>, TurnError> {
    Object::read(part).map_err(|problem| shape(at, format!("cannot be read: {problem}")))
}

/// A part that must be a list of objects.
fn objects<'m>(part: &'m RawValue, at: &str) -> Result<Vec<Object<'m>>, TurnError> {
    let items = part::items(part).map_err(|error| shape(at, format!("is no list: {error}")))?;
    items.into_iter().enumerate().map(|(idx, item)| object(item, &format!("{at}.{idx}"))).collect()
}

fn shape(at: impl Into<String>, problem: impl Into<String>) -> TurnError {
    TurnError::Shape { at: at.into(), problem: text::one_line(&problem.into(), 200) }
}

/// JSON for a person and a provider alike.
fn print(message: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(message).expect("text keys only, and writing to memory cannot fail")
}
