import type { choosingModels as english, SettingPlace } from "../en/choosing-models.ts";
import type { Translated } from "../texts.ts";

export const choosingModels: Translated<typeof english> = {
  "model-of-setting-unusable": {
    message: ({ setting, place, problem }, { message }) =>
      `设置 ${setting} 指定的模型（${placeText(place)}）不可用：${message(problem)}`,
    hint: ({ problem }, { hint }) => hint(problem),
  },
  "finder-writes-no-summaries": {
    message: ({ model }) => `${model} 用来找出是什么让测试失败，不写摘要。`,
    hint: ({ by }, { command }) =>
      `请为此指定另一个模型：${by === "option" ? "--model <provider/name>" : command("config set compaction.model <provider/name>")}`,
  },
  "model-not-named": {
    message: () => "--model 没有指明模型。",
    hint: (_, { command }) =>
      `请以 provider/name 的形式给出模型，或去掉 --model。查看：${command("compact --help")}`,
  },
  "sdk-folder-relative": {
    message: ({ folder }) => `claude.sdk 是“${folder}”，它不是完整路径。`,
    hint: (_, { command }) => `请从根目录或 ~ 起写明文件夹：${command("config set claude.sdk ~/claude-sdk")}`,
  },
  "model-not-of-the-sdk": {
    message: ({ model }) => `${model} 不是 Claude Agent SDK 的模型。`,
    hint: ({ model }, { command }) =>
      `Worldline 自己的智能体可以使用它：${command(`--host native --model ${model}`)}`,
  },
  "key-to-paste-missing": { message: () => "没有给出密钥。", hint: () => "请在这里粘贴它。" },
  "key-missing": {
    message: () => "没有给出密钥。",
    hint: ({ provider }, { command }) =>
      `请在询问时输入，或通过管道传入：${command(`setup ${provider} < <file>`)}`,
  },
  "key-to-connect-refused": {
    message: ({ why }) => why,
    hint: ({ advice = "" }) => `${advice} 没有保存任何内容。`.trim(),
  },
  "key-refused": {
    message: ({ why }) => why,
    hint: ({ advice = "" }) => `${advice} 没有保存任何内容；仍要保存：--without-test`.trim(),
  },
  "model-to-connect-unknown": {
    message: ({ provider }) => `不知道该用 ${provider} 的哪个模型来试用密钥。`,
    hint: ({ provider }, { command }) =>
      `请在 shell 中指定一个：${command(`setup ${provider} --model <name>`)}`,
  },
  "model-to-try-unknown": {
    message: ({ provider }) => `不知道该用 ${provider} 的哪个模型来试用密钥。`,
    hint: () => "请用 --model 指定一个，或不试用就保存密钥：--without-test",
  },
  "provider-takes-no-key": {
    message: ({ provider }) => `没有需要密钥的提供方“${provider}”。`,
    hint: (_, { command }) => `查看全部：${command("models")}`,
  },
  "whose-key": {
    message: () => "这是哪个提供方的密钥？",
    hint: ({ providers }, { command }) =>
      `请指明提供方：${command("setup <provider>")}。提供方：${providers.join("、")}`,
  },
  "provider-unknown": {
    message: () => "没有这个名称的提供方。",
    hint: ({ providers }) => `提供方：${providers.join("、")}。密钥本身会询问，或从管道读取；它不是参数。`,
  },
};

function placeText(place: SettingPlace): string {
  if (place.is === "file") return `${place.file}:${place.line}`;
  if (place.is === "variable") return `环境变量 ${place.variable}`;
  return place.is === "flag" ? "选项 --setting" : "默认值";
}
