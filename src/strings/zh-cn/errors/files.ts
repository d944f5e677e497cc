import type { CommandText } from "../../commands.ts";
import type {
  files as englishFiles,
  folders as englishFolders,
  snapshots as englishSnapshots,
  HeldFolder,
  WhyNoFolder,
} from "../../en/errors/files.ts";
import type {
  ObjectDamage,
  ObjectKindName,
  PlainDamage,
  RecordFault,
  SegmentFault,
  SnapshotExcess,
} from "../../errors/facts.ts";
import type { Translated } from "../../errors/texts.ts";
import { lockOwner } from "./stores.ts";

/** Why a path is left out of a snapshot. */
export const leftOutReasons = {
  ignored: "被忽略的大文件夹",
  "too-large": "超过 snapshots.maxFileBytes",
  git: "git 自己的",
  "own-store": "Worldline 自己的存储",
  special: "FIFO、套接字或设备",
  unreadable: "无法读取",
  changing: "读取时一直在变",
  "path-too-long": "路径超过系统允许的长度",
};

export const neverCaptured = "这个名称的文件夹从不捕获";

const notWritten = ({ path, why }: { readonly path: string; readonly why: string }) =>
  `无法写入 ${path}：${why}。`;

const relative = "路径相对于当前文件夹。";

