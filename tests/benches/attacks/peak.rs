//! Peak: the most memory that this thread held at once.
//!
//! Counts bytes and passes on. Counted per thread, so that nothing beside the measured work is counted.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static HELD: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Runs something; the most bytes that were held beyond what was held before.
pub(crate) fn of<T>(run: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.get();
    PEAK.set(before);
    let done = run();
    (done, PEAK.get().saturating_sub(before))
}

fn take(n_bytes: usize) {
    // A constant start and no destructor: the counters are there for as long as their thread, and need no memory.
    let held = HELD.get().wrapping_add(n_bytes);
    HELD.set(held);
    PEAK.set(PEAK.get().max(held));
}

fn give(n_bytes: usize) {
    // What another thread took is given back here: the count may go below what it started at, never below zero.
    HELD.set(HELD.get().saturating_sub(n_bytes));
}

struct Counting;

// SAFETY: every method hands its arguments unchanged to `System` and gives back what it said. The counters neither
// allocate nor unwind: they are `Cell`s with a constant start and no destructor.
#[expect(unsafe_code, reason = "an allocator is an unsafe trait; this one only counts")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller keeps the promises of `alloc`, which are the same for `System`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        take(new_size);
        give(layout.size());
        // SAFETY: as above; the block came from `System`, since every other method asks it too.
        unsafe { System.realloc(ptr, layout, new_size) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        give(layout.size());
        // SAFETY: as above.
        unsafe { System.dealloc(ptr, layout) }
    }
}
