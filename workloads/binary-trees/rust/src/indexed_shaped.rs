//! indexed.rs with its recursion unfolded by hand, in two ways: leaves are made, and
//! counted, in their parent, and both go on with the right child in a loop; or the lowest
//! levels are one function, so that 31 nodes cost one call. Each node is still pushed by
//! itself, and reached by its link.

use crate::run::Worker;

/// The root is the node with index 0 and nobody's child, so 0 stands for no child.
#[derive(Clone, Copy)]
struct Node {
    left: u32,
    right: u32,
}

#[inline(always)]
fn leaf(nodes: &mut Vec<Node>) -> u32 {
    let index = nodes.len();
    nodes.push(Node { left: 0, right: 0 });
    index as u32
}

fn build_loop(nodes: &mut Vec<Node>, depth: u32) -> u32 {
    let root = leaf(nodes);
    let mut index = root;
    for below in (1..depth).rev() {
        let left = build_loop(nodes, below);
        let right = leaf(nodes);
        nodes[index as usize] = Node { left, right };
        index = right;
    }
    if depth > 0 {
        let (left, right) = (leaf(nodes), leaf(nodes));
        nodes[index as usize] = Node { left, right };
    }
    root
}

fn count_loop(nodes: &[Node], mut node: Node) -> u64 {
    let mut total = 1;
    while node.left != 0 {
        total += match nodes[node.left as usize] {
            Node { left: 0, .. } => 2,
            left => 1 + count_loop(nodes, left),
        };
        node = nodes[node.right as usize];
    }
    total
}

/// Levels that the compiler knows the number of: `Bottom`, or `Over` fewer of them.
trait Levels {
    fn build(nodes: &mut Vec<Node>) -> u32;
    fn count(nodes: &[Node], node: Node) -> u64;
}

struct Bottom;
struct Over<L>(L);

impl Levels for Bottom {
    #[inline(always)]
    fn build(nodes: &mut Vec<Node>) -> u32 {
        leaf(nodes)
    }

    /// Makes a call only for a node with children.
    #[inline(always)]
    fn count(nodes: &[Node], node: Node) -> u64 {
        match node.left {
            0 => 1,
            _ => count_levels(nodes, node),
        }
    }
}

impl<L: Levels> Levels for Over<L> {
    #[inline(always)]
    fn build(nodes: &mut Vec<Node>) -> u32 {
        let index = leaf(nodes);
        let left = L::build(nodes);
        let right = L::build(nodes);
        nodes[index as usize] = Node { left, right };
        index
    }

    #[inline(always)]
    fn count(nodes: &[Node], node: Node) -> u64 {
        match node {
            Node { left: 0, .. } => 1,
            Node { left, right } => {
                1 + L::count(nodes, nodes[left as usize]) + L::count(nodes, nodes[right as usize])
            }
        }
    }
}

/// No tree of the problem has fewer levels.
type Unfolded = Over<Over<Over<Over<Bottom>>>>;
const UNFOLDED: u32 = 4;

fn build_levels(nodes: &mut Vec<Node>, depth: u32) -> u32 {
    if depth == UNFOLDED {
        return Unfolded::build(nodes);
    }
    let index = leaf(nodes);
    let left = build_levels(nodes, depth - 1);
    let right = build_levels(nodes, depth - 1);
    nodes[index as usize] = Node { left, right };
    index
}

#[inline(never)]
fn count_levels(nodes: &[Node], node: Node) -> u64 {
    Unfolded::count(nodes, node)
}

/// Whether the lowest levels are one function, or leaves are made in their parent.
#[derive(Default)]
pub struct Indexed<const LEVELS: bool>(Vec<Node>);

impl<const LEVELS: bool> Worker for Indexed<LEVELS> {
    const GREATEST_DEPTH: u32 = 30; // its stretch tree has 2^32 - 1 nodes

    fn tree<T>(&mut self, depth: u32, meanwhile: impl FnOnce() -> T) -> (u64, T) {
        let build = if LEVELS { build_levels } else { build_loop };
        let count = if LEVELS { count_levels } else { count_loop };
        let root = build(&mut self.0, depth);
        let done = meanwhile();
        let nodes = count(&self.0, self.0[root as usize]);
        self.0.clear();
        (nodes, done)
    }
}
