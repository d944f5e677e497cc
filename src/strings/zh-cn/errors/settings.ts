import type {
  Expectation,
  settings as englishSettings,
  SyntaxProblem,
  WhyFileUnreadable,
  WhyTrustUnreadable,
} from "../../en/errors/settings.ts";
import type { ExpectedValue, WhyUnexpected } from "../../errors/expected-value.ts";
import type { Translated, Wording } from "../../errors/texts.ts";

interface PlaceInFile {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

const at = ({ file, line, column }: PlaceInFile) => `${file}:${line}:${column}`;
const correct = () => "请改正这个文件；在此之前不会使用其中任何内容，也没有做任何更改。";

export const settings: Translated<typeof englishSettings> = {
  "settings-syntax": {
    message: ({ problem, ...place }) => `${at(place)}：${syntaxProblems[problem]}。`,
    hint: correct,
  },
  "settings-not-an-object": {
    message: ({ found, ...place }) => `${at(place)}：应为 { } 中的对象，实际是 ${found}。`,
    hint: correct,
  },
  "settings-name-repeated": {
    message: ({ name, first, ...place }) => `${at(place)}：“${name}”在这里重复出现，第一次在第 ${first} 行。`,
    hint: correct,
  },
  "settings-value-unexpected": {
    message: ({ key, expected, found, why, ...place }, { message }) =>
      `${at(place)}：${key} 应为${expectedText(expected)}，实际是 ${found}${whyText(why, message)}。`,
    hint: correct,
  },
  "settings-file-unreadable": {
    message: ({ file, why }) => `无法读取 ${file}：${whyFileUnreadable(why)}。`,
    hint: () => "请把它改为可读的 JSON 文件，或将它移走。",
  },
  "trust-unreadable": {
    message: ({ file, why }) => `无法读取 ${file}：${whyTrustUnreadable(why)}。`,
    hint: () => "请删除它，然后重新信任各个工作区。",
  },
  "setting-variable-invalid": {
    message: ({ variable, ...expectation }, { message }) =>
      `环境变量 ${variable} 是“${expectation.given}”，应为${expectationText(expectation, message)}。`,
    hint: ({ variable }) => `请修改它，或取消它：unset ${variable}`,
  },
  "setting-value-invalid": {
    message: ({ key, ...expectation }, { message }) =>
      `${key} 不能是“${expectation.given}”，应为${expectationText(expectation, message)}。`,
    hint: ({ usual }) => `默认值是 ${usual}。`,
  },
  "setting-without-value": {
    message: ({ given }) => `--setting 需要 key=value，而不是“${given}”。`,
    hint: () => "例如：--setting lock.waitMs=1000",
  },
  "setting-unknown": {
    message: ({ name }) => `没有“${name}”这个设置。`,
    hint: ({ meant, known }) =>
      meant === undefined ? `现有设置：${known.join("、")}` : `是否想写 ${meant}？`,
  },
  "setting-of-all-workspaces": {
    message: ({ key }) => `${key} 涉及所有工作区，因此不能由其中一个来设置。`,
    hint: ({ key }, { command }) =>
      `请去掉 --where：${command({ do: "config set", key, value: { any: "value" } })} 会为你自己设置它。`,
  },
  "workspace-without-settings": {
    message: ({ workspace }) => `${workspace} 没有自己的设置：那里的设置就是用户的。`,
    hint: () => "请去掉 --where。",
  },
  "settings-file-outside": {
    message: ({ file, path }) => `${file} 指向工作区之外：${path}。`,
    hint: () => "请把链接换成文件，或修改它所指向的文件。",
  },
  "trust-and-untrust": {
    message: () => "--trust 与 untrust 互相矛盾。",
    hint: () => "请去掉 --trust。",
  },
};

const syntaxProblems: Readonly<Record<SyntaxProblem, string>> = {
  InvalidSymbol: "这不是一个值；文本要放在双引号中",
  InvalidNumberFormat: "无法读取这个数字",
  PropertyNameExpected: "应为双引号中的名称",
  ValueExpected: "应为一个值",
  ColonExpected: "应为冒号",
  CommaExpected: "应为逗号",
  CloseBraceExpected: "应为右花括号 }",
  CloseBracketExpected: "应为右方括号 ]",
  EndOfFileExpected: "文件应在此结束",
  InvalidCommentToken: "无法读取这条注释",
  UnexpectedEndOfComment: "这条注释没有结束",
  UnexpectedEndOfString: "这段文本没有以双引号结束",
  UnexpectedEndOfNumber: "这个数字没有写完",
  InvalidUnicode: "无法读取这个 \\u 转义",
  InvalidEscapeCharacter: "无法读取这个转义",
  InvalidCharacter: "这个字符必须转义",
  NestedTooDeeply: "嵌套过深",
  NoJson: "这不是 JSON",
};

function whyFileUnreadable(why: WhyFileUnreadable): string {
  if (why === "not-utf8") return "它不是 UTF-8 文本";
  if (why === "not-a-file") return "它不是文件";
  return "system" in why ? why.system : `它超过 ${why.largerThan} 字节`;
}

function whyTrustUnreadable(why: WhyTrustUnreadable): string {
  return why === "foreign" ? "它不是 Worldline 写的内容" : why.system;
}

function expectedText(expected: ExpectedValue): string {
  switch (expected.is) {
    case "whole-number":
      return ` ${expected.from} 到 ${expected.to} 的整数`;
    case "number":
      return ` ${expected.from} 到 ${expected.to} 的数`;
    case "whole-number-or":
      return `“${expected.word}”或 ${expected.from} 到 ${expected.to} 的整数`;
    case "one-of":
      return expected.choices.map((choice) => `“${choice}”`).join("或");
    case "one-name-of":
      return `以下之一：${expected.names.join("、")}`;
    case "name":
      return `${expectedText(expected.of)}（作为名称）`;
    case "field":
      return `${expectedText(expected.of)}（${expected.name}）`;
    default:
      return expectedTexts[expected.is];
  }
}

const expectedTexts = {
  "true-or-false": " true 或 false",
  text: "文本",
  object: " { } 中的对象",
  rule: "规则",
  rules: "规则列表，例如“Bash(npm test:*)”",
  "rules-in-brackets": " [ ] 中的规则列表，例如“Bash(npm test:*)”",
  models: " { } 中以“provider/name”为名的模型表",
  providers: " { } 中以名称列出的提供方表",
  "model-of-provider": "“provider/name”",
  "provider-name": "字母、数字、点和连字符",
  tokens: "整数个 token",
  price: "每百万 token 的美元价格",
  "web-address": "以 http:// 或 https:// 开头的地址",
  "variable-name": "环境变量的名称",
  "model-name": "模型的名称",
} as const;

function expectationText({ expected, part, why }: Expectation, message: Wording["message"]): string {
  if (part === undefined) return expectedText(expected);
  const path = part.path.map((step) => (typeof step === "number" ? `第 ${step + 1} 项` : step)).join(" / ");
  return `${expectedText(expected)}；${path}：应为${expectedText(part.expected)}${whyText(why, message)}`;
}

function whyText(why: WhyUnexpected | undefined, message: Wording["message"]): string {
  if (why === undefined) return "";
  return why.is === "no-such-name" ? `：不是“${why.name}”` : `：${message(why.problem)}`;
}
