import { crc32 } from "node:zlib";
import type { Disk } from "../../../disk/disk.ts";
import type { Damage } from "../../../ports/log-store.ts";
import { readTail } from "../../../record/lines.ts";
import { type IndexEnd, NO_INDEX, readIndex } from "../index/index-file.ts";
import { isTrueOf } from "../index/is-true-of.ts";
import { type LogFile, type LogFiles, listLogFiles } from "../log/log-files.ts";
import { LOG_NAME, type SessionPlaces } from "../places.ts";
import { describeFaults, missingFile } from "./describe-faults.ts";
import { recallHeader } from "./header.ts";
import { LogReading } from "./log-reading.ts";
import { readUnended, type ScanEnd, scanFile } from "./scan.ts";

/** A log as it was found. */
export interface LoadedLog {
  readonly reading: LogReading;
  readonly files: LogFiles;
  readonly damage: readonly Damage[];
  /** The live file: its last newline, and what is behind it. */
  readonly live: ScanEnd;
  readonly tailIs: "empty" | "unended" | "torn";
  /** How many bytes of the index are sound. */
  readonly indexBytes: number;
}

/** An opening trusts an index that agrees with the log; a verification looks at every line itself. */
type Use = "index" | "log alone";

const NOTHING: ScanEnd = { end: 0, tail: Buffer.alloc(0) };
/** Another process may rotate while we read; then the list of files was not that of one moment. */
const MOST_TRIES = 5;

/** Reads where everything stands: the index first, if there is one that can be believed, then the rest of the log. */
export function loadLog(disk: Disk, places: SessionPlaces, use: Use): LoadedLog {
  for (let tries = 1; ; tries += 1) {
    const files = listLogFiles(disk, places);
    const loaded = loadFiles(disk, { places, files }, use);
    const after = listLogFiles(disk, places);
    if (after.liveNumber === files.liveNumber || tries === MOST_TRIES) return loaded;
  }
}

interface Found {
  readonly places: SessionPlaces;
  readonly files: LogFiles;
}

function loadFiles(disk: Disk, found: Found, use: Use): LoadedLog {
  const { reading, index, known } = begin(disk, found, use);
  let live = NOTHING;
  let tailIs: LoadedLog["tailIs"] = "empty";
  for (const file of found.files.files) {
    if (file.number < index.file) continue;
    const from = file.number === index.file ? index.offset : 0;
    const scan = scanFile(disk, { path: file.path, from }, (stretch, base) =>
      reading.take(stretch, { file: file.number, offset: base + stretch.start, length: stretch.length }),
    );
    const tail = takeTail(reading, file, scan);
    reading.endFile();
    if (file.name !== LOG_NAME) continue;
    live = scan;
    tailIs = tail;
  }
  reading.finish({ lines: known, file: found.files.liveNumber, offset: live.end + live.tail.length });
  const damage = [
    ...found.files.missing.map(missingFile),
    ...describeFaults(disk, found.files.files, reading.faults),
  ];
  return { reading, files: found.files, damage, live, tailIs, indexBytes: index.bytes };
}

interface Beginning {
  readonly reading: LogReading;
  readonly index: IndexEnd;
  /** How many lines the index speaks of, also when it is not believed: a log only grows. */
  readonly known: number;
}

/** The index is read before the log: a writer may add to both meanwhile. */
function begin(disk: Disk, found: Found, use: Use): Beginning {
  const recall = () => recallHeader(disk, found.places);
  // An index would speak of the lines of a lost file as if they were there.
  if (found.files.missing.length > 0) return { reading: new LogReading(recall), index: NO_INDEX, known: 0 };
  const reading = new LogReading(recall);
  const index = readIndex(disk, found.places, reading);
  const known = index.bytes > 0 ? reading.outline.length : 0;
  if (use === "index" && isTrueOf(disk, found.files.files, { index, outline: reading.outline }))
    return { reading, index, known };
  return { reading: new LogReading(recall), index: NO_INDEX, known };
}

/** Torn bytes at the end of the live file were never acknowledged: they are no line, and keep no place. */
function takeTail(reading: LogReading, file: LogFile, scan: ScanEnd): LoadedLog["tailIs"] {
  const { end, tail } = scan;
  const tailIs = readTail(tail, crc32);
  if (tailIs === "torn" && file.name === LOG_NAME) {
    reading.takeTorn({ file: file.number, offset: end, length: tail.length });
  } else {
    for (const stretch of readUnended(tail)) {
      reading.take(stretch, { file: file.number, offset: end + stretch.start, length: stretch.length });
    }
  }
  return tailIs;
}
