import type { library as englishLibrary, stated as englishStated } from "../../en/errors/library.ts";
import type { ArgumentName, Given, Must, PlainMust } from "../../errors/facts.ts";
import type { Translated } from "../../errors/texts.ts";

export const library: Translated<typeof englishLibrary> = {
  "options-not-an-object": {
    message: ({ call, must, given }) =>
      `${call}：选项必须是${between(mustBe(must))}，不能是${between(givenIs(given))}。`,
    hint: ({ options }) => `它的选项：${options.join("、")}`,
  },
  "option-unknown": {
    message: ({ call, option }) => `${call}：没有选项 ${JSON.stringify(option)}。`,
    hint: ({ near, options }) =>
      `${near === undefined ? "" : `是不是 ${near}？`}它的选项：${options.join("、")}`,
  },
  "option-missing": {
    message: ({ call, option }) => `${call}：缺少选项 ${option}。`,
    hint: ({ must }) => `它必须是${between(mustBe(must))}。`,
  },
  "option-wrong": {
    message: ({ call, option, must, given }) =>
      `${call}：选项 ${option} 必须是${between(mustBe(must))}，不能是${between(givenIs(given))}。`,
    hint: ({ near }) => (near === undefined ? "省略即可使用默认值。" : `是不是 ${JSON.stringify(near)}？`),
  },
  "deletions-unconfirmed": {
    message: ({ deletions }) => `这将删除 ${deletions} 个文件。`,
    hint: () => "用 previewRewind 或 previewRedo 查看；同意则传入 confirmDeletions: true。",
  },
  "argument-wrong": {
    message: ({ argument, must, given }) =>
      `${between(ARGUMENTS[argument].name, "必须是")}${between(mustBe(must))}，不能是${between(givenIs(given))}。`,
    hint: ({ argument }) => ARGUMENTS[argument].hint,
  },
  "call-argument-wrong": {
    message: ({ call, argument, must, given }) =>
      `${call}：${argument} 必须是${between(mustBe(must))}，不能是${between(givenIs(given))}。`,
    hint: ({ call, names }) => `请这样调用：${call}(${names.join(", ")})`,
  },
  "folder-unusable": {
    message: ({ folder }) => `文件夹 ${folder} 不存在，或无法查看。`,
    hint: ({ call }) => `请给 ${call} 一个存在的文件夹：{ workspace }。`,
  },
  "session-folder-gone": {
    message: ({ session, folder }) => `会话 ${session} 的文件夹已不存在，或现在是链接：${folder}`,
    hint: () => '请把它恢复，或在不带文件的情况下打开会话：openSession({ files: "off" })',
  },
  "execution-folder-gone": {
    message: ({ folder }) => `此执行的文件夹已不存在，或现在是链接：${folder}`,
    hint: () => '请把它恢复，或在不带文件的情况下打开执行：openExecution(id, { files: "off" })',
  },
  "no-session-to-resume": {
    message: ({ workspace }) => `${workspace} 中还没有会话。`,
    hint: () => '请新建一个：openSession({ resume: "new" })',
  },
  "no-model-for-program": {
    message: ({ variables }) =>
      `没有选择模型，也没有找到 API 密钥。已检查选项 model、设置“model”、保存的密钥和 ${variables.join("、")}。`,
    hint: () => '请设置其中一个变量，或传入模型：openAgent({ model: "ollama/<name>" })',
  },
};

const ARGUMENTS: Readonly<Record<ArgumentName, { readonly name: string; readonly hint: string }>> = {
  "compact-request": { name: "compact 的参数", hint: '请这样调用：compact({ summary: "..." })' },
  "store-address": {
    name: "存储的地址",
    hint: '请给 openStore "files"、"sqlite:path" 或 "postgres://..."。',
  },
  "step-work": {
    name: "步骤的工作",
    hint: '请这样调用：step("fetch", async () => fetchIt(), { maxRetries: 3 })',
  },
  "save-request": {
    name: "要保存的内容",
    hint: '至少要给出名称和位置：save({ name: "fetch", index: 0 })',
  },
  "restore-function": {
    name: "恢复状态的参数",
    hint: "没有任何更改。请传入一个接收检查点的函数，或省略它。",
  },
  "checkpoint-id": {
    name: "检查点的 id",
    hint: "checkpoints() 会给出已有的检查点，例如 ckpt-exec-123-2@1。",
  },
};

const MUSTS: Readonly<Record<PlainMust, string>> = {
  text: "字符串",
  path: "文件夹的路径",
  flag: "true 或 false",
  amount: "非负数",
  number: "数字",
  ordinal: "从 1 开始的整数",
  callback: "函数",
  object: "对象",
  "plain-object": "普通对象",
  signal: "AbortSignal",
  store: "地址或已打开的存储",
  "open-store": "已打开的存储",
  view: "会话或会话的视图",
  deps: "带有已打开的存储和时钟的对象",
  bytes: "Uint8Array 或带有 read 函数的对象",
  clock: "时钟",
  choices: "从路径到选择的 Map",
  prompt: "非空的文本或非空的部分列表",
  decision: '"retry"、"skip"、"fail" 或 { skip: output }',
  anything: "任意值",
};

function mustBe(must: Must): string {
  switch (must.must) {
    case "one-of":
      return inWords(must.words.map((word) => JSON.stringify(word)));
    case "optional":
      return `${mustBe(must.of)}（可省略）`;
    case "list":
      return `列表（每一项是${between(mustBe(must.of))}）`;
    case "or-function":
      return `${mustBe(must.of)}，或返回它的函数`;
    case "either":
      return inWords(must.of.map(mustBe));
    default:
      return MUSTS[must.must];
  }
}

function inWords(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${between(words.slice(0, -1).join("、"), "或")}${between(last)}`;
}

/**
 * Text between Chinese words: a space separates it on a side where it begins or ends with a Latin letter or a quotation
 * mark.
 */
function between(text: string, after = ""): string {
  const start = /^[\w"{]/u.test(text) ? " " : "";
  return `${start}${text}${after !== "" && /[\w"}]$/u.test(text) ? " " : ""}${after}`;
}

function givenIs(given: Given): string {
  switch (given.is) {
    case "value":
      return given.text;
    case "function":
      return "函数";
    case "list":
      return "列表";
    case "object":
      return "对象";
    case "class":
      return "某个类的实例";
    case "instance":
      return `${given.text} 的实例`;
    default:
      return given satisfies never;
  }
}

export const stated: Translated<typeof englishStated> = {
  stated: { message: ({ message }) => message, hint: ({ hint = "" }) => hint },
};