export const files: Translated<typeof englishFiles> = {
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
    hint: (_, { command }) =>
      `启用它：${command({ do: "config set", key: "enableFileCheckpointing", value: "true" })}`,
  },
  "session-without-files": {
    message: () => "不保存的会话没有文件。",
    hint: () => "请去掉 --no-session。",
  },
  "snapshot-store-unopened": {
    message: ({ why }) => `无法打开快照存储：${why}。`,
    hint: (_, { command }) => `查看问题所在：${command({ do: "doctor" })}`,
  },
  "file-of-checkpoint-unnamed": {
    message: ({ given }) => `“${given}”没有指明某个检查点的文件。`,
    hint: (_, { command }) => `例如：${command({ do: "show", file: "12:src/main.ts" })}`,
  },
  "path-not-in-checkpoint": {
    message: ({ path, checkpoint }) => `“${path}”不在检查点 ${checkpoint} 中`,
    hint: ({ path }, { command }) => `${relative}它为什么不在其中：${command({ do: "why", path })}`,
  },
  "path-in-neither": {
    message: ({ path }) => `“${path}”现在没有，检查点中也没有。`,
    hint: (_, { command }) =>
      `没有做任何更改。${relative}查看差异：${command({ do: "diff", since: { any: "cp" } })}`,
  },
  "file-not-text": {
    message: ({ path }) => `${path} 不是可以在终端显示的文本，或者太长。`,
    hint: (_, { command }) => `请写到文件中：${command({ do: "show", into: "file" })}`,
  },
  "file-was-a-folder": {
    message: ({ path }) => `${path} 当时是文件夹。`,
    hint: (_, { command }) => `要取得其全部内容：${command({ do: "export-files" })}`,
  },
  "file-left-out": {
    message: ({ path, why }) =>
      `${path} 不在快照中：${why === "never-captured" ? neverCaptured : leftOutReasons[why]}。`,
    hint: ({ path }, { command }) => `已知的情况：${command({ do: "why", path })}`,
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

function seeWithFiles(command: CommandText): string {
  return `查看哪些检查点有文件：${command({ do: "checkpoints" })}`;
}

const cannotBe = ({ folder, why }: { readonly folder: string; readonly why: WhyNoFolder }) =>
  `${folder} 不能作为工作区：${whyNoFolder(why)}。`;

export const folders: Translated<typeof englishFolders> = {
  "home-not-a-folder": {
    message: ({ folder }) => `Worldline 的主目录 ${folder} 不是文件夹。`,
    hint: () => chooseHome,
  },
  "home-not-made": {
    message: ({ folder, why }) =>
      `无法创建 Worldline 的主目录 ${folder}${why === undefined ? "" : `：${why}`}。`,
    hint: () => chooseHome,
  },
  "current-folder-gone": {
    message: () => "当前文件夹已经不存在。",
    hint: () => "请换到一个存在的文件夹。",
  },
  "workspace-not-found": {
    message: cannotBe,
    hint: (_, { place }) =>
      place === "screen" ? "请指定一个存在的文件夹。" : "请指定一个存在的文件夹：--workspace <folder>",
  },
  "workspace-is-a-file": {
    message: ({ folder }) => `${folder} 不能作为工作区：它不是文件夹。`,
    hint: () => "请指定它所在的文件夹。",
  },
  "workspace-unreadable": { message: cannotBe, hint: () => "请检查它的权限。" },
  "workspace-gone": {
    message: ({ folder }) => `工作区 ${folder} 不存在。`,
    hint: ({ folder }) => `重新创建它，回退就能找回其中的文件：mkdir -p ${folder}`,
  },
  "workspace-elsewhere": {
    message: ({ session, workspace }) => `会话 ${session} 在 ${workspace} 中工作，而这台机器上没有该文件夹。`,
    hint: ({ session }, { command }) =>
      `请把该文件夹带到这里，或在一个在此处工作的副本中继续：${command({ do: "fork", session, here: true })}`,
  },
  "no-temporary-folder": {
    message: ({ folder }) => `没有可存放临时内容的文件夹 ${folder}。`,
    hint: () => "请把 TMPDIR 设为一个存在的文件夹，或去掉 --no-session。",
  },
};

const chooseHome =
  "请把 WORLDLINE_HOME 设为你可以写入的文件夹。对智能体，--no-session 不在磁盘上保存任何内容。";

function whyNoFolder(why: WhyNoFolder): string {
  if (why === "missing") return "它不存在";
  if (why === "below-a-file") return "它的路径中有一部分不是文件夹";
  return why === "forbidden" ? "不允许读取它" : why.system;
}

export const snapshots: Translated<typeof englishSnapshots> = {
  "workspace-no-folder": { message: () => "工作区已不再是文件夹。" },
  "workspace-no-longer-a-folder": { message: () => "工作区已不再是文件夹，或无法查看。" },
  "workspace-not-listed": {
    message: ({ workspace }) => `无法读取工作区 ${workspace}。`,
    hint: () => "请检查该文件夹是否存在，以及你是否有权读取。",
  },
  "workspace-of-the-system": {
    message: ({ folder }) => `${folder} 中的文件由系统虚拟产生，不会捕获。`,
    hint: () => "请指定磁盘上的文件夹：--workspace <folder>",
  },
  "workspace-too-wide": {
    message: ({ folder, is }) =>
      is === "home" ? "不会捕获你的主文件夹。" : `不会捕获 ${folder}：它包含你的主文件夹或整个磁盘。`,
    hint: () => "请指定其中的一个文件夹：--workspace <folder>",
  },
  "capture-cancelled": { message: () => "捕获已取消。" },
  "snapshot-too-large": {
    message: (excess) => `无法使用一个快照的文件：${snapshotExcess(excess)}。`,
    hint: (_, { command }) => `捕获不会产生这样的快照。查看是哪一个：${command({ do: "store verify" })}`,
  },
  "snapshot-let-go": { message: ({ snapshot }) => `快照 ${snapshot} 已不再保留。` },
  "object-newer": {
    message: ({ kind }) => `一个${KINDS[kind]}对象由更新的 Worldline 写入。`,
    hint: () => "请更新 Worldline 以读取它。",
  },
  "object-unreadable": {
    message: ({ kind, damage }) => `无法读取一个${KINDS[kind]}对象：${objectDamage(damage)}。`,
    hint: (_, { command }) => `运行 \`${command({ do: "store verify" })}\` 可查看还有哪些内容损坏。`,
  },
  "folder-not-storable": { message: ({ fault }) => `无法保存一个文件夹：${DAMAGES[fault]}。` },
  "object-missing": {
    message: ({ kind, hash }) => `快照存储中没有${KINDS[kind]} ${hash}。`,
    hint: (_, { command }) =>
      `它可能已为腾出空间而被移除；\`${command({ do: "doctor" })}\` 会说明还有哪些内容。`,
  },
  "object-damaged": {
    message: ({ kind, hash, where, fault }) =>
      `${KINDS[kind]} ${hash} 已损坏（${where}：${recordFault(fault)}）。`,
    hint: (_, { command }) =>
      `再次捕获相同的内容即可修复；\`${command({ do: "doctor" })}\` 会列出所有损坏的内容。`,
  },
  "content-forgotten": {
    message: () => "此文件的内容已被遗忘。",
    hint: (_, { command }) => `它已通过 \`${command({ do: "forget" })}\` 永久移除。`,
  },
  "content-not-in-bundle": {
    message: () => "此文件的快照所来自的会话包中没有它的内容。",
    hint: (_, { command }) =>
      `只有在要求时，会话包才包含被忽略的文件：${command({ do: "sessions export", includeIgnored: true })}`,
  },
  "bundle-object-changed": {
    message: ({ kind }) => `无法导入会话包：有一个${KINDS[kind]}与其哈希不符。`,
    hint: () => "没有导入任何内容。该文件在读取期间被更改：请重新导入。",
  },
  "restore-journal-damaged": {
    message: () => "这里有一次恢复被打断，且其日志已损坏：有些文件可能已恢复，有些没有。",
    hint: ({ asides }, { command }) =>
      `请查看差异（${command({ do: "diff" })}），然后重试。该日志已另存为 ${asides.join("、")}`,
  },
  "restore-of-newer-version": {
    message: ({ format }) => `更新的 Worldline 留下了一次未完成的恢复（格式 ${format}）。`,
    hint: () => "请让那个版本完成它：用它打开一次该工作区。",
  },
  "restore-cut-off": {
    message: ({ session }) => `会话 ${session} 的一次恢复被打断。`,
    hint: (_, { command }) => `请先完成它：${command({ do: "doctor", fix: true })}`,
  },
  "not-a-session-id": { message: ({ session }) => `${JSON.stringify(session)} 不是会话的 id。` },
  "snapshots-in-use": { message: ({ owner }) => `快照存储正被${lockOwner(owner)}占用。`, hint: heldHint },
  "workspace-in-use": { message: ({ owner }) => `工作区正被${lockOwner(owner)}占用。`, hint: heldHint },
  "snapshots-taken-over": {
    message: ({ owner }) => `快照存储已被 ${owner} 接管。`,
    hint: (_, { command }) =>
      `在此之前移除的内容已经移除；需要保留的内容没有丢失。请重新运行：${command({ do: "store gc" })}`,
  },
  "gc-outdated": {
    message: () => "现在需要移除的内容比告诉你的更多。",
    hint: (_, { command }) => `没有移除任何内容。请重新查看：${command({ do: "store gc", dryRun: true })}`,
  },
  "thread-ended": {
    message: ({ why }) =>
      why === undefined ? "读取工作区的一个线程已终止。" : `读取工作区的一个线程已终止：${why}`,
    hint: () => "没有任何更改。请重试。",
  },
};

export const KINDS: Readonly<Record<ObjectKindName, string>> = {
  content: "内容",
  folder: "文件夹",
  snapshot: "快照",
};

export function objectDamage(damage: ObjectDamage): string {
  return damage.damage === "too-many-entries"
    ? `条目超过 ${damage.most.toLocaleString("en")} 个`
    : DAMAGES[damage.damage];
}

const DAMAGES: Readonly<Record<PlainDamage, string>> = {
  "no-version": "没有版本号",
  "number-too-large": "有一个数字过大",
  "number-too-long": "有一个数字的编码过长",
  "not-utf8": "有一段文本不是 UTF-8",
  "too-long": "末尾有多余的内容",
  "cut-short": "内容不完整",
  "unknown-reason": "有一项因未知原因被排除",
  "unknown-kind": "有一个条目的种类未知",
  "rules-flag": "无法判断它是否带有外部规则",
  "bad-name": "有一个名称不是有效的文件名",
  unordered: "名称没有按顺序排列",
  "holds-git": "其中有 .git",
  "failures-do-not-add-up": "失败数目不符",
  "bad-size": "有一个大小无效",
  "bad-target": "有一个链接的目标不是路径",
  "bad-mode": "有一个权限模式无效",
  "bad-hash": "有一个哈希无效",
};

export function snapshotExcess({ of, most }: SnapshotExcess): string {
  return of === "path-bytes"
    ? `其中有超过 ${most.toLocaleString("en")} 字节的路径`
    : `其中的路径超过 ${most.toLocaleString("en")} 个`;
}

function recordFault(fault: RecordFault): string {
  return typeof fault === "object" ? `它是${KINDS[fault.isA]}` : RECORD_FAULTS[fault];
}

export function segmentFault(fault: SegmentFault): string {
  if (fault === "wrong-checksum") return "校验和不符";
  if (typeof fault === "object" && "noRecordBytes" in fault) return `${fault.noRecordBytes} 字节不是记录`;
  return recordFault(fault);
}

const RECORD_FAULTS = {
  "cut-short": "文件在它结束之前就已结束",
  "cannot-be-unpacked": "无法解压",
  "other-bytes": "字节与哈希不符",
  "no-header": "没有头部",
};

function heldHint({ life }: HeldFolder): string {
  return life === "elsewhere"
    ? "从这里无法判断占用者是否还在运行。如果已没有程序使用它，请使用 --take-over。"
    : "请在占用者结束后重试。";
}
