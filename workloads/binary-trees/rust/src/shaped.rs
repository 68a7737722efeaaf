//! bump.rs with its recursion unfolded by hand: leaves are made, and counted, in their
//! parent, and both go on with the right child in a loop.

use crate::run::Worker;
use bumpalo::Bump;
use std::cell::Cell;

type Children<'a> = Option<(&'a Node<'a>, &'a Node<'a>)>;

// A Cell, because a right child is reachable before its own children are there.
struct Node<'a> {
    children: Cell<Children<'a>>,
}

fn leaf(nodes: &Bump) -> &Node<'_> {
    nodes.alloc(Node {
        children: Cell::new(None),
    })
}

fn build(nodes: &Bump, depth: u32) -> &Node<'_> {
    let root = leaf(nodes);
    let mut node = root;
    for below in (1..depth).rev() {
        let left = build(nodes, below);
        let right = leaf(nodes);
        node.children.set(Some((left, right)));
        node = right;
    }
    if depth > 0 {
        node.children.set(Some((leaf(nodes), leaf(nodes))));
    }
    root
}

fn count(mut node: &Node) -> u64 {
    let mut total = 1;
    while let Some((left, right)) = node.children.get() {
        total += match left.children.get() {
            None => 2,
            Some(_) => 1 + count(left),
        };
        node = right;
    }
    total
}

#[derive(Default)]
pub struct Shaped(Bump);

impl Worker for Shaped {
    fn tree<T>(&mut self, depth: u32, meanwhile: impl FnOnce() -> T) -> (u64, T) {
        let root = build(&self.0, depth);
        let done = meanwhile();
        let nodes = count(root);
        self.0.reset();
        (nodes, done)
    }
}
