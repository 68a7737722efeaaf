//! Cap'n Proto: a document is the bytes of a message of one segment, which is read where it lies.

use crate::archive::Value;
use crate::document_capnp::value;
use crate::documents::Step;
use crate::measure::{self, Dom, Totals};
use crate::parse::parse;
use capnp::message::{self, HeapAllocator, ReaderOptions};
use capnp::serialize::{self, NoAllocSliceSegments};

/// The words of a value in a list: two of data, and two pointers.
const VALUE_WORDS: usize = 4;

/// The bytes of a message. The allocator aligns them for words.
pub struct Message(Vec<u8>);

impl Message {
    /// Calls f with the root. Pointers are checked when they are followed.
    fn with_root<R>(&self, f: impl FnOnce(value::Reader<'_>) -> capnp::Result<R>) -> R {
        let read = || -> capnp::Result<R> { f(open(&self.0)?.get_root()?) };
        read().expect("a message that this program has made or loaded")
    }
}

fn open(bytes: &[u8]) -> capnp::Result<message::Reader<NoAllocSliceSegments<'_>>> {
    let mut options = ReaderOptions::new();
    options.traversal_limit_in_words(None).nesting_limit(20_000);
    serialize::read_message_from_flat_slice_no_alloc(&mut &bytes[..], options)
}

impl Dom for Message {
    fn parse(text: &[u8]) -> Result<Self, String> {
        let root = parse::<Value>(text)?;
        // Room for all of it, so that there is one segment.
        let words =
            u32::try_from(2 + VALUE_WORDS + words_below(&root)).map_err(|e| e.to_string())?;
        let mut message = message::Builder::new(HeapAllocator::new().first_segment_words(words));
        write(message.init_root(), &root);
        Ok(Self(serialize::write_message_to_words(&message)))
    }

    fn walk(&self, t: &mut Totals) {
        self.with_root(|root| walk(root, t));
    }

    fn get(&self, path: &[Step]) -> u64 {
        self.with_root(|root| get(root, path))
    }

    fn copy(&self, old: Option<Self>) -> Self {
        let mut bytes = old.map_or_else(|| Vec::with_capacity(self.0.len()), |old| old.0);
        bytes.clear();
        bytes.extend_from_slice(&self.0);
        Self(bytes)
    }

    fn load(stored: Self) -> Result<Self, String> {
        let root = open(&stored.0).map_err(|e| e.to_string())?;
        root.get_root::<value::Reader<'_>>()
            .map_err(|e| e.to_string())?;
        Ok(stored)
    }

    fn sum(&self) -> u64 {
        self.with_root(sum)
    }
}

fn text_words(s: &str) -> usize {
    s.len() / 8 + 1
}

/// The words that a value needs besides its own.
fn words_below(v: &Value) -> usize {
    match v {
        Value::String(s) => text_words(s),
        Value::Array(items) => {
            1 + items
                .iter()
                .map(|v| VALUE_WORDS + words_below(v))
                .sum::<usize>()
        }
        Value::Object(members) => {
            1 + members
                .iter()
                .map(|m| VALUE_WORDS + text_words(&m.key) + words_below(&m.value))
                .sum::<usize>()
        }
        _ => 0,
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).expect("fewer bytes of text")
}

fn write(mut to: value::Builder<'_>, v: &Value) {
    match v {
        Value::Null => to.set_null(()),
        Value::False => to.set_bool(false),
        Value::True => to.set_bool(true),
        Value::Whole(v) => to.set_whole(*v),
        Value::Number(v) => to.set_number(*v),
        Value::String(s) => to.set_string(s.as_str()),
        Value::Array(items) => {
            let mut list = to.init_items(count(items.len()));
            for (i, item) in items.iter().enumerate() {
                write(list.reborrow().get(count(i)), item);
            }
        }
        Value::Object(members) => {
            let mut list = to.init_members(count(members.len()));
            for (i, m) in members.iter().enumerate() {
                let mut member = list.reborrow().get(count(i));
                member.set_key(m.key.as_str());
                write(member, &m.value);
            }
        }
    }
}

fn walk(v: value::Reader<'_>, t: &mut Totals) -> capnp::Result<()> {
    match v.which()? {
        value::Null(()) => t.null += 1,
        value::Bool(_) => t.bool += 1,
        value::Whole(v) => t.add_number(f64::from(v)),
        value::Number(v) => t.add_number(v),
        value::String(s) => t.add_string(s?.len()),
        value::Items(items) => {
            t.array += 1;
            for item in items? {
                walk(item, t)?;
            }
        }
        value::Members(members) => {
            t.object += 1;
            for m in members? {
                t.add_member(m.get_key()?.len());
                walk(m, t)?;
            }
        }
    }
    Ok(())
}

fn get(mut v: value::Reader<'_>, path: &[Step]) -> capnp::Result<u64> {
    for step in path {
        v = match (v.which()?, step.index) {
            (value::Members(members), _) => {
                let mut found = None;
                for m in members? {
                    if m.get_key()?.as_bytes() == step.key.as_bytes() {
                        found = Some(m);
                        break;
                    }
                }
                match found {
                    Some(m) => m,
                    None => return Ok(measure::ABSENT),
                }
            }
            (value::Items(items), Some(i)) => {
                let items = items?;
                if i >= items.len() as usize {
                    return Ok(measure::ABSENT);
                }
                items.get(i as u32)
            }
            _ => return Ok(measure::ABSENT),
        };
    }
    Ok(match v.which()? {
        value::Null(()) => measure::ANSWER_NULL,
        value::Bool(false) => measure::ANSWER_FALSE,
        value::Bool(true) => measure::ANSWER_TRUE,
        value::Whole(v) => f64::from(v).to_bits(),
        value::Number(v) => v.to_bits(),
        value::String(s) => measure::ANSWER_STRING + s?.len() as u64,
        value::Items(_) => measure::ANSWER_ARRAY,
        value::Members(_) => measure::ANSWER_OBJECT,
    })
}

fn sum(v: value::Reader<'_>) -> capnp::Result<u64> {
    Ok(match v.which()? {
        value::Null(()) => measure::SUM_NULL,
        value::Bool(false) => measure::SUM_FALSE,
        value::Bool(true) => measure::SUM_TRUE,
        value::Whole(v) => measure::sum_number(f64::from(v)),
        value::Number(v) => measure::sum_number(v),
        value::String(s) => measure::sum_string(s?.as_bytes()),
        value::Items(items) => {
            let mut all = measure::SUM_ARRAY;
            for item in items? {
                all = measure::mix(all, sum(item)?);
            }
            all
        }
        value::Members(members) => {
            let mut all = measure::SUM_OBJECT;
            for m in members? {
                all = all.wrapping_add(measure::mix(
                    measure::sum_string(m.get_key()?.as_bytes()),
                    sum(m)?,
                ));
            }
            all
        }
    })
}
