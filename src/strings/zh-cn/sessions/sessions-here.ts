import type { Strings } from "../../strings.ts";
import { whole } from "../measures/whole.ts";

export const sessionsHere: Strings["sessionsHere"] = {
  chosen: (session) => `会话 ${session}，这里最近使用的一个。`,
  elsewhere: (session, workspace) => `会话 ${session} 在另一个文件夹中工作：${workspace}`,
  found: (session) => `会话 ${session}`,
  created: (session) => `已开始这个工作区自己的会话 ${session}`,
  workspacesOwn: "这个工作区自己的",
  waiting: (owner, milliseconds) =>
    `${owner} 正占用此会话，最多等待 ${whole(Math.ceil(milliseconds / 1000))} 秒。`,
  owner: (name, pid, host) => `${name}（${host} 上的进程 ${pid}）`,
  entriesMissing: (entries, sessions) =>
    `数据库缺少 ${sessions} 个会话的 ${entries} 个已确认写入的条目：它比写入过的内容更旧。详情：worldline doctor`,
  setAside: (bytes, file) => `最后一行没有写完。已有的部分（${whole(bytes)} 字节）保存在 ${file}`,
  listUnwritten: (why) => `无法写入 checkpoints/metadata.json：${why} 检查点本身已保存在日志中。`,
  broken: (session, why) => `会话 ${session} 无法打开，已跳过：${why}`,
  damaged: (session, places) =>
    `会话 ${session} 的日志有 ${whole(places)} 处损坏；其余照常显示。查看：worldline log`,
  damagedSince: (session, found) => `会话 ${session} 的日志已损坏；其余照常显示。${found.join(" ")}`,
  foreign: (session, entries) =>
    `会话 ${session} 有 ${whole(entries)} 个条目的类型是此版本不认识的；它们会保留，并被跳过。`,
};
