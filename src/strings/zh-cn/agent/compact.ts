import type { Strings } from "../../strings.ts";
import { whole } from "../measures/whole.ts";

export const compact: Strings["compact"] = {
  asking: (model) => `${model} 正在写摘要`,
  done: (before, after, model) =>
    `已压缩：${whole(before)} -> ${whole(after)} 个 token，摘要由 ${model} 撰写。`,
  nothingLost: "什么都没有丢失：worldline log 可以查看全部，回退可以找回。",
  wouldSummarise: (entries, count) =>
    `将用一份摘要代替 ${whole(entries)} 个条目，约 ${whole(count)} 个 token。`,
  wouldKeep: (exchanges, entries) =>
    `原样保留：最近 ${whole(exchanges)} 次往来（${whole(entries)} 个条目）。`,
  wouldPin: (prompt) => `同样保留：提示“${prompt}”`,
  dryRun: "什么都没有改变。",
};
