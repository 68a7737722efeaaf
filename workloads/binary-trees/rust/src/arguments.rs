//! The words on the command line: STRATEGY [-workers=N] DEPTH.

use crate::Strategy;
use std::thread;

const USAGE: &str = "usage: binary-trees STRATEGY [-workers=N] DEPTH";
const GREATEST_DEPTH: u32 = 40; // its trees take 64 TiB and more
const GREATEST_WORKERS: usize = 4096;

pub struct Arguments {
    pub strategy: &'static Strategy,
    pub workers: usize,
    pub depth: u32,
}

/// Reads the arguments, or says in one line what is wrong and what to do.
pub fn parse(
    words: impl Iterator<Item = String>,
    strategies: &'static [Strategy],
) -> Result<Arguments, String> {
    let mut workers = None;
    let mut rest = Vec::new();
    for word in words {
        match word.strip_prefix("-workers=") {
            Some(count) => workers = Some(parse_workers(count)?),
            None => rest.push(word),
        }
    }
    match &rest[..] {
        [strategy, depth] => Ok(Arguments {
            strategy: find(strategy, strategies)?,
            workers: workers.unwrap_or_else(processors),
            depth: parse_depth(depth)?,
        }),
        [strategy] => find(strategy, strategies).and(Err(format!("no depth given; {USAGE}"))),
        [] => Err(format!("no strategy and no depth given; {USAGE}")),
        [_, _, extra, ..] => Err(format!("unexpected argument {extra:?}; {USAGE}")),
    }
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

fn find(name: &str, strategies: &'static [Strategy]) -> Result<&'static Strategy, String> {
    strategies.iter().find(|s| s.name == name).ok_or_else(|| {
        let names: Vec<_> = strategies.iter().map(|s| s.name).collect();
        format!("no strategy {name:?}; there are {}", names.join(", "))
    })
}

fn parse_workers(count: &str) -> Result<usize, String> {
    match count.parse() {
        Ok(workers @ 1..=GREATEST_WORKERS) => Ok(workers),
        _ => Err(format!(
            "-workers={count} is not a whole number from 1 to {GREATEST_WORKERS}"
        )),
    }
}

fn parse_depth(depth: &str) -> Result<u32, String> {
    match depth.parse() {
        Ok(depth @ 0..=GREATEST_DEPTH) => Ok(depth),
        _ => Err(format!(
            "depth {depth:?} is not a whole number from 0 to {GREATEST_DEPTH}"
        )),
    }
}
