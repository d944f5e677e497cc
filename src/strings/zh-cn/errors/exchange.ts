import type { CommandText } from "../../commands.ts";
import type {
  BundleFault,
  exchange as englishExchange,
  exchanging as englishExchanging,
  PlaceFault,
  SimpleFault,
} from "../../en/errors/exchange.ts";
import type { ObjectsFault, PlainObjectsFault } from "../../errors/facts.ts";
import type { Translated } from "../../errors/texts.ts";
import { KINDS, objectDamage, snapshotExcess } from "./files.ts";

export const exchange: Translated<typeof englishExchange> = {
  "bundle-invalid": {
    message: ({ fault, record }) =>
      `无法导入这个捆绑包：${record === undefined ? "" : `第 ${record} 条记录：`}${bundleFault(fault)}。`,
    hint: () => "没有导入任何内容。请重新导出会话，或重新复制文件。",
  },
  "bundle-newer": {
    message: () => "这个捆绑包由更新版本的 Worldline 制作。",
    hint: () => "没有导入任何内容。请更新 Worldline，然后重新导入。",
  },
  "bundled-session-newer": {
    message: ({ session }) => `会话 ${session} 由更新版本的 Worldline 写成。`,
    hint: () => "没有导入任何内容。请更新 Worldline，然后重新导入。",
  },
  "import-file-unreadable": { message: ({ path }) => `无法读取 ${path}。`, hint: () => "请检查其权限。" },
  "import-path-unreadable": {
    message: ({ path }) => `无法读取 ${path}。`,
    hint: () => "请检查路径及其权限。",
  },
  "import-not-a-file": {
    message: ({ path }) => `${path} 不是文件。`,
    hint: () => "请指定会话的文件夹或其中的 context.jsonl。",
  },
  "import-too-large": {
    message: ({ path, most }) => `${path} 大于 ${most} 字节。`,
    hint: () => "文件太大，无法导入。",
  },
  "import-nothing-there": {
    message: ({ path }) => `${path} 中没有 kimi-cli 的会话`,
    hint: () => "请指定含有 context.jsonl 的文件夹，它们在 ~/.kimi/sessions 之下。",
  },
  "import-no-message": {
    message: ({ path, damaged }, { message }) =>
      `${path} 中没有 kimi-cli 的消息${damaged === undefined ? "" : `（${damaged.file} 第 ${damaged.line} 行：${message(damaged.why)}）`}。`,
    hint: () => "没有导入任何内容。请指定会话的文件夹或其中的 context.jsonl。",
  },
  "import-no-workspace": {
    message: ({ folder }) => `不清楚 ${folder} 中的会话在哪个文件夹里工作。`,
    hint: () => "请指明：--workspace <folder>",
  },
};

const SIMPLE_FAULTS: Readonly<Record<SimpleFault, string>> = {
  "after-its-end": "结尾之后还有内容",
  damaged: "已损坏",
  "header-not-once": "文件头必须在最前面，并且只有一个",
  "header-wrong": "文件头不符合要求",
  "line-not-as-written": "日志的这一行不是 Worldline 的写法",
  "blob-wrong": "数据块不符合要求",
  "blob-not-its-hash": "数据块与其哈希不符",
  "blob-twice": "捆绑包中已有这个数据块",
  "blob-incomplete": "在它之前有一个数据块不完整",
  "records-count": "与记录的数量不符",
  "snapshots-wrong": "快照列表不符合要求",
  "object-wrong": "对象不符合要求",
  "absent-wrong": "缺失内容的说明不符合要求",
  "object-incomplete": "在它之前有一个对象不完整",
  "piece-out-of-order": "这一片与前一片不相接",
  seal: "封印与内容不符，说明有字节被改动或缺失",
  compression: "压缩内容已损坏",
  "not-a-bundle": "它不是 Worldline 的捆绑包",
  "changed-meanwhile": "读取期间文件被改动",
  "no-session": "其日志不是以会话开头",
  "other-session": "文件头与日志中的会话不一致",
  tag: "其会话的标记不是 Worldline 生成的",
  "first-entry": "第一个条目不完整",
  "lost-not-lacking": "它列出的丢失行在日志中并不缺少",
  "lost-order": "它列出的丢失行没有按顺序排列",
};

const PLACE_FAULTS: Readonly<Record<PlaceFault, string>> = {
  "same-id": "与前面某一行的 id 相同",
  "no-place": "没有位置",
  "second-session": "又开始了一个会话",
  "parent-missing": "接在一个不存在的条目之后",
  "from-behind": "来自它自己之后的位置",
};

const OBJECTS_FAULTS: Readonly<Record<PlainObjectsFault, string>> = {
  "absent-present": "其中有一个被列为缺失的对象",
  "snapshot-unannounced": "其中有一个没有列出的快照",
  "folder-unused": "其中有一个文件夹不属于任何快照",
  "folder-missing": "缺少一个快照的文件夹",
  "content-missing": "缺少一个文件的内容，也没有把它列为缺失",
  "content-unused": "其中有一份文件内容不属于任何快照",
};

