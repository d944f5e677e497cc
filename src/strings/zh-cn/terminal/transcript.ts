import type { Strings } from "../../strings.ts";
import { outcomesSeen } from "../measures/outcomes.ts";
import { keptReason } from "./kept-reason.ts";

const scopes = { both: "文件和对话", conversation: "对话", files: "文件" };

const reasons = { asked: "手动", full: "上下文将满", "too-long": "提供方称内容过长" };

const number = (count: number): string => count.toLocaleString("en");

export const transcript: Strings["terminal"]["transcript"] = {
  images: (count) => `${number(count)} 张图片`,
  thinking: "思考中",
  thought: "思考",
  calls: {
    asked: "等待中",
    running: "运行中",
    ok: "完成",
    error: "失败",
    denied: "已拒绝",
    interrupted: "已中断",
  },
  milliseconds: (count) => `${count} 毫秒`,
  seconds: (count) => `${count} 秒`,
  minutes: (minutes, seconds) => `${minutes} 分 ${seconds} 秒`,
  lines: (count) => `${number(count)} 行`,
  moreLines: (count) => `还有 ${number(count)} 行`,
  linesBefore: (count) => `前面还有 ${number(count)} 行`,
  linesBeforeAtLeast: (count) => `前面至少还有 ${number(count)} 行`,
  more: (count) => `另外 ${number(count)} 个`,
  card: {
    title: (to) => `已回溯到 #${to}`,
    left: (entries, tokens) => `离开 ${number(entries)} 个条目，约 ${number(tokens)} 个 token`,
    prompt: (prompt) => `回到：${prompt}`,
    rationale: (why) => `原因：${why}`,
    note: "给自己的备注：",
    undo: "撤销这次回溯：/redo list",
  },
  left: {
    before: { backtrack: "回溯之前的内容", redo: "重做之前的内容" },
    calls: (count) => `${number(count)} 次工具调用`,
    messages: (count) => `${number(count)} 条消息`,
    keys: { folded: "Ctrl+O 展开", unfolded: "Ctrl+O 收起" },
  },
  restored: (counts) => {
    const seen = outcomesSeen(counts).map(
      ([value, what]) => `${what} ${number(value)} 个${what === "恢复" ? "路径" : ""}`,
    );
    return seen.length === 0 ? "没有路径恢复" : seen.join("，");
  },
  rewound: (scope, to) => `已将${scopes[scope]}回退到 #${to}`,
  redone: (scope) => `已重做：${scopes[scope]}`,
  outcomes: {
    restored: "已恢复",
    created: "已新建",
    removed: "已移除",
    merged: "已合并",
    kept: "已保留",
    "not-restorable": "无法恢复",
    "parent-changed": "所在文件夹已被替换",
    failed: "失败",
  },
  reason: keptReason,
  compacted: (reason, before, after) =>
    `已压缩：约 ${number(before)} 个 token${after === undefined ? "" : ` 减为 ${number(after)} 个`}（${reasons[reason]}）`,
  notCompacted: (why) => `未压缩：${why}`,
  interrupts: {
    person: "已中断，此前的成果均已保留。",
    crash: "程序在此处意外结束，本轮未完成。",
    limit: "已停止：本轮达到步骤上限。",
  },
  retry: ({ attempt, of, waitMs, checkpoint, message }) =>
    `正在从最近的检查点（#${checkpoint}）恢复，第 ${attempt}/${of} 次，` +
    `${Math.ceil(waitMs / 1_000)} 秒后重试：${message}`,
  times: (message, times) => (times === 1 ? message : `${message}（已尝试 ${times} 次）`),
  goOn: "已完成的内容均已保留。发送“继续”可从此处重试，/model 可更换模型。",
  replyCut: "回复被截断：已达到模型允许的最大长度。",
  title: (title) => `标题：${title}`,
  label: (label, checkpoint) => {
    const of = checkpoint === undefined ? "" : `#${checkpoint} 的`;
    return label === "" ? `${of}标签已移除` : `${of}标签：${label}`;
  },
  files: {
    changed: (count) => `${number(count)} 个文件已更改`,
    list: (count) => `${number(count)} 个文件已更改：`,
    created: "新建",
    deleted: "已删除",
  },
  todos: (done, of) => `待办：已完成 ${done}/${of}`,
};
