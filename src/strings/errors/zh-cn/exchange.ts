import type { BundleFault, exchange as english, PlaceFault, SimpleFault } from "../en/exchange.ts";
import type { Translated } from "../texts.ts";

export const exchange: Translated<typeof english> = {
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
    message: ({ path, damaged }) =>
      `${path} 中没有 kimi-cli 的消息${damaged === undefined ? "" : `（${damaged.file} 第 ${damaged.line} 行：${damaged.why}）`}。`,
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
      return fault.said;
    default:
      return SIMPLE_FAULTS[fault.why];
  }
}
