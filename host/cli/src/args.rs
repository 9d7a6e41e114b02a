//! Arguments: what the program takes on its command line, and its help.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use serde_json::Value;
use toolgate::{Dialect, Mode, Provider};

/// Runs third-party tools for LLM agents: checks each call before the tool exists, runs it in a sandbox, checks what came
/// back, and answers every call id exactly once.
#[derive(Debug, Parser)]
#[command(name = "toolgate", version, term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Answer a provider's message: every call in it gets one result
    ///
    /// Exits with 0 where the turn was answered, however its calls ended; 2 where it could not be; 3 where it was answered
    /// and the session is better stopped; 130 where Ctrl-C cancelled a call. Pressed once more, it ends the program at once,
    /// without an answer.
    Answer(AnswerArguments),
    /// Call one tool
    Call(CallArguments),
    /// List the loaded tools, or print their declarations for a provider
    Tools(ToolsArguments),
    /// Show what a component is made of and what it asks for
    Inspect(InspectArguments),
    /// Write a component's contract into it, so that hosts read it without running guest code
    Pack(PackArguments),
    /// Load a component as the host would, and hold what it says against what it carries
    Check(CheckArguments),
    /// Say what is to be mended, from a log that `answer` and `call` wrote with `--log`
    Report(ReportArguments),
}

/// Which tools are loaded. What is given adds up; where nothing is given, it is the bundle `desk`, or for `check` nothing.
#[derive(Debug, Args)]
#[command(next_help_heading = "Tools")]
pub(crate) struct ToolOptions {
    /// Load the tools of a bundle that comes with the program
    #[arg(long, value_name = "BUNDLE")]
    pub(crate) bundled: Option<Bundle>,
    /// Load a component, or every `*.wasm` of a directory (not below it); may be repeated
    #[arg(long, value_name = "DIR_OR_WASM")]
    pub(crate) tools: Vec<PathBuf>,
    /// Load the tools of a `toolgate.toml`, with their limits and grants
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Where the bundled tools write tickets and refunds [default: a fresh directory, named on stderr]
    #[arg(long, value_name = "DIR")]
    pub(crate) desk_dir: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Bundle {
    /// A support desk: stock, orders, policies, tickets, refunds; and queries over CSV and JSON
    Desk,
    /// The desk, and tools that break their promises
    Misbehaving,
}

#[derive(Debug, Args)]
pub(crate) struct AnswerArguments {
    /// The response body or the bare assistant message; `-` is standard input
    #[arg(default_value = "-")]
    pub(crate) file: PathBuf,
    /// The dialect of the message
    #[arg(long, default_value = AUTO, value_parser = dialect_or_auto())]
    pub(crate) dialect: DialectArgument,
    /// Write the assistant message that goes into the next request before the answer: as it came, or mended where its
    /// provider would refuse it
    #[arg(long, value_name = "FILE")]
    pub(crate) assistant_out: Option<PathBuf>,
    /// Answer within the session that this file holds, and write it there again; a file that is not there is a new session
    ///
    /// A session counts refusals and repetitions and says when to stop: then the reason is on stderr and the program exits
    /// with 3. A write that ran in it is not run again. While it is used, `FILE.lock` beside it is locked.
    #[arg(long, value_name = "FILE")]
    pub(crate) session: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) explain: ExplainOption,
    #[command(flatten)]
    pub(crate) log: LogOptions,
    #[command(flatten)]
    pub(crate) reading: ReadingOptions,
    #[command(flatten)]
    pub(crate) caller: CallerOption,
    #[command(flatten)]
    pub(crate) values: ValueOptions,
    #[command(flatten)]
    pub(crate) tools: ToolOptions,
}

/// The dialect that was asked for; none is the one whose shape the message has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DialectArgument(pub(crate) Option<Dialect>);

/// The word for no dialect in particular.
const AUTO: &str = "auto";

/// The dialects, as the library lists them.
fn dialects() -> impl Iterator<Item = PossibleValue> {
    Dialect::ALL.into_iter().map(|dialect| PossibleValue::new(dialect.name()).help(dialect.title()))
}

fn dialect_or_auto() -> impl TypedValueParser<Value = DialectArgument> {
    let auto = PossibleValue::new(AUTO).help("The one whose shape the message has");
    PossibleValuesParser::new(std::iter::once(auto).chain(dialects())).try_map(|name| match name.as_str() {
        AUTO => Ok(DialectArgument(None)),
        name => name.parse().map(|dialect| DialectArgument(Some(dialect))),
    })
}

/// How calls are read; over what the configuration says.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Reading calls")]
pub(crate) struct ReadingOptions {
    /// Amend a call by what its tool's schema shows to be meant, where nothing is lost: `"2"` for 2, a code fence, a list sent
    /// as its text. Each amendment is recorded (`--explain=json`), and the whole is checked again
    #[arg(long)]
    pub(crate) coerce: bool,
    /// The model was shown strict declarations (`toolgate tools --strict`): a `null` that the tool's own schema refuses
    /// stands for an absent optional key
    #[arg(long)]
    pub(crate) strict: bool,
}

