//! Arguments: what the program takes on its command line, and its help.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use toolgate::Dialect;

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
    #[arg(long, default_value = "auto")]
    pub(crate) dialect: DialectArgument,
    #[command(flatten)]
    pub(crate) explain: ExplainOption,
    #[command(flatten)]
    pub(crate) tools: ToolOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DialectArgument {
    /// The one whose shape the message has
    Auto,
    /// Anthropic Messages
    Anthropic,
    /// OpenAI Chat Completions and compatible servers
    OpenaiChat,
}

impl DialectArgument {
    pub(crate) const fn dialect(self) -> Option<Dialect> {
        match self {
            Self::Auto => None,
            Self::Anthropic => Some(Dialect::Anthropic),
            Self::OpenaiChat => Some(Dialect::OpenAiChat),
        }
    }
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
    pub(crate) tools: ToolOptions,
}

#[derive(Debug, Args)]
pub(crate) struct ToolsArguments {
    /// Print the declarations to send to this provider, as JSON
    #[arg(long = "for", value_name = "DIALECT")]
    pub(crate) dialect: Option<ProviderArgument>,
    #[command(flatten)]
    pub(crate) tools: ToolOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProviderArgument {
    /// Anthropic Messages
    Anthropic,
    /// OpenAI Chat Completions and compatible servers
    OpenaiChat,
}

impl ProviderArgument {
    pub(crate) const fn dialect(self) -> Dialect {
        match self {
            Self::Anthropic => Dialect::Anthropic,
            Self::OpenaiChat => Dialect::OpenAiChat,
        }
    }
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
