// @ts-check
// Every node is an object by itself; the collector frees them.

class Node {
  /**
   * @param {Node | null} left
   * @param {Node | null} right
   */
  constructor(left, right) {
    this.left = left;
    this.right = right;
  }
}

/** What a Node takes: the three words of every object, and its links. */
export const NODE_BYTES = 40;

/**
 * Builds a tree of the depth.
 *
 * @param {number} depth
 * @returns {Node}
 */
export function build(depth) {
  return depth === 0 ? new Node(null, null) : new Node(build(depth - 1), build(depth - 1));
}

/**
 * Counts the nodes of the tree by walking it.
 *
 * @param {Node} node
 * @returns {number}
 */
export function count(node) {
  return node.left === null || node.right === null ? 1 : 1 + count(node.left) + count(node.right);
}

/**
 * Builds, counts and drops trees of one depth, and returns the sum of their counts.
 *
 * @param {number} depth
 * @param {number} trees
 */
export function countTrees(depth, trees) {
  let sum = 0;
  for (let i = 0; i < trees; i++) {
    sum += count(build(depth));
  }
  return sum;
}
