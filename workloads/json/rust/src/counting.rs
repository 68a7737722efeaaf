//! The system's allocator, which counts what it gives. One thread works, so that the counters
//! need no atomic additions.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

pub struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static GIVEN: AtomicU64 = AtomicU64::new(0);
static RETURNED: AtomicU64 = AtomicU64::new(0);

fn add(to: &AtomicU64, n: usize) {
    to.store(to.load(Relaxed).wrapping_add(n as u64), Relaxed);
}

// SAFETY: all calls go to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(&ALLOCATIONS, 1);
        add(&GIVEN, layout.size());
        System.alloc(layout)
    }
    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        add(&RETURNED, layout.size());
        System.dealloc(p, layout)
    }
    unsafe fn realloc(&self, p: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        add(&ALLOCATIONS, 1);
        add(&GIVEN, size);
        add(&RETURNED, layout.size());
        System.realloc(p, layout, size)
    }
}

/// How often memory was allocated.
pub fn allocations() -> u64 {
    ALLOCATIONS.load(Relaxed)
}

/// The bytes that were allocated.
pub fn bytes() -> u64 {
    GIVEN.load(Relaxed)
}

/// The bytes that are live.
pub fn live() -> u64 {
    GIVEN.load(Relaxed).wrapping_sub(RETURNED.load(Relaxed))
}
