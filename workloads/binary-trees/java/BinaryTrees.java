import java.io.IOException;

/**
 * The Java program of binary-trees; ../spec.md states the problem. {@link Node} is the one way to
 * allocate the nodes: which collector frees them is the virtual machine's affair. {@link Workers}
 * share the trees out.
 */
public final class BinaryTrees {
  private static final int MIN_DEPTH = 4;

  private BinaryTrees() {}

  public static void main(String[] words) {
    Arguments arguments = null;
    try {
      arguments = Arguments.parse(words);
    } catch (IllegalArgumentException e) {
      fail(2, e.getMessage());
    }
    try (Workers workers = new Workers(arguments.workers())) {
      run(Math.max(arguments.depth(), MIN_DEPTH + 2), workers);
      if (arguments.report() != null) {
        Report.write(arguments.report());
      }
    } catch (OutOfMemoryError e) {
      fail(1, e.getMessage() + "; choose a smaller depth, or a larger heap with java -Xmx");
    } catch (IOException | InterruptedException e) {
      fail(1, e.getMessage());
    }
  }

  /** Prints the answer, line by line as it comes. */
  private static void run(int max, Workers workers) throws IOException, InterruptedException {
    int stretch = max + 1;
    long nodes = Node.build(stretch).count();
    print("stretch tree of depth " + stretch + "\t check: " + nodes);
    Node longLived = Node.build(max);
    for (int depth = MIN_DEPTH; depth <= max; depth += 2) {
      long trees = 1L << (max - depth + MIN_DEPTH);
      long check = workers.countAll(depth, trees);
      print(trees + "\t trees of depth " + depth + "\t check: " + check);
    }
    print("long lived tree of depth " + max + "\t check: " + longLived.count());
  }

  private static void print(String line) throws IOException {
    System.out.print(line + "\n");
    if (System.out.checkError()) {
      throw new IOException("cannot write to standard output");
    }
  }

  private static void fail(int code, String what) {
    System.err.println("binary-trees: " + what);
    Runtime.getRuntime().halt(code); // without waiting for workers
  }
}
