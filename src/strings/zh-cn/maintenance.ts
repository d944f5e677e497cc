import type { Strings } from "../strings.ts";
import { sized, spaced, whole } from "./measures.ts";

export const doctor: Strings["doctor"] = {
  statuses: { ok: "正常", note: "说明", warning: "警告", error: "错误", fixed: "已修复" },
  versions: (worldline, node, platform) => `Worldline ${worldline}，Node.js ${node}，${platform}`,
  nodeTooOld: (node, wanted) => `Node.js ${node} 低于所需的 ${wanted}。`,
  updateNode: "请安装更新的 Node.js。",
  store: (kind, folder) => `会话以 ${kind} 形式保存在 ${folder}`,
  database: (name) => `会话保存在 ${name}；检查点的文件仍保留在本机。`,
  databaseAnswers: (version) => `存储有响应；其架构版本为 ${version}。`,
  databaseOpen: (path, mode) =>
    `本机其他用户可以读取 ${path}，也就能看到其中会话的全部内容（权限为 ${mode}）。`,
  closeDatabase: (paths) => `如果不希望如此：chmod 600 ${paths}`,
  entriesMissing: (entries, sessions, since, which) =>
    `${sessions} 个会话（${which}）缺少 ${entries} 个已确认写入的条目，最后一个写于 ${since}：数据库比这更旧。`,
  entriesMissingHint: (path) =>
    `数据库的 -wal 文件被删除，或被换成了旧副本。请在没有程序使用时放回较新的文件；如果接受丢失、让这些会话可以继续写入：worldline doctor --fix --store sqlite:${path}`,
  lossAccepted: (entries, sessions) =>
    `已接受 ${sessions} 个会话丢失的 ${entries} 个已确认条目；这些会话可以继续写入。`,
  databaseWhole: "数据库页面完好。",
  databaseDamaged: (path, what) => `${path} 已损坏：${what}`,
  databaseDamagedHint: (path) =>
    `其他页面上的会话可能仍可读取：请先导出。然后从备份恢复，或抢救可读的内容：sqlite3 ${path} .recover | sqlite3 saved.db`,
  homeReady: (folder) => `${folder} 可写，且只有你能写。`,
  homeMissing: (folder) => `${folder} 尚不存在，会在第一个会话开始时创建。`,
  homeNoFolder: (folder) => `${folder} 不是文件夹。`,
  homeUnwritable: (folder) => `${folder} 不可写。`,
  moveHome: "把 WORLDLINE_HOME 设为你可以写入的文件夹，或检查这个文件夹归谁所有。",
  homeOpen: (folder, mode) => `本机其他用户可以查看 ${folder}（权限为 ${mode}）。`,
  closeHome: (folder) => `worldline doctor --fix 可以收紧权限，或执行：chmod 700 ${folder}`,
  homeClosed: (folder) => `${folder} 现在只有你能读取（权限为 0700）。`,
  space: (bytes) => `所在磁盘剩余 ${sized(bytes)}。`,
  littleSpace: (bytes) => `所在磁盘只剩 ${sized(bytes)}。`,
  makeSpace: "请腾出空间：写不下的内容无法保留。",
  spaceUnknown: (why) => `无法得知所在磁盘的剩余空间：${why}`,
  settingsValid: (count) =>
    count === 0 ? "没有设置文件，使用默认值。" : `${whole(count)} 个设置文件可以读取。`,
  examining: (at, all) => `正在读取会话，第 ${at} 个，共 ${all} 个`,
  sessionsFine: (count) =>
    count === 0 ? "还没有会话。" : `${whole(count)} 个会话：每一行、每段长文本都可以读取。`,
  about: (session, { file, line, step }, message) => {
    const place = [
      ...(file === undefined ? [] : [file]),
      ...(line === undefined ? [] : [`第 ${line} 行`]),
      ...(step === undefined ? [] : [`步骤 ${step}`]),
    ].join(" ");
    return `${session}${place === "" ? "" : ` ${place}`}：${message}`;
  },
  betweenSentences: "",
  inUse: (owner) => `正被 ${spaced(owner)}占用。`,
  lockOfDead: (owner) => `有 ${spaced(owner)}留下的锁，该进程已经结束。`,
  lockOfDeadHint: "下一个打开它的程序会接管。要立即移除：worldline doctor --fix",
  lockRemoved: (owner) => `已移除 ${spaced(owner)}留下的锁，该进程已经结束。`,
  lockElsewhere: (owner) => `被 ${owner} 锁定，从这里无法判断它是否还在运行。`,
  lockUnreadable: "有一个无法读取的锁。",
  lockElsewhereHint:
    "如果已没有程序使用该会话，可以移除：worldline doctor --fix --take-over，或在其他任何命令上使用 --take-over。",
  lockUnreadableHint: "这样的锁不是 Worldline 写的。要移除：worldline doctor --fix",
  lockUnreadableRemoved: "已移除无法读取的锁。",
  lockTakenOver: (owner) => `已按 --take-over 的要求移除 ${spaced(owner)}的锁。`,
  metadata: {
    missing: "检查点列表不存在。",
    unreadable: "检查点列表无法读取。",
    stale: "检查点列表已过时。",
  },
  metadataHint: "日志中保存着全部检查点。重新写入列表：worldline doctor --fix，或打开该会话",
  metadataHeldHint:
    "日志中保存着全部检查点，但打开该会话的程序无法写入列表。请确认 checkpoints 文件夹可写且磁盘未满。",
  metadataWritten: "已重新写入检查点列表。",
  noFiles: "还没有保存任何检查点的文件。",
  filesFine: (sessions, bytes) => `${whole(sessions)} 个会话的文件占用 ${sized(bytes)}；每个快照都可以遍历。`,
  filesDamaged: (count) => `${whole(count)} 个文件快照无法完整读取。`,
  filesDamagedHint: "查看详情：worldline store verify。对话和其他快照不受影响。",
  filesOfNobody: (sessions) => `以下会话既不在这里也不在回收站，但仍保留着它们的文件：${sessions}`,
  filesOfNobodyHint:
    "可能是分叉或导入中途被打断，或者有程序把这些会话放在别处。如果没人需要，可以放弃：worldline doctor --fix",
  filesOfNobodyDropped: (sessions) => `已不再保留这些不存在的会话的文件：${sessions}`,
  restoreCutOff: (workspace, count) => `${workspace}：有 ${whole(count)} 次恢复中途被打断。`,
  restoreCutOffHint: "下一个使用该会话的命令会把它完成，或执行：worldline doctor --fix",
  trash: (count) => (count === 0 ? "回收站是空的。" : `回收站中有 ${whole(count)} 个已删除的会话。`),
  trashExpired: (list, days) => `删除已超过 ${whole(days)} 天，不再需要：${list}`,
  trashExpiredHint: "要彻底移除：worldline doctor --fix",
  trashRemoved: (list, days) => `已彻底移除（删除已超过 ${whole(days)} 天）：${list}`,
  trashUntouched: "设置无效，无法得知回收站的保留时间，因此什么都没有移除。",
  leftovers: (count) => `${whole(count)} 个会话文件夹只建到或删到一半：程序当时被终止，或者正在进行。`,
  leftoversHint: "其中没有任何已确认写入的内容。满一小时后，worldline doctor --fix 会移除它们。",
  leftoversRemoved: (count) => `已移除 ${whole(count)} 个文件夹，它们是被终止的程序留下的半成品。`,
  fine: "一切正常。",
  summary: (errors, warnings) => `${whole(errors)} 个错误，${whole(warnings)} 个警告。`,
  canFix: (count) => `其中 ${count} 项可以用 worldline doctor --fix 修复。`,
};

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
