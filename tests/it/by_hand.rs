//! Components written by hand, for what no compiler would make: results that point nowhere, parts without number, an
//! allocator that turns on its host.

use std::borrow::Cow;

use toolgate::{ToolSource, with_contract};

/// The name of every tool made here.
pub(crate) const NAME: &str = "by_hand";

/// The name of the good one.
pub(crate) const GOOD: &str = "by_hand_good";

/// A good tool to stand beside the bad: so small that compiling it takes no time.
pub(crate) fn good() -> ToolSource {
    ByHand { module: &says(r#"{\"still\":\"here\"}"#, 16), ..ByHand::default() }.tool_named(GOOD)
}

/// A tool that answers this text, whatever it is asked, under this contract.
pub(crate) fn answers(contract: &str, text: &str) -> ToolSource {
    let data: String = text.bytes().map(|byte| format!("\\{byte:02x}")).collect();
    let length = text.len().try_into().expect("fits the one page of memory");
    let text = ByHand { module: &says(&data, length), ..ByHand::default() }.text();
    let component = wat::parse_str(text).unwrap_or_else(|error| panic!("{error}"));
    ToolSource::new("answers.wasm", Cow::Owned(with_contract(&component, contract).expect("packs")))
}

const CONTRACT: &str = r#"{"name":"by_hand","version":"1.0.0","description":"A component made by hand.","effects":"read",
    "input":{"type":"object","additionalProperties":false},"output":{"type":"object","additionalProperties":true}}"#;

/// What every module here has: a memory, an allocator that always gives the same place, a contract nobody asks for, and a
/// `call` whose result area is at 16.
const PARTS: [(&str, &str); 4] = [
    ("memory", r#"(memory (export "memory") 1)"#),
    ("realloc", r#"(func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024))"#),
    ("contract", r#"(func (export "contract") (result i32) (i32.const 16))"#),
    ("call", r#"(func (export "call") (param i32 i32) (result i32) (i32.const 16))"#),
];

/// A component around one core module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByHand<'w> {
    /// The module's own fields. What of [`PARTS`] it does not export itself is added.
    pub(crate) module: &'w str,
    /// What stands before the module in the component.
    pub(crate) before: &'w str,
    /// What the module is instantiated with.
    pub(crate) with: &'w str,
    /// In which encoding strings are lifted.
    pub(crate) encoding: &'w str,
}

impl Default for ByHand<'_> {
    fn default() -> Self {
        Self { module: "", before: "", with: "", encoding: "utf8" }
    }
}

impl ByHand<'_> {
    /// The component as a tool with a contract, so that nothing of it runs before it is called.
    pub(crate) fn tool(self) -> ToolSource {
        packed(&self.text())
    }

    /// The component without a contract in the file.
    pub(crate) fn unpacked(self) -> ToolSource {
        let component = wat::parse_str(self.text()).unwrap_or_else(|error| panic!("{error}"));
        ToolSource::new("by_hand.wasm", Cow::Owned(component))
    }

    /// The same under another name.
    pub(crate) fn tool_named(self, name: &str) -> ToolSource {
        let component = wat::parse_str(self.text()).unwrap_or_else(|error| panic!("{error}"));
        let packed = with_contract(&component, &CONTRACT.replace(NAME, name)).expect("packs");
        ToolSource::new(format!("{name}.wasm"), Cow::Owned(packed))
    }

    /// The same with `/desk` asked for, to be written to.
    pub(crate) fn tool_that_writes(self) -> ToolSource {
        self.tool_that_writes_named(NAME)
    }

    /// The same under another name.
    pub(crate) fn tool_that_writes_named(self, name: &str) -> ToolSource {
        let component = wat::parse_str(self.text()).unwrap_or_else(|error| panic!("{error}"));
        let asks = r#""effects":"write","capabilities":{"fs":[{"path":"/desk","access":"read-write"}]}"#;
        let contract = CONTRACT.replace(r#""effects":"read""#, asks).replace(NAME, name);
        let packed = with_contract(&component, &contract).expect("packs");
        ToolSource::new(format!("{name}.wasm"), Cow::Owned(packed))
    }

    /// The same as one component among others inside a larger one: `others` stand before it, `given` is what it is
    /// instantiated with. Neither may call what it stands in, so whoever wants calls between components needs siblings.
    pub(crate) fn tool_among(self, others: &str, given: &str) -> ToolSource {
        let main = self.text().replacen("(component", "(component $main", 1);
        let text = format!(
            r#"(component {others} {main} (instance $main (instantiate $main {given}))
              (export "toolgate:tool/tool@1.0.0" (instance $main "toolgate:tool/tool@1.0.0")))"#
        );
        packed(&text)
    }

    fn text(self) -> String {
        let Self { module, before, with, encoding } = self;
        let missing = PARTS.iter().filter(|(name, _)| !module.contains(&format!("(export \"{name}\")")));
        let missing: String = missing.map(|(_, part)| *part).collect();
        let lift = format!(r#"(memory $i "memory") (realloc (func $i "realloc")) string-encoding={encoding}"#);
        format!(
            r#"(component
              {before}
              (core module $m {module} {missing})
              (core instance $i (instantiate $m {with}))
              (type $failure {FAILURE})
              (func $contract (result string) (canon lift (core func $i "contract") {lift}))
              (func $call (param "arguments" string) (result (result string (error $failure)))
                (canon lift (core func $i "call") {lift}))
              (component $shim
                (type $given {FAILURE})
                (import "import-failure" (type $failure (eq $given)))
                (import "import-contract" (func $contract (result string)))
                (import "import-call" (func $call (param "arguments" string) (result (result string (error $failure)))))
                (type $shown {FAILURE})
                (export $exported "failure" (type $shown))
                (export "contract" (func $contract))
                (export "call" (func $call)
                  (func (param "arguments" string) (result (result string (error $exported))))))
              (instance $tool (instantiate $shim
                (with "import-failure" (type $failure))
                (with "import-contract" (func $contract))
                (with "import-call" (func $call))))
              (export "toolgate:tool/tool@1.0.0" (instance $tool)))"#
        )
    }
}

fn packed(text: &str) -> ToolSource {
    let component = wat::parse_str(text).unwrap_or_else(|error| panic!("{error}"));
    let packed = with_contract(&component, CONTRACT).expect("packs");
    ToolSource::new("by_hand.wasm", Cow::Owned(packed))
}

const FAILURE: &str = r#"(variant (case "not-found" string) (case "refused" string) (case "unavailable" string)
    (case "failed" string))"#;

/// A module whose call hands out the bytes of this data segment, 16 bytes behind the result area, as `length` units.
pub(crate) fn says(data: &str, length: u32) -> String {
    result(0, 32, length, data)
}

/// A module whose call says that it failed, by one of the four names of a failure, with a text of plain characters.
pub(crate) fn fails(kind: &str, text: &str) -> String {
    let nth = ["not_found", "refused", "unavailable", "failed"].iter().position(|known| *known == kind);
    let nth = nth.expect("one of the four");
    let length = text.len();
    format!(
        r#"(func (export "call") (param i32 i32) (result i32)
             (i32.store (i32.const 16) (i32.const 1))
             (i32.store (i32.const 20) (i32.const {nth}))
             (i32.store (i32.const 24) (i32.const 64))
             (i32.store (i32.const 28) (i32.const {length}))
             (i32.const 16))
           (data (i32.const 64) "{text}")"#
    )
}

/// A module whose call hands out a result area of this discriminant, pointer and length.
pub(crate) fn result(discriminant: u32, pointer: u32, length: u32, data: &str) -> String {
    format!(
        r#"(func (export "call") (param i32 i32) (result i32)
             (i32.store (i32.const 16) (i32.const {discriminant}))
             (i32.store (i32.const 20) (i32.const {pointer}))
             (i32.store (i32.const 24) (i32.const {length}))
             (i32.const 16))
           (data (i32.const 32) "{data}")"#
    )
}

/// The host's interface, lowered for a module to import as `"host" "log"`. Strings it is given come from that module's
/// own `memory`, which is not there yet, so this is made of one more module that holds a memory only.
pub(crate) const HOST_LOG: &str = r#"
    (import "toolgate:tool/host@1.0.0" (instance $host
      (type $level (enum "debug" "info" "warn" "error"))
      (export "level" (type $shown (eq $level)))
      (export "log" (func (param "level" $shown) (param "message" string)))))
    (core module $bytes (memory (export "memory") 1))
    (core instance $bytes (instantiate $bytes))
    (alias core export $bytes "memory" (core memory $text))
    (core func $log (canon lower (func $host "log") (memory $text)))"#;
