import type { Strings } from "../strings.ts";
import { leftOutReasons, neverCaptured, segmentFault } from "./errors/files.ts";
import { outcomeCounts, sized, whole } from "./measures.ts";

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
  leftOut: leftOutReasons,
  neverCaptured,
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

const snapshots = (count: number) => `${whole(count)} 个快照`;
const released = (count: number) => `${whole(count)} 个检查点或跳转`;

export const store: Strings["store"] = {
  empty: "还没有存储任何内容。",
  total: (bytes, objects) => `${sized(bytes)}，${whole(objects)} 个对象`,
  unreferenced: (bytes) =>
    bytes === 0 ? "全部都需要。" : `其中 ${sized(bytes)} 已不再需要：worldline store gc`,
  perWorkspace: "各工作区独占的部分（大部分是共享的）：",
  perSession: "各会话独占的部分：",
  row: (count, bytes) => `${snapshots(count)}，${sized(bytes)}`,
  limit: (bytes) => `上限为 ${sized(bytes)}（snapshots.maxBytes）。`,
  damagedSnapshots: (count) => `${snapshots(count)}无法完整读取：worldline store verify`,
  reading: (done, of) => `正在读取 ${sized(done)}，共 ${sized(of)}`,
  walking: (done, of) => `正在遍历快照：${whole(done)} / ${whole(of)}`,
  sound: (count) => `${snapshots(count)}：一切都在，与写入时相同。`,
  soundOtherwise: (count) => `${snapshots(count)}：其余都在，与写入时相同。`,
  fault: segmentFault,
  damage: (file, offset, why) => `${file}，第 ${whole(offset)} 字节：${why}`,
  problem: (names, count) => `${names}：${whole(count)} 个路径无法恢复`,
  whats: {
    missing: "缺失",
    damaged: "已损坏",
    "beyond-limits": "路径的数量或长度超过任何捕获所能产生的范围",
    newer: "由更新版本的 Worldline 写入",
    forgotten: "已按要求遗忘",
    "not-in-bundle": "不在其来源的会话包中",
  },
  pathProblem: (path, what) => `  ${path}：${what}`,
  refDamage: (session, lines) => `${session}：${whole(lines)} 个引用无法读取；它们可能指向的内容会保留。`,
  damagedKept: (names, snapshot, why) =>
    `${names} 的文件无法完整读取（快照 ${snapshot}：${why}）剩余部分会保留；worldline store gc --release-damaged 可以放弃它们。`,
  verdict: (problems, places) => `${snapshots(problems)}有问题；存储中有 ${whole(places)} 处损坏。`,
  willRelease: (count) => `${released(count)}将不再能恢复文件（对话保留）：`,
  kept: "没有检查点会失去文件。",
  frees: (objects, bytes) =>
    objects === 0 ? "没有要移除的内容。" : `将移除 ${whole(objects)} 个对象，${sized(bytes)}`,
  doesNotFit: (limit) => `必须保留的内容超过了 snapshots.maxBytes（${sized(limit)}）；无法再放弃更多。`,
  question: (count, bytes) =>
    count === 0 ? `移除 ${sized(bytes)}？` : `放弃 ${released(count)}的文件，并移除 ${sized(bytes)}？`,
  collected: (bytes) => `已移除 ${sized(bytes)}。`,
  dryRun: "这是试运行，什么都没有改变。",
  nothingToDo: "什么都没有改变。",
  releasedCheckpoint: (checkpoint, session) => `快照存储已满：会话 ${session} 的 #${checkpoint} 只保留对话。`,
  releasedJourney: (at, session) => `快照存储已满：会话 ${session} 在 ${at} 的跳转前后的文件不再保留。`,
  moreReleased: (count) => `快照存储已满：另有 ${whole(count)} 个只保留对话；见 worldline checkpoints --all`,
  tidied: (bytes, limit) =>
    `已从快照存储移除 ${sized(bytes)}，以不超过 snapshots.maxBytes（${sized(limit)}）。`,
  stillOver: (bytes, limit) =>
    `快照存储有 ${sized(bytes)}，超过 snapshots.maxBytes（${sized(limit)}），目前无法再放弃更多。` +
    "查看谁在占用：worldline store du",
  notTidied: (bytes, limit, why) =>
    `快照存储有 ${sized(bytes)}，超过 snapshots.maxBytes（${sized(limit)}），且无法整理：${why} ` +
    "方便时请执行：worldline store gc",
  notDropped: (sessions, why) => `${sessions} 的文件仍占用空间：${why}`,
  notSwept: (why) => `快照旁的残留仍在：${why}`,
  swept: (workspace) => `${workspace} 的文件夹已不存在，相关内容已清除。`,
};

