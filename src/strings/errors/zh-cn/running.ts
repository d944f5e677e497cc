import type { running as english, WhyNotStarted } from "../en/running.ts";
import type { Translated } from "../texts.ts";

const seeHelp = (command: (words: string) => string) => `查看：${command("find --help")}`;
const notRun = () => "命令没有运行。去掉 --strict 就会运行。";

export const running: Translated<typeof english> = {
  "no-command-to-run": {
    message: () => "没有要运行的命令。",
    hint: (_, { command }) => `请写在 -- 之后，例如：${command("run -- npm audit fix --force")}`,
  },
  "session-of-other-workspace": {
    message: ({ workspace }) => `该会话属于另一个工作区：${workspace}`,
    hint: () => "请去掉 --session，或用 --workspace 指明工作区。",
  },
  "command-unprotected": {
    message: ({ why }, { message }) => `命令运行前没有捕获文件，因此无法回退：${message(why)}`,
    hint: notRun,
  },
  "command-partly-protected": {
    message: ({ why }, { message }) => `命令运行前没有捕获全部文件：${message(why)}`,
    hint: notRun,
  },
  "command-not-started": {
    message: ({ command, why }) => `无法启动“${command}”：${whyNotStarted(why)}。`,
    hint: (_, { command }) =>
      `没有运行任何内容。只有 shell 认识的写法：${command("run -- sh -c '<command>'")}`,
  },
  "no-test-to-run": {
    message: () => "没有要运行的测试。",
    hint: (_, { command }) => `请写在 -- 之后，例如：${command("find -- npm test")}`,
  },
  "runs-out-of-range": {
    message: ({ most }) => `--runs 必须在 1 到 ${most} 之间。`,
    hint: (_, { command }) => seeHelp(command),
  },
  "timeout-too-short": {
    message: () => "--timeout 至少为 1 秒。",
    hint: (_, { command }) => seeHelp(command),
  },
  "since-of-other-workspace": {
    message: ({ given }) => `“${given}”是另一个工作区的检查点。`,
    hint: (_, { command }) => seeHelp(command),
  },
  "sample-brings-its-test": {
    message: () => "--sample 自带测试。",
    hint: () => "请去掉你的测试。",
  },
  "option-not-with-sample": {
    message: ({ option }) => `${option} 不能与 --sample 一起使用，后者在自己的项目上工作。`,
    hint: () => "请去掉其中一个。",
  },
  "option-of-sample": {
    message: ({ option }) => `${option} 只能与 --sample 一起使用。`,
    hint: () => "请加上 --sample，或去掉它。",
  },
  "sample-way-unknown": {
    message: ({ given }) => `示例不能以“${given}”的方式破坏。`,
    hint: ({ known, meant }) =>
      meant === undefined ? `已知的方式：${known.join("；")}` : `是否想写“${meant}”？`,
  },
};

function whyNotStarted(why: WhyNotStarted): string {
  if (why === "missing") return "找不到它，或找不到其首行指明的程序";
  return why === "forbidden" ? "不允许执行它" : why.system;
}
