import type { disk as english } from "../en/disk.ts";
import type { DiskRefusal, NamedStored, SingleStored, Stored } from "../facts.ts";
import type { Translated, Wording } from "../texts.ts";

export const disk: Translated<typeof english> = {
  "write-no-room": {
    message: ({ stored, errno }) => `无法写入${storedThing(stored)}：空间不足（${errno ?? UNKNOWN}）。`,
    hint: (_, { command }) => `已写入的内容没有丢失。请腾出磁盘空间（${command("store gc")}）。${AGAIN}`,
  },
  "write-failed": {
    message: ({ stored, errno }) => `无法写入${storedThing(stored)}（${errno ?? UNKNOWN}）。`,
    hint: ({ refusal, place }) => WRITE_HINTS[refusal](place === undefined ? UNKNOWN_PLACE : ` ${place} `),
  },
  "read-failed": {
    message: ({ stored, errno }) => `无法读取${storedThing(stored)}（${errno ?? UNKNOWN}）。`,
    hint: ({ refusal, place }, wording) =>
      readHint(refusal, place === undefined ? UNKNOWN_PLACE : ` ${place} `, wording),
  },
  "no-room-to-make-room": {
    message: ({ problem }, wording) => wording.message(problem),
    hint: () => "已写入的内容没有丢失。请从此磁盘删除约 2 MB 的其他文件，然后重新运行该命令。",
  },
  "home-unknown": {
    message: () => "没有存放会话的文件夹：未设置 HOME，系统也不知道此用户的主文件夹。",
    hint: () => "请把 WORLDLINE_HOME 设为一个可写的文件夹。",
  },
  "home-key-exposed": {
    message: ({ path }) => `其他用户可以读取 ${path}，因此不使用它。`,
    hint: ({ path }) =>
      `请运行 \`chmod 600 ${path}\`。如果可能已被其他用户复制，请改为删除它；之后你的会话需要各确认一次。`,
  },
  "home-key-unusable": {
    message: ({ path, why }) => `此主目录的密钥 ${path} ${HOME_KEY_FAULTS[why]}。`,
    hint: () => "请从备份恢复，或者删除它：之后会生成新的密钥，你的会话需要各确认一次。",
  },
};

const UNKNOWN = "未知错误";
const UNKNOWN_PLACE = "该文件夹";

const HOME_KEY_FAULTS = { "gone-again": "又不见了", unreadable: "无法读取", damaged: "已损坏" };

const AGAIN = "仍打开的会话会自行写入待写的内容；命令可以重新运行。";
const NO_FOLDER = "其路径中有一项不是文件夹。请把它移走，或把 WORLDLINE_HOME 设为其他文件夹。";
const TOO_MANY = "打开的文件过多。请提高上限后重试：ulimit -n 1024";

const WRITE_HINTS: Readonly<Record<DiskRefusal, (place: string) => string>> = {
  "not-a-folder": () => NO_FOLDER,
  "too-many-files": () => `${TOO_MANY} ${AGAIN}`,
  "read-only": () => "文件系统以只读方式挂载；请把 WORLDLINE_HOME 设为一个可写的文件夹。",
  forbidden: (place) => `请检查${place}的所有者和权限：它必须可写。`,
  other: () => `已写入的内容没有丢失。请检查磁盘。${AGAIN}`,
};

function readHint(refusal: DiskRefusal, place: string, { command }: Wording): string {
  if (refusal === "not-a-folder") return NO_FOLDER;
  if (refusal === "too-many-files") return TOO_MANY;
  if (refusal === "forbidden") return `请检查${place}的所有者和权限。`;
  return `请检查磁盘；\`${command("doctor")}\` 会说明哪些内容仍可读取。`;
}

const NAMED: Readonly<Record<NamedStored, (of: string) => string>> = {
  path: (path) => ` ${path} `,
  folder: (path) => `文件夹 ${path} `,
  database: (path) => `数据库 ${path} `,
  "database-notes": (path) => `数据库 ${path} 的记录`,
  "home-key": (path) => `此主目录的密钥 ${path} `,
  "model-keys": (path) => `密钥文件 ${path} `,
  lock: (path) => `锁 ${path} `,
  lease: (path) => `租约 ${path} `,
  "lease-of": (folder) => ` ${folder} 的租约`,
  "session-list": (folder) => ` ${folder} 中的会话列表`,
  trash: (folder) => ` ${folder} 中的回收站`,
  session: (session) => `会话 ${session} `,
  "session-log": (session) => `会话 ${session} 的日志`,
  "session-folder": (session) => `会话 ${session} 的文件夹`,
  "session-lock": (session) => `会话 ${session} 的锁`,
  confirmation: (session) => `会话 ${session} 的确认记录`,
  blob: (hash) => `长文本 ${hash} `,
};

const SINGLE: Readonly<Record<SingleStored, string>> = {
  "new-blob": "一段长文本",
  "blob-list": "长文本列表",
  "checkpoint-list": "检查点列表",
  "other-sessions": "其他会话的残留",
  "earlier-sessions": "此主目录的早期会话列表",
  snapshots: "快照存储",
  "snapshots-lease": "快照存储的租约",
  "snapshots-leftover": "快照旁的残留",
  collections: "gc 的运行记录",
  "restore-journal": "恢复的日志",
  "workspace-notes": "工作区的记录",
};

function storedThing(stored: Stored): string {
  return "of" in stored ? NAMED[stored.what](stored.of) : SINGLE[stored.what];
}
