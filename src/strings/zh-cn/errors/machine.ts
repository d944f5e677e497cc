import type { Command } from "../../commands.ts";
import type { EntryFault, machine as englishMachine, NameFault } from "../../en/errors/machine.ts";
import type { Translated } from "../../errors/texts.ts";

export const machine: Translated<typeof englishMachine> = {
  "journey-move": { message: ({ journey, move }) => `${journey} 在这里不能执行动作“${move}”。` },
  "fork-not-a-copy": { message: () => "分叉只复制一个分支，不做别的。" },
  "session-closed": { message: () => "此会话已关闭。", hint: () => "请重新打开。" },
  "session-lost": {
    message: ({ problem }, { message }) => `另一个程序写入了此会话。${message(problem)}`,
    hint: () => "请重新打开会话；尚未写入的条目不在其中。",
  },
  "session-not-written": {
    message: () => "无法写入会话。",
    hint: (_, { command }) => `查看问题所在：${command({ do: "doctor" })}`,
  },
  "summary-empty": { message: () => "摘要为空。", hint: () => "上下文保持不变。" },
  "session-not-found": {
    message: ({ wanted }) => `没有会话“${wanted}”。`,
    hint: (_, { command }) => `查看全部：${command({ do: "sessions list", all: true })}`,
  },
  "session-ambiguous": {
    message: ({ wanted, count }) => `“${wanted}”可能指 ${count} 个会话中的任何一个。`,
    hint: ({ ids }) => `请多写几个 id 字符：${ids.join(", ")}`,
  },
  "session-unconfirmed": {
    message: ({ session }) =>
      `会话 ${session} 不是由这个 Worldline 主目录写下的，因此在你确认之前不会对它做任何事。`,
    hint: ({ session }, { command }) =>
      `先查看：${command({ do: "log", session })}。然后在它要工作的文件夹中确认：${command({ do: "sessions confirm", session })}`,
  },
  "session-newer": {
    message: ({ session }) => `会话 ${session} 由更新版本的 Worldline 写成。`,
    hint: () => "在这里可以读取，但不能继续：请更新 Worldline。",
  },
  "entry-unknown": { message: ({ entry }) => `此会话中没有条目 ${entry}。` },
  "entry-not-an-object": {
    message: () => "条目必须是对象。",
    hint: () => "docs/format.md 列出了每种条目的字段。",
  },
  "entry-invalid": {
    message: ({ kind, fault }) => `无法写入这个 ${kind} 条目：${entryFault(fault)}。`,
    hint: () => "docs/format.md 说明了每种条目的内容。",
  },
  "text-not-spilled": { message: () => "这里没有长度限制，却有文本被移入数据块。" },
  "title-invalid": {
    message: ({ fault }) => `不能用作标题：${nameFault(fault)}。`,
    hint: () => "请选一个单行的标题，例如“连接池里的泄漏”。",
  },
  "label-invalid": {
    message: ({ label, fault }) => `“${label}”不能用作标签：${nameFault(fault)}。`,
    hint: () => "请选一个含有文字的短名称，例如“重构之前”。",
  },

  "files-already-so": {
    message: ({ checkpoint }) => `文件已经与检查点 ${checkpoint} 时相同。`,
    hint: (_, { command }) => `请选择另一个：${command({ do: "checkpoints" })}`,
  },
  "journey-not-written": { message: () => "这次跳转没有记录下来。" },
  "session-went-on": {
    message: () => "查看文件期间，会话又有了进展。",
    hint: () => "没有任何改动。请重试。",
  },
  "files-not-captured": {
    message: ({ checkpoint, why }, { message }) =>
      `检查点 ${checkpoint} 的文件没有捕获${why === undefined ? "。" : `：${message(why)}`}`,
    hint: (_, { place }) => conversationAlone(place),
  },
  "files-let-go": {
    message: ({ checkpoint, machine: elsewhere }) =>
      elsewhere === undefined
        ? `检查点 ${checkpoint} 的文件已不再保留。`
        : `检查点 ${checkpoint} 的文件在捕获它们的机器 ${elsewhere} 上，不在这台机器上。`,
    hint: (_, { place }) => conversationAlone(place),
  },
  "journey-files-not-captured": {
    message: ({ journey }) => `跳转 ${journey} 离开时的文件没有捕获。`,
    hint: (_, { place }) => conversationAlone(place),
  },
  "journey-files-let-go": {
    message: ({ journey }) => `跳转 ${journey} 离开时的文件已不再保留。`,
    hint: (_, { place }) => conversationAlone(place),
  },
  "files-off": {
    message: () => "此会话不捕获文件。",
    hint: (_, { place }) => conversationAlone(place),
  },
  "restore-unfinished-here": {
    message: () => "这里有一次恢复中断了，未能完成。",
    hint: (_, { command }) => `查看问题所在：${command({ do: "doctor" })}`,
  },
  "restore-unfinished": {
    message: () => "一次中断的恢复未能完成。",
    hint: () => "请重新打开会话，再试一次。",
  },
  "restore-unfinished-elsewhere": {
    message: ({ session }) => `会话 ${session} 的一次恢复中断了，未能完成。`,
    hint: () => "请关闭正在使用该会话的程序，然后重试。",
  },

  "host-files-choice": {
    message: ({ host }) => `由 ${host} 恢复的文件无法选择。`,
    hint: (_, { command }) =>
      `没有任何改动。请不要指定选择，或改用 Worldline 自己的快照：${command(USE_OWN)}`,
  },
  "host-rewind-failed": {
    message: ({ problem }, { message }) => message(problem),
    hint: ({ problem, checkpoint, own }, { hint, command }) =>
      `${hint(problem)}${ownSnapshots(own, checkpoint, command(USE_OWN))}`,
  },
  "host-knows-no-change": {
    message: ({ host, checkpoint }) => `据 ${host} 所知，没有文件与检查点 ${checkpoint} 时不同。`,
    hint: ({ differ }, { command }) =>
      differ === 0
        ? `请选择另一个：${command({ do: "checkpoints" })}`
        : `没有任何改动。但有 ${differ} 个路径与之不同，Worldline 自己的快照可以恢复它们：${command(USE_OWN)}`,
  },
  "host-has-no-checkpoint": {
    message: ({ host, checkpoint, is }) =>
      `检查点 ${checkpoint} ${is === "step" ? "是一个步骤" : "不是发给它的提示词"}，${host} 没有这样的检查点。`,
    hint: (_, { command }) =>
      `没有任何改动。请选择位于提示词之前的检查点：${command({ do: "checkpoints" })}。`,
  },

  "host-may-not-have-files": {
    message: ({ problem }, { message, command }) =>
      `${message(problem)} Worldline 自己的快照可能有它：${command(USE_OWN)}`,
  },
  "files-stay": {
    message: ({ problem }, { message }) => message(problem),
    hint: ({ problem, advice }, { hint }) =>
      advice === "its-own" ? hint(problem) : "没有任何改动。可以只回退对话。",
  },
  "forget-session-held": {
    message: ({ problem }, { message }) => `${message(problem)} 没有遗忘任何内容。`,
    hint: () =>
      "请在那里关闭它，然后重新执行。如果无法询问占用者，并且已没有程序使用该会话，请用 --take-over。",
  },
  "forget-cut-off": {
    message: ({ problem, done, of }, { message }) =>
      `${message(problem)} 在此之前，已在 ${of} 个会话中的 ${done} 个里完成遗忘。`,
    hint: ({ problem }, { hint }) =>
      `已遗忘的内容不会恢复。原因排除后，请对其余部分重新执行。${hint(problem)}`,
  },
  "forget-text-nowhere": {
    message: () => "任何会话和快照的文件中都没有这段文本。",
    hint: (params) => searched(params),
  },
  "forget-path-nowhere": {
    message: ({ path }) => `任何会话的工具调用和快照中都没有 ${path}`,
    hint: (params) => searched(params),
  },
  "forget-path-empty": {
    message: () => "路径为空。",
    hint: (_, { command }) => `请指定一个文件：${command({ do: "forget", what: { any: "path" } })}`,
  },
  "forget-text-short": {
    message: ({ shortest }) => `文本少于 ${shortest} 个字符，会在不该匹配的地方匹配。`,
    hint: () => "请连同前后的文字多写一些。",
  },
  "forget-text-tombstone": {
    message: ({ tombstone }) => `文本是“${tombstone}”的一部分，而后者标记着被遗忘的位置。`,
    hint: () => "请多写一些。",
  },
  "forget-execution-name": {
    message: ({ session }) => `文本也是某个程序的执行名称的一部分，而该名称不能更改：会话 ${session}`,
    hint: ({ session }, { command }) =>
      `没有任何改动。请彻底删除该执行，然后重新操作：${command({ do: "executions delete", execution: session })}，再 ${command({ do: "sessions delete --empty-trash" })}`,
  },
  "forget-structure": {
    message: ({ session, line }) =>
      `文本也是维系会话的内容的一部分，例如 id、时间、字段名或工作区：会话 ${session} 的第 ${line} 行`,
    hint: () => "没有任何改动。请连同前后的文字多写一些。",
  },
};

