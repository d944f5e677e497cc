import type { LogStore } from "../ports/log-store.ts";

/** Runs before each call. It can delay the call, or throw an error instead. */
export type Hindrance = (call: keyof LogStore) => void | Promise<void>;

/** Wraps a store so that `hindrance` can delay its calls or make them fail. */
export function hinderedStore(store: LogStore, hindrance: Hindrance): LogStore {
  return new Proxy(store, {
    get: (target, name: keyof LogStore) => {
      if (name === "place") return target.place;
      const call = target[name] as (...args: readonly unknown[]) => Promise<unknown>;
      return async (...args: readonly unknown[]) => {
        await hindrance(name);
        return call.apply(target, [...args]);
      };
    },
  });
}
