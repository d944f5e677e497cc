import { stats as english } from "../../en/agent/stats.ts";
import type { Strings } from "../../strings.ts";
import { whole } from "../measures/whole.ts";

export const stats: Strings["stats"] = {
  fields: {
    sessions: "会话",
    prompts: "提示",
    steps: "步骤",
    replies: "回复",
    tokens: "token",
    cache: "缓存",
    cost: "费用",
    tools: "工具调用",
    backtracks: "回溯",
    saved: "节省",
    journeys: "回退",
    compactions: "压缩",
  },
  replies: (count, models) => (models === "" ? whole(count) : `${whole(count)}（${models}）`),
  ofModel: (model, count) => `${model}：${whole(count)}`,
  tokens: (input, output) => `输入 ${whole(input)}，输出 ${whole(output)}`,
  uncounted: (count) => `不含 ${whole(count)} 条提供方没有计数的回复`,
  cache: (read, written, rate) =>
    `读取 ${whole(read)}，写入 ${whole(written)}：发送内容的 ${Math.round(100 * rate)}% 来自缓存`,
  nothingCounted: "提供方还没有任何计数",
  dollars: english.dollars,
  priceUnknown: (models) => `未知：没有 ${models} 的价格（可用设置 models 指定）`,
  withoutPrice: (cost, models) => `${cost}，不含 ${models}，其价格未知（可用设置 models 指定）`,
  tool: (calls, troubles) => [whole(calls), ...troubles].join("，"),
  failed: (count) => `失败 ${whole(count)}`,
  denied: (count) => `被拒绝 ${whole(count)}`,
  interrupted: (count) => `被中断 ${whole(count)}`,
  backtracks: (count, entries, tokens) =>
    count === 0 ? "0" : `${whole(count)}：离开 ${whole(entries)} 个条目、${whole(tokens)} 个 token`,
  saved: (tokens, cost) => `约 ${whole(tokens)} 个 token${cost === undefined ? "" : `，${cost}`}：估计值`,
  savedBasis:
    "token 数：回溯移出上下文的内容，只计一次；金额：此后的请求若继续携带这些内容要多付的费用，按缓存 token 的价格计算。两者都不代表不回溯时工作会怎样。",
  journeys: (rewinds, redos) => (redos === 0 ? whole(rewinds) : `${whole(rewinds)}，重做 ${whole(redos)}`),
  compactions: (count, before, after) =>
    count === 0 ? "0" : `${whole(count)}：${whole(before)} -> ${whole(after)} 个 token`,
};
