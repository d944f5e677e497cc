import type { importWarnings as englishImportWarnings } from "../../en/errors/import-warnings.ts";
import type { Translated } from "../../errors/texts.ts";

export const importWarnings: Translated<typeof englishImportWarnings> = {
  "bundle-snapshots-skipped": { message: ({ count }) => `没有导入 ${count} 个快照的文件。` },
  "bundle-line-lost": { message: ({ line }) => `第 ${line} 行在导出前已丢失，由一个错误条目代替。` },
  "bundle-blob-lost": { message: ({ hash }) => `有一段长文本在导出前已丢失（${hash}）。` },
  "bundle-records-unknown": {
    message: ({ count, record }) => `跳过了 ${count} 条类型为“${record}”的记录：当前版本无法识别。`,
  },
  "bundle-id-in-trash": {
    message: ({ session }) => `回收站中已有会话 ${session}，因此这个会话使用了新的 ID。`,
  },
  "kimi-live-file-missing": { message: ({ path }) => `${path} 不存在，改用编号文件中最新的一个。` },
  "kimi-times-equal": { message: ({ path }) => `文件 ${path}.<n> 的时间相同，编号较大的视为较新。` },
  "kimi-systems-differ": { message: () => "各文件的系统提示词不同，保留了最新的一个。" },
  "kimi-media-missing": { message: () => "不在文件本身中的音频、视频和图片只保留了名称。" },
  "kimi-results-unmatched": { message: () => "有些结果找不到对应的调用；它们会保留，但不显示。" },
  "kimi-file-unreadable": { message: ({ path }) => `无法读取 ${path}。` },
  "kimi-file-not-an-object": { message: ({ path }) => `${path} 不是 JSON 对象，已跳过。` },
};
