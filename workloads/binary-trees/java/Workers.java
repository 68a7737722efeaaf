import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/** Threads that share the trees of one depth. One worker works in the caller's thread. */
final class Workers implements AutoCloseable {
  private final int count;
  private final ExecutorService pool; // null if there is one worker

  Workers(int count) {
    this.count = count;
    this.pool = count == 1 ? null : Executors.newFixedThreadPool(count);
  }

  /** Builds and counts all trees of one depth, and returns the sum of their counts. */
  long countAll(int depth, long trees) throws InterruptedException {
    if (pool == null) {
      return countBatch(depth, trees);
    }
    long batch = batchLength(depth, trees); // a power of two, as the count of trees is
    AtomicLong taken = new AtomicLong();
    Callable<Long> share =
        () -> {
          long sum = 0;
          while (taken.getAndAdd(batch) < trees) {
            sum += countBatch(depth, batch);
          }
          return sum;
        };
    long check = 0;
    for (Future<Long> sum : pool.invokeAll(Collections.nCopies(count, share))) {
      try {
        check += sum.get();
      } catch (ExecutionException e) {
        throw (Error) e.getCause(); // of memory: a share throws nothing else
      }
    }
    return check;
  }

  /**
   * How many trees a worker takes on at once: about 65,000 nodes, which is a fraction of a
   * millisecond, so that sharing out costs nothing and the last batches end together.
   */
  private static long batchLength(int depth, long trees) {
    return Math.min(trees, Math.max(1, (1 << 16) >> (depth + 1)));
  }

  private static long countBatch(int depth, long trees) {
    long sum = 0;
    for (long i = 0; i < trees; i++) {
      sum += Node.build(depth).count();
    }
    return sum;
  }

  @Override
  public void close() {
    if (pool != null) {
      pool.shutdown();
    }
  }
}
