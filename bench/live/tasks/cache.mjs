/** The bug: the cache works until a recently used entry is evicted. */
export const task = {
  name: "cache",
  kind: "algorithm",
  files: {
    "lru.mjs": `/** Keeps the entries that were used last, at most \`size\` of them. */
export class Lru {
  #size;
  #entries = new Map();

  constructor(size) {
    this.#size = size;
  }

  get(key) {
    return this.#entries.get(key);
  }

  set(key, value) {
    this.#entries.set(key, value);
    if (this.#entries.size > this.#size) this.#entries.delete(this.#entries.keys().next().value);
  }

  get keys() {
    return [...this.#entries.keys()];
  }
}
`,
    "test.mjs": `import assert from "node:assert/strict";
import { Lru } from "./lru.mjs";

const cache = new Lru(2);
cache.set("a", 1);
cache.set("b", undefined);
assert.equal(cache.get("a"), 1);
cache.set("c", 3);
assert.deepEqual(cache.keys, ["a", "c"]);
cache.set("a", 4);
cache.set("d", 5);
assert.deepEqual(cache.keys, ["a", "d"]);
assert.equal(cache.get("a"), 4);
assert.equal(cache.get("nothing"), undefined);
assert.deepEqual(cache.keys, ["d", "a"]);
`,
  },
  repair: [
    [
      "lru.mjs",
      "    return this.#entries.get(key);\n",
      "    if (!this.#entries.has(key)) return undefined;\n    const value = this.#entries.get(key);\n    this.set(key, value);\n    return value;\n",
    ],
    [
      "lru.mjs",
      "    this.#entries.set(key, value);\n",
      "    this.#entries.delete(key);\n    this.#entries.set(key, value);\n",
    ],
  ],
};
