import type { travel as english } from "../en/travel.ts";
import type { Translated } from "../texts.ts";

export const travel: Translated<typeof english> = {
  "checkpoint-unknown": {
    message: ({ wanted }) => `此会话中没有检查点 ${wanted}。`,
    hint: ({ known }, { command }) =>
      known === ""
        ? `没有检查点。每次提示都会产生一个，也可以执行：${command("checkpoint <label>")}`
        : `已有的检查点：${known}`,
  },
  "already-at-checkpoint": {
    message: ({ checkpoint }) => `对话已在检查点 ${checkpoint}。`,
    hint: (_, { command }) => `请选择更早的检查点：${command("checkpoints")}`,
  },
  "log-without-lines": {
    message: () => "此会话的日志没有一行可以读取。",
    hint: (_, { command }) => `查看出了什么问题：${command("doctor")}`,
  },
  "journey-unknown": {
    message: ({ journey }) => `此会话中没有跳转 ${journey}。`,
    hint: (_, { command }) => `查看所有跳转：${command("redo --list")}`,
  },
  "journey-start-damaged": {
    message: ({ journey }) => `无法重做跳转 ${journey}：它出发的那一行已损坏。`,
    hint: (_, { command }) => `请回退到它离开的分支上的一个检查点：${command("tree")}`,
  },
  "journey-before-fork": {
    message: ({ journey }) => `无法重做跳转 ${journey}：它发生在此会话分叉之前。`,
    hint: () => "请在此会话所来自的会话中重做。",
  },
  "journey-undone": {
    message: ({ journey }) => `跳转 ${journey} 已被撤销。`,
    hint: (_, { command }) => `要取消撤销，请重做那次重做：${command("redo --list")}`,
  },
  "journey-of-files": {
    message: ({ journey }) => `跳转 ${journey} 只带走了文件。`,
    hint: () => "请连同文件一起重做。",
  },
  "nothing-to-redo": {
    message: () => "没有可重做的操作。",
    hint: ({ left }, { command }) =>
      left === "some"
        ? `要回到之前离开的分支：${command("redo --list")}`
        : `查看所有跳转：${command("redo --list")}`,
  },
  "nothing-to-compact": {
    message: () => "没有可压缩的内容。",
    hint: ({ kept }) => (kept === 1 ? "最近一次往来始终保持原样。" : `最近 ${kept} 次往来始终保持原样。`),
  },
};
