import { files as texts } from "../../zh-cn/files/files.ts";
import type { files as english } from "../en/files.ts";
import type { Translated } from "../texts.ts";

const notWritten = ({ path, why }: { readonly path: string; readonly why: string }) =>
  `无法写入 ${path}：${why}。`;

const relative = "路径相对于当前文件夹。";

export const files: Translated<typeof english> = {
  "file-unwritable": { message: notWritten, hint: () => "请检查你是否可以写入该文件夹。" },
  "file-below-a-link": { message: notWritten, hint: () => "请把链接换成文件夹，然后重试。" },
  "no-room-for-file": { message: notWritten, hint: () => "请在磁盘上腾出空间，然后重试。" },
  "path-empty": { message: () => "“”没有指明工作区中的任何东西：它是空的。", hint: () => relative },
  "path-outside": {
    message: ({ path, workspace }) => `“${path}”没有指明工作区中的任何东西：它不在 ${workspace} 中。`,
    hint: () => relative,
  },
  "checkpointing-off": {
    message: () => "检查点功能未启用",
    hint: (_, { command }) => `启用它：${command("config set enableFileCheckpointing true")}`,
  },
  "session-without-files": {
    message: () => "不保存的会话没有文件。",
    hint: () => "请去掉 --no-session。",
  },
  "snapshot-store-unopened": {
    message: ({ why }) => `无法打开快照存储：${why}。`,
    hint: (_, { command }) => `查看问题所在：${command("doctor")}`,
  },
  "file-of-checkpoint-unnamed": {
    message: ({ given }) => `“${given}”没有指明某个检查点的文件。`,
    hint: (_, { command }) => `例如：${command("show 12:src/main.ts")}`,
  },
  "path-not-in-checkpoint": {
    message: ({ path, checkpoint }) => `“${path}”不在检查点 ${checkpoint} 中`,
    hint: ({ path }, { command }) => `${relative}它为什么不在其中：${command(`why ${path}`)}`,
  },
  "path-in-neither": {
    message: ({ path }) => `“${path}”现在没有，检查点中也没有。`,
    hint: (_, { command }) => `没有做任何更改。${relative}查看差异：${command("diff <cp>")}`,
  },
  "file-not-text": {
    message: ({ path }) => `${path} 不是可以在终端显示的文本，或者太长。`,
    hint: (_, { command }) => `请写到文件中：${command("show … > file")}`,
  },
  "file-was-a-folder": {
    message: ({ path }) => `${path} 当时是文件夹。`,
    hint: (_, { command }) => `要取得其全部内容：${command("export-files <cp> <folder>")}`,
  },
  "file-left-out": {
    message: ({ path, why }) =>
      `${path} 不在快照中：${why === "never-captured" ? texts.neverCaptured : texts.leftOut[why]}。`,
    hint: ({ path }, { command }) => `已知的情况：${command(`why ${path}`)}`,
  },
  "checkpoint-files-unusable": {
    message: ({ problem }, { message }) => message(problem),
    hint: (_, { command }) => seeWithFiles(command),
  },
  "checkpoint-without-files": {
    message: ({ checkpoint }) => `检查点 ${checkpoint} 没有文件。`,
    hint: (_, { command }) => seeWithFiles(command),
  },
  "checkpoint-of-other-workspace": {
    message: ({ given }) => `“${given}”是另一个工作区的检查点。`,
    hint: () => "请比较同一个工作区的两个检查点。",
  },
  "stat-and-patch": {
    message: () => "--stat 和 --patch 是显示同一内容的两种方式。",
    hint: () => "请去掉其中一个。",
  },
};

function seeWithFiles(command: (words: string) => string): string {
  return `查看哪些检查点有文件：${command("checkpoints")}`;
}
