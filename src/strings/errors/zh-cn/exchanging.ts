import type { exchanging as english } from "../en/exchanging.ts";
import type { Translated } from "../texts.ts";

const nothingExported = ({ folder, why }: { readonly folder: string; readonly why: string }) =>
  `无法写入 ${folder}：${why}。没有导出任何内容。`;
const newOrEmpty = () => "请指定一个新的或空的文件夹。";
const anotherPlace = () => "请换一个位置。";
const leaveOneOut = () => "请去掉其中一个。";
const seeKimi = (command: (words: string) => string) => command("sessions import --list");

export const exchanging: Translated<typeof english> = {
  "export-not-written": { message: nothingExported, hint: anotherPlace },
  "no-room-for-export": { message: nothingExported, hint: () => "请在磁盘上腾出空间，然后重试。" },
  "export-folder-unnamed": { message: () => "没有指明文件夹。", hint: newOrEmpty },
  "export-folder-without-parent": {
    message: ({ folder }) => `文件夹 ${folder} 不存在。`,
    hint: () => "请先创建它。",
  },
  "target-inside-home": {
    message: ({ path }) => `${path} 在 Worldline 自己的文件夹中。`,
    hint: anotherPlace,
  },
  "export-folder-unusable": {
    message: ({ folder }) => `无法导出到 ${folder}：它不是文件夹，或不允许读取。`,
    hint: newOrEmpty,
  },
  "export-folder-not-empty": {
    message: ({ folder }) => `${folder} 不是空的，而导出从不覆盖已有内容。`,
    hint: newOrEmpty,
  },
  "export-folder-not-made": {
    message: ({ folder, why }) => `无法创建 ${folder}：${why}。`,
    hint: anotherPlace,
  },
  "output-empty": { message: () => "--output 没有给出值。", hint: () => "请指明文件，或去掉它。" },
  "output-folder-unwritable": {
    message: ({ folder }) => `无法写入文件夹 ${folder}。`,
    hint: () => "请先创建它。",
  },
  "output-not-a-file": {
    message: ({ path }) => `${path} 已存在，而且不是文件。`,
    hint: (_, { place }) => (place === "screen" ? "请指明文件，或不指明。" : "请指明文件，或去掉 --output。"),
  },
  "output-exists": {
    message: ({ path }) => `${path} 已存在。`,
    hint: () => "请换一个名称，或用 --force 替换它。",
  },
  "output-unwritable": {
    message: ({ path }) => `无法写入 ${path}。`,
    hint: () => "请检查路径及其权限。",
  },
  "bundle-to-pipe": {
    message: ({ to }) => `会话包是压缩数据，${to === "json" ? "不是 JSON" : "不是可在终端显示的文本"}。`,
    hint: (_, { command }) => `请写到文件中：${command("sessions export -o session.bundle")}`,
  },
  "import-not-found": {
    message: ({ path, code }) => (code === "ENOENT" ? `${path} 不存在。` : `无法读取 ${path}（${code}）。`),
    hint: (_, { command }) => `请检查路径。kimi-cli 有哪些会话：${seeKimi(command)}`,
  },
  "bundle-not-a-file": {
    message: ({ path }) => `${path} 不是会话包：它不是文件。`,
    hint: () => "请去掉 --from。",
  },
  "kimi-from-pipe": {
    message: () => "kimi-cli 的会话由多个文件组成，标准输入无法提供。",
    hint: () => "请给出它的文件夹。",
  },
  "import-of-unknown-kind": {
    message: ({ path }) => `${path} 既不是会话包，也不是 kimi-cli 的会话。`,
    hint: () =>
      "没有导入任何内容。请指明由 `sessions export` 生成的文件，或 kimi-cli 会话的文件夹或其 context.jsonl。",
  },
  "import-unreadable": {
    message: ({ path, why }) => `无法读取 ${path}（${why}）。`,
    hint: () => "请检查它的权限。",
  },
  "list-takes-no-path": { message: () => "--list 不接受路径。", hint: leaveOneOut },
  "import-unnamed": {
    message: () => "没有说明要导入什么。",
    hint: (_, { command }) => `请给出路径。查看 kimi-cli 有哪些会话：${seeKimi(command)}`,
  },
  "session-to-delete-unnamed": {
    message: () => "没有指明会话。",
    hint: (_, { command }) =>
      `例如：${command("sessions delete k3f9")}。查看会话：${command("sessions list")}`,
  },
  "trash-takes-no-session": {
    message: () => "--empty-trash 会移除回收站中的所有内容，不接受会话。",
    hint: () => "请先删除会话，再清空回收站。",
  },
  "session-not-in-trash": {
    message: ({ given }) => `回收站中没有会话“${given}”。`,
    hint: ({ is }, { command }) =>
      is === "not-deleted"
        ? `它没有被删除。查看：${command("sessions list --all")}`
        : `查看其中有什么：${command("sessions undelete --list")}`,
  },
  "deleted-session-ambiguous": {
    message: ({ given, matches }) => `“${given}”可能是 ${matches} 个会话中的任意一个。`,
    hint: ({ some }) => `请多写几位 id：${some.join("、")}`,
  },
  "session-there-already": {
    message: ({ session }) => `会话 ${session} 已存在，它没有被删除。`,
    hint: () => "会话从不被覆盖，因此已删除的那个留在回收站中。",
  },
  "session-to-undelete-unnamed": {
    message: () => "没有指明会话。",
    hint: (_, { command }) => `查看回收站中有什么：${command("sessions undelete --list")}`,
  },
  "trash-list-takes-no-session": {
    message: () => "--list 列出回收站中的内容，不接受会话。",
    hint: leaveOneOut,
  },
};
