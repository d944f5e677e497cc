import type { Strings } from "../strings.ts";

export const checkpoints: Strings["checkpoints"] = {
  none: "没有检查点。",
  atTime: (time) => `${time} 的检查点`,
  kinds: { prompt: "提示", manual: "手动", step: "步骤", command: "命令" },
  left: "（在已离开的分支上）",
  made: (number, session) => `检查点 #${number}，会话 ${session}`,
  madeWithLabel: (number, label, session) => `检查点 #${number}“${label}”，会话 ${session}`,
  labelled: (reference, label) => `检查点 ${reference} 的标签现在是“${label}”。`,
  unlabelled: (reference, label) => `检查点 ${reference} 的标签“${label}”已去掉。`,
  alreadyLabelled: (reference, label) => `检查点 ${reference} 的标签已经是“${label}”。`,
  lookalike: (label, other) => `“${label}”与另一个检查点的标签“${other}”看起来相同。`,
  hadNoLabel: (reference) => `检查点 ${reference} 没有标签。`,
};
