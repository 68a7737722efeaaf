// @ts-check
// Worker threads that share the trees of one depth out. They share no memory but a
// counter; each has a heap of its own. One worker works in the caller's thread.

import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { countTrees } from "./tree.mjs";

export class Workers {
  /** @type {Worker[]} */
  #threads = [];
  #taken = new Int32Array(new SharedArrayBuffer(4)); // batches that a thread has taken on

  /**
   * @param {number} workers
   * @param {boolean} reports whether the threads keep the figures that close returns
   */
  constructor(workers, reports) {
    const workerData = { taken: this.#taken, reports };
    for (let i = 0; workers > 1 && i < workers; i++) {
      this.#threads.push(new Worker(new URL("share.mjs", import.meta.url), { workerData }));
    }
  }

  /**
   * Builds and counts all trees of one depth, and returns the sum of their counts.
   *
   * @param {number} depth
   * @param {number} trees
   */
  async countAll(depth, trees) {
    if (this.#threads.length === 0) {
      return countTrees(depth, trees);
    }
    this.#taken[0] = 0;
    const batch = batchLength(depth, trees); // a power of two, as the count of trees is
    /** @type {number[]} */
    const sums = await this.#ask({ depth, batch, batches: trees / batch });
    return sums.reduce((total, sum) => total + sum, 0);
  }

  /**
   * Ends the threads, and returns the figures of each.
   *
   * @returns {Promise<import("./figures.mjs").Figures[]>}
   */
  async close() {
    return this.#ask("end");
  }

  /**
   * Sends a message to all threads and returns the answer of each.
   *
   * @param {unknown} message
   */
  async #ask(message) {
    return Promise.all(
      this.#threads.map(async (thread) => {
        thread.postMessage(message);
        const [answer] = await once(thread, "message"); // fails with what the thread throws
        return answer;
      }),
    );
  }
}

/**
 * How many trees a worker takes on at once: about 65,000 nodes, which is a few
 * milliseconds, so that sharing out costs nothing and the last batches end together.
 *
 * @param {number} depth
 * @param {number} trees
 */
function batchLength(depth, trees) {
  return Math.min(trees, Math.max(1, 2 ** (15 - depth)));
}
