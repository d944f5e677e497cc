import type { CommandText } from "../../commands.ts";
import type { travel as englishTravel, traveling as englishTraveling } from "../../en/errors/travel.ts";
import type { Translated } from "../../errors/texts.ts";

export const travel: Translated<typeof englishTravel> = {
  "checkpoint-unknown": {
    message: ({ wanted }) => `此会话中没有检查点 ${wanted}。`,
    hint: ({ known }, { command }) =>
      known === ""
        ? `没有检查点。每次提示都会产生一个，也可以执行：${command({ do: "checkpoint", label: { any: "label" } })}`
        : `已有的检查点：${known}`,
  },
  "already-at-checkpoint": {
    message: ({ checkpoint }) => `对话已在检查点 ${checkpoint}。`,
    hint: (_, { command }) => `请选择更早的检查点：${command({ do: "checkpoints" })}`,
  },
  "log-without-lines": {
    message: () => "此会话的日志没有一行可以读取。",
    hint: (_, { command }) => `查看出了什么问题：${command({ do: "doctor" })}`,
  },
  "journey-unknown": {
    message: ({ journey }) => `此会话中没有跳转 ${journey}。`,
    hint: (_, { command }) => `查看所有跳转：${command({ do: "redo --list" })}`,
  },
  "journey-start-damaged": {
    message: ({ journey }) => `无法重做跳转 ${journey}：它出发的那一行已损坏。`,
    hint: (_, { command }) => `请回退到它离开的分支上的一个检查点：${command({ do: "tree" })}`,
  },
  "journey-before-fork": {
    message: ({ journey }) => `无法重做跳转 ${journey}：它发生在此会话分叉之前。`,
    hint: () => "请在此会话所来自的会话中重做。",
  },
  "journey-undone": {
    message: ({ journey }) => `跳转 ${journey} 已被撤销。`,
    hint: (_, { command }) => `要取消撤销，请重做那次重做：${command({ do: "redo --list" })}`,
  },
  "journey-of-files": {
    message: ({ journey }) => `跳转 ${journey} 只带走了文件。`,
    hint: () => "请连同文件一起重做。",
  },
  "nothing-to-redo": {
    message: () => "没有可重做的操作。",
    hint: ({ left }, { command }) =>
      left === "some"
        ? `要回到之前离开的分支：${command({ do: "redo --list" })}`
        : `查看所有跳转：${command({ do: "redo --list" })}`,
  },
  "nothing-to-compact": {
    message: () => "没有可压缩的内容。",
    hint: ({ kept }) => (kept === 1 ? "最近一次往来始终保持原样。" : `最近 ${kept} 次往来始终保持原样。`),
  },
};

const seeJourneys = (command: CommandText) => `查看所有跳转：${command({ do: "redo --list" })}`;
const leaveOneOut = () => "请去掉其中一个。";

export const traveling: Translated<typeof englishTraveling> = {
  "rewind-files-unusable": {
    message: ({ problem }, { message }) => message(problem),
    hint: ({ session, checkpoint, mode }, { command, place }) => {
      const another = mode === "workspace" ? `请另选一个检查点：${command({ do: "checkpoints" })}。` : "";
      const what = mode === "execution" ? "它的步骤" : "对话";
      const alone =
        place === "screen"
          ? `${command({ do: "rewind", to: { checkpoint } })}，并选择仅对话`
          : command({ do: "rewind", to: { session, checkpoint }, scope: "conversation" });
      return `没有做任何更改。${another}只回退${what}：${alone}`;
    },
  },
  "only-of-conversation": {
    message: () => "--only 指明文件，而 --scope conversation 会让文件保持原样。",
    hint: leaveOneOut,
  },
  "journey-named-unknown": {
    message: ({ given }) => `这个会话中没有跳转“${given}”。`,
    hint: (_, { command }) => seeJourneys(command),
  },
  "journey-named-ambiguous": {
    message: ({ given, matches }) => `“${given}”可能是 ${matches} 个跳转中的任意一个。`,
    hint: ({ some }) => `请多写几位 id：${some.join("、")}`,
  },
  "redo-leads-nowhere": {
    message: () => "这次重做不会到达会话中的任何位置。",
    hint: (_, { command }) => seeJourneys(command),
  },
  "list-takes-no-journey": {
    message: () => "--list 显示所有跳转，不接受具体的跳转。",
    hint: () => "要重做你指明的跳转，请去掉 --list。",
  },
  "choice-beyond-host": {
    message: ({ flag, rewinder }) =>
      `snapshots.engine 为 sdk 时无法使用 ${flag}：${rewinder} 要么退回它所知的全部文件，要么一个也不退。`,
    hint: ({ flag }, { command }) =>
      `没有做任何更改。请去掉 ${flag}，或使用 Worldline 自己的快照：${command({ do: "config set", key: "snapshots.engine", value: "worldline" })}`,
  },
  "execution-there-already": {
    message: () => "执行已经在那里。",
    hint: ({ session }, { command }) =>
      `请选一个更早的步骤：${command({ do: "executions show", execution: session })}`,
  },
  "here-keeps-files": {
    message: () => "--here 会让这个文件夹的文件保持原样。",
    hint: () => "请去掉 --here，或去掉 --into 和 --files。",
  },
  "into-keeps-workspace": {
    message: () => "--into 会让工作区保持原样，而 --files restore 不会。",
    hint: leaveOneOut,
  },
  "which-checkpoints-files": {
    message: () => "哪个检查点的文件？这由 --at 指明。",
    hint: (_, { command }) => `例如：${command({ do: "fork", at: 12, into: "../attempt" })}`,
  },
};