const entries = (count: number) => `${whole(count)} 个条目`;

const KINDS = { backtrack: "回溯", rewind: "回退", redo: "重做" } as const;

export const journeys: Strings["journeys"] = {
  current: "（当前）",
  pickTitle: "回退到：",
  pickMore: (count, command) => `还有 ${whole(count)} 个检查点：${command({ do: "checkpoints", all: true })}`,
  pickQuestion: (last) => `行号（0-${last}，默认 0）：`,
  notARow: (typed, last) => `“${typed}”不是列表中的行：请输入 0 到 ${last} 的数字。`,
  stillRunning: (commands) =>
    `本会话一次被终止的运行留下的命令仍在运行：${commands.join("；")}。它可能再次改动文件；` +
    "会话的下一个轮次会结束它，worldline resume --rewind-files 也会。",
  runningNow: (commands) => `本会话正在运行：${commands.join("；")}。在你回退之前它可能还会改动文件。`,
  stayed: "什么都没有改变。",
  restored: (place) => `已恢复到检查点：${place}`,
  wouldRestore: (place) => `将恢复到检查点：${place}`,
  redone: (journey) => `已撤销${journey}`,
  wouldRedo: (journey) => `将撤销${journey}`,
  left: (count) => `离开但仍保留：${entries(count)}`,
  back: (count) => `回到对话中：${entries(count)}`,
  context: (before, after) => `上下文：${whole(before)} -> ${whole(after)} 个 token`,
  redoWith: (command) => `要撤销这一步：${command}`,
  promptBack: "取回的提示：",
  dryRun: "这是试运行，什么都没有改变。",
  noJourneys: "没有跳转记录。",
  returnTo: "可以返回到：",
  leftBy: (ago, kind, to) => `${ago}因${kind}${to === undefined ? "" : `到 #${to} `}而离开`,
  undoQuestion: (kind, to, leaves) =>
    `撤销${to === undefined ? "这次" : `到 #${to} 的`}${KINDS[kind]}？将离开 #${leaves}`,
  leavesNewer: (checkpoint) => `将离开较新的工作（到 #${checkpoint} 为止），它仍保留在 worldline tree 中`,
  to: (number) => `到 #${number}`,
  fromLine: (line) => `自第 ${line} 行`,
  fromElsewhere: "来自分叉前的会话",
  ofJourney: (kind, id) => `针对 ${kind} ${id}`,
  ofJourneyElsewhere: "针对另一会话的跳转",
  states: { next: "下一次重做", open: "", undone: "已撤销" },
  kinds: KINDS,
  described: (kind, id, to) => `${kind} ${id}（${to}）`,
  forked: (session, from) => `新会话 ${session}，分叉自 ${from}`,
  forkHolds: (count, at) =>
    at === undefined ? `包含整个分支：${entries(count)}` : `包含到 #${at} 为止的分支：${entries(count)}`,
  openForkIn: (command) => `它的工作区就是该文件夹。要在那里工作：${command}`,
  openFork: (session) =>
    `它现在是这里最近使用的会话。要指定它：--session ${session}；在程序中：openSession({ resume: "${session}" })`,
};

export const checkpoints: Strings["checkpoints"] = {
  none: "没有检查点。",
  atTime: (time) => `${time} 的检查点`,
  kinds: { prompt: "提示", manual: "手动", step: "步骤", command: "命令" },
  left: "（在已离开的分支上）",
  made: (number, session) => `检查点 #${number}，会话 ${session}`,
  madeWithLabel: (number, label, session) => `检查点 #${number}“${label}”，会话 ${session}`,
  labelled: (reference, label) => `检查点 ${reference} 的标签现在是“${label}”。`,
  unlabelled: (reference, label) => `检查点 ${reference} 的标签“${label}”已去掉。`,
  alreadyLabelled: (reference, label) => `检查点 ${reference} 的标签已经是“${label}”。`,
  lookalike: (label, other) => `“${label}”与另一个检查点的标签“${other}”看起来相同。`,
  hadNoLabel: (reference) => `检查点 ${reference} 没有标签。`,
};
