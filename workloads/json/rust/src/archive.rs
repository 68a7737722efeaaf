//! rkyv: a document is the bytes of an archive, which is read where it lies.

use crate::documents::Step;
use crate::measure::{self, Dom, Totals};
use crate::parse::{parse, Make};
use rkyv::rancor::Error;
use rkyv::util::AlignedVec;
use rkyv::{Archive as Archived, Serialize};

/// The schema, as rkyv's documentation writes recursive types. A whole number of 32 bits is a kind
/// of its own.
#[derive(Archived, Serialize)]
#[rkyv(
    serialize_bounds(__S: rkyv::ser::Writer + rkyv::ser::Allocator, __S::Error: rkyv::rancor::Source),
    bytecheck(bounds(__C: rkyv::validation::ArchiveContext, __C::Error: rkyv::rancor::Source))
)]
pub enum Value {
    Null,
    False,
    True,
    Whole(i32),
    Number(f64),
    String(String),
    Array(#[rkyv(omit_bounds)] Vec<Value>),
    Object(#[rkyv(omit_bounds)] Vec<Member>),
}

#[derive(Archived, Serialize)]
#[rkyv(
    serialize_bounds(__S: rkyv::ser::Writer + rkyv::ser::Allocator, __S::Error: rkyv::rancor::Source),
    bytecheck(bounds(__C: rkyv::validation::ArchiveContext, __C::Error: rkyv::rancor::Source))
)]
pub struct Member {
    pub key: String,
    #[rkyv(omit_bounds)]
    pub value: Value,
}

impl Make for Value {
    type Value = Self;
    fn null() -> Self {
        Self::Null
    }
    fn bool(v: bool) -> Self {
        if v {
            Self::True
        } else {
            Self::False
        }
    }
    fn number(v: f64) -> Self {
        let whole = v as i32;
        if f64::from(whole).to_bits() == v.to_bits() {
            Self::Whole(whole)
        } else {
            Self::Number(v)
        }
    }
    fn string(v: String) -> Self {
        Self::String(v)
    }
    fn array(items: Vec<Self>) -> Self {
        Self::Array(items)
    }
    fn object(members: Vec<(String, Self)>) -> Self {
        Self::Object(
            members
                .into_iter()
                .map(|(key, value)| Member { key, value })
                .collect(),
        )
    }
}

pub struct Archive(AlignedVec);

impl Archive {
    fn root(&self) -> &ArchivedValue {
        // SAFETY: the bytes are those that to_bytes has returned, or that access has accepted.
        unsafe { rkyv::access_unchecked::<ArchivedValue>(&self.0) }
    }
}

impl Dom for Archive {
    fn parse(text: &[u8]) -> Result<Self, String> {
        let value = parse::<Value>(text)?;
        rkyv::to_bytes::<Error>(&value)
            .map(Self)
            .map_err(|e| e.to_string())
    }

    fn walk(&self, t: &mut Totals) {
        walk(self.root(), t);
    }

    fn get(&self, path: &[Step]) -> u64 {
        let mut v = self.root();
        for step in path {
            let next = match v {
                ArchivedValue::Object(members) => members
                    .iter()
                    .find(|m| m.key.as_str() == step.key)
                    .map(|m| &m.value),
                ArchivedValue::Array(items) => step.index.and_then(|i| items.get(i)),
                _ => None,
            };
            match next {
                Some(value) => v = value,
                None => return measure::ABSENT,
            }
        }
        match v {
            ArchivedValue::Null => measure::ANSWER_NULL,
            ArchivedValue::False => measure::ANSWER_FALSE,
            ArchivedValue::True => measure::ANSWER_TRUE,
            ArchivedValue::Whole(v) => f64::from(v.to_native()).to_bits(),
            ArchivedValue::Number(v) => v.to_native().to_bits(),
            ArchivedValue::String(s) => measure::ANSWER_STRING + s.len() as u64,
            ArchivedValue::Array(_) => measure::ANSWER_ARRAY,
            ArchivedValue::Object(_) => measure::ANSWER_OBJECT,
        }
    }

    fn copy(&self, old: Option<Self>) -> Self {
        let mut bytes = old.map_or_else(|| AlignedVec::with_capacity(self.0.len()), |old| old.0);
        bytes.clear();
        bytes.extend_from_slice(&self.0);
        Self(bytes)
    }

    fn load(stored: Self) -> Result<Self, String> {
        rkyv::access::<ArchivedValue, Error>(&stored.0).map_err(|e| e.to_string())?;
        Ok(stored)
    }

    fn sum(&self) -> u64 {
        sum(self.root())
    }
}

fn walk(v: &ArchivedValue, t: &mut Totals) {
    match v {
        ArchivedValue::Null => t.null += 1,
        ArchivedValue::False | ArchivedValue::True => t.bool += 1,
        ArchivedValue::Whole(v) => t.add_number(f64::from(v.to_native())),
        ArchivedValue::Number(v) => t.add_number(v.to_native()),
        ArchivedValue::String(s) => t.add_string(s.len()),
        ArchivedValue::Array(items) => {
            t.array += 1;
            for item in items.iter() {
                walk(item, t);
            }
        }
        ArchivedValue::Object(members) => {
            t.object += 1;
            for m in members.iter() {
                t.add_member(m.key.len());
                walk(&m.value, t);
            }
        }
    }
}

fn sum(v: &ArchivedValue) -> u64 {
    match v {
        ArchivedValue::Null => measure::SUM_NULL,
        ArchivedValue::False => measure::SUM_FALSE,
        ArchivedValue::True => measure::SUM_TRUE,
        ArchivedValue::Whole(v) => measure::sum_number(f64::from(v.to_native())),
        ArchivedValue::Number(v) => measure::sum_number(v.to_native()),
        ArchivedValue::String(s) => measure::sum_string(s.as_bytes()),
        ArchivedValue::Array(items) => items
            .iter()
            .fold(measure::SUM_ARRAY, |all, item| measure::mix(all, sum(item))),
        ArchivedValue::Object(members) => members.iter().fold(measure::SUM_OBJECT, |all, m| {
            all.wrapping_add(measure::mix(
                measure::sum_string(m.key.as_bytes()),
                sum(&m.value),
            ))
        }),
    }
}
