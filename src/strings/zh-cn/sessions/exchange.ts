import type { Strings } from "../../strings.ts";
import { sized } from "../measures/sized.ts";
import { whole } from "../measures/whole.ts";

export const exchange: Strings["exchange"] = {
  exporting: (bytes) => `正在导出：${sized(bytes)}`,
  exported: (session, file, bytes) => `已把会话 ${session} 导出到 ${file}（${sized(bytes)}）`,
  holdsAll: "它包含会话中说过的一切，也包括机密。",
  exportedFiles: (snapshots) => `含 ${whole(snapshots)} 个快照的文件。`,
  snapshotsGone: (count) => `${whole(count)} 个快照不在其中：存储已放弃它们。`,
  ignoredNotIn: (count) =>
    `被忽略的文件只有名称在其中：略去了 ${whole(count)} 份内容（--include-ignored 会一并带上）。`,
  contentsGone: (count) => `${whole(count)} 份文件内容无法带上：此前已丢失或被遗忘。`,
  importedFiles: (snapshots) => `${whole(snapshots)} 个快照的文件`,
  snapshotsNotIn: (count) => `${whole(count)} 个快照在导出之前已被放弃，因此部分检查点在这里没有文件。`,
  contentsNotIn: (count) => `${whole(count)} 份文件内容不在会话包中，无法在这里恢复。`,
  filesAdded: (count) => `补上了其文件中这里原来没有的 ${whole(count)} 个对象。`,
  damaged: (places) => `日志中有 ${whole(places)} 处无法读取，因此不在其中。`,
  importing: (path) => `正在导入 ${path}`,
  imported: (session, from) => `已导入为会话 ${session}，来自${from}`,
  bundleName: (session) => `会话 ${session} 的会话包`,
  kimiName: (name, files) => ` kimi-cli 会话 ${name}（${whole(files)} 个文件）`,
  alreadyHere: (session) => `会话 ${session} 已在这里，会话包中的内容一应俱全。什么都没有改变。`,
  alreadyHereButFiles: (session) => `会话 ${session} 已在这里。`,
  newId: (original) => `这里另有一个会话叫 ${original}，因此它得到了新的 id。`,
  workspace: (folder) => `工作区：${folder}`,
  bundleCounts: (entries, blobs) => `${whole(entries)} 个条目，${whole(blobs)} 段长文本`,
  kimiCounts: ({ prompts, replies, results, branchesLeft }) =>
    [
      `${whole(prompts)} 条提示`,
      `${whole(replies)} 条回复`,
      `${whole(results)} 个工具结果`,
      `${whole(branchesLeft)} 个已离开的分支`,
    ].join("，"),
  renumbered: (count, again) =>
    `${whole(count)} 个检查点已重新编号${again === 0 ? "" : `；有 ${whole(again)} 个编号曾重复使用`}（--json 列出全部）`,
  damagedLine: (file, line, why) => `${file}:${line}：未导入：${why}`,
  damagedInPart: (file, line, why) => `${file}:${line}：只导入了一部分：${why}`,
  importedBefore: (sessions) => `此前已导入过，为 ${sessions}`,
  toConfirm: (session, command) =>
    `在您确认之前它只是数据。请在它要工作的文件夹中确认：${command(`sessions confirm ${session}`)}`,
  untouched: "对来源只做了读取。",
  noneOfKimi: (folder) => `${folder} 中没有 kimi-cli 的会话`,
  kimiFiles: (count) => `${whole(count)} 个文件`,
  kimiImportedAs: (sessions) => `[已导入为 ${sessions}]`,
  kimiImport: (command) => `要导入其中一个：${command("sessions import <path>")}`,
};
