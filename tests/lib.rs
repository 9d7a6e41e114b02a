//! Nothing but the shared bench and test dependencies: see `it/main.rs` and `benches/`.
