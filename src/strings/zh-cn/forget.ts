import type { Strings } from "../strings.ts";
import { whole } from "./measures/whole.ts";

const sessions = (count: number) => `${whole(count)} 个会话`;
const contents = (count: number) => `${whole(count)} 份内容`;
const places = (count: number) => `${whole(count)} 处`;

export const forget: Strings["forget"] = {
  searching: "正在搜索所有会话和快照",
  found: (session, entries, times) =>
    entries === 0
      ? `${session}：不属于任何条目的字节中有 ${places(times)}`
      : `${session}：${whole(entries)} 个条目中有 ${places(times)}`,
  typed: (lines) => `已从输入历史中清除 ${lines} 行。`,
  inTyped: (lines) => `输入历史中有 ${whole(lines)} 行。`,
  inOutputs: (count) => `数据库旁保存的 ${whole(count)} 份命令长输出。`,
  removedOutputs: (count) => `已删除 ${whole(count)} 份命令长输出。`,
  inLabels: (count) => `快照旁有 ${whole(count)} 个标签。`,
  erasedLabels: (count) => `已从快照旁的 ${whole(count)} 个标签中清除。`,
  inOthers: (list) => `以下文件中也有，forget 不会改动它们，请自行编辑或删除：${list}`,
  unreadableInHome: (list) => `以下文件无法读取，因此无法搜索：${list}`,
  otherDatabases: (list) =>
    `以下数据库没有搜索。如果其中可能有它，请用 --store sqlite:<文件> 再做一次，或删除这些文件：${list}`,
  foundNowhere: "所有会话和快照文件中都没有找到。",
  inFiles: (count, snapshots) =>
    `文件：${whole(snapshots)} 个快照中的 ${contents(count)}，将整份抹除，此后无法恢复：`,
  place: (path) => `  ${path}`,
  more: (count) => `还有 ${count} 处`,
  alsoAt: "同样的内容还在：",
  inWorkspace: (list) => `仍在工作区中，下一个检查点会再次捕获：${list}`,
  inNames: (count) => `快照中有 ${whole(count)} 个路径的名称里含有它，名称无法遗忘。`,
  unreadableFiles: (count) => `快照中有 ${whole(count)} 个部分无法读取，因此无法搜索：worldline store verify`,
  unlisted: (snapshots) => `这些快照中的位置过多，无法全部列出（其中的内容同样会被抹除）：${snapshots}`,
  erased: (count, snapshots) => `已从 ${whole(snapshots)} 个快照中抹除 ${contents(count)}。`,
  held: (count, by) => `${contents(count)}无法抹除，因为正被 ${by} 占用。请在该程序结束后再运行一次。`,
  damagedBeside: (count) =>
    `${contents(count)}无法抹除，因为与之存放在一起的数据已损坏：worldline store verify`,
  trashToo: (count) => `也会搜索回收站中的 ${sessions(count)}。`,
  unseen: (list) => `这些会话有无法读取的部分，因此无法搜索：${list}`,
  question: (found) =>
    `彻底遗忘${[
      ...(found.sessions === 0 && found.contents + found.labels + found.typed + found.outputs > 0
        ? []
        : [` ${sessions(found.sessions)}中的 ${places(found.times)}`]),
      ...(found.contents === 0 ? [] : [`文件的 ${contents(found.contents)}`]),
      ...(found.labels === 0 ? [] : [`${whole(found.labels)} 个标签`]),
      ...(found.typed === 0 ? [] : [`输入历史的 ${whole(found.typed)} 行`]),
      ...(found.outputs === 0 ? [] : [`${whole(found.outputs)} 份长输出`]),
      ...(found.inTrash === 0 ? [] : [`回收站中的所有出现之处（${sessions(found.inTrash)}）`]),
    ].join("、")}？`,
  dryRun: "这是试运行，什么都没有改变。",
  forgotten: (times, count) =>
    `已遗忘 ${sessions(count)}中的 ${places(times)}：那里现在写着 [forgotten]，不可恢复。`,
  inTrash: (line) => `${line}（在回收站中）`,
  left: (list) => `另一个程序在此期间又把它写进了 ${list}。请停止该程序，然后再做一次。`,
  keptInTrash: (list) =>
    `回收站中的这些会话仍含有它（它是标识、名称或工作区的一部分，或会话无法读取）：${list}。请清空回收站：worldline sessions delete --empty-trash`,
  notScrubbed: (why) =>
    `它已从所有会话中清除，但可能还留在存储自身的空闲空间里，目前无法清理：${why} 请在没有人使用该存储时再做一次。`,
  keptByClaude: (home) =>
    `Claude Agent SDK 也处理过这些内容，并在 ${home} 中保存自己的文件，其中可能仍有它。Worldline 不会继续那些对话，也不会动这些文件，请自行删除：`,
  notKeptByClaude: (home, list) =>
    `Claude Agent SDK 也处理过这些内容。${home} 中没有它的文件；如果它保存在别处（CLAUDE_CONFIG_DIR），那里可能仍有它，请自行删除：${list}`,
  outOfReach:
    "够不到的有：已发送给模型提供方的内容、导出文件和会话包、Worldline 文件夹的备份、shell 的历史记录，以及文件本身。" +
    "泄露的密钥请更换。",
};
