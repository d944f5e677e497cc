import { join } from "node:path";
import type { Disk } from "../../../disk/disk.ts";
import { removeFile, writeAll, writeNew } from "../../../disk/durable-files.ts";
import type { Recovery } from "../../../ports/log-store.ts";
import type { LoadedLog } from "../loading/load.ts";
import { LOG_NAME, type SessionPlaces } from "../places.ts";
import { namesInSession } from "./log-files.ts";

const TORN_NAME = /^log\.jsonl\.torn-([1-9]\d*)$/;
const UNFINISHED_NAME = /^(?:log\.jsonl(?:\.\d+)?|session\.json)\.new$/;
const NEWLINE = Buffer.from("\n");

/** Leaves the live file with whole lines only. Torn bytes are kept aside: nothing is thrown away unseen. */
export function recoverTail(disk: Disk, places: SessionPlaces, loaded: LoadedLog): Recovery {
  removeLeftovers(disk, places, loaded.files.leftover);
  const { tail, end } = loaded.live;
  if (loaded.tailIs === "empty") return { setAside: [] };
  if (loaded.tailIs === "unended") {
    change(disk, places.log, (file) => writeAll(disk, file, NEWLINE));
    return { setAside: [] };
  }
  const name = nextTornName(disk, places);
  writeNew(disk, join(places.folder, name), tail);
  // Only when the copy is durable may the original go.
  disk.syncFolder(places.folder);
  change(disk, places.log, (file) => disk.truncate(file, end));
  return { setAside: [{ file: name, bytes: tail.length }] };
}

function tornNames(disk: Disk, places: SessionPlaces): string[] {
  return namesInSession(disk, places).filter((name) => TORN_NAME.test(name));
}

/** Whether a file in the session's folder is no part of its log: torn bytes that were set aside, or a successor that did not come to its end. */
export function isLeftover(name: string): boolean {
  return TORN_NAME.test(name) || UNFINISHED_NAME.test(name);
}

/** What a rotation or a rewriting left that a crash ended before its last step. */
function removeLeftovers(disk: Disk, places: SessionPlaces, secondName: string | undefined): void {
  if (secondName !== undefined) disk.unlink(secondName);
  for (const name of namesInSession(disk, places)) {
    if (UNFINISHED_NAME.test(name)) removeFile(disk, join(places.folder, name));
  }
}

function nextTornName(disk: Disk, places: SessionPlaces): string {
  const numbers = tornNames(disk, places).map((name) => Number(TORN_NAME.exec(name)?.[1] ?? 0));
  return `${LOG_NAME}.torn-${Math.max(0, ...numbers) + 1}`;
}

function change(disk: Disk, path: string, make: (file: number) => void): void {
  const file = disk.open(path, "append");
  try {
    make(file);
    disk.sync(file);
  } finally {
    disk.close(file);
  }
}
