/** The bug: the error comes from the warehouse, three modules away from its cause. */
export const task = {
  name: "orders",
  kind: "misleading message",
  files: {
    "states.mjs": `/** Which states may follow which. What was cancelled or delivered stays so. */
export const following = {
  placed: ["paid", "cancelled"],
  paid: ["packed", "cancelled"],
  packed: ["sent"],
  sent: ["delivered"],
  delivered: [],
  cancelled: ["packed"],
};
`,
    "order.mjs": `import { following } from "./states.mjs";

export function moved(order, state) {
  if (!following[order.state].includes(state)) return order;
  return { ...order, state };
}
`,
    "warehouse.mjs": `export class Warehouse {
  #count;

  constructor(count) {
    this.#count = count;
  }

  pack(order) {
    if (this.#count < order.count) throw new Error(\`The warehouse is empty: \${order.id} cannot be packed.\`);
    this.#count -= order.count;
  }
}
`,
    "shop.mjs": `import { moved } from "./order.mjs";

export function packAll(orders, warehouse) {
  return orders.map((order) => {
    const packed = moved(order, "packed");
    if (packed.state === "packed" && order.state !== "packed") warehouse.pack(order);
    return packed;
  });
}
`,
    "test.mjs": `import assert from "node:assert/strict";
import { packAll } from "./shop.mjs";
import { Warehouse } from "./warehouse.mjs";

const orders = [
  { id: "one", count: 2, state: "cancelled" },
  { id: "two", count: 3, state: "paid" },
  { id: "three", count: 1, state: "packed" },
];
const after = packAll(orders, new Warehouse(3));
assert.deepEqual(after.map(({ state }) => state), ["cancelled", "packed", "packed"]);
assert.throws(() => packAll([{ id: "four", count: 4, state: "paid" }], new Warehouse(3)), /warehouse is empty/u);
`,
  },
  repair: [["states.mjs", 'cancelled: ["packed"]', "cancelled: []"]],
};
