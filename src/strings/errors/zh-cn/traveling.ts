import type { traveling as english } from "../en/traveling.ts";
import type { Translated } from "../texts.ts";

const seeJourneys = (command: (words: string) => string) => `查看所有跳转：${command("redo --list")}`;
const leaveOneOut = () => "请去掉其中一个。";

export const traveling: Translated<typeof english> = {
  "rewind-files-unusable": {
    message: ({ problem }, { message }) => message(problem),
    hint: ({ session, checkpoint, mode }, { command, place }) => {
      const another = mode === "workspace" ? `请另选一个检查点：${command("checkpoints")}。` : "";
      const what = mode === "execution" ? "它的步骤" : "对话";
      const alone =
        place === "screen"
          ? `${command(`rewind ${checkpoint}`)}，并选择仅对话`
          : command(`rewind ${session}:${checkpoint} --scope conversation`);
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
      `没有做任何更改。请去掉 ${flag}，或使用 Worldline 自己的快照：${command("config set snapshots.engine worldline")}`,
  },
  "execution-there-already": {
    message: () => "执行已经在那里。",
    hint: ({ session }, { command }) => `请选一个更早的步骤：${command(`executions show ${session}`)}`,
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
    hint: (_, { command }) => `例如：${command("fork --at 12 --into ../attempt")}`,
  },
};
