import { createHash } from "node:crypto";
import { blocksOf, sum } from "./blocks.mjs";

export const definition =
  '"Sent again" counts the tokens of blocks (a tool, the system prompt, or a content block of a message, without cache marks) that a request ' +
  "of the agent did not read from the cache although an earlier request in the run contained the same block. A result counts as the same block " +
  'with and without the checkpoint marker after it, which a compaction hides. "At best" is the same count for a cache that keeps every prefix ' +
  "ever sent, instead of a cache with four marks that looks back 20 blocks. Requests for summaries are counted separately.";

const MARKER = /(?:\\n)?<system-([a-z0-9]+)>Checkpoint \d+[^<]*<\/system-\1>/gu;
/** The content of a block. A block that contains only a marker is identified by that marker. */
const contentOf = ({ text }) => {
  const content = text.replace(MARKER, "");
  return content.endsWith('"text":""}') ? text : content;
};

/** Requests without tools come from the summarizer. */
export const isOfSummariser = (request) => request.tools.length === 0;

/**
 * How much a run sent, and how much of that it had sent before.
 * @param {readonly any[]} requests as the scripted server recorded them
 */
export function sentAgain(requests) {
  const seen = new Set();
  const prefixes = new Set();
  const total = { sent: 0, sentAgain: 0, sentAgainAtBest: 0, toSummarise: 0 };
  for (const request of requests) {
    const blocks = blocksOf(request.body);
    if (sum(blocks.map(({ tokens }) => tokens)) !== request.inputTokens) {
      throw new Error("The benchmark and the scripted server count tokens differently.");
    }
    total.sent += request.inputTokens;
    if (isOfSummariser(request)) {
      total.toSummarise += request.inputTokens;
      continue;
    }
    const names = prefixNames(blocks);
    const knownBefore = names.findIndex((name) => !prefixes.has(name));
    const known = knownBefore === -1 ? blocks.length : knownBefore;
    total.sentAgain += seenIn(blocks.slice(readBlocks(blocks, request.cachedTokens)), seen);
    total.sentAgainAtBest += seenIn(blocks.slice(known), seen);
    for (const block of blocks) seen.add(contentOf(block));
    for (const name of names) prefixes.add(name);
  }
  return total;
}

const seenIn = (blocks, seen) =>
  sum(blocks.filter((block) => seen.has(contentOf(block))).map(({ tokens }) => tokens));

/** How many blocks came from the cache, which only holds whole blocks. */
function readBlocks(blocks, cachedTokens) {
  let tokens = 0;
  for (const [index, block] of blocks.entries()) {
    if (tokens >= cachedTokens) return index;
    tokens += block.tokens;
  }
  return blocks.length;
}

function prefixNames(blocks) {
  const hash = createHash("sha256");
  return blocks.map(({ text }) => hash.update("\0").update(text).copy().digest("base64"));
}
