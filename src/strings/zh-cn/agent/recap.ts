import type { Strings } from "../../strings.ts";
import { whole } from "../measures/whole.ts";

export const recap: Strings["recap"] = {
  fields: { asked: "要求", done: "已完成", open: "未完成", next: "下一步", elsewhere: "别处" },
  answered: (text) => `已回答：${text}`,
  todosDone: (todos) => `待办：${todos}`,
  filesChanged: (paths) => `改动：${paths}`,
  commandsRun: (commands) => `运行：${commands}`,
  outcomes: {
    ok: "",
    error: "（失败）",
    denied: "（未获允许）",
    interrupted: "（被中断）",
  },
  more: (count) => `还有 ${whole(count)} 项`,
  nothingDone: "还没有",
  nothingOpen: "没有",
  todo: { open: (text) => text, doing: (text) => `${text}（已开始）` },
  cut: {
    "before-first-step": "最后一条提示没有得到回答：还没有询问模型",
    replying: (step) => `在步骤 #${step} 中断，当时模型正在回复`,
    tools: (step) => `在步骤 #${step} 中断，当时工具正在运行`,
  },
  failed: (step) => (step === 0 ? "最后一条提示没有得到回答：轮次失败" : `轮次在步骤 #${step} 失败`),
  commandCut: (command) => `程序结束时 ${command} 仍在运行：不知道执行到了哪里`,
  by: {
    person: "由你中断",
    crash: "程序意外结束",
    limit: "已达步骤上限",
    unknown: "",
  },
  leftBy: (name, pid, host) => `当时处理它的是 ${name}（${host} 上的进程 ${pid}），它没有交还会话`,
  because: (why) => `原因：${why}`,
  openCall: (name, about) =>
    `${[name, about].filter((text) => text !== "").join(" ")} 已开始但未结束，是否生效未知`,
  unstarted: (count) => `另有 ${whole(count)} 次调用尚未开始`,
  finished: (count) => `这一步骤有 ${whole(count)} 次调用已结束`,
  answer: (prompt) => `回答提示“${prompt}”`,
  nothingNext: "等待你的下一条提示",
  elsewhere: (machine, checkpoints) =>
    `${checkpoints} 的文件只在 ${machine} 上：在这里回退到那些检查点时只回退对话`,
};
