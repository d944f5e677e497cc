import type { stores as english } from "../en/stores.ts";
import type { ErrorOwner } from "../facts.ts";
import type { Translated } from "../texts.ts";

const ONE_WRITER = "同一时间只有一个程序可以写入会话。";

export const stores: Translated<typeof english> = {
  "session-unknown": {
    message: ({ session }) => `没有会话 ${session}`,
    hint: (_, { command }) => `\`${command("sessions list")}\` 会列出已有的会话。`,
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
      `没有任何内容得到确认。请重新打开它，或分叉出自己的会话：${command(`fork ${session}`)}`,
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
      `${ONE_WRITER}请在那里关闭它，或分叉出自己的会话：${command(`fork ${session}`)}`,
  },
  "session-leased-elsewhere": {
    message: ({ session, owner, until }) =>
      `会话 ${session} 正被${leaseOwner(owner)}占用；如不续租，其租约到 ${until} 为止。`,
    hint: ({ session }, { command }) =>
      `请等待（如果占用者已经结束，则等到那时），或分叉出自己的会话：${command(`fork ${session}`)}。如果已没有程序使用它，请使用 --take-over。`,
  },
  "lease-out-of-range": {
    message: ({ leaseMs }) => `租约不能是 ${leaseMs} 毫秒。`,
    hint: ({ shortest, longest, usual }) => `leaseMs 可取 ${shortest} 到 ${longest}；不写时为 ${usual}。`,
  },
  "first-entry-lost": {
    message: ({ session }) => `会话 ${session} 的第一个条目已丢失，因此无法确认。`,
    hint: ({ session }, { command }) => `它仍可读取和导出：${command(`sessions export ${session}`)}`,
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
      `如果你还有该文件，请放回原处。否则请在分叉出的新会话中继续剩下的内容：${command(`fork ${session}`)}，并移除此会话：${command(`sessions delete ${session}`)}`,
  },
  "line-taken": {
    message: ({ next, expected }) => `日志的下一行是 ${next}，不是 ${expected}。`,
    hint: () => "有其他程序写入了该会话。请重新打开它。",
  },
  "line-taken-in-database": {
    message: ({ session, next, expected, owner }) =>
      `会话 ${session} 的下一行是 ${next}，不是 ${expected}。${owner === undefined ? "" : `该会话正被${lockOwner(owner)}占用。`}`,
    hint: ({ session }, { command }) =>
      `有其他程序写入了该会话。请重新打开它，或分叉出自己的会话：${command(`fork ${session}`)}`,
  },
  "blob-missing": { message: ({ session, hash }) => `会话 ${session} 没有长文本 ${hash}` },
  "blob-damaged": { message: ({ hash }) => `长文本 ${hash} 与其名称不符。` },
  "blob-file-missing": {
    message: ({ session, hash }) => `会话 ${session} 没有长文本 ${hash}`,
    hint: (_, { command }) => `\`${command("doctor")}\` 会列出损坏的内容。`,
  },
  "blob-file-damaged": {
    message: ({ session, hash }) => `会话 ${session} 的长文本 ${hash} 与其名称不符。`,
    hint: (_, { command }) =>
      `它的内容已丢失，会话的其余部分没有。\`${command("doctor")}\` 会列出损坏的内容。`,
  },
};

/** Without a space before a Chinese word, and with one before a name. */
export function lockOwner(owner: ErrorOwner): string {
  return owner === "unreadable" ? "一个无法读取的锁" : ownerName(owner);
}

function leaseOwner(owner: ErrorOwner): string {
  return owner === "unreadable" ? "一个占用者无法读取的租约" : ownerName(owner);
}

function ownerName({ name, pid, host, since }: Exclude<ErrorOwner, "unreadable">): string {
  return ` ${name}（${host} 上的 pid ${pid}，自 ${since} 起）`;
}
