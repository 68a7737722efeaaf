//! Every node pushed onto a `Vec` and linked by 32-bit indexes; the `Vec` is cleared
//! after each tree, and keeps its memory.

use crate::run::Worker;

/// The root is the node with index 0 and nobody's child, so 0 stands for no child.
#[derive(Clone, Copy)]
struct Node {
    left: u32,
    right: u32,
}

fn build(nodes: &mut Vec<Node>, depth: u32) -> u32 {
    let index = nodes.len();
    nodes.push(Node { left: 0, right: 0 });
    if depth > 0 {
        let left = build(nodes, depth - 1);
        let right = build(nodes, depth - 1);
        nodes[index] = Node { left, right };
    }
    index as u32
}

fn count(nodes: &[Node], index: u32) -> u64 {
    match nodes[index as usize] {
        Node { left: 0, .. } => 1,
        Node { left, right } => 1 + count(nodes, left) + count(nodes, right),
    }
}

#[derive(Default)]
pub struct Indexed(Vec<Node>);

impl Worker for Indexed {
    const GREATEST_DEPTH: u32 = 30; // its stretch tree has 2^32 - 1 nodes

    fn tree<T>(&mut self, depth: u32, meanwhile: impl FnOnce() -> T) -> (u64, T) {
        let root = build(&mut self.0, depth);
        let done = meanwhile();
        let nodes = count(&self.0, root);
        self.0.clear();
        (nodes, done)
    }
}
