//! What tests and benchmarks share: their dependencies, and what both run. See `it/main.rs` and `benches/`.

pub mod side_by_side;
