//! Every node from a `typed_arena::Arena`, which cannot be reset: each tree has a new one.

use crate::run::Worker;
use typed_arena::Arena;

struct Node<'a> {
    children: Option<(&'a Node<'a>, &'a Node<'a>)>,
}

// The parent comes first, so that counting goes through memory in one direction.
fn build<'a>(nodes: &'a Arena<Node<'a>>, depth: u32) -> &'a Node<'a> {
    let node = nodes.alloc(Node { children: None });
    if depth > 0 {
        node.children = Some((build(nodes, depth - 1), build(nodes, depth - 1)));
    }
    node
}

fn count(node: &Node) -> u64 {
    node.children
        .map_or(1, |(left, right)| 1 + count(left) + count(right))
}

#[derive(Default)]
pub struct Typed;

impl Worker for Typed {
    fn tree<T>(&mut self, depth: u32, meanwhile: impl FnOnce() -> T) -> (u64, T) {
        let nodes = Arena::new();
        let root = build(&nodes, depth);
        let done = meanwhile();
        (count(root), done)
    }
}
