export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** How deeply the input of a tool may be nested: much deeper, and writing it as JSON overflows the stack. */
export const MAX_INPUT_DEPTH = 200;

/** Whether arrays and objects are nested in more than `levels`. Does not recurse, however deep they are. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= levels; depth += 1) {
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
    if (level.length === 0) return false;
  }
  return true;
}
