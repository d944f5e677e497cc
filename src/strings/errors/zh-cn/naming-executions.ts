import type { namingExecutions as english } from "../en/naming-executions.ts";
import type { Translated } from "../texts.ts";

const MOST_NAMED = 8;

type Command = (words: string) => string;

const didYouMean = (near: string | undefined, command: Command) =>
  near === undefined ? `查看全部：${command("executions --all")}` : `是否想写 ${near}？`;
const some = (names: readonly (string | number)[]) =>
  `${names.slice(0, MOST_NAMED).join("、")}${names.length > MOST_NAMED ? "……" : ""}`;

export const namingExecutions: Translated<typeof english> = {
  "none-to-list": {
    message: () => "--limit 0 不会列出任何内容。",
    hint: ({ usual }) => `请给出从 1 开始的整数；不加 --limit 时为 ${usual}。`,
  },
  "execution-named-unknown": {
    message: ({ given }) => `没有执行“${given}”。`,
    hint: ({ near }, { command }) => didYouMean(near, command),
  },
  "execution-named-ambiguous": {
    message: ({ given, names }) => `“${given}”可能是 ${names.length} 个执行中的任意一个。`,
    hint: ({ names, places }, { command }) => {
      const named = names.map(({ name, workspace }) =>
        workspace === undefined ? name : `${name}（位于 ${workspace}）`,
      );
      const where =
        places === "several"
          ? `。或指明位置：--workspace <folder>；${command("executions --all")} 列出全部`
          : "";
      return `请指明其中一个：${some(named)}${where}`;
    },
  },
  "checkpoint-named-unknown": {
    message: ({ given }) => `找不到检查点 ${given}`,
    hint: ({ execution, near }, { command }) => {
      const why = execution === undefined ? "" : `没有执行“${execution}”。`;
      return `${why}${didYouMean(near, command)}`;
    },
  },
  "steps-of-same-name": {
    message: ({ execution, name, places }) => `${execution} 有 ${places.length} 个步骤名为“${name}”。`,
    hint: ({ places }) => `没有做任何更改。请用位置指明是哪一个，--step <index>：${some(places)}`,
  },
  "step-named-unknown": {
    message: ({ execution, step }) => `${execution} 没有步骤“${step}”。`,
    hint: ({ known }) =>
      known.length === 0 ? "它还没有步骤。" : `它的步骤：${known.slice(0, MOST_NAMED).join("、")}`,
  },
  "step-not-ended": {
    message: ({ execution, step }) => `${execution} 的步骤 ${step} 还没有结束。`,
    hint: ({ execution }, { command }) =>
      `没有做任何更改。请选一个已结束的：${command(`executions show ${execution}`)}`,
  },
  "no-successful-checkpoint": {
    message: ({ execution }) => `${execution} 中没有成功的检查点`,
    hint: ({ execution }, { command }) =>
      `没有做任何更改。查看它的步骤：${command(`executions show ${execution}`)}`,
  },
  "two-steps-named": {
    message: () => "检查点已经指明了步骤，而 --step 又指明了另一个。",
    hint: () => "请去掉其中一个。",
  },
  "execution-part-of-session": {
    message: ({ execution }) => `${execution} 是会话的一部分，不能单独删除。`,
    hint: ({ session }, { command }) => `请删除该会话：${command(`sessions delete ${session}`)}`,
  },
};
