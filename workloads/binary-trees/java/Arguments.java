/** The words on the command line: STRATEGY [-workers=N] [-report=FILE] DEPTH. */
record Arguments(int workers, String report, int depth) {
  private static final String USAGE = "usage: BinaryTrees naive [-workers=N] [-report=FILE] DEPTH";
  private static final int GREATEST_DEPTH = 40; // its trees take 64 TiB and more
  private static final int GREATEST_WORKERS = 4096;

  /**
   * Reads the arguments.
   *
   * @throws IllegalArgumentException whose message says in one line what is wrong and what to do
   */
  static Arguments parse(String[] words) {
    int workers = Runtime.getRuntime().availableProcessors();
    String report = null;
    String strategy = null;
    String depth = null;
    for (String word : words) {
      if (word.startsWith("-workers=")) {
        String count = word.substring("-workers=".length());
        workers = parseCount("-workers", count, 1, GREATEST_WORKERS);
      } else if (word.startsWith("-report=")) {
        report = word.substring("-report=".length());
      } else if (strategy == null) {
        strategy = word;
      } else if (depth == null) {
        depth = word;
      } else {
        throw new IllegalArgumentException("unexpected argument \"" + word + "\"; " + USAGE);
      }
    }
    if (strategy == null) {
      throw new IllegalArgumentException("no strategy and no depth given; " + USAGE);
    }
    if (!strategy.equals("naive")) {
      throw new IllegalArgumentException("no strategy \"" + strategy + "\"; there is naive");
    }
    if (depth == null) {
      throw new IllegalArgumentException("no depth given; " + USAGE);
    }
    return new Arguments(workers, report, parseCount("depth", depth, 0, GREATEST_DEPTH));
  }

  private static int parseCount(String what, String word, int least, int greatest)
      {
    int count;
    try {
      count = Integer.parseInt(word);
    } catch (NumberFormatException e) {
      count = -1;
    }
    if (count < least || count > greatest) {
      throw new IllegalArgumentException(
          what + " \"" + word + "\" is not a whole number from " + least + " to " + greatest);
    }
    return count;
  }
}
