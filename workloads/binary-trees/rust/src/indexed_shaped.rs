//! indexed.rs with its recursion unfolded by hand, in two ways: leaves are made, and
//! counted, in their parent, and both go on with the right child in a loop; or the lowest
//! levels are one function, so that 31 nodes cost one call. Each node is still pushed by
//! itself, and reached by its link.

use crate::run::Worker;

/// Node 0 is nil, with nil for its children.
#[derive(Clone, Copy)]
struct Node {
    left: u32,
    right: u32,
}

const NIL: Node = Node { left: 0, right: 0 };

#[inline(always)]
fn push(nodes: &mut Vec<Node>, node: Node) -> u32 {
    let index = nodes.len();
    nodes.push(node);
    index as u32
}

#[inline(always)]
fn leaf(nodes: &mut Vec<Node>) -> u32 {
    push(nodes, NIL)
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

/// Levels that the compiler knows the number of: `Bottom`, or `Over` fewer of them. Children
/// are pushed before their parent, so that each node is written once.
trait Levels {
    fn build(nodes: &mut Vec<Node>) -> u32;
}

struct Bottom;
struct Over<L>(L);

impl Levels for Bottom {
    #[inline(always)]
    fn build(nodes: &mut Vec<Node>) -> u32 {
        leaf(nodes)
    }
}

impl<L: Levels> Levels for Over<L> {
    #[inline(always)]
    fn build(nodes: &mut Vec<Node>) -> u32 {
        let left = L::build(nodes);
        let right = L::build(nodes);
        push(nodes, Node { left, right })
    }
}

/// No tree of the problem has fewer levels.
type Unfolded = Over<Over<Over<Over<Bottom>>>>;
const UNFOLDED: u32 = 4;

fn build_levels(nodes: &mut Vec<Node>, depth: u32) -> u32 {
    if depth == UNFOLDED {
        return Unfolded::build(nodes);
    }
    let left = build_levels(nodes, depth - 1);
    let right = build_levels(nodes, depth - 1);
    push(nodes, Node { left, right })
}

/// Tells whether a tree has 7 nodes: whether there are two children, and two leaves of each.
#[inline(always)]
fn seven(nodes: &[Node], node: Node) -> bool {
    let at = |index: u32| nodes[index as usize];
    let right = at(node.right);
    if right.left == 0 || at(right.right).left != 0 {
        return false;
    }
    let left = at(node.left);
    left.left != 0 && at(right.left).left | at(left.right).left | at(left.left).left == 0
}

/// Looks whether a tree has 31 nodes, which is one call then. It goes from the root, which is the
/// last in memory, to the left.
fn count_levels(nodes: &[Node], node: Node) -> u64 {
    let at = |index: u32| nodes[index as usize];
    let (left, right) = (at(node.left), at(node.right));
    if left.left == 0 || right.left == 0 {
        return count_few(nodes, node);
    }
    if seven(nodes, at(right.right))
        && seven(nodes, at(right.left))
        && seven(nodes, at(left.right))
        && seven(nodes, at(left.left))
    {
        return 31;
    }
    1 + count_levels(nodes, right) + count_levels(nodes, left)
}

#[cold]
fn count_few(nodes: &[Node], node: Node) -> u64 {
    match node {
        Node { left: 0, .. } => 1,
        Node { left, right } => {
            let (left, right) = (nodes[left as usize], nodes[right as usize]);
            1 + count_levels(nodes, right) + count_levels(nodes, left)
        }
    }
}

/// Whether the lowest levels are one function, or leaves are made in their parent.
pub struct Indexed<const LEVELS: bool>(Vec<Node>);

impl<const LEVELS: bool> Default for Indexed<LEVELS> {
    fn default() -> Self {
        Self(vec![NIL])
    }
}

impl<const LEVELS: bool> Worker for Indexed<LEVELS> {
    const GREATEST_DEPTH: u32 = 31; // 2^32 indexes less nil are just enough

    fn tree<T>(&mut self, depth: u32, meanwhile: impl FnOnce() -> T) -> (u64, T) {
        let build = if LEVELS { build_levels } else { build_loop };
        let count = if LEVELS { count_levels } else { count_loop };
        let root = build(&mut self.0, depth);
        let done = meanwhile();
        let nodes = count(&self.0, self.0[root as usize]);
        self.0.truncate(1);
        (nodes, done)
    }
}
