import type { disk as englishDisk, stores as englishStores } from "../../en/errors/stores.ts";
import type { DiskRefusal, ErrorOwner, NamedStored, SingleStored, Stored } from "../../errors/facts.ts";
import type { Translated, Wording } from "../../errors/texts.ts";

const ONE_WRITER = "同一时间只有一个程序可以写入会话。";

export const stores: Translated<typeof englishStores> = {
  "session-unknown": {
    message: ({ session }) => `没有会话 ${session}`,
    hint: (_, { command }) => `\`${command({ do: "sessions list" })}\` 会列出已有的会话。`,
  },
  "session-exists": {
    message: ({ session }) => `会话 ${session} 已存在。`,
    hint: () => "会话从不被覆盖，请换一个 id。",
  },
  "session-has-no-id": { message: () => "会话没有 id。" },
  "session-begins-elsewhere": {
    message: ({ session, seq }) => `会话不能从 ${session} 的第 ${seq} 行开始。`,
  },
  "session-taken-over": {
    message: ({ session, owner }) =>
      owner === undefined
        ? `会话 ${session} 已被接管；现在没有程序占用它。`
        : `会话 ${session} 已被${lockOwner(owner)}接管。`,
    hint: ({ session }, { command }) =>
      `没有任何内容得到确认。请重新打开它，或分叉出自己的会话：${command({ do: "fork", session })}`,
  },
  "session-locked": {
    message: ({ session, owner }) => `会话 ${session} 正被${lockOwner(owner)}占用。`,
    hint: ({ life }) =>
      life === "elsewhere"
        ? "从这里无法判断其占用者是否还在运行。如果已没有程序使用该会话，请使用 --take-over（在程序中：takeOver）。"
        : `${ONE_WRITER}请在那里关闭它，或分叉该会话。`,
  },
  "session-in-use": {
    message: ({ session, name, since }) => `会话 ${session} 自 ${since} 起被 ${name} 占用。`,
    hint: () => `${ONE_WRITER}请在那里关闭它，或分叉该会话。`,
  },
  "session-leased": {
    message: ({ session, owner }) => `会话 ${session} 正被${leaseOwner(owner)}占用。`,
    hint: ({ session }, { command }) =>
      `${ONE_WRITER}请在那里关闭它，或分叉出自己的会话：${command({ do: "fork", session })}`,
  },
  "session-leased-elsewhere": {
    message: ({ session, owner, until }) =>
      `会话 ${session} 正被${leaseOwner(owner)}占用；如不续租，其租约到 ${until} 为止。`,
    hint: ({ session }, { command }) =>
      `请等待（如果占用者已经结束，则等到那时），或分叉出自己的会话：${command({ do: "fork", session })}。如果已没有程序使用它，请使用 --take-over。`,
  },
  "lease-out-of-range": {
    message: ({ leaseMs }) => `租约不能是 ${leaseMs} 毫秒。`,
    hint: ({ shortest, longest, usual }) => `leaseMs 可取 ${shortest} 到 ${longest}；不写时为 ${usual}。`,
  },
  "first-entry-lost": {
    message: ({ session }) => `会话 ${session} 的第一个条目已丢失，因此无法确认。`,
    hint: ({ session }, { command }) => `它仍可读取和导出：${command({ do: "sessions export", session })}`,
  },
  "entry-malformed": { message: ({ seq, kind }) => `条目 ${seq}（${kind}）不符合其种类的要求。` },
  "entry-malformed-for-log": {
    message: ({ seq, kind }) => `条目 ${seq}（${kind}）不符合其种类的要求。`,
    hint: () => "docs/format.md 列出了每个种类的字段。",
  },
  "entry-misplaced": { message: ({ line, seq }) => `第 ${line} 行的条目自称是第 ${seq} 行。` },
  "entry-loses-place": {
    message: ({ seq }) => `条目 ${seq} 会失去它的行号或 id。`,
    hint: () => "只能遗忘条目的内容，不能遗忘它的位置。",
  },
  "log-file-misnumbered": { message: ({ next, file }) => `日志的下一个文件是 ${next}，不是 ${file}。` },
  "log-gone": {
    message: ({ session }) => `无法写入会话 ${session} 的日志：文件 log.jsonl 已不存在。`,
    hint: ({ session }, { command }) =>
      `如果你还有该文件，请放回原处。否则请在分叉出的新会话中继续剩下的内容：${command({ do: "fork", session })}，并移除此会话：${command({ do: "sessions delete", session })}`,
  },
  "line-taken": {
    message: ({ next, expected }) => `日志的下一行是 ${next}，不是 ${expected}。`,
    hint: () => "有其他程序写入了该会话。请重新打开它。",
  },
  "line-taken-in-database": {
    message: ({ session, next, expected, owner }) =>
      `会话 ${session} 的下一行是 ${next}，不是 ${expected}。${owner === undefined ? "" : `该会话正被${lockOwner(owner)}占用。`}`,
    hint: ({ session }, { command }) =>
      `有其他程序写入了该会话。请重新打开它，或分叉出自己的会话：${command({ do: "fork", session })}`,
  },
  "blob-missing": { message: ({ session, hash }) => `会话 ${session} 没有长文本 ${hash}` },
  "blob-damaged": { message: ({ hash }) => `长文本 ${hash} 与其名称不符。` },
  "blob-file-missing": {
    message: ({ session, hash }) => `会话 ${session} 没有长文本 ${hash}`,
    hint: (_, { command }) => `\`${command({ do: "doctor" })}\` 会列出损坏的内容。`,
  },
  "blob-file-damaged": {
    message: ({ session, hash }) => `会话 ${session} 的长文本 ${hash} 与其名称不符。`,
    hint: (_, { command }) =>
      `它的内容已丢失，会话的其余部分没有。\`${command({ do: "doctor" })}\` 会列出损坏的内容。`,
  },
};

/** A Chinese word follows without a space, a name follows after one. */
export function lockOwner(owner: ErrorOwner): string {
  return owner === "unreadable" ? "一个无法读取的锁" : ownerName(owner);
}

function leaseOwner(owner: ErrorOwner): string {
  return owner === "unreadable" ? "一个占用者无法读取的租约" : ownerName(owner);
}

function ownerName({ name, pid, host, since }: Exclude<ErrorOwner, "unreadable">): string {
  return ` ${name}（${host} 上的 pid ${pid}，自 ${since} 起）`;
}

export const disk: Translated<typeof englishDisk> = {
  "write-no-room": {
    message: ({ stored, errno }) => `无法写入${storedThing(stored)}：空间不足（${errno ?? UNKNOWN}）。`,
    hint: (_, { command }) =>
      `已写入的内容没有丢失。请腾出磁盘空间（${command({ do: "store gc" })}）。${AGAIN}`,
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
  return `请检查磁盘；\`${command({ do: "doctor" })}\` 会说明哪些内容仍可读取。`;
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
