//! The recursion over nodes with references, with its lowest levels unfolded, so that 7 or
//! 31 nodes cost one call. Each node is still taken from the allocator by itself, and reached by
//! its link. bump.rs and typed.rs have the same with the recursion of a textbook.

use crate::run::Worker;
use bumpalo::Bump;
use typed_arena::Arena;

struct Node<'a> {
    children: Option<(&'a Node<'a>, &'a Node<'a>)>,
}

/// What nodes are taken from, and the levels of building that were fastest with it.
trait Nodes<'a> {
    type Lowest: Levels;

    fn leaf(&'a self) -> &'a mut Node<'a>;
}

impl<'a> Nodes<'a> for Bump {
    type Lowest = Two; // four are too much code, and slower

    #[inline(always)]
    fn leaf(&'a self) -> &'a mut Node<'a> {
        self.alloc(Node { children: None })
    }
}

impl<'a> Nodes<'a> for Arena<Node<'a>> {
    type Lowest = Four;

    #[inline(always)]
    fn leaf(&'a self) -> &'a mut Node<'a> {
        self.alloc(Node { children: None })
    }
}

/// Levels that the compiler knows the number of: `Bottom`, or `Over` fewer of them.
/// Whatever recurs over them becomes straight code.
trait Levels {
    const DEPTH: u32;
    fn build<'a>(nodes: &'a impl Nodes<'a>) -> &'a Node<'a>;
    fn count(node: &Node) -> u64;
}

struct Bottom;
struct Over<L>(L);

type Two = Over<Over<Bottom>>;
type Four = Over<Over<Two>>; // no tree of the problem has fewer

impl Levels for Bottom {
    const DEPTH: u32 = 0;

    #[inline(always)]
    fn build<'a>(nodes: &'a impl Nodes<'a>) -> &'a Node<'a> {
        nodes.leaf()
    }

    /// Makes a call only for a node with children.
    #[inline(always)]
    fn count(node: &Node) -> u64 {
        node.children.map_or(1, |_| count(node))
    }
}

impl<L: Levels> Levels for Over<L> {
    const DEPTH: u32 = 1 + L::DEPTH;

    #[inline(always)]
    fn build<'a>(nodes: &'a impl Nodes<'a>) -> &'a Node<'a> {
        let node = nodes.leaf();
        node.children = Some((L::build(nodes), L::build(nodes)));
        node
    }

    #[inline(always)]
    fn count(node: &Node) -> u64 {
        node.children
            .map_or(1, |(left, right)| 1 + L::count(left) + L::count(right))
    }
}

fn build<'a, N: Nodes<'a>>(nodes: &'a N, depth: u32) -> &'a Node<'a> {
    if depth == N::Lowest::DEPTH {
        return N::Lowest::build(nodes);
    }
    let node = nodes.leaf();
    node.children = Some((build(nodes, depth - 1), build(nodes, depth - 1)));
    node
}

#[inline(never)]
fn count(node: &Node) -> u64 {
    Four::count(node)
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
