//! Every node from a `bumpalo::Bump`, which is reset after each tree.

use crate::run::Worker;
use bumpalo::Bump;

struct Node<'a> {
    children: Option<(&'a Node<'a>, &'a Node<'a>)>,
}

// The parent comes first, so that counting goes through memory in one direction.
fn build(nodes: &Bump, depth: u32) -> &Node<'_> {
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
pub struct Bumped(Bump);

impl Worker for Bumped {
    fn tree<T>(&mut self, depth: u32, meanwhile: impl FnOnce() -> T) -> (u64, T) {
        let root = build(&self.0, depth);
        let done = meanwhile();
        let nodes = count(root);
        self.0.reset();
        (nodes, done)
    }
}
