import { join } from "node:path";
import { type Disk, isMissing } from "../../../disk/disk.ts";
import { readError } from "../../../disk/disk-error.ts";
import { sessionUnknown } from "../../session-error.ts";
import { LOG_NAME, type SessionPlaces } from "../places.ts";

/** One file of a log. Its number stays the same when it is rotated away. */
export interface LogFile {
  readonly number: number;
  readonly name: string;
  readonly path: string;
  readonly size: number;
  readonly identity: string;
}

export interface LogFiles {
  /** In the order of their lines; the live one, if it is there, is the last. */
  readonly files: readonly LogFile[];
  /** Files that must have been there and are not. */
  readonly missing: readonly string[];
  /** A second name of the live file, left by a rotation that did not come to its end. */
  readonly leftover: string | undefined;
  /** The number that the live file has, or would have. */
  readonly liveNumber: number;
}

const ROTATED_NAME = /^log\.jsonl\.([1-9]\d{0,4})$/;

export function rotatedPath(places: SessionPlaces, number: number): string {
  return `${places.log}.${number}`;
}

/** Finds the files of a log. The live file's second name is no file of its own: it is the same bytes. */
export function listLogFiles(disk: Disk, places: SessionPlaces): LogFiles {
  const live = disk.stat(places.log);
  const all = rotatedNumbers(disk, places).flatMap((number) => {
    const path = rotatedPath(places, number);
    const stat = disk.stat(path);
    const name = `${LOG_NAME}.${number}`;
    return stat === undefined ? [] : [{ number, name, path, size: stat.size, identity: stat.identity }];
  });
  const leftover = all.find((file) => file.identity === live?.identity);
  const rotated = all.filter((file) => file !== leftover);
  const liveNumber = (rotated.at(-1)?.number ?? 0) + 1;
  const missing = missingNumbers(rotated).map((number) => `${LOG_NAME}.${number}`);
  const files: LogFile[] = [...rotated];
  if (live === undefined) missing.push(LOG_NAME);
  else {
    const { size, identity } = live;
    files.push({ number: liveNumber, name: LOG_NAME, path: places.log, size, identity });
  }
  return { files, missing, leftover: leftover?.path, liveNumber };
}

function rotatedNumbers(disk: Disk, places: SessionPlaces): number[] {
  return namesInSession(disk, places)
    .flatMap((name) => {
      const number = ROTATED_NAME.exec(name)?.[1];
      return number === undefined ? [] : [Number(number)];
    })
    .sort((a, b) => a - b);
}

export function namesInSession(disk: Disk, places: SessionPlaces): string[] {
  try {
    return disk.list(places.folder);
  } catch (error) {
    throw isMissing(error)
      ? sessionUnknown(places.session)
      : readError(error, { what: "session-folder", of: places.session });
  }
}

/** The path of a file by its number, whether it is live still or has been rotated away since. */
export function pathOfFile(disk: Disk, places: SessionPlaces, number: number): string {
  if (number === 0) return places.header;
  const rotated = join(places.folder, `${LOG_NAME}.${number}`);
  return disk.stat(rotated) === undefined ? places.log : rotated;
}

function missingNumbers(rotated: readonly LogFile[]): number[] {
  const there = new Set(rotated.map((file) => file.number));
  const highest = rotated.at(-1)?.number ?? 0;
  return Array.from({ length: highest }, (_, index) => index + 1).filter((number) => !there.has(number));
}
