import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** What only the virtual machine knows, for the lab: a JSON object of numbers. */
final class Report {
  private Report() {}

  /**
   * Writes the bytes that the threads still alive have allocated, how often the collector worked,
   * and how long the program waited for it. Of how much time its threads took besides, the virtual
   * machine says nothing.
   */
  static void write(String file) throws IOException {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long bytes = 0;
    for (long allocated : threads.getThreadAllocatedBytes(threads.getAllThreadIds())) {
      bytes += Math.max(0, allocated); // -1 stands for a thread that has ended since
    }
    long cycles = 0;
    long milliseconds = 0;
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      cycles += Math.max(0, collector.getCollectionCount()); // -1 stands for unknown
      milliseconds += Math.max(0, collector.getCollectionTime());
    }
    String json =
        String.format(
            Locale.ROOT,
            "{\"bytes\": %d, \"gc_cycles\": %d, \"gc_pause_s\": %.3f}%n",
            bytes,
            cycles,
            milliseconds / 1e3);
    try {
      Files.writeString(Path.of(file), json);
    } catch (IOException e) {
      throw new IOException("cannot write the report: " + e, e);
    }
  }
}
