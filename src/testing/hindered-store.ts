import type { LogStore } from "../ports/log-store.ts";

/** Runs before each call, which it may delay or replace with an exception. */
export type Hindrance = (call: keyof LogStore) => void | Promise<void>;

/** Wraps a store whose calls the hindrance slows down or makes fail. */
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
