//! Toolgate in front of the same four tools: contracts over a guest that answers with the arguments it is handed.

use anyhow::{Result, ensure};
use toolgate::{Coercion, Host, RawCall, ToolSource, Verdict, with_contract};

use super::{Dispatch, Ended, ProviderCall};

/// Name, effects, and what the arguments have to be.
const TOOLS: [(&str, &str, &str); 4] = [
    (
        "create_ticket",
        "write",
        r#"{"type":"object","additionalProperties":false,"required":["customer_id","subject","priority"],"properties":{"customer_id":{"type":"string","pattern":"^cus_[a-zA-Z0-9]+$"},"subject":{"type":"string","minLength":1,"maxLength":200},"priority":{"type":"string","enum":["low","normal","high","urgent"]}}}"#,
    ),
    (
        "issue_refund",
        "write",
        r#"{"type":"object","additionalProperties":false,"required":["order_id","amount_cents"],"properties":{"order_id":{"type":"string","pattern":"^[0-9]{4,6}$"},"amount_cents":{"type":"integer","minimum":1,"maximum":100000},"reason":{"type":"string","maxLength":200}}}"#,
    ),
    (
        "list_invoices",
        "read",
        r#"{"type":"object","additionalProperties":false,"required":["customer_id"],"properties":{"customer_id":{"type":"string","pattern":"^cus_[a-zA-Z0-9]+$"},"since":{"type":"string","format":"date"}}}"#,
    ),
    (
        "stock_lookup",
        "read",
        r#"{"type":"object","additionalProperties":false,"required":["sku","region"],"properties":{"sku":{"type":"string","pattern":"^[A-Z]{2,3}-[0-9]{3,4}$"},"region":{"type":"string","enum":["busan","daegu","incheon","jeju","seoul"]},"limit":{"type":"integer","minimum":1,"maximum":20}}}"#,
    ),
];

pub(super) struct Gated {
    host: Host,
}

impl Gated {
    pub(super) async fn load(mirror: &[u8], coercion: Coercion) -> Result<Self> {
        let mut builder = Host::builder().coercion(coercion);
        for (name, effects, input) in TOOLS {
            let contract = format!(
                r#"{{"name":"{name}","version":"1","description":"d","effects":"{effects}","input":{input},"output":{{"type":"object","additionalProperties":true}}}}"#
            );
            builder = builder.tool(ToolSource::new(format!("{name}.wasm"), with_contract(mirror, &contract)?));
        }
        Ok(Self { host: builder.build().await? })
    }

    /// One call. An error is a store that was made for a call that never ran, or none for one that did.
    pub(super) async fn run(&self, call: &ProviderCall) -> Result<Ended> {
        let before = self.host.stats().stores_created;
        let reply = self.host.call(RawCall::new(call.name.as_str(), call.arguments.get())).await;
        let stores = self.host.stats().stores_created.saturating_sub(before);
        let code = reply.code().map(|code| code.to_string()).unwrap_or_default();
        let ended = match &reply.verdict {
            Verdict::Done(checked) => Ended::Acted(Dispatch { tool: reply.tool.clone(), arguments: checked.value() }),
            Verdict::Refused(_) => Ended::Refused(code),
            Verdict::Failed(_) => Ended::Raised(code),
        };
        let ran = !matches!(ended, Ended::Refused(_));
        ensure!(stores == u64::from(ran), "{stores} stores for `{}`: {}", call.name, reply.text());
        Ok(ended)
    }
}
