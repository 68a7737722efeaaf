//! The global allocator: the system's, or mimalloc if the program is built with that
//! feature. Where Rust would abort for want of memory, perhaps with a stack trace, it
//! ends the program with the one line that a user needs.

use std::alloc::{GlobalAlloc, Layout};
use std::process;

#[cfg(not(feature = "mimalloc"))]
#[global_allocator]
static GLOBAL: OrExit<std::alloc::System> = OrExit(std::alloc::System);

#[cfg(feature = "mimalloc")]
#[global_allocator]
static GLOBAL: OrExit<mimalloc::MiMalloc> = OrExit(mimalloc::MiMalloc);

struct OrExit<A>(A);

// Safety: every call goes to the allocator within, whose promises hold for it as they are.
unsafe impl<A: GlobalAlloc> GlobalAlloc for OrExit<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        or_exit(self.0.alloc(layout), layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        or_exit(self.0.alloc_zeroed(layout), layout.size())
    }

    #[inline]
    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        or_exit(self.0.realloc(start, layout, size), size)
    }

    #[inline]
    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        self.0.dealloc(start, layout);
    }
}

#[inline]
fn or_exit(start: *mut u8, size: usize) -> *mut u8 {
    if start.is_null() {
        out_of_memory(size);
    }
    start
}

#[cold]
fn out_of_memory(size: usize) -> ! {
    eprintln!(
        "binary-trees: out of memory, {size} bytes more are not to be had; choose a smaller depth"
    );
    process::exit(1)
}
