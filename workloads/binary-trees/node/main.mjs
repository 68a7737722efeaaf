// @ts-check
// The Node.js program of binary-trees; ../spec.md states the problem. tree.mjs is the one
// way to allocate the nodes; workers.mjs shares the trees out.

import { writeFileSync, writeSync } from "node:fs";
import { getHeapStatistics } from "node:v8";
import { parse } from "./arguments.mjs";
import { startFigures } from "./figures.mjs";
import { build, count, NODE_BYTES } from "./tree.mjs";
import { Workers } from "./workers.mjs";

const MIN_DEPTH = 4;

/**
 * Ends the program with one line that says why.
 *
 * @param {number} code
 * @param {string} what
 * @returns {never}
 */
function fail(code, what) {
  writeSync(2, `binary-trees: ${what}\n`);
  process.exit(code);
}

/**
 * Refuses what is sure to fail, for V8 would end the program with a stack trace.
 *
 * @param {number} max
 */
function checkRoom(max) {
  const stretch = NODE_BYTES * 2 ** (max + 2);
  const room = getHeapStatistics().heap_size_limit;
  if (stretch > room) {
    fail(
      1,
      `depth ${max} needs a heap of ${stretch} bytes, and V8 has ${room}; choose a smaller depth`,
    );
  }
}

/**
 * Prints the answer, line by line as it comes.
 *
 * @param {number} max
 * @param {Workers} workers
 */
async function run(max, workers) {
  const stretch = count(build(max + 1));
  process.stdout.write(`stretch tree of depth ${max + 1}\t check: ${stretch}\n`);
  const longLived = build(max);
  for (let depth = MIN_DEPTH; depth <= max; depth += 2) {
    const trees = 2 ** (max - depth + MIN_DEPTH);
    const check = await workers.countAll(depth, trees);
    process.stdout.write(`${trees}\t trees of depth ${depth}\t check: ${check}\n`);
  }
  process.stdout.write(`long lived tree of depth ${max}\t check: ${count(longLived)}\n`);
}

const wanted = parse(process.argv.slice(2));
if (typeof wanted === "string") {
  fail(2, wanted);
}
process.stdout.on("error", (err) => fail(1, `cannot write to standard output: ${err.message}`));
const max = Math.max(wanted.depth, MIN_DEPTH + 2);
checkRoom(max);
const reports = wanted.report !== undefined;
const endFigures = reports ? startFigures() : undefined;
const workers = new Workers(wanted.workers, reports);
try {
  await run(max, workers);
  const figures = await workers.close();
  if (endFigures && wanted.report !== undefined) {
    figures.push(endFigures());
    const sum = (/** @type {keyof import("./figures.mjs").Figures} */ key) =>
      figures.reduce((total, f) => total + f[key], 0);
    const report = {
      bytes: sum("bytes"),
      gc_cycles: sum("gc_cycles"),
      gc_pause_s: sum("gc_pause_s"),
    };
    writeFileSync(wanted.report, JSON.stringify(report) + "\n");
  }
} catch (err) {
  fail(1, err instanceof Error ? err.message : String(err));
}
