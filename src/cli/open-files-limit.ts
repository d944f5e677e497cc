import { FEW_FILES, openFilesLimit } from "../disk/open-files-limit.ts";
import { languageOfLocale } from "../strings/language.ts";

/**
 * Smallest usable limit on open files. A lower limit is not enough for Node itself, its threads and a session, so
 * Worldline does not start work that it could not finish.
 */
const MIN_FILES = 48;

/**
 * Makes Node load the program's files one after the other. By default, Node opens all modules at the same time, and
 * fails when it reaches the limit.
 */
const LOADER = `
import { readFileSync } from "node:fs";
export async function load(url, context, nextLoad) {
  if (context.format !== "module" || !url.startsWith("file:")) return nextLoad(url, context);
  return { format: "module", source: readFileSync(new URL(url)), shortCircuit: true };
}`;

/**
 * Prepares for a low limit on open files, which Node has already raised as far as it can. "refuse": the limit is too
 * low to do anything. This function is called before anything else is loaded, so it imports almost nothing.
 */
export function checkOpenFilesLimit(): "proceed" | "refuse" {
  const most = openFilesLimit();
  if (most >= FEW_FILES) return "proceed";
  if (most < MIN_FILES) {
    sayTooFew(most);
    return "refuse";
  }
  process.getBuiltinModule("node:module").register(`data:text/javascript,${encodeURIComponent(LOADER)}`);
  return "proceed";
}

/**
 * Prints the message, which is written here in both languages, because loading a catalogue would require more open
 * files.
 */
function sayTooFew(most: number): void {
  const isChinese = languageOfLocale(process.env) === "zh-CN";
  const message = isChinese
    ? `此进程最多只能打开 ${most} 个文件，而 Worldline 至少需要 ${MIN_FILES} 个。`
    : `This process can open at most ${most} files, but Worldline needs at least ${MIN_FILES}.`;
  const hint = isChinese
    ? "请提高限制后重试：ulimit -n 1024"
    : "Raise the limit and try again: ulimit -n 1024";
  const [error, next] = isChinese ? ["错误：", "建议："] : ["error: ", "hint: "];
  const isData = process.argv.includes("--json");
  const document = { error: { code: "TOO_FEW_FILES", message, hint } };
  const text = isData ? JSON.stringify(document, undefined, 2) : `${error}${message}\n${next}${hint}`;
  try {
    process.getBuiltinModule("node:fs").writeSync(isData ? 1 : 2, `${text}\n`);
  } catch {
    // It is not an error if the reader has closed the pipe.
  }
}
