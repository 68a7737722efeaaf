//! What all strategies share: the counts that the spec gives, and the phases.

use crate::sharing::Sharing;
use std::io::{self, Write};

const MIN_DEPTH: u32 = 4;

/// How much work a depth is.
#[derive(Clone, Copy)]
pub struct Shape {
    max: u32,
}

impl Shape {
    pub fn new(depth: u32) -> Self {
        Self {
            max: depth.max(MIN_DEPTH + 2),
        }
    }

    /// How many trees of one depth there are.
    fn trees(self, depth: u32) -> u64 {
        1 << (self.max - depth + MIN_DEPTH)
    }
}

/// Builds and drops trees for one thread, with an allocator of its own.
pub trait Worker: Default + Send {
    /// The greatest depth whose trees the worker can link.
    const GREATEST_DEPTH: u32 = u32::MAX;

    /// Builds a tree of the depth, does what is to be done while it lives, counts its
    /// nodes by walking it, and drops it.
    fn tree<T>(&mut self, depth: u32, meanwhile: impl FnOnce() -> T) -> (u64, T);

    /// Builds a tree of the depth, counts its nodes by walking it, and drops it.
    fn count(&mut self, depth: u32) -> u64 {
        self.tree(depth, || ()).0
    }
}

/// Prints the answer to `out`, line by line as it comes.
pub fn run<W: Worker>(
    shape: Shape,
    mut sharing: impl Sharing<W>,
    mut out: impl Write,
) -> io::Result<()> {
    let Shape { max } = shape;
    let mut worker = W::default();
    let stretch = worker.count(max + 1);
    writeln!(out, "stretch tree of depth {}\t check: {stretch}", max + 1)?;
    let (long_lived, printed) = worker.tree(max, || -> io::Result<()> {
        for depth in (MIN_DEPTH..=max).step_by(2) {
            let trees = shape.trees(depth);
            let check = sharing.count_all(depth, trees)?;
            writeln!(out, "{trees}\t trees of depth {depth}\t check: {check}")?;
        }
        Ok(())
    });
    printed?;
    writeln!(out, "long lived tree of depth {max}\t check: {long_lived}")
}
