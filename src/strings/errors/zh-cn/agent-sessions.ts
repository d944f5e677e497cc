import type { agentSessions as english } from "../en/agent-sessions.ts";
import type { Translated } from "../texts.ts";

interface Held {
  readonly session: string;
  readonly name: string;
  readonly pid: number;
  readonly host: string;
  readonly since: string;
}

const heldBy = ({ session, name, pid, host, since }: Held) =>
  `会话 ${session} 正被 ${name} 占用（${host} 上的进程 ${pid}，自 ${since}）`;
const inACopy = (session: string, command: (words: string) => string) =>
  `在副本中继续：${command(`-r ${session} --fork`)}`;

export const agentSessions: Translated<typeof english> = {
  "execution-not-conversation": {
    message: ({ id }) => `${id} 是程序的执行，不是对话。`,
    hint: ({ session }, { command }) =>
      `程序再次启动时会继续它。查看它的步骤：${command(`executions show ${session}`)}`,
  },
  "confirmation-not-needed": { message: () => "这个存储不需要确认。" },
  "session-held": {
    message: (held) => `${heldBy(held)}。`,
    hint: ({ session }, { command }) => `请在那里关闭它，或${inACopy(session, command)}`,
  },
  "session-leased": {
    message: ({ until, ...held }) => `${heldBy(held)}；若不续期，租约到 ${until} 为止。`,
    hint: ({ session }, { command }) =>
      `请在那里关闭它；如果它已意外结束，请等到那时；或${inACopy(session, command)}`,
  },
  "session-held-elsewhere": {
    message: ({ problem }, { message }) => message(problem),
    hint: ({ session, problem }, { command, hint }) => `${hint(problem)}或${inACopy(session, command)}`,
  },
  "session-not-closed": {
    message: ({ why }) => `会话未能正常关闭：${why}`,
    hint: (_, { command }) => `查看问题所在：${command("doctor")}`,
  },
  "turn-has-ended": {
    message: () => "上一个轮次已经结束：没有可以继续的内容。",
    hint: ({ session }, { command }) => `请说明接下来做什么：${command(`resume ${session} "..."`)}`,
  },
  "one-way-to-go-on": {
    message: () => "会话只能以一种方式继续。",
    hint: () => "请只给出 --continue、--retry、--rewind-files 和提示词之一。",
  },
  "files-before-step-not-captured": {
    message: ({ step }) => `没有捕获步骤 #${step} 之前的文件。`,
    hint: ({ session, older }, { command }) =>
      older === undefined
        ? `更早的检查点也没有。查看已有的：${command("checkpoints")}`
        : `在它之前最新的是 #${older} 的文件：${command(`rewind ${session}:${older} --scope files`)}`,
  },
  "no-step-was-cut": {
    message: () => "没有步骤被打断，因此没有要退回的文件。",
    hint: (_, { command }) => `回到任意检查点：${command("rewind")}`,
  },
  "nothing-to-compact": {
    message: () => "没有可压缩的内容。",
    hint: ({ keep }) => `最近 ${keep} 次往来总是原样保留。`,
  },
  "compaction-failed": {
    message: ({ why }) => `无法压缩对话。${why}`,
    hint: () => "上下文保持原样。",
  },
  "compaction-not-foreseen": {
    message: () => "事先无法知道 Claude Agent SDK 会总结什么。",
    hint: () => "请去掉 --dry-run。什么都不会丢失：回退能找回一切。",
  },
};