/// On whose behalf calls are made.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Authorisation")]
pub(crate) struct CallerOption {
    /// See the tools as this caller of the configuration does, and call them on its behalf; without it every tool is there,
    /// and rules know of no caller
    #[arg(long, value_name = "NAME")]
    pub(crate) caller: Option<String>,
}

/// What rules know of the conversation.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Authorisation")]
pub(crate) struct ValueOptions {
    /// Set a value that rules see as `session.NAME`: JSON, or a text where it is none; may be repeated
    ///
    /// With `--session` the session keeps it.
    #[arg(long, value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub(crate) set: Vec<(String, Value)>,
}

fn name_and_value(written: &str) -> Result<(String, Value), String> {
    let (name, value) = written.split_once('=').ok_or("it has no `=` between name and value")?;
    if name.is_empty() {
        return Err("it has no name before the `=`".to_owned());
    }
    let value = serde_json::from_str(value).unwrap_or_else(|_no_json| Value::from(value));
    Ok((name.to_owned(), value))
}

#[derive(Debug, Args)]
pub(crate) struct ExplainOption {
    /// Say on stderr what became of each call: a table, or JSON with `--explain=json`
    #[arg(long, value_name = "FORMAT", num_args = 0..=1, require_equals = true, default_missing_value = "table")]
    pub(crate) explain: Option<ExplainFormat>,
    /// Say on stderr what each tool logged and printed
    #[arg(long)]
    pub(crate) logs: bool,
}

/// Where calls are logged for `toolgate report`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Logging calls")]
pub(crate) struct LogOptions {
    /// Append a line of JSON per call to this file: what became of it, what it cost and what was wrong with it, without
    /// its arguments
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Log the arguments too, cut; without it their digest stands for them
    #[arg(long, requires = "log")]
    pub(crate) log_arguments: bool,
    /// The conversation that the calls belong to, by a name of your own: what a model does after a refusal is told apart by
    /// it. The name of the session's file, where there is one and nothing else is said
    #[arg(long, value_name = "NAME", requires = "log")]
    pub(crate) conversation: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExplainFormat {
    /// For a person
    Table,
    /// For a program
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct CallArguments {
    /// The tool's name
    pub(crate) name: String,
    /// The arguments, one JSON object; `-` reads it from standard input
    #[arg(default_value = "{}")]
    pub(crate) arguments: String,
    #[command(flatten)]
    pub(crate) explain: ExplainOption,
    #[command(flatten)]
    pub(crate) log: LogOptions,
    #[command(flatten)]
    pub(crate) reading: ReadingOptions,
    #[command(flatten)]
    pub(crate) caller: CallerOption,
    #[command(flatten)]
    pub(crate) values: ValueOptions,
    #[command(flatten)]
    pub(crate) tools: ToolOptions,
}

#[derive(Debug, Args)]
pub(crate) struct ToolsArguments {
    /// Print the declarations to send to this provider: the value of the request's list of tools, as JSON
    ///
    /// A provider takes a part of JSON Schema. What it does not take is written into the descriptions, what can be said in
    /// no way is a warning on stderr. Whatever is declared, the host holds every call against the full schema.
    #[arg(long = "for", value_name = "PROVIDER", value_parser = providers())]
    pub(crate) provider: Option<Provider>,
    /// Declare the tools with `strict`, where the provider has it and the tool's schema allows it
    ///
    /// The provider then makes the model keep to what it takes of the schema. A tool whose schema `strict` would change is
    /// declared without it, with a warning on stderr.
    #[arg(long, requires = "provider")]
    pub(crate) strict: bool,
    /// How the list is printed [default: table]
    #[arg(long, value_name = "FORMAT", conflicts_with = "provider")]
    pub(crate) format: Option<ToolsFormat>,
    #[command(flatten)]
    pub(crate) caller: CallerOption,
    #[command(flatten)]
    pub(crate) tools: ToolOptions,
}

impl ToolsArguments {
    pub(crate) const fn mode(&self) -> Mode {
        if self.strict { Mode::Strict } else { Mode::Plain }
    }
}

/// The providers that the library knows, by their names there.
fn providers() -> impl TypedValueParser<Value = Provider> {
    let named = Provider::ALL.map(|provider| PossibleValue::new(provider.name()).help(provider.about()));
    PossibleValuesParser::new(named).try_map(|name| {
        let known = Provider::ALL.into_iter().find(|provider| provider.name() == name);
        known.ok_or_else(|| format!("no provider `{name}`"))
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ToolsFormat {
    /// One line per tool
    Table,
    /// Everything that is known of each tool, for a program
    Json,
    /// The tools' documentation, for people
    Markdown,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArguments {
    /// The component
    pub(crate) file: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PackArguments {
    /// The component
    pub(crate) file: PathBuf,
    /// Where to write the packed component
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// The component
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) beside: ToolOptions,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// The log
    pub(crate) log: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
