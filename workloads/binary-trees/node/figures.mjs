// @ts-check
// What only V8 knows of the heap of one thread.

import { GCProfiler, getHeapStatistics } from "node:v8";

/**
 * Bytes allocated, how often the collector worked, and how long the thread waited for it.
 * Of how much time its helper threads took besides, V8 says nothing.
 *
 * @typedef {{ bytes: number, gc_cycles: number, gc_pause_s: number }} Figures
 */

/**
 * Starts to keep the figures, and returns the function that ends it.
 *
 * @returns {() => Figures}
 */
export function startFigures() {
  const profiler = new GCProfiler();
  profiler.start();
  let used = getHeapStatistics().used_heap_size;
  return () => {
    const now = getHeapStatistics().used_heap_size;
    let bytes = 0;
    let microseconds = 0;
    const collections = profiler.stop().statistics;
    // What is in use grows by what is allocated, from one collection to the next.
    for (const { beforeGC, afterGC, cost } of collections) {
      bytes += beforeGC.heapStatistics.usedHeapSize - used;
      used = afterGC.heapStatistics.usedHeapSize;
      microseconds += cost;
    }
    bytes += now - used;
    return { bytes, gc_cycles: collections.length, gc_pause_s: microseconds / 1e6 };
  };
}
