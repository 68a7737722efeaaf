//! The phases of `../../spec.md`, as `../../go/measure` has them. There is no collector, and so no
//! figure of one.

use crate::counting;
use crate::documents::{Document, Step};
use std::fmt::Write;
use std::mem::MaybeUninit;

/// A document in the form of a contender.
pub trait Dom: Sized {
    fn parse(text: &[u8]) -> Result<Self, String>;
    /// Visits every value and adds it to the totals.
    fn walk(&self, t: &mut Totals);
    /// Follows a path, and returns an answer.
    fn get(&self, path: &[Step]) -> u64;
    /// A document that shares nothing with this one, in the memory of an old one if there is any.
    fn copy(&self, old: Option<Self>) -> Self;
    /// Validates a stored document.
    fn load(stored: Self) -> Result<Self, String>;
    /// A checksum of the whole content.
    fn sum(&self) -> u64;
}

#[derive(Default)]
pub struct Totals {
    pub null: usize,
    pub bool: usize,
    pub number: usize,
    pub string: usize,
    pub array: usize,
    pub object: usize,
    members: usize,
    number_bits: u64,
    string_bytes: usize,
    key_bytes: usize,
}

impl Totals {
    fn values(&self) -> usize {
        self.null + self.bool + self.number + self.string + self.array + self.object
    }
    pub fn add_number(&mut self, v: f64) {
        self.number += 1;
        self.number_bits = self.number_bits.wrapping_add(v.to_bits());
    }
    pub fn add_string(&mut self, length: usize) {
        self.string += 1;
        self.string_bytes += length;
    }
    pub fn add_member(&mut self, key_length: usize) {
        self.members += 1;
        self.key_bytes += key_length;
    }
}

// Answers of get. The answer for a number is its bits.
pub const ABSENT: u64 = 0;
pub const ANSWER_NULL: u64 = 1;
pub const ANSWER_FALSE: u64 = 2;
pub const ANSWER_TRUE: u64 = 3;
pub const ANSWER_ARRAY: u64 = 4;
pub const ANSWER_OBJECT: u64 = 5;
pub const ANSWER_STRING: u64 = 6; // plus its length

// Sums of values without content, and what those of arrays and objects start as.
pub const SUM_NULL: u64 = 1;
pub const SUM_FALSE: u64 = 2;
pub const SUM_TRUE: u64 = 3;
pub const SUM_ARRAY: u64 = 6;
pub const SUM_OBJECT: u64 = 7;

pub fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ 0x9e37_79b9_7f4a_7c15) * u128::from(b ^ 0xd6e8_feb8_6659_fd93);
    (product >> 64) as u64 ^ product as u64
}
pub fn sum_number(v: f64) -> u64 {
    mix(4, v.to_bits())
}
/// FNV-1a.
pub fn sum_string(s: &[u8]) -> u64 {
    let sum = s.iter().fold(14_695_981_039_346_656_037, |sum: u64, c| {
        (sum ^ u64::from(*c)).wrapping_mul(1_099_511_628_211)
    });
    mix(5, sum)
}

