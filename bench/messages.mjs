/**
 * The conversation for every contender: the same bytes for the same seed, on every machine.
 * It is ASCII only, so that the length in characters equals the length in bytes.
 *
 * @typedef {{ role: "user" | "assistant", text: string }} Message
 * @typedef {{ count: number, bytes: number, seed?: number }} Spec
 */

const words =
  "the session log entry branch head parent checkpoint rewind backtrack note file test error stack trace " +
  "function returns undefined because pool never releases its connection after timeout so we read again";
const codeLines = [
  'import { readFileSync } from "node:fs";',
  "  if (entry === undefined) return { state: \"none\", why: 'missing' };",
  "\tfor (const line of lines) total += line.length; // bytes, not characters",
  "    at Pool.acquire (src/pool.ts:112:17)",
  '{"level":"warn","path":"C:\\\\work\\\\main","retry":3}',
];

/** A small seeded generator, because Math.random cannot be seeded. */
function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One long text from which messages are sliced: prose and code, with quotes and line breaks that JSON must escape. */
function material(random, length) {
  const vocabulary = words.split(" ");
  const pick = (list) => list[Math.floor(random() * list.length)];
  const lines = [];
  for (let size = 0; size < length; ) {
    const prose = Array.from({ length: 6 + Math.floor(random() * 10) }, () => pick(vocabulary)).join(" ");
    const line = random() < 0.4 ? pick(codeLines) : prose;
    lines.push(line);
    size += line.length + 1;
  }
  return lines.join("\n");
}

/**
 * `count` messages, alternating between user and assistant, whose texts have exactly `bytes` bytes
 * in total. The user's messages are short and the assistant's are long; the lengths of the pairs vary by half.
 * @param {Spec} spec
 * @returns {Generator<Message>}
 */
export function* conversation({ count, bytes, seed = 42 }) {
  const random = seeded(seed);
  const source = material(random, 1 << 20);
  const pairs = count / 2;
  const mean = bytes / pairs;
  const textOf = (index, length) => {
    const start = Math.floor(random() * (source.length - length));
    return `#${index} ${source.slice(start, start + length)}`.slice(0, length);
  };
  let spent = 0;
  for (let pair = 0; pair < pairs; pair += 1) {
    const drift = pair === pairs - 1 ? 0 : (random() - 0.5) * (mean / 2);
    const budget = Math.round((pair + 1) * mean + drift) - spent;
    const short = Math.max(12, Math.floor(budget * (0.1 + random() * 0.2)));
    yield { role: "user", text: textOf(2 * pair, short) };
    yield { role: "assistant", text: textOf(2 * pair + 1, budget - short) };
    spent += budget;
  }
}

/**
 * `count` messages of `bytesEach` bytes, alternating between user and assistant.
 * @param {{ count: number, bytesEach: number, seed?: number }} spec
 * @returns {Generator<Message>}
 */
export function* evenMessages({ count, bytesEach, seed = 42 }) {
  const random = seeded(seed);
  const source = material(random, 1 << 20);
  for (let index = 0; index < count; index += 1) {
    const start = Math.floor(random() * (source.length - bytesEach));
    const text = `#${index} ${source.slice(start, start + bytesEach)}`.slice(0, bytesEach);
    yield { role: index % 2 === 0 ? "user" : "assistant", text };
  }
}
