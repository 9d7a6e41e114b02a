//! jaq: parses a filter, compiles it and takes its results one by one. The only file that knows jaq's machinery.

use jaq_core::data::JustLut;
use jaq_core::load::{Arena, Error, File, Loader, span};
use jaq_core::{Compiler, Ctx, Exn, Filter, Vars};
use jaq_json::Val;
use serde_json::Value;
use toolgate_sdk::Failure;

use crate::number;

/// Filters that would ask for the time, the time zone or the environment. There is none of it, and to ask for it traps.
const WORLDLY: [&str; 4] = ["env", "localtime", "now", "strflocaltime"];

type Data = JustLut<Val>;

/// The results of a filter over a value, or a failure if there are more than `most`.
pub(crate) fn run(code: &str, input: Value, most: usize) -> Result<Vec<Value>, Failure> {
    let filter = compile(code)?;
    let input: Val =
        serde_json::from_value(input).map_err(|error| Failure::failed(format!("the input cannot be read: {error}")))?;
    let context = Ctx::<Data>::new(&filter.lut, Vars::new([]));
    let mut results = Vec::new();
    for result in filter.id.run((context, input)) {
        if results.len() == most {
            return Err(Failure::refused(format!(
                "the filter gives more than {most} results; narrow it, or wrap it in `limit({most}; …)`"
            )));
        }
        results.push(json(&result.map_err(failure)?)?);
    }
    Ok(results)
}

fn compile(code: &str) -> Result<Filter<Data>, Failure> {
    let definitions = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs());
    let functions = jaq_core::funs().chain(jaq_std::funs()).chain(jaq_json::funs());
    let functions = functions.filter(|(name, ..)| !WORLDLY.contains(name));
    let arena = Arena::default();
    let loader = Loader::new(definitions);
    let modules = loader.load(&arena, File { code, path: () }).map_err(|errors| {
        errors
            .first()
            .map_or_else(|| Failure::refused("the filter cannot be read"), |(file, error)| syntax(file.code, error))
    })?;
    Compiler::default().with_funs(functions).compile(modules).map_err(|errors| {
        let unknown = errors.first().and_then(|(file, unknown)| Some((file.code, unknown.first()?)));
        match unknown {
            Some((code, (name, kind))) => {
                Failure::refused(format!("no {} `{name}` is known, at {}", kind.as_str(), position(code, name)))
            }
            None => Failure::refused("the filter uses a name that is not known"),
        }
    })
}

fn syntax(code: &str, error: &Error<&str>) -> Failure {
    let (wanted, found) = match error {
        Error::Io(_) => return Failure::refused("modules cannot be imported here"),
        Error::Lex(errors) => match errors.first() {
            Some((wanted, found)) => (wanted.as_str(), *found),
            None => ("another token", ""),
        },
        Error::Parse(errors) => match errors.first() {
            Some((wanted, found)) => (wanted.as_str(), *found),
            None => ("another token", ""),
        },
    };
    let at = position(code, found);
    let found = found.chars().next().map_or_else(|| "the end".to_owned(), |_| format!("`{}`", shortened(found)));
    Failure::refused(format!("syntax error in the filter at {at}: expected {wanted}, found {found}"))
}

/// Where a part of the filter stands, counted as an editor does.
fn position(code: &str, part: &str) -> String {
    let before = code.get(..span_start(code, part)).unwrap_or(code);
    let line = before.matches('\n').count().saturating_add(1);
    let column = before.rsplit('\n').next().unwrap_or(before).chars().count().saturating_add(1);
    if line == 1 { format!("character {column}") } else { format!("line {line}, character {column}") }
}

/// The end of the code if the part is not a piece of it, which is how jaq says that something is missing there.
fn span_start(code: &str, part: &str) -> usize {
    let inside = code.as_bytes().as_ptr_range();
    if inside.contains(&part.as_ptr()) { span(code, part).start } else { code.len() }
}

fn shortened(text: &str) -> String {
    text.chars().take(20).collect()
}

/// An error that the filter ran into or raised.
fn failure(stopped: Exn<'_, Val>) -> Failure {
    match stopped.get_err() {
        Ok(error) => Failure::failed(format!("the filter stopped: {error}")),
        Err(_) => Failure::refused("the filter ends the program (`halt`), and here is none to end; leave that out"),
    }
}

/// jaq's values are more than JSON: bytes, keys that are no text, numbers of any size. What JSON cannot say is refused.
fn json(value: &Val) -> Result<Value, Failure> {
    Ok(match value {
        Val::Null => Value::Null,
        Val::Bool(truth) => Value::Bool(*truth),
        Val::Num(number) => number::json(number)?,
        Val::TStr(text) => Value::String(String::from_utf8_lossy(text).into_owned()),
        Val::BStr(_) => {
            return Err(Failure::failed("a result is bytes, which JSON cannot say; use `@base64`"));
        }
        Val::Arr(elements) => elements.iter().map(json).collect::<Result<Value, Failure>>()?,
        Val::Obj(fields) => Value::Object(
            fields
                .iter()
                .map(|(name, value)| match name {
                    Val::TStr(name) => Ok((String::from_utf8_lossy(name).into_owned(), json(value)?)),
                    other => Err(Failure::failed(format!("a result has the key {other}, which is no text"))),
                })
                .collect::<Result<_, Failure>>()?,
        ),
    })
}