/// Figures by name, for the lab.
pub struct Figures(Vec<(&'static str, f64)>);

impl Figures {
    pub fn json(&self) -> String {
        let all: Vec<String> = self
            .0
            .iter()
            .map(|(name, v)| format!("\"{name}\":{v:e}"))
            .collect();
        format!("{{{}}}\n", all.join(","))
    }
}

const WALKS: usize = 5;
const LOOKUPS: usize = 20;
const COPIES: usize = 5;

/// Runs all phases, and returns the output and the figures.
pub fn run<D: Dom>(documents: &[Document], depth: u32) -> Result<(String, Figures), String> {
    let (before, allocations, allocated) =
        (counting::live(), counting::allocations(), counting::bytes());
    let mut live: Vec<D> = Vec::new();
    let mut totals = Vec::new();
    let parse_all = |live: &mut Vec<D>, corpora: usize| -> Result<f64, String> {
        let start = cpu();
        for _ in 0..corpora {
            for d in documents {
                live.push(D::parse(&d.text).map_err(|e| format!("{}: {e}", d.name))?);
            }
        }
        Ok(cpu() - start)
    };
    let mut parsing = parse_all(&mut live, 1)?;
    for d in &live {
        let mut t = Totals::default();
        d.walk(&mut t);
        totals.push(t);
    }
    let each: usize = totals.iter().map(Totals::values).sum();
    let corpora = (1usize << depth).div_ceil(each).max(1);
    parsing += parse_all(&mut live, corpora - 1)?;
    let values = each * corpora;
    let value_bytes = (counting::live() - before) as f64 / values as f64;

    let start = cpu();
    let mut all = Totals::default();
    for _ in 0..WALKS {
        live.iter().for_each(|d| d.walk(&mut all));
    }
    let walking = (cpu() - start) / WALKS as f64;
    if all.values() != WALKS * values {
        return Err(format!(
            "{WALKS} walks met {} values where {values} are live",
            all.values()
        ));
    }

    let start = cpu();
    let mut lookups = 0;
    for (d, document) in live.iter().zip(documents.iter().cycle()) {
        for _ in 0..LOOKUPS {
            std::hint::black_box(answers(d, document));
        }
        lookups += LOOKUPS * document.paths.len();
    }
    let getting = cpu() - start;

    let mut copied: Vec<Option<D>> = live.iter().map(|d| Some(d.copy(None))).collect();
    let start = cpu();
    for _ in 0..COPIES {
        for (d, copy) in live.iter().zip(copied.iter_mut()) {
            *copy = Some(d.copy(copy.take()));
        }
    }
    let copying = (cpu() - start) / COPIES as f64;

    let text = print(documents, &live, &copied, &totals, corpora)?;

    let start = cpu();
    let loaded = copied
        .into_iter()
        .flatten()
        .map(D::load)
        .collect::<Result<Vec<D>, String>>()?;
    let loading = cpu() - start;
    if live.iter().zip(&loaded).any(|(a, b)| a.sum() != b.sum()) {
        return Err("a document has another content after it was loaded".into());
    }
    drop(loaded);

    let start = cpu();
    drop(live);
    let dropping = cpu() - start;

    let per = |seconds: f64| seconds / values as f64;
    Ok((
        text,
        Figures(vec![
            ("parse_s", per(parsing)),
            ("walk_s", per(walking)),
            ("get_s", getting / lookups as f64),
            ("copy_s", per(copying)),
            ("load_s", per(loading)),
            ("drop_s", per(dropping)),
            ("value_bytes", value_bytes),
            ("total_s", parsing + walking + copying + dropping),
            ("allocs", (counting::allocations() - allocations) as f64),
            ("bytes", (counting::bytes() - allocated) as f64),
        ]),
    ))
}

/// Looks up all paths of a document, and combines the answers into one number.
fn answers<D: Dom>(d: &D, document: &Document) -> u64 {
    document.paths.iter().fold(0, |all: u64, path| {
        all.wrapping_mul(31).wrapping_add(d.get(path))
    })
}

/// A line for each document, of which all copies must have the same content.
fn print<D: Dom>(
    documents: &[Document],
    live: &[D],
    copied: &[Option<D>],
    totals: &[Totals],
    corpora: usize,
) -> Result<String, String> {
    let mut out = String::new();
    let mut values = 0;
    for (i, (document, t)) in documents.iter().zip(totals).enumerate() {
        let sum = live[i].sum();
        for j in (i..live.len()).step_by(documents.len()) {
            if live[j].sum() != sum || copied[j].as_ref().map(Dom::sum) != Some(sum) {
                return Err(format!(
                    "{}, number {}: the content is not that of the first",
                    document.name,
                    j / documents.len()
                ));
            }
        }
        values += t.values();
        writeln!(
            out,
            "{}: null {}, bool {}, number {}, string {}, array {}, object {} with {} members; \
             bytes of strings {}, of keys {}; numbers {:016x}, lookups {:016x}, content {:016x}",
            document.name,
            t.null,
            t.bool,
            t.number,
            t.string,
            t.array,
            t.object,
            t.members,
            t.string_bytes,
            t.key_bytes,
            t.number_bits,
            answers(&live[i], document),
            sum
        )
        .map_err(|e| e.to_string())?;
    }
    writeln!(out, "{corpora} of each, {} values", values * corpora).map_err(|e| e.to_string())?;
    Ok(out)
}

/// The CPU time of the process, in seconds.
fn cpu() -> f64 {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: getrusage fills the struct; zeros are a valid one if it fails.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr());
        usage.assume_init()
    };
    let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 / 1e6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}
