// @ts-check
// One worker thread: it takes batches of trees until there are none left, for every depth
// that it is sent, and ends when it is told to.

import { parentPort, workerData } from "node:worker_threads";
import { startFigures } from "./figures.mjs";
import { countTrees } from "./tree.mjs";

/** @type {Int32Array} */
const taken = workerData.taken;
const endFigures = workerData.reports ? startFigures() : undefined;

parentPort?.on("message", (message) => {
  if (message === "end") {
    parentPort?.postMessage(endFigures?.());
    parentPort?.close();
    return;
  }
  const { depth, batch, batches } = message;
  let sum = 0;
  while (Atomics.add(taken, 0, 1) < batches) {
    sum += countTrees(depth, batch);
  }
  parentPort?.postMessage(sum);
});
