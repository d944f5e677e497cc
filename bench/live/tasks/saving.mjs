/** The bug: a promise that is not awaited. */
export const task = {
  name: "saving",
  kind: "missing await",
  files: {
    "store.mjs": `import { setTimeout as wait } from "node:timers/promises";

export class Store {
  #rows = new Map();

  async put(key, value) {
    await wait(5);
    this.#rows.set(key, value);
  }

  async get(key) {
    await wait(1);
    return this.#rows.get(key);
  }
}
`,
    "accounts.mjs": `export async function deposit(store, name, cents) {
  const before = (await store.get(name)) ?? 0;
  store.put(name, before + cents);
  return before + cents;
}

export async function transfer(store, { from, to, cents }) {
  await deposit(store, from, -cents);
  await deposit(store, to, cents);
}
`,
    "test.mjs": `import assert from "node:assert/strict";
import { deposit, transfer } from "./accounts.mjs";
import { Store } from "./store.mjs";

const store = new Store();
await deposit(store, "ann", 500);
await deposit(store, "ann", 250);
await transfer(store, { from: "ann", to: "bob", cents: 100 });
assert.equal(await store.get("ann"), 650);
assert.equal(await store.get("bob"), 100);
`,
  },
  repair: [["accounts.mjs", "  store.put", "  await store.put"]],
};
