import type { Strings } from "../strings.ts";
import { whole } from "./measures/whole.ts";

const entries = (count: number) => `${whole(count)} 个条目`;

const KINDS = { backtrack: "回溯", rewind: "回退", redo: "重做" } as const;

export const journeys: Strings["journeys"] = {
  current: "（当前）",
  pickTitle: "回退到：",
  pickMore: (count, command) => `还有 ${whole(count)} 个检查点：${command("checkpoints --all")}`,
  pickQuestion: (last) => `行号（0-${last}，默认 0）：`,
  notARow: (typed, last) => `“${typed}”不是列表中的行：请输入 0 到 ${last} 的数字。`,
  stillRunning: (commands) =>
    `本会话一次被终止的运行留下的命令仍在运行：${commands.join("；")}。它可能再次改动文件；` +
    "会话的下一个轮次会结束它，worldline resume --rewind-files 也会。",
  runningNow: (commands) => `本会话正在运行：${commands.join("；")}。在你回退之前它可能还会改动文件。`,
  stayed: "什么都没有改变。",
  restored: (place) => `已恢复到检查点：${place}`,
  wouldRestore: (place) => `将恢复到检查点：${place}`,
  redone: (journey) => `已撤销${journey}`,
  wouldRedo: (journey) => `将撤销${journey}`,
  left: (count) => `离开但仍保留：${entries(count)}`,
  back: (count) => `回到对话中：${entries(count)}`,
  context: (before, after) => `上下文：${whole(before)} -> ${whole(after)} 个 token`,
  redoWith: (command) => `要撤销这一步：${command}`,
  promptBack: "取回的提示：",
  dryRun: "这是试运行，什么都没有改变。",
  noJourneys: "没有跳转记录。",
  returnTo: "可以返回到：",
  leftBy: (ago, kind, to) => `${ago}因${kind}${to === undefined ? "" : `到 #${to} `}而离开`,
  undoQuestion: (kind, to, leaves) =>
    `撤销${to === undefined ? "这次" : `到 #${to} 的`}${KINDS[kind]}？将离开 #${leaves}`,
  leavesNewer: (checkpoint) => `将离开较新的工作（到 #${checkpoint} 为止），它仍保留在 worldline tree 中`,
  to: (number) => `到 #${number}`,
  fromLine: (line) => `自第 ${line} 行`,
  fromElsewhere: "来自分叉前的会话",
  ofJourney: (kind, id) => `针对 ${kind} ${id}`,
  ofJourneyElsewhere: "针对另一会话的跳转",
  states: { next: "下一次重做", open: "", undone: "已撤销" },
  kinds: KINDS,
  described: (kind, id, to) => `${kind} ${id}（${to}）`,
  forked: (session, from) => `新会话 ${session}，分叉自 ${from}`,
  forkHolds: (count, at) =>
    at === undefined ? `包含整个分支：${entries(count)}` : `包含到 #${at} 为止的分支：${entries(count)}`,
  openForkIn: (command) => `它的工作区就是该文件夹。要在那里工作：${command}`,
  openFork: (session) =>
    `它现在是这里最近使用的会话。要指定它：--session ${session}；在程序中：openSession({ resume: "${session}" })`,
};
