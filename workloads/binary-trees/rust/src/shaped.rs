//! bump.rs with the recursion of ../../go/indexed.go: leaves are made, and counted, in
//! their parent, and counting goes on with the right child in a loop.

use crate::run::Worker;
use bumpalo::Bump;

struct Node<'a> {
    children: Option<(&'a Node<'a>, &'a Node<'a>)>,
}

fn build(nodes: &Bump, depth: u32) -> &Node<'_> {
    let node = nodes.alloc(Node { children: None });
    if depth > 1 {
        node.children = Some((build(nodes, depth - 1), build(nodes, depth - 1)));
    } else if depth == 1 {
        let left = nodes.alloc(Node { children: None });
        let right = nodes.alloc(Node { children: None });
        node.children = Some((left, right));
    }
    node
}

fn count(mut node: &Node) -> u64 {
    let mut total = 1;
    while let Some((left, right)) = node.children {
        total += match left.children {
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
