import type { Strings } from "../strings.ts";
import { changedFiles } from "./watch.ts";

export const run: Strings["run"] = {
  before: (number, command) => `检查点 #${number}，运行之前：${command}`,
  unprotected: (why) => `命令运行之前没有捕获文件，因此无法回退：${why}`,
  partly: (why) => `命令运行之前没有捕获全部文件：${why}`,
  notAfter: (why) => `命令所做的改动没有捕获：${why}`,
  unchanged: "没有文件改动。",
  changed: (counts) => changedFiles(counts),
  question: (summary) => `${summary}：[k] 保留，[l] 查看，[p] 补丁，[b] 回退（默认保留）？ `,
  notUnderstood: (typed) => `“${typed}”不是 k、l、p、b 之一。`,
  goBackWith: (command) => `要回退：${command}`,
  keptWith: (command) => `已保留。以后要回退：${command}`,
};
