import type { Strings } from "../../strings.ts";
import { outcomeCounts } from "../measures/outcomes.ts";
import { sized } from "../measures/sized.ts";
import { whole } from "../measures/whole.ts";

const paths = (count: number) => `${whole(count)} 个路径`;

export const files: Strings["files"] = {
  capturing: (count, bytes) => `正在捕获文件：已查看 ${whole(count)} 个，${sized(bytes)}`,
  storing: (count, ofFiles, bytes) => `正在捕获文件：${whole(count)} / ${whole(ofFiles)}，${sized(bytes)}`,
  restoring: (done, of) => `正在恢复路径：${whole(done)} / ${whole(of)}`,
  exporting: (done, of) => `正在导出路径：${whole(done)} / ${whole(of)}`,
  sized,
  unknown: (why) => `文件的情况只能从日志得知：${why}`,
  without: (why) => `不含文件：${why}`,
  counts: outcomeCounts,
  settled: (session, outcome) => `会话 ${session} 一次被打断的恢复已经完成：${outcome}。`,
  settledUnlogged: (session, outcome) =>
    `会话 ${session} 不在这里，它一次被打断的恢复已经完成：${outcome}。没有可以记入的日志。`,
  discarded: (session) => `会话 ${session} 一次被打断的恢复还没有开始；什么都没有做。`,
  states: {
    complete: "已捕获",
    partial: "部分",
    pending: "待捕获",
    none: "无",
    gone: "仅对话",
  },
  changedSince: (count) => (count === 0 ? "此后没有改动" : `此后有 ${whole(count)} 处改动`),
  changes: {
    created: "新建",
    deleted: "删除",
    changed: "改动",
    mode: "权限",
    kind: "替换",
    uncovered: "未覆盖",
  },
  kinds: { file: "文件", folder: "文件夹", link: "链接" },
  nothing: "无",
  linkTo: (target) => `指向 ${target} 的链接`,
  lines: (added, removed) => `+${whole(added)} -${whole(removed)}`,
  modes: (before, after) => `权限 ${before} -> ${after}`,
  more: (count) => `还有 ${whole(count)} 个；--json 列出全部`,
  noLines: (path) => `${path}：不是文本，或太大而无法逐行比较`,
  leftOut: {
    ignored: "被忽略的大文件夹",
    "too-large": "超过 snapshots.maxFileBytes",
    git: "git 自己的",
    "own-store": "Worldline 自己的存储",
    special: "FIFO、套接字或设备",
    unreadable: "无法读取",
    changing: "读取时一直在变",
    "path-too-long": "路径超过系统允许的长度",
  },
  neverCaptured: "这个名称的文件夹从不捕获",
  captured: (news) => `文件已捕获：${news}`,
  capturedPartly: (news, gaps) => `文件已部分捕获${news === "" ? "" : `：${news}`}，但缺少 ${paths(gaps)}：`,
  read: (count) => (count === 0 ? "没有文件需要读取" : `读取 ${whole(count)} 个文件`),
  changedFiles: (count, checkpoint) =>
    count === 0 ? `自 #${checkpoint} 起没有文件改动` : `自 #${checkpoint} 起改动 ${whole(count)} 个文件`,
  gap: (path, why) => `  ${path}：${why}`,
  same: "没有差异。",
  stat: ({ created, deleted, changed, uncovered }) => {
    const more = uncovered === 0 ? "" : `，未覆盖 ${whole(uncovered)}`;
    return `新建 ${whole(created)}，删除 ${whole(deleted)}，改动 ${whole(changed)}${more}`;
  },
  between: (before, after) => `从 ${before} 到 ${after}：`,
  now: "现在",
  exported: (count, folder) => `已导出 ${paths(count)}到 ${folder}`,
  wouldExport: (count, folder) => `将导出 ${paths(count)}到 ${folder}`,
  ignoredLeftOut: (count) => `略去了 ${whole(count)} 个被忽略的文件；--include-ignored 会包含它们。`,
  notInSnapshot: (count) => `${paths(count)}不在快照中，因此也不在导出中：`,
  nothingToRestore: "没有文件会改变。",
  wouldRestore: ({ created, deleted, changed }) =>
    `文件：将新建 ${whole(created)}，改动 ${whole(changed)}，删除 ${whole(deleted)}`,
  keptPath: (path, why) => `保持原样  ${path}  （${why}）`,
  notRestorable: (path, why) => `无法恢复  ${path}  （${why}）`,
  conflict: (path, fate) => `${path} 此后被他人改动：${fate}`,
  during: {
    title: (commands) => `${commands} 运行期间发生的改动，将一并回退，其中可能有你自己的修改：`,
    late: "命令开始前未能及时捕获文件：更早的改动可能也在其中。",
    moreLines: (count) => `… 另有 ${whole(count)} 行`,
    kept: (commands, sign) => `视为你的修改：${sign}；在 ${commands} 运行期间被改动`,
    question: () => "其中可能有你自己的修改：[t] 取回，[k] 保留？（默认 t） ",
  },
  signs: {
    "read-only": () => "该命令只读取文件",
    "editor-file": () => "这是编辑器自己的文件",
    "swap-file": ({ file }) => `有编辑器正打开它（${file}）`,
    "after-end": () => "它是在命令结束之后写入的",
    "open-elsewhere": ({ program }) => `${program} 正打开它`,
  },
  choices: {
    keep: "保持原样",
    take: "换成检查点的内容",
    merge: "合并两者",
  },
  gitMoved: (then, now) => `git：当时是 ${then}，现在是 ${now}；文件只写到当前检出的内容上，不动 git。`,
  deleteQuestion: (count) => `删除 ${paths(count)}？`,
  outcome: (counts) => `文件：${outcomeCounts(counts)}`,
  outcomes: {
    restored: "已恢复",
    created: "已新建",
    removed: "已移除",
    merged: "已合并",
    kept: "保留",
    "not-restorable": "无法恢复",
    "parent-changed": "所在文件夹已被替换",
    failed: "失败",
  },
  pathOutcome: (outcome, path, why) =>
    why === "" ? `${outcome}  ${path}` : `${outcome}  ${path}  （${why}）`,
  touchedOnly: "这个文件夹不做捕获：只跟踪工具动过的文件。",
  through: {
    by: (name) => `按 snapshots.engine 的设置，文件由 ${name} 自己的检查点回退：`,
    limits: {
      overwrites: "它回退的文件中，他人此后的改动会被覆盖",
      commands: "命令所做的改动保持不变，除非其编辑工具也写过该文件",
      "sub-agents": "子代理所做的改动保持不变",
      folders: "文件夹保持不变",
    },
    rest: "其余部分可由 Worldline 自己的快照恢复：先运行 worldline config set snapshots.engine worldline，再回退一次。",
    noUndo: "Worldline 在此不捕获文件，因此 redo 无法恢复现有的文件。",
  },
  stay: (why) => `文件保持原样：${why}`,
  differ: (count, place) =>
    count === 0 ? `文件与 ${place} 时相同` : `文件保持原样：有 ${paths(count)}与 ${place} 不同`,
  conflictQuestion: (path, merge) =>
    merge === "unclean"
      ? `${path} 此后被他人改动，且无法干净地合并：[k] 保留，[t] 取回？（K、T 表示全部；默认 k） `
      : `${path} 此后被他人改动：[k] 保留，[t] 取回，[m] 合并？（K、T、M 表示全部；默认 k） `,
  conflictNotUnderstood: (typed, merge) =>
    `“${typed}”不在其中：请输入 ${merge === "unclean" ? "k 或 t" : "k、t 或 m"}。`,
  keptHint: "他人的改动会保留；--take 一并恢复，--merge 合并两者。",
  scopeTitle: "回退什么？",
  nothingGoesBack: "什么都不回退：留在这里",
  scopes: { both: "文件和对话", conversation: "对话", files: "文件" },
  coverage: {
    captured: "已捕获",
    "left-out": "未覆盖",
    unknown: "这里还没有捕获过：worldline checkpoint",
    new: "尚未捕获：它比最新的检查点更新",
    absent: "不存在，最新的捕获中也没有",
  },
  isCaptured: (what) => `已捕获（${what}）`,
  isLeftOut: (path, why) => `未捕获：${path} 被略去（${why}）`,
  fileOf: (mode, bytes) => `文件 ${mode}，${sized(bytes)}`,
  ignoredAndCaptured: "它被忽略，但仍然捕获；导出时除非要求，否则略去。",
  changedIn: "它的变化，最新的在前：",
  happened: { created: "出现", deleted: "消失", changed: "改动" },
  authors: { timeline: "时间线内", outside: "来自外部", journey: "由跳转造成" },
  neverCovered:
    "从不覆盖：.git 本身、node_modules、被忽略的大文件夹（超过 2,000 个文件或 32 MiB）、超过 snapshots.maxFileBytes 的文件、" +
    "FIFO、套接字和设备、Worldline 自己的存储、运行中的进程、捕获时正在写入的数据库，以及网络。",
  restoredInPart: (place) => `部分恢复：${place}`,
  restoreFailed: (place) => `恢复失败：${place}`,
  filesKept: (place) => `没有文件恢复到检查点：${place}`,
  talkRestored: (place) => `对话已恢复到检查点，文件未恢复：${place}`,
};
