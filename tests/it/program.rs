//! The program's whole screens: what a person sees, and the exit code a script sees.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use tempfile::TempDir;
use toolgate::with_contract;

use crate::support::{Shown, guests, program, program_reading, repository};

/// The screen with everything that differs from run to run replaced: the directory, times, digests, sizes of components.
fn screen(shown: &Shown, directory: &Path) -> String {
    let screen = shown.screen().replace(&directory.display().to_string(), "DIR");
    let screen = screen.replace(&repository().display().to_string(), "REPOSITORY");
    screen.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// Settings for snapshots: columns close up, since their width depends on the times in them.
macro_rules! assert_screen {
    ($shown:expr, $directory:expr, @$snapshot:literal) => {
        insta::with_settings!({ filters => [
            (r"\d+(\.\d)? (µs|ms)", "TIME"),
            (r"[0-9a-f]{64}", "SHA256"),
            (r"toolgate-desk-\w+", "DESK"),
            (r"(size +)[\d.]+ KiB", "${1}SIZE"),
            (r"\d+(\.\d)? KiB  ", "MEMORY  "),
            (r"(none|done|unknown) +\d+ +", "${1} FUEL "),
            (r" {2,}", "  "),
        ] }, {
            insta::assert_snapshot!(screen(&$shown, $directory), @$snapshot);
        })
    };
}

fn directory() -> TempDir {
    tempfile::tempdir().expect("a directory")
}

/// A file in a directory, and its path as an argument.
fn file(directory: &TempDir, name: &str, bytes: &[u8]) -> String {
    let path = directory.path().join(name);
    fs::write(&path, bytes).expect("writes");
    path.display().to_string()
}

fn example(name: &str) -> String {
    repository().join("examples").join(name).display().to_string()
}

fn desk(directory: &TempDir) -> String {
    directory.path().display().to_string()
}

#[test]
fn the_support_turn_is_explained() {
    let desk_dir = directory();
    let shown =
        program(&["answer", &example("support.anthropic.json"), "--explain", "--desk-dir", &desk(&desk_dir)], b"");
    let explained = Shown { stdout: String::new(), ..shown };
    assert_screen!(explained, desk_dir.path(), @r#"
    exit 0
    --- stdout
    --- stderr
     id  tool  verdict  code  effects  fuel  memory  gate  registry  dispatch  sandbox  check
     toolu_01A  stock_lookup  done  none FUEL MEMORY  TIME  TIME  TIME  TIME  TIME
     toolu_01B  serch_orders  refused  call:unknown_tool  none FUEL 0 B  TIME  TIME  -  -  -
     toolu_01C  create_ticket  done  done FUEL MEMORY  TIME  TIME  TIME  TIME  TIME
     toolu_01D  create_ticket  refused  args:missing:priority  none FUEL 0 B  TIME  TIME  -  -  -
     toolu_01E  create_ticket  refused  args:unexpected:assignee  none FUEL 0 B  TIME  TIME  -  -  -
     toolu_01F  stock_lookup  refused  args:allowed:region  none FUEL 0 B  TIME  TIME  -  -  -
     toolu_01G  stock_lookup  refused  args:missing:sku  none FUEL 0 B  TIME  TIME  -  -  -
     toolu_01H  stock_lookup  refused  args:type:limit  none FUEL 0 B  TIME  TIME  -  -  -
    "#);
    let tickets = fs::read_to_string(desk_dir.path().join("tickets.jsonl")).expect("was written");
    assert_eq!(tickets.lines().count(), 1);
}

#[test]
fn the_cut_turn_is_answered_on_standard_output() {
    let body = fs::read(example("support.openai_chat.json")).expect("reads");
    let desk_dir = directory();
    let shown = program(&["answer", "-", "--dialect", "openai-chat", "--desk-dir", &desk(&desk_dir)], &body);
    assert_screen!(shown, desk_dir.path(), @r#"
    exit 0
    --- stdout
    [
      {
      "role": "tool",
      "tool_call_id": "call_a1",
      "content": "{\"sku\":\"KB-104\",\"rows\":[{\"warehouse\":\"BSN-1\",\"on_hand\":42},{\"warehouse\":\"BSN-2\",\"on_hand\":7}]}"
      },
      {
      "role": "tool",
      "tool_call_id": "call_a2",
      "content": "{\"orders\":[{\"order_id\":\"5531\",\"status\":\"open\",\"placed_on\":\"2026-05-28\",\"total_cents\":18900,\"items\":[{\"sku\":\"KB-104\",\"quantity\":1,\"unit_cents\":12900},{\"sku\":\"MS-017\",\"quantity\":2,\"unit_cents\":3000}]}]}"
      },
      {
      "role": "tool",
      "tool_call_id": "call_a3",
      "content": "call:unknown_tool: there is no tool `functions.stock_lookup`; the tools are create_ticket, csv_query, delivery_estimate, issue_refund, json_query, lookup_policy, search_orders, stock_lookup; the tool did not run\n\nhint: did you mean `stock_lookup`?"
      },
      {
      "role": "tool",
      "tool_call_id": "call_a4",
      "content": "call:truncated: the arguments of `create_ticket` were cut off before they ended; the tool did not run\n\nhint: make a smaller request: fewer items or shorter texts; sending the same again will be cut again"
      }
    ]
    --- stderr
    the assistant message had to change for `openai-chat` to take it back: `--assistant-out FILE` writes the one to send
    "#);
}

#[test]
fn the_misbehaving_turn_is_answered_whatever_its_tools_do() {
    let desk_dir = directory();
    let arguments =
        ["answer", &example("misbehaving.anthropic.json"), "--bundled", "misbehaving", "--desk-dir", &desk(&desk_dir)];
    assert_screen!(program(&arguments, b""), desk_dir.path(), @r#"
    exit 0
    --- stdout
    {
      "role": "user",
      "content": [
      {
      "type": "tool_result",
      "tool_use_id": "toolu_02A",
      "is_error": true,
      "content": "tool:fuel: `probe_spin` was stopped after 500000000 units of work; nothing was changed\n\nhint: ask for less: fewer items, a shorter range"
      },
      {
      "type": "tool_result",
      "tool_use_id": "toolu_02B",
      "is_error": true,
      "content": "tool:trap: `probe_panic` crashed; nothing was changed\n\nhint: the same call will end the same way; change the arguments or do without it"
      },
      {
      "type": "tool_result",
      "tool_use_id": "toolu_02C",
      "is_error": true,
      "content": "result:too_big:rows: the result of `stock_lookup_v1` breaks its contract: `rows` must have at most 2 items, has 20; nothing was changed\n\nhint: ask for less; if it still returns too much, use another tool"
      },
      {
      "type": "tool_result",
      "tool_use_id": "toolu_02D",
      "is_error": true,
      "content": "result:empty:rows: `rows` in the result of `stock_lookup` came back with nothing; nothing was changed\n\nhint: asking the same again will not help: check the arguments, or go on without it"
      },
      {
      "type": "tool_result",
      "tool_use_id": "toolu_02E",
      "is_error": true,
      "content": "result:range:days: the result of `delivery_estimate` breaks its contract: `days` must be from 0 to 14, got 720; nothing was changed\n\nhint: do not use the number: it may be in another unit than declared"
      },
      {
      "type": "tool_result",
      "tool_use_id": "toolu_02F",
      "content": "{\"sku\":\"KB-104\",\"rows\":[{\"warehouse\":\"SEL-1\",\"on_hand\":18}]}"
      }
      ]
    }
    --- stderr
    "#);
}

#[test]
fn an_explanation_for_a_program_is_json() {
    let desk_dir = directory();
    let arguments = ["answer", &example("support.anthropic.json"), "--explain=json", "--desk-dir", &desk(&desk_dir)];
    let shown = program(&arguments, b"");
    let lines: Vec<serde_json::Value> = serde_json::from_str(&shown.stderr).expect("JSON");
    assert_eq!(lines.len(), 8);
    assert_eq!(lines[1]["reply"]["code"], "call:unknown_tool");
    assert_eq!(lines[2]["reply"]["effects"], "done");
    assert!(lines[0]["stages_ns"]["sandbox"].is_u64() && lines[1]["stages_ns"].get("sandbox").is_none());
}

#[test]
fn what_a_tool_logs_and_prints_is_shown_on_stderr_where_it_is_asked_for() {
    let directory = directory();
    let prints = file(&directory, "prints.wasm", guests::OUTPUT_PRINTS);
    let quiet = program(&["call", "probe_output_prints", "--tools", &prints], b"");
    assert_eq!((quiet.code, quiet.stderr.as_str()), (ExitCode::SUCCESS, ""));
    let shown = program(&["call", "probe_output_prints", "--tools", &prints, "--logs"], b"");
    assert_screen!(shown, directory.path(), @r#"
    exit 0
    --- stdout
    {"text":"it is printed"}
    --- stderr
    probe_output_prints stdout: to stdout: \u{1b}[2J\u{202e}
    probe_output_prints stderr: to stderr: \u{1b}]0;owned\u{7}
    probe_output_prints stdout: to stdout again
    "#);
    let panics = file(&directory, "panics.wasm", guests::TRAP_PANICS);
    let shown = program(&["call", "probe_panic", "--tools", &panics, "--logs"], b"");
    assert!(shown.stderr.contains("\nprobe_panic error: panicked at "), "{}", shown.stderr);
}

#[test]
fn an_explanation_for_a_program_says_what_a_failed_call_cost_too() {
    let directory = directory();
    let calls = file(&directory, "calls.wasm", guests::BUDGET_CALLS_HOST);
    let shown = program(&["call", "probe_budget_calls_host", "--tools", &calls, "--explain=json"], b"");
    let json = shown.stderr.find("[\n").and_then(|at| shown.stderr.get(at..)).expect("JSON behind the text");
    let explained: serde_json::Value = serde_json::from_str(json).expect("JSON");
    assert_eq!(explained[0]["reply"]["code"], "tool:fuel");
    assert_eq!(explained[0]["reply"]["pure"], true);
    assert_eq!(explained[0]["host_calls"], 100_001);
    for key in
        ["fuel", "memory_bytes", "host_bytes", "result_bytes", "log_bytes", "output_bytes", "output_dropped_bytes"]
    {
        assert!(explained[0][key].is_u64(), "{key}: {explained}");
    }
}

#[test]
fn a_fresh_desk_is_named_only_where_something_was_written() {
    let read = program(&["call", "lookup_policy", r#"{"topic":"returns"}"#], b"");
    assert_eq!(read.stderr, "");
    let ticket = r#"{"customer_id":"cus_1","subject":"Broken","priority":"low"}"#;
    let written = program(&["call", "create_ticket", ticket], b"");
    let path = written.stderr.trim().strip_prefix("tickets and refunds are in ").expect("says where").to_owned();
    assert_eq!(fs::read_to_string(Path::new(&path).join("tickets.jsonl")).expect("is there").lines().count(), 1);
    fs::remove_dir_all(path).expect("cleans up");
}

#[test]
fn a_call_exits_with_what_became_of_it() {
    let directory = directory();
    let ok = r#"{"sku":"KB-104","region":"seoul","limit":1}"#;
    assert_screen!(program(&["call", "stock_lookup", ok], b""), directory.path(), @r#"
    exit 0
    --- stdout
    {"sku":"KB-104","rows":[{"warehouse":"SEL-1","on_hand":18}]}
    --- stderr
    "#);
    assert_screen!(program(&["call", "stock_lookup", "-"], b"{\"sku\":1}"), directory.path(), @r#"
    exit 1
    --- stdout
    --- stderr
    args:missing:limit: `limit` of `stock_lookup` is missing, got {"sku":1}; the tool did not run

    hint: add `limit`: an integer from 1 to 2
    "#);
    assert_screen!(program(&["call", "delivery_estimate", r#"{"order_id":"5531"}"#], b""), directory.path(), @r#"
    exit 1
    --- stdout
    --- stderr
    result:range:days: the result of `delivery_estimate` breaks its contract: `days` must be from 0 to 14, got 720; nothing was changed

    hint: do not use the number: it may be in another unit than declared
    "#);
    assert_screen!(program(&["call", "stock_lokup"], b""), directory.path(), @r#"
    exit 1
    --- stdout
    --- stderr
    call:unknown_tool: there is no tool `stock_lokup`; the tools are create_ticket, csv_query, delivery_estimate, issue_refund, json_query, lookup_policy, search_orders, stock_lookup; the tool did not run

    hint: did you mean `stock_lookup`?
    "#);
}

#[test]
fn the_loaded_tools_are_listed() {
    assert_screen!(program(&["tools"], b""), Path::new("DIR"), @r#"
    exit 0
    --- stdout
     name  version  effects  granted  description
     create_ticket  1.0.0  write  /desk (read-write)  Opens a case at the support desk for a customer and gives ba…
     csv_query  1.0.0  read  /data (read)  Answers a question about one CSV file: keeps the rows that f…
     delivery_estimate  1.0.0  read  Says in how many days an order will arrive. Nothing is deliv…
     issue_refund  1.0.0  write  /desk (read-write)  Pays money back for an order, in cents, at most what is left…
     json_query  1.0.0  read  Runs a jq filter over a JSON value and gives back its result…
     lookup_policy  1.0.0  read  Gives the shop's policy on one topic, word for word. Look it…
     search_orders  1.0.0  read  Lists the orders of one customer, newest first, with state, …
     stock_lookup  1.2.0  read  Looks up how many pieces of an article are on hand in the wa…
    --- stderr
    "#);
}

#[test]
fn declarations_are_what_a_provider_takes() {
    let directory = directory();
    let component = file(&directory, "stock_lookup.wasm", guests::STOCK_LOOKUP);
    for (provider, name, schema) in [
        ("anthropic", "/0/name", "/0/input_schema"),
        ("openai-chat", "/0/function/name", "/0/function/parameters"),
        ("openai-responses", "/0/name", "/0/parameters"),
        ("gemini", "/0/functionDeclarations/0/name", "/0/functionDeclarations/0/parametersJsonSchema"),
        ("gemini-api", "/0/functionDeclarations/0/name", "/0/functionDeclarations/0/parameters"),
        ("bedrock", "/0/toolSpec/name", "/0/toolSpec/inputSchema/json"),
        ("mistral", "/0/function/name", "/0/function/parameters"),
    ] {
        let shown = program(&["tools", "--for", provider, "--tools", &component], b"");
        assert_eq!(shown.stderr, "", "{provider}");
        let list: serde_json::Value = serde_json::from_str(&shown.stdout).expect("JSON");
        assert_eq!(list.pointer(name), Some(&"stock_lookup".into()), "{list}");
        let schema = list.pointer(schema).unwrap_or_else(|| panic!("{schema} in {list}"));
        assert_eq!(schema["properties"]["limit"]["maximum"], 2, "{provider}");
    }
}

#[test]
fn what_a_declaration_cannot_carry_is_a_warning_beside_it() {
    let directory = directory();
    let contract = r#"{"name":"anything","version":"1","description":"d","effects":"read","output":{"type":"string"},
        "input":{"type":"object","additionalProperties":false,"properties":{"value":{"description":"Any."}}}}"#;
    let untyped = with_contract(guests::WORD_COUNT, contract).expect("packs");
    file(&directory, "anything.wasm", &untyped);
    file(&directory, "stock_lookup.wasm", guests::STOCK_LOOKUP);
    let folder = desk(&directory);
    let shown = program(&["tools", "--for", "anthropic", "--strict", "--tools", &folder], b"");
    let list: serde_json::Value = serde_json::from_str(&shown.stdout).expect("the declarations alone");
    assert_eq!((&list[0]["strict"], &list[1]["strict"]), (&false.into(), &true.into()));
    assert_screen!(Shown { stdout: String::new(), ..shown }, directory.path(), @r#"
    exit 0
    --- stdout
    --- stderr
    warning: anything: declared without `strict`: a schema says no type (at `/properties/value`)
    "#);
    let shown = program(&["tools", "--for", "gemini", "--strict", "--tools", &folder], b"");
    assert!(shown.stderr.starts_with("warning: gemini has no `strict`"), "{}", shown.stderr);
}

#[test]
fn a_way_to_list_tools_that_means_nothing_is_a_usage_error() {
    let usage = |arguments: &[&str]| Shown { stdout: String::new(), ..program(arguments, b"") };
    assert_screen!(usage(&["tools", "--for", "nobody"]), Path::new("DIR"), @r#"
    exit 2
    --- stdout
    --- stderr
    error: invalid value 'nobody' for '--for <PROVIDER>'
      [possible values: anthropic, openai-chat, openai-responses, gemini, gemini-api, bedrock, mistral]

    For more information, try '--help'.
    "#);
    assert_screen!(usage(&["tools", "--strict"]), Path::new("DIR"), @r#"
    exit 2
    --- stdout
    --- stderr
    error: the following required arguments were not provided:
      --for <PROVIDER>

    Usage: toolgate tools --for <PROVIDER> --strict

    For more information, try '--help'.
    "#);
    assert_screen!(usage(&["tools", "--for", "gemini", "--format", "json"]), Path::new("DIR"), @r#"
    exit 2
    --- stdout
    --- stderr
    error: the argument '--for <PROVIDER>' cannot be used with '--format <FORMAT>'

    Usage: toolgate tools --for <PROVIDER>

    For more information, try '--help'.
    "#);
}

#[test]
fn the_tools_are_documented_for_people() {
    let shown = program(&["tools", "--format", "markdown"], b"");
    let (documented, codes) = shown.stdout.split_once("## When there is no answer").expect("the chapter is there");
    assert!(codes.contains("| `result:empty` | ") && codes.contains("| `args:missing` | "), "{codes}");
    assert!(!documented.contains("toolgate-desk-"), "where a granted directory is, is the operator's own");
    let relations = "`rows` of the result has at most as many items as the argument `limit` says.\n\n`sku` of the result equals the argument `sku`.";
    assert!(documented.contains(relations), "{documented}");
    let of_orders = documented.split("\n## ").find(|part| part.starts_with("`search_orders`")).expect("is documented");
    insta::assert_snapshot!(of_orders, @r#"
    `search_orders`

    **Search orders** 1.0.0: Lists the orders of one customer, newest first, with state, total and items. Amounts are in cents.

    * Effects: only reads; calls of one turn run at once
    * Granted: nothing outside its sandbox
    * Limits: 500000000 units of work, 5000 ms, 64 MiB of memory, 64 KiB of result

    ### Arguments

    | name | type | required | constraints | description |
    |---|---|---|---|---|
    | `customer_id` | text | yes | `pattern "^cus_[a-zA-Z0-9]+$"` | Customer number, for example \`cus\_8812\`. |
    | `status` | text | no | `enum ["open","shipped","delivered","refunded"]` | Only orders in this state. All orders if left out. |

    ### Result

    | name | type | required | constraints | description |
    |---|---|---|---|---|
    | `orders` | list of objects | yes |  | Orders that fit; empty if there are none. |
    | `orders.*` | object |  |  |  |
    | `orders.*.items` | list of objects | yes |  |  |
    | `orders.*.items.*` | object |  |  |  |
    | `orders.*.items.*.quantity` | whole number | yes | `minimum 1`, `maximum 4294967295` |  |
    | `orders.*.items.*.sku` | text | yes |  |  |
    | `orders.*.items.*.unit_cents` | whole number | yes | `minimum 0`, `maximum 4294967295` | Price of one piece. |
    | `orders.*.order_id` | text | yes |  |  |
    | `orders.*.placed_on` | text | yes | `format "date"` | Day of the order. |
    | `orders.*.status` | text | yes | `enum ["open","shipped","delivered","refunded"]` |  |
    | `orders.*.total_cents` | whole number | yes | `minimum 0`, `maximum 4294967295` | Sum over all items. |

    May come back empty: `orders`.
    "#);
    let of_tickets = documented.split("\n## ").find(|part| part.starts_with("`create_ticket`")).expect("is documented");
    insta::assert_snapshot!(of_tickets, @r#"
    `create_ticket`

    **Create a ticket** 1.0.0: Opens a case at the support desk for a customer and gives back its number. A person reads it.

    * Effects: changes something; calls of one turn run in the order given
    * Granted: `/desk` (read-write): tickets are appended to \`tickets.jsonl\`
    * Limits: 500000000 units of work, 5000 ms, 64 MiB of memory, 64 KiB of result

    ### Arguments

    | name | type | required | constraints | description |
    |---|---|---|---|---|
    | `customer_id` | text | yes | `pattern "^cus_[a-zA-Z0-9]+$"` | Customer number, for example \`cus\_8812\`. |
    | `priority` | text | yes | `enum ["low","normal","high","urgent"]` | How soon a person should look at it. |
    | `subject` | text | yes | `minLength 1`, `maxLength 200` | What it is about, in one sentence. |

    ### Result

    | name | type | required | constraints | description |
    |---|---|---|---|---|
    | `customer_id` | text | yes |  |  |
    | `priority` | text | yes | `enum ["low","normal","high","urgent"]` |  |
    | `subject` | text | yes |  |  |
    | `ticket_id` | text | yes | `pattern "^T-[0-9]{4,}$"` | Number of the new ticket. |

    No list in the top level of the result may come back empty.
    "#);
}

#[test]
fn the_tools_are_listed_for_a_program() {
    let directory = directory();
    file(&directory, "create_ticket.wasm", guests::CREATE_TICKET);
    file(&directory, "stock_lookup.wasm", guests::STOCK_LOOKUP);
    let grant = r#"fs = [{ guest = "/desk", host = ".", access = "read-write" }]"#;
    let entries =
        format!("[[tools]]\npath = \"create_ticket.wasm\"\n{grant}\n[[tools]]\npath = \"stock_lookup.wasm\"\n");
    let config = file(&directory, "toolgate.toml", entries.as_bytes());
    let shown = program(&["tools", "--format", "json", "--config", &config], b"");
    let listed: serde_json::Value = serde_json::from_str(&shown.stdout).expect("JSON");
    let (ticket, stock) = (&listed[0], &listed[1]);
    assert_eq!((&ticket["name"], &ticket["effects"]), (&"create_ticket".into(), &"write".into()));
    assert_eq!(ticket["granted"], serde_json::json!([{"path": "/desk", "access": "read-write"}]));
    assert_eq!((&stock["limits"]["time_ms"], &stock["may_be_empty"]), (&5000.into(), &serde_json::json!([])));
    assert_eq!(stock["input"]["properties"]["limit"]["maximum"], 2);
    assert_eq!(stock["sha256"].as_str().map(str::len), Some(64));
}

#[test]
fn a_component_is_inspected_whether_packed_or_not() {
    let directory = directory();
    let component = file(&directory, "create_ticket.wasm", guests::CREATE_TICKET);
    assert_screen!(program(&["inspect", &component], b""), directory.path(), @r#"
    exit 0
    --- stdout
    file  DIR/create_ticket.wasm
    size  SIZE
    sha256  SHA256
    packed  no: the contract is read by running `contract()`
    name  create_ticket
    version  1.0.0
    description  Opens a case at the support desk for a customer and gives back its number. A person reads it.
    effects  write
    pure  no: it asks for something outside
    asks for  directory /desk (read-write): tickets are appended to `tickets.jsonl`
    imports  toolgate:tool/host@1.0.0
    imports  wasi:io/poll@0.2.6
    imports  wasi:io/error@0.2.6
    imports  wasi:io/streams@0.2.6
    imports  wasi:cli/environment@0.2.6
    imports  wasi:cli/exit@0.2.6
    imports  wasi:cli/stdin@0.2.6
    imports  wasi:cli/stdout@0.2.6
    imports  wasi:cli/stderr@0.2.6
    imports  wasi:cli/terminal-input@0.2.6
    imports  wasi:cli/terminal-output@0.2.6
    imports  wasi:cli/terminal-stdin@0.2.6
    imports  wasi:cli/terminal-stdout@0.2.6
    imports  wasi:cli/terminal-stderr@0.2.6
    imports  wasi:clocks/wall-clock@0.2.6
    imports  wasi:filesystem/types@0.2.6
    imports  wasi:filesystem/preopens@0.2.6
    input  {"additionalProperties":false,"properties":{"customer_id":{"description":"Customer number, for example `cus_8812`.","pattern":"^cus_[a-zA-Z0-9]+$","type":"string"},"priority":{"description":"How soon a person should look at it.","enum":["low","normal","high","urgent"],"type":"string"},"subject":{"description":"What it is about, in one sentence.","maxLength":200,"minLength":1,"type":"string"}},"required":["customer_id","subject","priority"],"type":"object"}
    output  {"additionalProperties":false,"properties":{"customer_id":{"type":"string"},"priority":{"enum":["low","normal","high","urgent"],"type":"string"},"subject":{"type":"string"},"ticket_id":{"description":"Number of the new ticket.","pattern":"^T-[0-9]{4,}$","type":"string"}},"required":["ticket_id","customer_id","subject","priority"],"type":"object"}
    --- stderr
    "#);
    let shown = program(&["inspect", &component, "--json"], b"");
    let value: serde_json::Value = serde_json::from_str(&shown.stdout).expect("JSON");
    assert_eq!((&value["packed"], &value["contract"]["name"]), (&false.into(), &"create_ticket".into()));
    let module = file(&directory, "module.wasm", b"\0asm\x01\0\0\0");
    assert_screen!(program(&["inspect", &module], b""), directory.path(), @r#"
    exit 2
    --- stdout
    --- stderr
    error: load:not_component: DIR/module.wasm: it is a WebAssembly core module, not a component
    hint: build for `wasm32-unknown-unknown` with `linker = "wasm-component-ld"` in `.cargo/config.toml`, or for `wasm32-wasip2`
    "#);
}

#[test]
fn a_packed_component_loads_checks_and_answers() {
    let directory = directory();
    let component = file(&directory, "word_count.wasm", guests::WORD_COUNT);
    let packed = directory.path().join("packed.wasm").display().to_string();
    assert_screen!(program(&["check", &component], b""), directory.path(), @r#"
    exit 0
    --- stdout
    DIR/word_count.wasm: word_count 1.0.0 loads
    contract: not packed; hosts run `contract()` to read it (`toolgate pack` changes that)
    --- stderr
    "#);
    assert_screen!(program(&["pack", &component, "-o", &packed], b""), directory.path(), @r#"
    exit 0
    --- stdout
    --- stderr
    packed word_count 1.0.0 into DIR/packed.wasm (399 B of contract)
    "#);
    assert_screen!(program(&["check", &packed], b""), directory.path(), @r#"
    exit 0
    --- stdout
    DIR/packed.wasm: word_count 1.0.0 loads
    contract: packed, and the same as `contract()` gives
    --- stderr
    "#);
    let arguments = ["call", "--tools", &packed, "word_count", r#"{"text":"a b"}"#];
    assert_screen!(program(&arguments, b""), directory.path(), @r#"
    exit 0
    --- stdout
    {"words":2}
    --- stderr
    "#);
}

#[test]
fn a_check_finds_a_section_that_says_something_else() {
    let directory = directory();
    let contract = r#"{"name":"word_count","version":"9","description":"d","effects":"read",
        "input":{"type":"object","additionalProperties":false},"output":{"type":"string"}}"#;
    let forged = with_contract(guests::WORD_COUNT, contract).expect("packs");
    let forged = file(&directory, "forged.wasm", &forged);
    assert_screen!(program(&["check", &forged], b""), directory.path(), @r#"
    exit 1
    --- stdout
    DIR/forged.wasm: its contract section differs from what `contract()` gives, and hosts believe the section
    hint: run `toolgate pack` on it again
    --- stderr
    "#);
    let ticket = file(&directory, "ticket.wasm", guests::CREATE_TICKET);
    assert_screen!(program(&["check", &ticket], b""), directory.path(), @r#"
    exit 0
    --- stdout
    DIR/ticket.wasm: create_ticket 1.0.0 loads
    contract: not packed; hosts run `contract()` to read it (`toolgate pack` changes that)
    needs granted: directory /desk (read-write)
    --- stderr
    "#);
}

#[test]
fn a_check_beside_other_tools_finds_a_clash() {
    let directory = directory();
    let mine = file(&directory, "mine.wasm", guests::LOOKUP_POLICY);
    let shown = program(&["check", &mine, "--bundled", "desk"], b"");
    assert!(shown.screen().starts_with("exit 2\n") && shown.stderr.contains("load:collision"), "{}", shown.stderr);
}

#[test]
fn a_load_error_names_the_file_and_the_rule_and_nothing_runs() {
    let directory = directory();
    let ticket = file(&directory, "a_ticket.wasm", guests::CREATE_TICKET);
    file(&directory, "b_cut.wasm", &guests::OK_ECHO[..5000]);
    file(&directory, "c_echo.wasm", guests::OK_ECHO);
    file(&directory, "notes.txt", b"not looked at");
    let folder = desk(&directory);
    assert_screen!(program(&["tools", "--tools", &folder], b""), directory.path(), @r#"
    exit 2
    --- stdout
    --- stderr
    error: load:grant: DIR/a_ticket.wasm: it asks for directory `/desk` (read-write), which nobody granted
    hint: grant it in toolgate.toml, under the tool: `fs = [{ guest = "/desk", host = "DIR", access = "read-write" }]`
    load:not_component: DIR/b_cut.wasm: it is damaged at byte 3518: unexpected end-of-file
    hint: copy or build the file again; it may have been cut
    "#);
    let twice = ["tools", "--bundled", "desk", "--tools", &ticket];
    assert!(program(&twice, b"").stderr.contains("load:grant"));
    let missing = directory.path().join("nowhere").display().to_string();
    assert_screen!(program(&["tools", "--tools", &missing], b""), directory.path(), @r#"
    exit 2
    --- stdout
    --- stderr
    error: load:unreadable: cannot read `DIR/nowhere`: No such file or directory (os error 2)
    "#);
    let empty = tempfile::tempdir_in(directory.path()).expect("a directory");
    let shown = program(&["tools", "--tools", &desk(&empty)], b"");
    assert!(shown.stderr.contains("no `*.wasm` in"), "{}", shown.stderr);
}

#[test]
fn two_tools_of_one_name_end_the_program() {
    let directory = directory();
    file(&directory, "one.wasm", guests::OK_ECHO);
    file(&directory, "two.wasm", guests::OK_ECHO);
    assert_screen!(program(&["tools", "--tools", &desk(&directory)], b""), directory.path(), @r#"
    exit 2
    --- stdout
    --- stderr
    error: load:collision: DIR/two.wasm: its name `echo` clashes with `echo` of DIR/one.wasm
    hint: load one of them only
    "#);
}

#[test]
fn a_configuration_turns_the_second_key() {
    let directory = directory();
    file(&directory, "csv_query.wasm", guests::CSV_QUERY);
    fs::create_dir(directory.path().join("tables")).expect("makes it");
    fs::write(directory.path().join("tables/prices.csv"), "sku,cents\nA,100\nB,250\n").expect("writes");
    let config = file(
        &directory,
        "toolgate.toml",
        b"[[tools]]\npath = \"csv_query.wasm\"\nfs = [{ guest = \"/data\", host = \"tables\", access = \"read\" }]\n",
    );
    assert_screen!(program(&["tools", "--config", &config], b""), directory.path(), @r#"
    exit 0
    --- stdout
     name  version  effects  granted  description
     csv_query  1.0.0  read  /data (read)  Answers a question about one CSV file: keeps the rows that f…
    --- stderr
    "#);
    let arguments = ["call", "--config", &config, "csv_query", r#"{"file":"prices.csv","sum":"cents"}"#];
    assert_screen!(program(&arguments, b""), directory.path(), @r#"
    exit 0
    --- stdout
    {"columns":["sum(cents)","count"],"rows":[["350","2"]],"found":1}
    --- stderr
    "#);
}

#[test]
fn a_configuration_that_means_nothing_is_named_with_its_line() {
    let directory = directory();
    let typo = file(&directory, "typo.toml", b"[[tools]]\npath = \"a.wasm\"\nlimts = { fuel = 1 }\n");
    assert_screen!(program(&["tools", "--config", &typo], b""), directory.path(), @r#"
    exit 2
    --- stdout
    --- stderr
    error: in `DIR/typo.toml`: load:policy: TOML parse error at line 3, column 1
      |
    3 | limts = { fuel = 1 }
      | ^^^^^
    unknown field `limts`, expected one of `path`, `limits`, `fs`, `effects`, `remember`, `output_schema`, `raw_results`
    "#);
    let none = directory.path().join("none.toml").display().to_string();
    assert_screen!(program(&["tools", "--config", &none], b""), directory.path(), @r#"
    exit 2
    --- stdout
    --- stderr
    error: cannot read `DIR/none.toml`: No such file or directory (os error 2)
    "#);
}

#[test]
fn what_is_no_turn_ends_with_what_was_looked_for() {
    let directory = directory();
    assert_screen!(program(&["answer"], b"{}"), directory.path(), @r#"
    exit 2
    --- stdout
    --- stderr
    error: no turn: the message has the shape of no known dialect: looked for `content` with blocks (anthropic), `choices` or `tool_calls` (openai-chat), `output` with items, or a list of items (openai-responses), `candidates`, or `parts` of the role `model` (gemini), `output.message`, or `content` with `toolUse` blocks (bedrock), the same with a Mistral model or its ids (mistral)
    "#);
    assert_screen!(program(&["answer"], b"\x00\xff"), directory.path(), @r#"
    exit 2
    --- stdout
    --- stderr
    error: no turn: the message is not one JSON object or list, such as a provider's response body or its assistant message: expected value at line 1 column 1
    "#);
    assert_screen!(program(&["answer", &desk(&directory)], b""), directory.path(), @r#"
    exit 2
    --- stdout
    --- stderr
    error: cannot read `DIR`: it is a directory
    "#);
    assert_screen!(program(&["answer", "--desk-dir", "nowhere/at/all", &example("support.anthropic.json")], b""), directory.path(), @r#"
    exit 2
    --- stdout
    --- stderr
    error: `--desk-dir nowhere/at/all` is no directory
    hint: make it first
    "#);
}

#[test]
fn a_message_that_never_ends_is_refused() {
    let shown = program_reading(&["answer"], &mut std::io::repeat(b' '));
    assert!(shown.screen().starts_with("exit 2\n") && shown.stderr.contains("more than 32 MiB"), "{}", shown.screen());
}

#[test]
fn a_file_name_cannot_move_the_cursor() {
    let directory = directory();
    let name = "evil\u{1b}[2J\u{202e}.wasm";
    let there = file(&directory, name, guests::OK_ECHO);
    let missing = directory.path().join("none\u{1b}[31m").display().to_string();
    for arguments in [
        vec!["check", &there],
        vec!["inspect", &there],
        vec!["tools", "--tools", &missing],
        vec!["call", "--tools", &there, "\u{1b}]0;owned\u{7}"],
        vec!["answer", &there],
        vec!["\u{1b}[31m"],
    ] {
        let screen = program(&arguments, b"").screen();
        assert!(screen.chars().all(|c| c == '\n' || !c.is_control() && c != '\u{202e}'), "{screen:?}");
    }
}

/// A reader of our output that has gone away.
struct Closed;

impl std::io::Write for Closed {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn what_was_written_is_found_again_also_where_nobody_reads_the_answer() {
    let mut stderr = Vec::new();
    let mut screen = toolgate_cli::Screen {
        stdin: &mut std::io::empty(),
        stdout: &mut Closed,
        stderr: &mut stderr,
        interactive: false,
    };
    let arguments = ["toolgate", "answer", &example("support.anthropic.json")].map(Into::into);
    let code = toolgate_cli::run(arguments, &mut screen);
    assert_eq!(code, ExitCode::SUCCESS, "whoever read it has seen enough");
    let said = String::from_utf8(stderr).expect("UTF-8");
    let desk = said.trim().strip_prefix("tickets and refunds are in ").expect("says where").to_owned();
    assert!(Path::new(&desk).join("tickets.jsonl").is_file());
    fs::remove_dir_all(desk).expect("cleans up");
}

#[test]
fn arguments_on_standard_input_are_not_mended() {
    let directory = directory();
    let echo = file(&directory, "echo.wasm", guests::OK_ECHO);
    let shown = program(&["call", "--tools", &echo, "echo", "-"], b"{\"text\":\"a \xff b\"}");
    assert!(
        shown.screen().starts_with("exit 1\n") && shown.stderr.starts_with("call:bad_text: "),
        "{}",
        shown.screen()
    );
    let typo = program(&["call", "echo", "--bunlded"], b"");
    assert!(typo.screen().starts_with("exit 2\n") && typo.stderr.contains("--bunlded"), "{}", typo.stderr);
}

#[test]
fn an_explanation_is_json_whatever_an_id_holds() {
    let directory = directory();
    let echo = file(&directory, "echo.wasm", guests::OK_ECHO);
    let body = "{\"tool_calls\":[{\"id\":\"a\u{202e}b\",\"type\":\"function\",\"function\":{\"name\":\"echo\",\"arguments\":\"{\\\"text\\\":\\\"x\\\"}\"}}]}";
    let shown = program(&["answer", "--tools", &echo, "--explain=json"], body.as_bytes());
    assert!(!shown.stderr.contains('\u{202e}'), "{}", shown.stderr);
    let lines: Vec<serde_json::Value> = serde_json::from_str(&shown.stderr).expect("JSON");
    assert_eq!(lines[0]["id"], "a\u{202e}b");
}

#[test]
fn a_dialect_that_was_asked_for_is_named_where_the_message_is_not_in_it() {
    let shown = program(&["answer", "--dialect", "anthropic"], br#"{"choices":[{"message":{"tool_calls":[]}}]}"#);
    assert_eq!(shown.stderr, "error: no turn, read as `--dialect anthropic`: `content` is not there\n");
    let directory = directory();
    let page = file(&directory, "turn.json", b"<html>502 Bad Gateway</html>");
    let shown = program(&["answer", &page], b"");
    assert!(shown.stderr.starts_with(&format!("error: in `{page}`: no turn: ")), "{}", shown.stderr);
    let component = file(&directory, "echo.wasm", guests::OK_ECHO);
    let shown = program(&["tools", "--config", &component], b"");
    assert!(shown.stderr.contains("is no `toolgate.toml`: "), "{}", shown.stderr);
}

#[test]
fn the_assistant_message_is_written_as_it_came_or_mended() {
    let directory = directory();
    let out = directory.path().join("assistant.json").display().to_string();
    let with = |file: &str, out: &str| {
        program(&["answer", &example(file), "--assistant-out", out, "--desk-dir", &desk(&directory)], b"")
    };
    let shown = with("support.anthropic.json", &out);
    assert_eq!((shown.code, shown.stderr.as_str()), (ExitCode::SUCCESS, ""));
    let as_it_came: serde_json::Value = serde_json::from_slice(&fs::read(&out).expect("is there")).expect("JSON");
    let body: serde_json::Value =
        serde_json::from_slice(&fs::read(example("support.anthropic.json")).expect("is there")).expect("JSON");
    assert_eq!(as_it_came, serde_json::json!({ "role": "assistant", "content": body["content"] }));
    let shown = Shown { stdout: String::new(), ..with("support.mistral.json", &out) };
    assert_screen!(shown, directory.path(), @r#"
    exit 0
    --- stdout
    --- stderr
    the assistant message had to change for `mistral` to take it back: send the one in `DIR/assistant.json`
    "#);
    let stdout = fs::read_to_string(&out).expect("is there");
    let written = Shown { code: ExitCode::SUCCESS, stdout, stderr: String::new() };
    assert_screen!(written, directory.path(), @r#"
    exit 0
    --- stdout
    {
      "role": "assistant",
      "content": "",
      "tool_calls": [
      {
      "id": "Q7wE2rT9a",
      "type": "function",
      "index": 0,
      "function": {
      "name": "stock_lookup",
      "arguments": "{\"sku\":\"KB-104\",\"region\":\"busan\",\"limit\":2}"
      }
      },
      {
      "id": "Q7wE2rT9b",
      "type": "function",
      "index": 1,
      "function": {
      "name": "search_orders",
      "arguments": {
      "customer_id": "cus_8812",
      "status": "open"
      }
      }
      },
      {
      "id": "Q7wE2rT9c",
      "type": "function",
      "index": 2,
      "function": {
      "name": "functions_stock_lookup",
      "arguments": "{\"sku\":\"KB-104\",\"region\":\"jeju\",\"limit\":1}"
      }
      },
      {
      "id": "Q7wE2rT9d",
      "type": "function",
      "index": 3,
      "function": {
      "name": "create_ticket",
      "arguments": "{\"_raw\":\"{\\\"customer_id\\\":\\\"cus_8812\\\",\\\"subject\\\":\\\"Order 5531 arrived damaged and the customer wants\"}"
      }
      }
      ]
      }
    --- stderr
    "#);
    fs::remove_file(directory.path().join("tickets.jsonl")).expect("the first turn wrote one");
    let files: Vec<_> =
        fs::read_dir(directory.path()).expect("lists").map(|entry| entry.expect("reads").file_name()).collect();
    assert_eq!(files, ["assistant.json"], "nothing is left beside it");
    let nowhere = directory.path().join("nowhere/assistant.json").display().to_string();
    for out in [desk(&directory), nowhere] {
        let shown = with("support.anthropic.json", &out);
        assert_eq!((shown.code, shown.stdout.as_str()), (ExitCode::from(2), ""));
        assert!(shown.stderr.starts_with(&format!("error: cannot write `{out}`: ")), "{}", shown.stderr);
    }
    assert!(!directory.path().join("tickets.jsonl").exists(), "no tool ran where the message could not be written");
}

#[test]
fn a_dialect_that_is_none_or_two_is_said() {
    assert_screen!(program(&["answer", "--dialect", "cohere"], b""), Path::new("DIR"), @r#"
    exit 2
    --- stdout
    --- stderr
    error: invalid value 'cohere' for '--dialect <DIALECT>'
      [possible values: auto, anthropic, openai-chat, openai-responses, gemini, bedrock, mistral]

    For more information, try '--help'.
    "#);
    let mixed = br#"{"content":[{"type":"tool_use","id":"a","name":"b","input":{}}],"tool_calls":[]}"#;
    assert_screen!(program(&["answer"], mixed), Path::new("DIR"), @r#"
    exit 2
    --- stdout
    --- stderr
    error: no turn: the message has the shape of several dialects (anthropic, openai-chat): say which with `--dialect`
    "#);
    let malformed = br#"{"candidates":[{"content":{},"finishReason":"MALFORMED_FUNCTION_CALL"}]}"#;
    assert_screen!(program(&["answer"], malformed), Path::new("DIR"), @r#"
    exit 2
    --- stdout
    --- stderr
    error: no turn: the provider reports no usable call (`MALFORMED_FUNCTION_CALL`): leave the message out and retry the turn
    "#);
    assert!(
        program(&["tools", "--for", "cohere"], b"")
            .stderr
            .contains("openai-responses, gemini, gemini-api, bedrock, mistral")
    );
}

#[test]
fn an_entry_may_lay_a_schema_over_its_tools_own() {
    let directory = directory();
    file(&directory, "stock_lookup.wasm", guests::STOCK_LOOKUP);
    let over = |name: &str, text: &str| {
        file(&directory, "over.json", text.as_bytes());
        let entry = format!("[[tools]]\npath = \"stock_lookup.wasm\"\noutput_schema = \"{name}\"\n");
        let config = file(&directory, "toolgate.toml", entry.as_bytes());
        let arguments = r#"{"sku":"KB-104","region":"busan","limit":2}"#;
        program(&["call", "--config", &config, "stock_lookup", arguments], b"")
    };
    assert_screen!(over("over.json", r#"{"properties":{"rows":{"maxItems":1}}}"#), directory.path(), @r#"
    exit 1
    --- stdout
    --- stderr
    result:too_big:rows: the result of `stock_lookup` breaks its contract: `rows` must have at most 1 items, has 2; nothing was changed

    hint: ask for less; if it still returns too much, use another tool
    "#);
    assert_screen!(over("over.json", r#"{"maxLenght":1}"#), directory.path(), @r#"
    exit 2
    --- stdout
    --- stderr
    error: load:schema_keyword: DIR/stock_lookup.wasm: the operator's output schema (DIR/over.json): `maxLenght` at `/` is no keyword that is enforced; did you mean `maxLength`?
    "#);
    assert_screen!(over("nowhere.json", "{}"), directory.path(), @r#"
    exit 2
    --- stdout
    --- stderr
    error: load:unreadable: cannot read `DIR/nowhere.json`: No such file or directory (os error 2)
    "#);
}

#[test]
fn a_result_that_is_handed_on_raw_moves_no_cursor() {
    let directory = directory();
    file(&directory, "hides.wasm", guests::RESULT_HIDES_TEXT);
    let config = file(&directory, "toolgate.toml", b"[[tools]]\npath = \"hides.wasm\"\nraw_results = true\n");
    let shown = program(&["call", "--config", &config, "probe_result_hides_text", "{}"], b"");
    assert!(shown.stdout.chars().all(|c| c == '\n' || !(c.is_control() || ('\u{200b}'..='\u{202e}').contains(&c))));
    let result: serde_json::Value = serde_json::from_str(&shown.stdout).expect("JSON");
    assert!(result["text"].as_str().is_some_and(|text| text.contains("gnp\u{202e}exe")), "{result}");
}
