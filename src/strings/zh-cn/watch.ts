import type { Strings } from "../strings.ts";
import { whole } from "./measures/whole.ts";

/** `改动 47 个文件，删除 3 个，新建 2 个`. */
export const changedFiles: Strings["watch"]["changedFiles"] = ({ created, deleted, changed, folders }) => {
  const parts = [
    ["改动", changed],
    ["删除", deleted],
    ["新建", created],
  ] as const;
  const [first, ...rest] = parts.filter(([, count]) => count > 0);
  if (first === undefined) return folders > 0 ? `改动 ${whole(folders)} 个文件夹` : "没有文件改动";
  const others = rest.map(([what, count]) => `${what} ${whole(count)} 个`);
  return [`${first[0]} ${whole(first[1])} 个文件`, ...others].join("，");
};

export const watch: Strings["watch"] = {
  began: (workspace, session) =>
    `正在监视 ${workspace}（会话 ${session}）。Ctrl-C 结束；所有检查点都会保留。`,
  polling: (seconds) => `系统在这里不通知文件变化，因此每 ${whole(seconds)} 秒查看一遍所有文件。`,
  known: "文件与时间线所知一致。",
  made: (number, what) => `检查点 #${number}：${what}`,
  first: "第一个带文件的检查点",
  gaps: (number, why) => `检查点 #${number} 不完整：${why}`,
  line: (made, last) => `正在监视：${whole(made)} 个检查点${last}`,
  last: (number, ago, what) => `，最近的是 #${number}，${ago}，${what}`,
  changedFiles,
  ago: (seconds) =>
    seconds < 60
      ? `${Math.floor(seconds)} 秒前`
      : seconds < 3600
        ? `${Math.floor(seconds / 60)} 分钟前`
        : `${Math.floor(seconds / 3600)} 小时前`,
  trouble: (why) => `${why} 继续监视。`,
  uncaptured: "监视已结束，但最后的改动未能捕获。",
  cut: "还没把所有文件看完一遍就结束了。",
  ended: (made) => (made === 0 ? "监视已结束；没有文件改动。" : `监视已结束，共 ${whole(made)} 个检查点。`),
};
