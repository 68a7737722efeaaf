// @ts-check
// The words on the command line: STRATEGY [-workers=N] [-report=FILE] DEPTH.

import os from "node:os";

const USAGE = "usage: main.mjs naive [-workers=N] [-report=FILE] DEPTH";
const GREATEST_DEPTH = 40; // its trees take 64 TiB and more
const GREATEST_WORKERS = 4096;

/**
 * Tells what the arguments ask for, or in one line what is wrong and what to do.
 *
 * @param {string[]} words
 * @returns {{ workers: number, report: string | undefined, depth: number } | string}
 */
export function parse(words) {
  let workers = os.availableParallelism();
  let report;
  const rest = [];
  for (const word of words) {
    if (word.startsWith("-workers=")) {
      workers = number(word.slice("-workers=".length), 1, GREATEST_WORKERS);
      if (Number.isNaN(workers)) {
        return `${word} is not a whole number from 1 to ${GREATEST_WORKERS}`;
      }
    } else if (word.startsWith("-report=")) {
      report = word.slice("-report=".length);
    } else {
      rest.push(word);
    }
  }
  const [strategy, depthWord, extra] = rest;
  if (strategy === undefined) {
    return `no strategy and no depth given; ${USAGE}`;
  }
  if (strategy !== "naive") {
    return `no strategy "${strategy}"; there is naive`;
  }
  if (depthWord === undefined) {
    return `no depth given; ${USAGE}`;
  }
  if (extra !== undefined) {
    return `unexpected argument "${extra}"; ${USAGE}`;
  }
  const depth = number(depthWord, 0, GREATEST_DEPTH);
  if (Number.isNaN(depth)) {
    return `depth "${depthWord}" is not a whole number from 0 to ${GREATEST_DEPTH}`;
  }
  return { workers, report, depth };
}

/**
 * Returns the number that the word is, or NaN if it is none between the bounds.
 *
 * @param {string} word
 * @param {number} least
 * @param {number} greatest
 */
function number(word, least, greatest) {
  const n = /^\d+$/.test(word) ? Number(word) : NaN;
  return least <= n && n <= greatest ? n : NaN;
}
