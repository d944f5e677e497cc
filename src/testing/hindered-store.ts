import type { LogStore } from "../ports/log-store.ts";

/** Runs before each call; may delay it, or throw instead of the call. */
export type Hindrance = (call: keyof LogStore) => void | Promise<void>;

/** The same store, slowed down or made to fail by the hindrance. */
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