const USE_OWN: Command = { do: "config set", key: "snapshots.engine", value: "worldline" };

function conversationAlone(place: "shell" | "screen"): string {
  return place === "screen" ? "可以只回退对话。" : "可以只回退对话：--scope conversation";
}

function ownSnapshots(own: "off" | "has" | "has-not", checkpoint: number, useOwn: string): string {
  switch (own) {
    case "off":
      return "Worldline 自己的快照已关闭，因此它也无法做到。";
    case "has":
      return `Worldline 自己有检查点 ${checkpoint} 的快照；改用它自己的快照：${useOwn}`;
    case "has-not":
      return `Worldline 自己没有检查点 ${checkpoint} 的快照。`;
    default:
      return own satisfies never;
  }
}

function searched({
  unseen,
  notScrubbed,
}: {
  readonly unseen: readonly string[];
  readonly notScrubbed?: string;
}): string {
  const where =
    unseen.length === 0 ? "区分大小写，每个字符都要一致。" : `这些会话有无法读取的部分：${unseen.join(", ")}`;
  return notScrubbed === undefined
    ? where
    : `${where} 之前遗忘的内容可能仍留在存储的空闲空间里：${notScrubbed} 请重新执行。`;
}

function nameFault(fault: NameFault): string {
  switch (fault.why) {
    case "empty":
      return "内容为空";
    case "control":
      return "含有换行符或其他控制字符";
    case "outer-space":
      return "开头或结尾有空格";
    case "mark-first":
      return "第一个字符是附着在前一个字符上的";
    case "like-number":
      return "会被当作检查点的编号";
    case "like-place":
      return "看起来像 session:number";
    case "unseen":
      return `含有 ${fault.sign}，它不可见，或看起来像普通空格`;
    case "too-long":
      return `超过 ${fault.most} 个字符`;
    default:
      return fault satisfies never;
  }
}

function entryFault(fault: EntryFault): string {
  switch (fault.why) {
    case "kind-unknown":
      return "未知的种类";
    case "begins-a-log":
      return "它是日志或文件的开头，由会话自行写入";
    case "placed":
      return "它已经有了位置";
    case "not-json":
      return "无法写成 JSON";
    case "elsewhere":
      return "只有跳转可以不接在最后一个条目之后";
    case "number":
      return `编号 ${fault.number} 已经用过`;
    case "field":
      return `字段“${fault.field}”缺失或有误`;
    case "entry-unknown":
      return `此会话中没有条目 ${fault.id}`;
    default:
      return fault satisfies never;
  }
}
