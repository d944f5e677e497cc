import type { choosing as english } from "../en/choosing.ts";
import type { Translated } from "../texts.ts";

const MOST_LABELS = 10;

const leaveOneOut = () => "请去掉其中一个。";

export const choosing: Translated<typeof english> = {
  "two-sessions-named": {
    message: ({ session, other }) => `指明了两个会话：${session}，以及 --session 的 ${other}。`,
    hint: leaveOneOut,
  },
  "checkpoint-of-other-session": {
    message: ({ given, session }) => `“${given}”不在 --session 指明的会话 ${session} 中。`,
    hint: leaveOneOut,
  },
  "no-checkpoints-yet": {
    message: ({ workspace }) => `没有检查点：${workspace} 中还没有会话。`,
    hint: (_, { command }) => `开始一个：${command('checkpoint "before refactoring"')}`,
  },
  "no-session-to-go-on": {
    message: ({ workspace }) => `${workspace} 中还没有可以继续的会话。`,
    hint: (_, { command }) => `开始一个：worldline，或带上提示词：${command('-p "..."')}`,
  },
  "no-session-of-an-agent": {
    message: ({ workspace }) => `${workspace} 中还没有智能体的会话。`,
    hint: (_, { command }) => `开始一个：${command('-p "why does the build fail?"')}`,
  },
  "no-session-in-workspace": {
    message: ({ workspace }) => `没有会话：${workspace} 中还没有。`,
    hint: (_, { command }) => `查看其他工作区的会话：${command("sessions list --all")}`,
  },
  "which-session": {
    message: () => "哪个会话？这里没有终端，无法从列表中选择。",
    hint: (_, { command }) => `请指明它：-r <id>，或用最近的一个：-c。查看会话：${command("sessions list")}`,
  },
  "which-checkpoint": {
    message: () => "哪个检查点？这里没有终端，无法从列表中选择。",
    hint: (_, { command }) =>
      `请指明一个：${command("rewind <number>")}。查看检查点：${command("checkpoints")}`,
  },
  "no-checkpoints": {
    message: () => "没有检查点。",
    hint: (_, { command }) => `会话的每个提示词都会产生一个，也可以用：${command("checkpoint <label>")}`,
  },
  "session-of-other-folder": {
    message: ({ session, workspace, here }) => `会话 ${session} 在 ${workspace} 中工作，而不是 ${here}`,
    hint: ({ here }, { command }) =>
      `请去掉 --workspace，或指明该文件夹的会话：${command(`sessions list --workspace ${here}`)}`,
  },
  "session-not-here": {
    message: ({ session, workspace }) => `会话 ${session} 在 ${workspace} 中工作，而不是这里。`,
    hint: ({ session }, { command }) => `请先到那里去：${command(`--resume ${session}`)}`,
  },
  "label-unknown-here": {
    message: ({ label }) => `这里没有名为“${label}”的检查点。`,
    hint: ({ known }, { command }) => {
      if (known.length === 0) return `还没有检查点有标签。查看它们的编号：${command("checkpoints")}`;
      const some = known.slice(0, MOST_LABELS).map((each) => `“${each}”`);
      const more = known.length > MOST_LABELS ? "……" : "";
      return `已有的标签：${some.join("、")}${more}。查看：${command("checkpoints --all")}`;
    },
  },
  "not-a-checkpoint": {
    message: ({ given }) => `“${given}”没有指明检查点。`,
    hint: (_, { command }) => `请给出从 1 开始的编号、session:number 或标签。查看：${command("checkpoints")}`,
  },
  "label-like-a-number": {
    message: ({ label }) => `“${label}”不能作为标签：它看起来像检查点的编号。`,
    hint: () => "请选一个含有字母的短名称，例如“before refactoring”。",
  },
  "not-a-row": {
    message: ({ typed }) => `“${typed}”不是列表中的一行。`,
    hint: ({ last }) => `没有做任何更改。请输入 0 到 ${last} 的数字。`,
  },
  "no-entry-of-id": {
    message: ({ entry }) => `这个会话中没有条目 ${entry}。`,
    hint: () => "请在树中选择一行：/tree",
  },
  "no-checkpoint-before": {
    message: ({ entry }) => `在 ${entry} 处及之前没有检查点。`,
    hint: () => "请从更晚的位置分叉。",
  },
};
