import { stats } from "../../measure.mjs";

/** Lists of figures by name, and what they come to. */
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

/** Clocks of file systems are coarse: what was written just now cannot be told from what is written next. */
export const settle = () => new Promise((resolve) => setTimeout(resolve, 120));
