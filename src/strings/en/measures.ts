/** `1 entry`, `3,412 entries`. */
export function counted(count: number, one: string, many: string): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

const UNITS = ["byte", "kB", "MB", "GB", "TB"] as const;
const STEP = 1000;

/** Converts a number of bytes to the largest suitable unit: `12.3` and `kB`. */
export function inUnits(bytes: number): { readonly amount: string; readonly unit: (typeof UNITS)[number] } {
  let size = bytes;
  let at = 0;
  while (size >= STEP && at < UNITS.length - 1) {
    size /= STEP;
    at += 1;
  }
  return { amount: at === 0 ? String(size) : size.toFixed(1), unit: UNITS[at] ?? "byte" };
}

/** `812 bytes`, `12.3 kB`. */
export function sized(bytes: number): string {
  const { amount, unit } = inUnits(bytes);
  return `${amount} ${unit === "byte" && bytes !== 1 ? "bytes" : unit}`;
}

/** Strings that say how long ago something happened. */
export const time = {
  now: "just now",
  seconds: (count: number) => `${count} s ago`,
  minutes: (count: number) => `${count} min ago`,
  hours: (count: number) => `${count} h ago`,
  days: (count: number) => (count === 1 ? "yesterday" : `${count} days ago`),
};

/** Number of paths with each outcome of a journey. Logs written by older versions count only three of the outcomes. */
export interface CountsTold {
  readonly restored: number;
  readonly created?: number;
  readonly removed?: number;
  readonly merged?: number;
  readonly kept: number;
  readonly notRestorable?: number;
  readonly failed: number;
}

/** `2 restored, 1 removed, 0 kept, 0 failed`. */
export function outcomeCounts(counts: CountsTold): string {
  const { restored, created = 0, removed = 0, merged = 0, kept, notRestorable = 0, failed } = counts;
  const some = (count: number, what: string): readonly string[] =>
    count === 0 ? [] : [`${count.toLocaleString("en")} ${what}`];
  return [
    `${restored.toLocaleString("en")} restored`,
    ...some(created, "created"),
    ...some(removed, "removed"),
    ...some(merged, "merged"),
    `${kept.toLocaleString("en")} kept`,
    ...some(notRestorable, "not restorable"),
    `${failed.toLocaleString("en")} failed`,
  ].join(", ");
}

/** Returns the outcomes that occurred, each with its number of paths. */
export function outcomesSeen(counts: CountsTold): readonly (readonly [count: number, what: string])[] {
  const { restored, created = 0, removed = 0, merged = 0, kept, notRestorable = 0, failed } = counts;
  const all = [
    [restored, "restored"],
    [created, "created"],
    [removed, "removed"],
    [merged, "merged"],
    [kept, "kept"],
    [notRestorable, "not restorable"],
    [failed, "failed"],
  ] as const;
  return all.filter(([count]) => count > 0);
}
