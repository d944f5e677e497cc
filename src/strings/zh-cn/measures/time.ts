import type { Strings } from "../../strings.ts";

export const time: Strings["time"] = {
  now: "刚刚",
  seconds: (count) => `${count} 秒前`,
  minutes: (count) => `${count} 分钟前`,
  hours: (count) => `${count} 小时前`,
  days: (count) => (count === 1 ? "昨天" : `${count} 天前`),
};
