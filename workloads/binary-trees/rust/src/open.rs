//! The fastest linked trees we know how to build and walk, whatever the style: nodes of
//! 8 bytes in a `Vec`, parent before children, the last levels of building unrolled, and 31
//! nodes looked at in each step of the walk.

use crate::run::Worker;

/// Node 0 is nil, with nil for its children.
#[derive(Clone, Copy)]
struct Node {
    left: u32,
    right: u32,
}

const LEAF: Node = Node { left: 0, right: 0 };

/// No tree of the problem is less deep than a block.
const BLOCK_DEPTH: u32 = 4;
const BLOCK_NODES: usize = 31;

/// The links of a block whose root is node 0, in preorder.
const BLOCK: [Node; BLOCK_NODES] = block([LEAF; BLOCK_NODES], 0, BLOCK_DEPTH);

const fn block(mut nodes: [Node; BLOCK_NODES], root: usize, depth: u32) -> [Node; BLOCK_NODES] {
    if depth > 0 {
        let (left, right) = (root + 1, root + (1 << depth));
        nodes[root] = Node {
            left: left as u32,
            right: right as u32,
        };
        nodes = block(nodes, left, depth - 1);
        nodes = block(nodes, right, depth - 1);
    }
    nodes
}

/// Writes a block; the first of its nodes has the index `root`.
fn write_block(slots: &mut [Node; BLOCK_NODES], root: u32) {
    for (slot, node) in slots.iter_mut().zip(&BLOCK) {
        let at = if node.left == 0 { 0 } else { root };
        *slot = Node {
            left: node.left + at,
            right: node.right + at,
        };
    }
}

/// Builds a tree that fills the slots; the first of them has the index `root`.
fn build(slots: &mut [Node], root: u32, depth: u32) {
    if depth == BLOCK_DEPTH {
        return write_block(slots.try_into().expect("a block"), root);
    }
    let (left, right) = (1, 1 << depth);
    slots[0] = Node {
        left: root + left as u32,
        right: root + right as u32,
    };
    let (before, after) = slots.split_at_mut(right);
    build(&mut before[left..], root + left as u32, depth - 1);
    build(after, root + right as u32, depth - 1);
}

/// Tells whether a tree has 7 nodes: whether there are two children, and two leaves of each.
#[inline(always)]
fn seven(nodes: &[Node], node: Node) -> bool {
    let at = |index: u32| nodes[index as usize];
    let left = at(node.left);
    if left.left == 0 || at(left.left).left != 0 {
        return false;
    }
    let right = at(node.right);
    right.left != 0 && at(left.right).left | at(right.left).left | at(right.right).left == 0
}

/// Knows nothing of the depth. It looks whether a tree has 31 nodes, so that such a one costs a
/// single call.
fn count(nodes: &[Node], node: Node) -> u64 {
    let at = |index: u32| nodes[index as usize];
    let (left, right) = (at(node.left), at(node.right));
    if left.left == 0 || right.left == 0 {
        return count_few(nodes, node);
    }
    if seven(nodes, at(left.left))
        && seven(nodes, at(left.right))
        && seven(nodes, at(right.left))
        && seven(nodes, at(right.right))
    {
        return 31;
    }
    1 + count(nodes, left) + count(nodes, right)
}

#[cold]
fn count_few(nodes: &[Node], node: Node) -> u64 {
    match node {
        Node { left: 0, .. } => 1,
        Node { left, right } => {
            1 + count(nodes, nodes[left as usize]) + count(nodes, nodes[right as usize])
        }
    }
}

#[derive(Default)]
pub struct Open(Vec<Node>);

impl Worker for Open {
    const GREATEST_DEPTH: u32 = 31; // 2^32 indexes less nil are just enough

    fn tree<T>(&mut self, depth: u32, meanwhile: impl FnOnce() -> T) -> (u64, T) {
        let nodes = 2 << depth; // nil among them
        if self.0.len() < nodes {
            self.0.resize(nodes, LEAF);
        }
        build(&mut self.0[1..nodes], 1, depth);
        let done = meanwhile();
        (count(&self.0, self.0[1]), done)
    }
}
