//! Answers one provider's message with the tools of a file.

use toolgate::{Host, ToolSource, Turn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tool = std::fs::read("word_count.wasm")?;
    let host = Host::builder().tool(ToolSource::new("word_count.wasm", tool)).build().await?;

    let turn = Turn::read(&std::fs::read("message.json")?, None)?;
    let answer = host.answer(turn).await;

    std::fs::write("next-message.json", answer.message)?;
    Ok(())
}
