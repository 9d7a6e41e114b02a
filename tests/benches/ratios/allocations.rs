//! Allocations: how often this thread asks for memory.
//!
//! Counts and passes on. Counted per thread, since an atomic shared by all would slow down what is being timed.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static N_ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// How often this thread has asked so far; a block that grows asks again.
pub(crate) fn so_far() -> u64 {
    N_ALLOCATIONS.get()
}

fn count() {
    // A constant start and no destructor: the counter is there for as long as its thread, and reading it asks for nothing.
    N_ALLOCATIONS.set(N_ALLOCATIONS.get().wrapping_add(1));
}

struct Counting;

// SAFETY: every method hands its arguments unchanged to `System` and gives back what it said. The counter neither
// allocates nor unwinds: it is a `Cell` with a constant start and no destructor.
#[expect(unsafe_code, reason = "an allocator is an unsafe trait; this one only counts")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the promises of `alloc`, which are the same for `System`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count();
        // SAFETY: as above; the block came from `System`, since every other method asks it too.
        unsafe { System.realloc(ptr, layout, new_size) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(ptr, layout) }
    }
}
