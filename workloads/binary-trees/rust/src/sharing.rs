//! Two ways to share the trees of one depth out over workers.

use crate::run::Worker;
use rayon::prelude::*;
use std::error::Error;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::{io, thread};

pub trait Sharing<W>: Sized {
    fn new(workers: usize) -> io::Result<Self>;

    /// Builds and counts all trees of one depth, and returns the sum of their counts.
    fn count_all(&mut self, depth: u32, trees: u64) -> io::Result<u64>;
}

/// How many trees a worker takes on at once: about 65,000 nodes, which is a fraction
/// of a millisecond, so that sharing out costs nothing and the last batches end together.
fn batch_len(depth: u32, trees: u64) -> u64 {
    ((1 << 16) >> (depth + 1)).clamp(1, trees)
}

fn count_batch(worker: &mut impl Worker, depth: u32, trees: u64) -> u64 {
    (0..trees).map(|_| worker.count(depth)).sum()
}

fn no_threads(workers: usize, err: impl Error) -> io::Error {
    let what = format!("cannot start {workers} threads: {err}; choose fewer workers");
    io::Error::new(io::ErrorKind::Other, what)
}

/// Threads of the standard library, which keep their allocators from depth to depth.
/// One worker works in the caller's thread.
pub struct Threads<W>(Vec<Apart<W>>);

/// Keeps its worker off the cache lines of the next one, which another thread writes to
/// with every node.
#[derive(Default)]
#[repr(align(128))]
struct Apart<W>(W);

impl<W: Worker> Sharing<W> for Threads<W> {
    fn new(workers: usize) -> io::Result<Self> {
        Ok(Self((0..workers).map(|_| Apart::default()).collect()))
    }

    fn count_all(&mut self, depth: u32, trees: u64) -> io::Result<u64> {
        if let [Apart(worker)] = &mut self.0[..] {
            return Ok(count_batch(worker, depth, trees));
        }
        let batch = batch_len(depth, trees); // a power of two, as the count of trees is
        let taken = AtomicU64::new(0);
        let check = AtomicU64::new(0);
        let share = |worker: &mut W| {
            while taken.fetch_add(batch, Relaxed) < trees {
                check.fetch_add(count_batch(worker, depth, batch), Relaxed);
            }
        };
        thread::scope(|scope| {
            for Apart(worker) in &mut self.0 {
                thread::Builder::new().spawn_scoped(scope, || share(worker))?;
            }
            Ok(())
        })
        .map_err(|err: io::Error| no_threads(self.0.len(), err))?;
        Ok(check.into_inner())
    }
}

/// Rayon's parallel iterator, which makes an allocator for every part of the trees that
/// it splits off. One worker works in the caller's thread.
pub struct Rayon(Option<rayon::ThreadPool>);

impl<W: Worker> Sharing<W> for Rayon {
    fn new(workers: usize) -> io::Result<Self> {
        let pool = || rayon::ThreadPoolBuilder::new().num_threads(workers).build();
        let pool = (workers > 1).then(pool).transpose();
        match pool {
            Ok(pool) => Ok(Self(pool)),
            Err(err) => Err(no_threads(workers, err)),
        }
    }

    fn count_all(&mut self, depth: u32, trees: u64) -> io::Result<u64> {
        let batch = batch_len(depth, trees);
        Ok(match &self.0 {
            None => count_batch(&mut W::default(), depth, trees),
            Some(pool) => pool.install(|| {
                (0..trees / batch)
                    .into_par_iter()
                    .map_init(W::default, |worker, _| count_batch(worker, depth, batch))
                    .sum()
            }),
        })
    }
}
