//! The fastest linked trees we know how to build and walk, whatever the style: nodes of
//! 8 bytes in a `Vec`, parent before children, the last levels of building and several
//! levels of each step of the walk unrolled.

use crate::run::Worker;

/// The root is the node with index 0 and nobody's child, so 0 stands for no child.
#[derive(Clone, Copy)]
struct Node {
    left: u32,
    right: u32,
}

const LEAF: Node = Node { left: 0, right: 0 };

/// A tree whose depth the compiler knows: `Leaf`, or `Over` two trees of one kind.
/// Whatever recurs over its levels becomes straight code.
trait Levels {
    const NODES: usize;

    /// Writes the tree to the first slots; the first of them has the index `root`.
    fn write(slots: &mut [Node], root: u32);

    /// Counts the nodes below and at `root`; what is deeper than the levels is left to
    /// `count`.
    fn count(nodes: &[Node], root: u32) -> u64;
}

struct Leaf;
struct Over<L>(L);

impl Levels for Leaf {
    const NODES: usize = 1;

    #[inline(always)]
    fn write(slots: &mut [Node], _: u32) {
        slots[0] = LEAF;
    }

    #[inline(always)]
    fn count(nodes: &[Node], root: u32) -> u64 {
        count(nodes, root)
    }
}

impl<L: Levels> Levels for Over<L> {
    const NODES: usize = 1 + 2 * L::NODES;

    #[inline(always)]
    fn write(slots: &mut [Node], root: u32) {
        let (left, right) = (1, 1 + L::NODES);
        slots[0] = Node {
            left: root + left as u32,
            right: root + right as u32,
        };
        L::write(&mut slots[left..right], root + left as u32);
        L::write(&mut slots[right..Self::NODES], root + right as u32);
    }

    #[inline(always)]
    fn count(nodes: &[Node], root: u32) -> u64 {
        match nodes[root as usize] {
            Node { left: 0, .. } => 1,
            Node { left, right } => 1 + L::count(nodes, left) + L::count(nodes, right),
        }
    }
}

/// No tree of the problem is less deep than a block.
type Block = Over<Over<Over<Over<Leaf>>>>;
const BLOCK_DEPTH: u32 = 4;

fn build(nodes: &mut Vec<Node>, depth: u32) -> u32 {
    let root = nodes.len();
    if depth == BLOCK_DEPTH {
        let mut block = [LEAF; Block::NODES];
        Block::write(&mut block, root as u32);
        nodes.extend_from_slice(&block);
    } else {
        nodes.push(LEAF);
        let left = build(nodes, depth - 1);
        let right = build(nodes, depth - 1);
        nodes[root] = Node { left, right };
    }
    root as u32
}

fn count(nodes: &[Node], root: u32) -> u64 {
    Over::<Over<Over<Leaf>>>::count(nodes, root)
}

#[derive(Default)]
pub struct Open(Vec<Node>);

impl Worker for Open {
    const GREATEST_DEPTH: u32 = 30; // its stretch tree has 2^32 - 1 nodes

    fn tree<T>(&mut self, depth: u32, meanwhile: impl FnOnce() -> T) -> (u64, T) {
        let root = build(&mut self.0, depth);
        let done = meanwhile();
        let nodes = count(&self.0, root);
        self.0.clear();
        (nodes, done)
    }
}
