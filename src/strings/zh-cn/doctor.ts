import type { Strings } from "../strings.ts";
import { sized } from "./measures/sized.ts";
import { spaced } from "./measures/spaced.ts";
import { whole } from "./measures/whole.ts";

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
  about: (session, where, message) => `${session}${where === "" ? "" : ` ${where}`}：${message}`,
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
