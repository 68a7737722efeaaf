//! Every node by itself in a `Box`, from the global allocator.

use crate::run::Worker;

struct Node {
    children: Option<(Box<Node>, Box<Node>)>,
}

fn build(depth: u32) -> Box<Node> {
    let children = (depth > 0).then(|| (build(depth - 1), build(depth - 1)));
    Box::new(Node { children })
}

fn count(node: &Node) -> u64 {
    let children = node.children.as_ref();
    children.map_or(1, |(left, right)| 1 + count(left) + count(right))
}

#[derive(Default)]
pub struct Boxed;

impl Worker for Boxed {
    fn tree<T>(&mut self, depth: u32, meanwhile: impl FnOnce() -> T) -> (u64, T) {
        let root = build(depth);
        let done = meanwhile();
        (count(&root), done)
    }
}
