import type { Disk } from "../../../disk/disk.ts";
import type { Damage } from "../../../ports/log-store.ts";
import type { LogFile } from "../log/log-files.ts";
import { LOG_NAME } from "../places.ts";
import type { Fault, FaultReason } from "./fault.ts";

const WORDS: Readonly<Record<FaultReason, string>> = {
  checksum: "The checksum is not that of the line.",
  "not-json": "The line is not a JSON object.",
  "not-utf8": "The line is not UTF-8.",
  shape: "The line is not as its kind demands.",
  missing: "Lines are missing before this one",
  repeated: "The line stands in the log already.",
  header: "The first line cannot be read; its copy in session.json stands in for it.",
  "torn-tail": "The last line was not written to its end.",
  displaced: "The line stands behind a later one, where it is not read. It is still in the file.",
  "cut-off": "The log holds no entry that can be read.",
};

const COUNTED_BYTES = 1024 * 1024;

/** Says each fault so that a person finds it: with the file's name and the line in it. */
export function describeFaults(disk: Disk, files: readonly LogFile[], faults: readonly Fault[]): Damage[] {
  return files.flatMap((file) => {
    const own = faults.filter((fault) => fault.file === file.number);
    if (own.length === 0) return [];
    const lines = lineNumbers(disk, file, own);
    return own.map((fault, index) => ({
      what: whatOf(fault.why),
      file: file.name,
      line: lines[index] ?? 0,
      bytes: fault.length,
      why: wordsOf(fault),
    }));
  });
}

export function missingFile(name: string): Damage {
  const why = name === LOG_NAME ? "The newest lines are lost with it." : "Its lines are lost with it.";
  return { what: "file", file: name, line: 0, bytes: 0, why: `The file is not there. ${why}` };
}

function wordsOf({ why, lines }: Fault): string {
  if (why === "missing") return `${WORDS.missing}: ${lines}.`;
  if (why === "cut-off" && lines > 0)
    return `Lines that the index knew here are gone from the log: ${lines}.`;
  return WORDS[why];
}

function whatOf(why: FaultReason): Damage["what"] {
  if (why === "missing" || why === "repeated" || why === "header" || why === "torn-tail") return why;
  return why === "cut-off" ? "missing" : "line";
}

/**
 * The lines that the faults are on, counted from 1. Counted only when there is a fault: the
 * index and the scan know bytes, and a sound log should not pay for what nobody asks.
 */
function lineNumbers(disk: Disk, logFile: LogFile, faults: readonly Fault[]): number[] {
  const numbers: number[] = [];
  const block = Buffer.allocUnsafe(COUNTED_BYTES);
  const file = disk.open(logFile.path, "read");
  try {
    let position = 0;
    let line = 1;
    for (const fault of faults) {
      while (position < fault.offset) {
        const count = disk.read(
          file,
          block.subarray(0, Math.min(block.length, fault.offset - position)),
          position,
        );
        if (count === 0) break;
        line += newlinesIn(block.subarray(0, count));
        position += count;
      }
      numbers.push(line);
    }
  } finally {
    disk.close(file);
  }
  return numbers;
}

function newlinesIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) count += 1;
  return count;
}
