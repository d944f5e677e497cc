import { stats } from "../../measure.mjs";

/** Collects lists of figures by name, and summarizes them. */
export function samples() {
  const lists = new Map();
  return {
    add(name, value) {
      if (value === undefined) return;
      if (!lists.has(name)) lists.set(name, []);
      lists.get(name).push(value);
    },
    summed: () => Object.fromEntries([...lists].map(([name, values]) => [name, stats(values)])),
  };
}

/** Waits for a tick: file system clocks are coarse, and two changes within one tick look the same. */
export const settle = () => new Promise((resolve) => setTimeout(resolve, 120));
