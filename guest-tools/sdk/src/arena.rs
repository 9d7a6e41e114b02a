//! Arena: the memory a small call works in, so that it never has to ask for more.
//!
//! Rust's own allocator takes nothing of what a component starts with: it grows the memory in every call, which costs the
//! host two system calls each time, a third of a small call. This one hands out [`SIZE`] bytes first and then goes on to
//! Rust's own. It is the component's global allocator, so a tool cannot have another one.
//!
//! Only for components without WASI. With it, the C library frees what the interface allocated, so both have to be the C
//! library's; its allocator uses what a component starts with anyway.

use std::alloc::System;

use stalloc::{AllocChain, SyncStalloc};

/// Bytes of one block: what every allocation is rounded up to, and the alignment that most of them want.
const BLOCK: usize = 16;

/// Bytes of the arena, which stand in the component's file too. The tools that come with the host take a few kilobytes for a
/// call.
const SIZE: usize = 32 << 10;

#[global_allocator]
static ARENA: AllocChain<'static, SyncStalloc<{ SIZE / BLOCK }, BLOCK>, System> = SyncStalloc::new().chain(&System);
