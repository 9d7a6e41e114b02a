//! Answers one provider's message with the tools of a file.

use toolgate::{Host, ToolSource, Turn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tool = std::fs::read("word_count.wasm")?;
    let host = Host::builder().tool(ToolSource::new("word_count.wasm", tool)).build().await?;

    let turn = Turn::read(&std::fs::read("message.json")?, None)?;
    let answer = host.answer(turn).await;

    if let Some(assistant) = answer.assistant {
        // Its provider would refuse the message as it came: this one goes into the next request in its place.
        std::fs::write("message.json", assistant)?;
    }
    std::fs::write("next-message.json", answer.message)?;
    Ok(())
}
