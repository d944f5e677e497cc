import { type CountsTold, inUnits } from "../en/measures.ts";
import type { Strings } from "../strings.ts";

/** `812 字节`, `12.3 kB`. */
export function sized(bytes: number): string {
  const { amount, unit } = inUnits(bytes);
  return `${amount} ${unit === "byte" ? "字节" : unit}`;
}

export const time: Strings["time"] = {
  now: "刚刚",
  seconds: (count) => `${count} 秒前`,
  minutes: (count) => `${count} 分钟前`,
  hours: (count) => `${count} 小时前`,
  days: (count) => (count === 1 ? "昨天" : `${count} 天前`),
};

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

/** The outcomes that occurred, each with its number of paths. */
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

/** `3,412`. */
export function whole(count: number): string {
  return count.toLocaleString("en");
}

/**
 * Adds the space that Chinese typography requires after a foreign word or a number, but not after Chinese characters
 * and brackets.
 */
export function spaced(text: string): string {
  return /[\u3000-\u9fff\uff00-\uffef]$/u.test(text) ? text : `${text} `;
}

export const modeNames: Strings["terminal"]["screen"]["status"]["modes"] = {
  manual: "手动",
  "accept-edits": "自动接受编辑",
  plan: "计划",
  auto: "自动",
};

/** The mode's name in the status line. The value that users type stays English. */
export function modeName(mode: string): string {
  return Object.entries(modeNames).find(([typed]) => typed === mode)?.[1] ?? mode;
}
