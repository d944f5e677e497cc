import type { LogStore } from "../../../../src/ports/log-store.ts";
import type { Point } from "./killing-disks.ts";

/**
 * Wraps a database store, whose disk belongs to another process: the process may die before and after each
 * call that changes something. (Kills in the middle of a transaction come from outside.)
 */
export function killingStore(store: LogStore, point: Point): LogStore {
  const around =
    <Given extends unknown[], Result>(call: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      point();
      const result = await call(...given);
      point();
      return result;
    };
  return {
    ...store,
    create: around(async (...given) => store.create(...given)),
    append: around(async (...given) => store.append(...given)),
    rotate: around(async (...given) => store.rotate(...given)),
    putBlob: around(async (...given) => store.putBlob(...given)),
    publish: around(async (...given) => store.publish(...given)),
    lease: around(async (...given) => store.lease(...given)),
  };
}
