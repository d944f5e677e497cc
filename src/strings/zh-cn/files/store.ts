import type { Strings } from "../../strings.ts";
import { sized } from "../measures/sized.ts";
import { whole } from "../measures/whole.ts";

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
