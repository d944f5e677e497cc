import type { CountsTold } from "../../en/measures/outcomes.ts";
import { whole } from "./whole.ts";

/** `恢复 2，移除 1，保留 0，失败 0`。 */
export function outcomeCounts(counts: CountsTold): string {
  const { restored, created = 0, removed = 0, merged = 0, kept, notRestorable = 0, failed } = counts;
  const some = (count: number, what: string): readonly string[] =>
    count === 0 ? [] : [`${what} ${whole(count)}`];
  return [
    `恢复 ${whole(restored)}`,
    ...some(created, "新建"),
    ...some(removed, "移除"),
    ...some(merged, "合并"),
    `保留 ${whole(kept)}`,
    ...some(notRestorable, "无法恢复"),
    `失败 ${whole(failed)}`,
  ].join("，");
}

/** What happened to some paths, and to how many: only what did happen. */
export function outcomesSeen(counts: CountsTold): readonly (readonly [count: number, what: string])[] {
  const { restored, created = 0, removed = 0, merged = 0, kept, notRestorable = 0, failed } = counts;
  const all = [
    [restored, "恢复"],
    [created, "新建"],
    [removed, "移除"],
    [merged, "合并"],
    [kept, "保留"],
    [notRestorable, "无法恢复"],
    [failed, "失败"],
  ] as const;
  return all.filter(([count]) => count > 0);
}
