import type { LogStore } from "../../../../src/ports/log-store.ts";
import type { Point } from "./killing-disks.ts";

/**
 * A store in a database, whose disk is another process's: before and after each call that changes something is a point at
 * which the process may die. (In the middle of a transaction it is killed from outside.)
 */
export function killingStore(store: LogStore, point: Point): LogStore {
  const around = async <Result>(call: Promise<Result>): Promise<Result> => {
    const result = await call;
    point();
    return result;
  };
  const before = <Given extends unknown[], Result>(call: (...given: Given) => Promise<Result>) => {
    return async (...given: Given): Promise<Result> => {
      point();
      return around(call(...given));
    };
  };
  return {
    ...store,
    create: before(async (...given) => store.create(...given)),
    append: before(async (...given) => store.append(...given)),
    rotate: before(async (...given) => store.rotate(...given)),
    putBlob: before(async (...given) => store.putBlob(...given)),
    publish: before(async (...given) => store.publish(...given)),
    lease: before(async (...given) => store.lease(...given)),
  };
}
