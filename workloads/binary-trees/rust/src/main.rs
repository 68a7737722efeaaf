//! The Rust programs of binary-trees; `../../spec.md` states the problem. Each way to
//! allocate the nodes is a module of its own that can be read alone: node, build, count.
//! `run` is what they share: the phases; `sharing` has the two ways to share trees out.

mod arguments;
mod boxed;
mod bump;
mod indexed;
mod indexed_shaped;
mod memory;
mod open;
mod run;
mod shaped;
mod sharing;
mod typed;
mod unfolded;

use run::{Shape, Worker};
use sharing::{Rayon, Sharing, Threads};
use std::{env, io, process};

/// A strategy is one way to allocate the nodes.
pub struct Strategy {
    name: &'static str,
    greatest_depth: u32,
    answer: fn(u32, usize) -> io::Result<()>,
}

impl Strategy {
    const fn new<W: Worker, S: Sharing<W>>(name: &'static str) -> Self {
        Self {
            name,
            greatest_depth: W::GREATEST_DEPTH,
            answer: |depth, workers| {
                run::run::<W>(Shape::new(depth), S::new(workers)?, io::stdout().lock())
            },
        }
    }

    fn run(&self, depth: u32, workers: usize) -> io::Result<()> {
        if depth > self.greatest_depth {
            return Err(io::Error::new(
                io::ErrorKind::Other,
                format!(
                    "depth {depth} has more nodes than 32-bit links can tell apart; the greatest of {} is {}",
                    self.name, self.greatest_depth
                ),
            ));
        }
        (self.answer)(depth, workers)
    }
}

static STRATEGIES: [Strategy; 11] = [
    Strategy::new::<boxed::Boxed, Threads<_>>("box"),
    Strategy::new::<typed::Typed, Threads<_>>("typed-arena"),
    Strategy::new::<bump::Bumped, Threads<_>>("bumpalo"),
    Strategy::new::<bump::Bumped, Rayon>("bumpalo-rayon"),
    Strategy::new::<shaped::Shaped, Threads<_>>("bumpalo-shaped"),
    Strategy::new::<indexed::Indexed, Threads<_>>("indexed"),
    Strategy::new::<unfolded::Typed, Threads<_>>("typed-arena-unfolded"),
    Strategy::new::<unfolded::Bumped, Threads<_>>("bumpalo-unfolded"),
    Strategy::new::<indexed_shaped::Indexed<false>, Threads<_>>("indexed-shaped"),
    Strategy::new::<indexed_shaped::Indexed<true>, Threads<_>>("indexed-unfolded"),
    Strategy::new::<open::Open, Threads<_>>("open"),
];

fn main() {
    let arguments = env::args_os().skip(1);
    let arguments = arguments.map(|word| word.to_string_lossy().into_owned());
    let arguments = arguments::parse(arguments, &STRATEGIES).unwrap_or_else(|what| fail(2, &what));
    if let Err(err) = arguments.strategy.run(arguments.depth, arguments.workers) {
        fail(1, &err.to_string());
    }
}

fn fail(code: i32, what: &str) -> ! {
    eprintln!("binary-trees: {what}");
    process::exit(code)
}
