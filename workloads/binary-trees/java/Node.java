/** Every node by itself with {@code new}; the collector frees them. */
final class Node {
  private final Node left;
  private final Node right;

  private Node(Node left, Node right) {
    this.left = left;
    this.right = right;
  }

  /** Builds a tree of the depth. */
  static Node build(int depth) {
    return depth == 0 ? new Node(null, null) : new Node(build(depth - 1), build(depth - 1));
  }

  /** Counts the nodes of the tree by walking it. */
  long count() {
    return left == null ? 1 : 1 + left.count() + right.count();
  }
}