function objectsFault(fault: ObjectsFault): string {
  switch (fault.fault) {
    case "wrong-hash":
      return `${KINDS[fault.kind]}与其哈希不符`;
    case "repeated":
      return `包中已有该${KINDS[fault.kind]}`;
    case "object-bytes":
      return `一个${KINDS[fault.kind]}占 ${counted(fault.bytes)} 字节；上限是 ${counted(fault.most)}`;
    case "unreadable":
      return `无法读取一个${KINDS[fault.kind]}对象：${objectDamage(fault.damage)}`;
    case "snapshot-missing":
      return `缺少快照 ${fault.snapshot}`;
    case "snapshot-size":
      return `一个快照大于 Worldline 会创建的任何快照：${snapshotExcess(fault.excess)}`;
    case "objects":
      return `其中的对象超过 ${counted(fault.most)} 个`;
    case "folders-named":
      return `其中的子文件夹超过 ${counted(fault.most)} 个`;
    case "name-bytes":
      return `一个名称超过 ${counted(fault.most)} 字节`;
    case "target-bytes":
      return `一个链接的目标超过 ${counted(fault.most)} 字节`;
    case "git-name":
      return `其中有 ${fault.name}，在某些文件系统上它就是 .git`;
    case "set-id":
      return `${fault.name === "" ? "工作区" : fault.name} 带有 setuid 或 setgid 位`;
    default:
      return OBJECTS_FAULTS[fault.fault];
  }
}

const counted = (amount: number): string => amount.toLocaleString("en");

function bundleFault(fault: BundleFault): string {
  switch (fault.why) {
    case "cut":
      return `文件被截断：它在第 ${fault.record} 条记录${fault.cut === "within" ? "之中" : "之后"}结束`;
    case "sorts":
      return `含有超过 ${fault.most} 种未知的记录`;
    case "lines":
      return `日志超过 ${fault.most.toLocaleString("zh-CN")} 行`;
    case "nesting":
      return `嵌套超过 ${fault.most} 层`;
    case "files-size":
      return `其文件超过 ${fault.most} 字节`;
    case "expansion":
      return `解压后超过其大小的 ${fault.most} 倍`;
    case "size":
      return `解压后超过 ${fault.most} 字节`;
    case "object-size":
      return `有一个 ${fault.size} 字节的对象，超过了允许的大小`;
    case "line-unreadable":
      return `日志的这一行无法读取（${fault.fault}）`;
    case "piece-length":
      return `${fault.record} 的长度与所述不符`;
    case "entries-count":
      return `声明有 ${fault.announced} 个条目，实际有 ${fault.held} 个`;
    case "blobs-count":
      return `声明有 ${fault.announced} 个数据块，实际有 ${fault.held} 个`;
    case "line-missing":
      return `日志缺少第 ${fault.line} 行，其位置上是第 ${fault.instead} 行`;
    case "lost-count":
      return `列出了 ${fault.count} 个丢失行，没有会话会有这么多`;
    case "place":
      return `日志的第 ${fault.line} 行${PLACE_FAULTS[fault.fault]}`;
    case "blob-missing":
      return `缺少数据块 ${fault.hash}`;
    case "blob-unused":
      return `其中没有任何内容指向数据块 ${fault.hash}`;
    case "snapshot-unused":
      return `其中没有任何内容指向快照 ${fault.snapshot}`;
    case "objects":
      return objectsFault(fault.fault);
    default:
      return SIMPLE_FAULTS[fault.why];
  }
}

const nothingExported = ({ folder, why }: { readonly folder: string; readonly why: string }) =>
  `无法写入 ${folder}：${why}。没有导出任何内容。`;
const newOrEmpty = () => "请指定一个新的或空的文件夹。";
const anotherPlace = () => "请换一个位置。";
const leaveOneOut = () => "请单独使用 --list。";
const seeKimi = (command: CommandText) => command({ do: "sessions import", from: "list" });

export const exchanging: Translated<typeof englishExchanging> = {
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
  "output-empty": { message: () => "--output 没有给出值。", hint: () => "请指明文件，或去掉 --output。" },
  "output-folder-unwritable": {
    message: ({ folder }) => `无法写入文件夹 ${folder}。`,
    hint: () => "请创建它，或检查其权限。",
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
    hint: (_, { command }) => `请写到文件中：${command({ do: "sessions export", file: "session.bundle" })}`,
  },
  "import-not-found": {
    message: ({ path, code = "unknown" }) =>
      code === "ENOENT" ? `${path} 不存在。` : `无法读取 ${path}（${code}）。`,
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
      `例如：${command({ do: "sessions delete", session: "k3f9" })}。查看会话：${command({ do: "sessions list" })}`,
  },
  "trash-takes-no-session": {
    message: () => "--empty-trash 会移除回收站中的所有内容，不接受会话。",
    hint: () => "请先删除会话，再清空回收站。",
  },
  "session-not-in-trash": {
    message: ({ given }) => `回收站中没有会话“${given}”。`,
    hint: ({ is }, { command }) =>
      is === "not-deleted"
        ? `它没有被删除。查看：${command({ do: "sessions list", all: true })}`
        : `查看其中有什么：${command({ do: "sessions undelete --list" })}`,
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
    hint: (_, { command }) => `查看回收站中有什么：${command({ do: "sessions undelete --list" })}`,
  },
  "trash-list-takes-no-session": {
    message: () => "--list 列出回收站中的内容，不接受会话。",
    hint: leaveOneOut,
  },
};
