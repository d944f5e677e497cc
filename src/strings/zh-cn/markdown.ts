import type { Strings } from "../strings.ts";
import { outcomeCounts, spaced } from "./measures.ts";

const scopes = { both: "对话和文件", conversation: "对话", files: "文件" };
const outcomes = { ok: "成功", error: "出错", denied: "被拒绝", interrupted: "被中断" };
const interrupters = { person: "被用户中断。", crash: "因崩溃而中断。", limit: "因达到上限而中断。" };

export const markdown: Strings["markdown"] = {
  untitled: "无标题的会话",
  session: (id) => `会话 ${id}`,
  workspace: (path) => `工作区 ${path}`,
  used: (created, used) => `创建于 ${created}，最近使用于 ${used}`,
  damaged: (count) => `日志中有 ${count} 处无法读取`,
  left: (journey, prompts, replies) =>
    `${journey === "backtrack" ? "代理回溯之前" : "重做之前"}：${prompts} 条提示，${replies} 条回复`,
  forgotten: (at) => `此处的内容已由所有者遗忘，时间 ${at}。`,
  checkpoint: (number) => `检查点 ${number}`,
  step: (number) => `步骤 ${number}`,
  failed: (name) => `${name}（失败）`,
  named: (place, names) => `${place}：${names.join("，")}`,
  fill: (percent) => `（上下文 ${percent}%）`,
  prompt: "**提示**",
  reply: (model) => `**回复**（${model}）`,
  cutOff: "回复在此处被截断。",
  longest: "回复在此处达到长度上限。",
  thinking: "思考",
  call: (tool) => `**调用 ${tool}**`,
  ranWith: (tool) => `**${tool} 实际使用的输入**`,
  command: "**用户运行了**",
  result: (tool, outcome) => `**${tool} 的结果**（${outcomes[outcome]}）`,
  image: (type) => `（图片，${type}）`,
  notice: "**告知模型**",
  wentBack: (to) => `**代理回溯到检查点 ${to}**，并给自己留下备注：`,
  why: (rationale) => `原因：${rationale}`,
  backAt: (prompt) => `回到的提示：${prompt}`,
  carriedPrompts: "**代理回溯之前给出的提示**",
  rewound: (to, scope) => `**已回退到检查点 ${to}**（${scopes[scope]}）。`,
  redone: (journey) => `**已重做**，回到 ${spaced(journey)}出发的位置。`,
  compacted: "**已压缩。** 在模型看到的内容中，这份摘要代替了此前的内容：",
  files: (counts) => `文件：${outcomeCounts(counts)}。`,
  todos: "**待办事项**",
  doing: (todo) => `${todo}（进行中）`,
  interrupted: (by) => interrupters[by],
  error: (code) => `**错误 ${code}**`,
  host: (host, session) => `在 ${host} 的会话 ${session} 中继续。`,
  foreign: (kind) => `一个类型为 ${kind} 的条目，此版本不认识该类型。`,
};
