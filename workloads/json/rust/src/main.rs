//! The Rust programs of json; `../../spec.md` states the problem.
//!
//! ```text
//! json -strategy NAME [-report FILE] DEPTH
//! ```

mod archive;
mod counting;
mod document_capnp;
mod documents;
mod measure;
mod message;
mod parse;

use std::{env, fs, process, thread};

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;

const USAGE: &str = "usage: json -strategy NAME [-report FILE] DEPTH, with a NAME of rkyv capnp";
const GREATEST_DEPTH: u32 = 26;

type Run = fn(&[documents::Document], u32) -> Result<(String, measure::Figures), String>;

struct Arguments {
    run: Run,
    report: Option<String>,
    depth: u32,
}

fn arguments() -> Result<Arguments, String> {
    let mut report = None;
    let mut depth = None;
    let mut strategy = String::new();
    let mut rest = env::args().skip(1);
    while let Some(word) = rest.next() {
        let mut value = || rest.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "-strategy" => strategy = value()?,
            "-report" => report = Some(value()?),
            _ if depth.is_none() => {
                depth = Some(
                    word.parse()
                        .map_err(|_| format!("invalid depth {word}: must be a number"))?,
                )
            }
            _ => return Err(format!("one argument too many: {word}")),
        }
    }
    let run: Run = match strategy.as_str() {
        "rkyv" => measure::run::<archive::Archive>,
        "capnp" => measure::run::<message::Message>,
        _ => {
            return Err(format!(
                "invalid -strategy {strategy}: must be rkyv or capnp"
            ))
        }
    };
    match depth {
        Some(depth) if depth <= GREATEST_DEPTH => Ok(Arguments { run, report, depth }),
        Some(depth) => Err(format!(
            "invalid depth {depth}: must be 0 to {GREATEST_DEPTH}"
        )),
        None => Err("no depth".into()),
    }
}

fn solve(arguments: &Arguments) -> Result<(), String> {
    let documents = documents::read("workloads/json/peers")?;
    let (text, figures) = (arguments.run)(&documents, arguments.depth)?;
    print!("{text}");
    if let Some(file) = arguments.report.as_ref().filter(|file| !file.is_empty()) {
        fs::write(file, figures.json()).map_err(|e| format!("{file}: {e}"))?;
    }
    Ok(())
}

fn main() {
    let arguments = arguments().unwrap_or_else(|why| {
        eprintln!("json: {why}; {USAGE}");
        process::exit(2)
    });
    // 10,000 levels are parsed by recursion.
    let work = thread::Builder::new()
        .stack_size(64 << 20)
        .spawn(move || solve(&arguments));
    let result = work
        .map_err(|e| e.to_string())
        .and_then(|w| w.join().unwrap_or_else(|_| process::abort()));
    if let Err(why) = result {
        eprintln!("json: {why}");
        process::exit(1);
    }
}
