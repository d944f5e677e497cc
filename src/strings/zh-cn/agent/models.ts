import type { Strings } from "../../strings.ts";
import { whole } from "../measures/whole.ts";

export const models: Strings["models"] = {
  usable: { yes: "可用", no: "不可用" },
  chosen: (model, window) => `不加 --model 时：${model}，窗口为 ${whole(window)} 个 token`,
  assumed: "（假定值；可用设置 models 指定）",
  ofSetting: (setting, place) => `设置 ${setting} 指定的模型（${place}）不可用`,
  noSummariser: (why, hint) => `${why} 改由主模型写摘要。${hint}`,
  noneChosen: (why) => `不加 --model 时：无。${why}`,
  more: (count) => `还有 ${count} 个`,
  finder: "不需要密钥和网络；找出是什么让测试失败。",
};

export const setup: Strings["setup"] = {
  whichProvider: "这是哪个提供方的密钥？",
  keyQuestion: (provider) => `${provider} 的密钥（不会显示）：`,
  testing: (model) => `正在请 ${model} 回答一个词`,
  kept: (provider, file) => `${provider} 的密钥保存在 ${file}`,
  works: (model) => `可以使用：${model} 已回答。`,
  notTested: "没有试用。",
  removed: (provider, file) => `${provider} 的密钥已从 ${file} 中移除。`,
  wasNotKept: (provider) => `没有保存过 ${provider} 的密钥。`,
  noKeyNeeded: (provider) => `${provider} 不需要密钥。`,
  withoutKey: (model, does) => `不需要任何密钥：--model ${model}。${does}`,
  environmentWins: (variable) => `已设置 ${variable}，它优先于保存的密钥。`,
};
