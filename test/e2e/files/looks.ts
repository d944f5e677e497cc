import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

/**
 * Every path of a folder in latin1 (one character per byte), with everything that can be observed about it.
 */
export type Looks = Readonly<Record<string, string>>;

export interface Looking {
  /** Names to ignore at any depth. */
  readonly without?: readonly string[];
  /** Includes modification times in nanoseconds, to prove that a file was not even rewritten. */
  readonly times?: "seen";
}

/**
 * A folder as an independent witness sees it: kinds, full modes, bytes and link targets. Shares no code with
 * what it judges.
 */
export function looksOf(folder: string, { without = [], times }: Looking = {}): Looks {
  const looks: Record<string, string> = {};
  const waiting = [""];
  for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
    const names = readdirSync(Buffer.from(`${folder}/${at}`, "latin1"), { encoding: "latin1" });
    for (const name of names.filter((each) => !without.includes(each))) {
      const [look, kind] = lookAt(Buffer.from(`${folder}/${at}${name}`, "latin1"), times);
      looks[`${at}${name}`] = look;
      if (kind === "folder") waiting.push(`${at}${name}/`);
    }
  }
  return looks;
}

function lookAt(place: Buffer, times: Looking["times"]): readonly [string, "folder" | "other"] {
  const stat = lstatSync(place, { bigint: true });
  const mode = (Number(stat.mode) & 0o7777).toString(8).padStart(4, "0");
  const when = times === undefined ? "" : ` ${stat.mtimeNs} ${stat.ctimeNs} ${stat.ino}`;
  if (stat.isSymbolicLink()) return [`link ${readlinkSync(place, "latin1")}${when}`, "other"];
  if (stat.isDirectory()) return [`folder ${mode}${when}`, "folder"];
  const hash = createHash("sha256").update(readFileSync(place)).digest("hex").slice(0, 16);
  return [`file ${mode} ${stat.size} ${hash}${when}`, "other"];
}

/** The entries at or below one of the paths. */
export function within(looks: Looks, ...paths: readonly string[]): Looks {
  return Object.fromEntries(
    Object.entries(looks).filter(([path]) =>
      paths.some((above) => path === above || path.startsWith(`${above}/`)),
    ),
  );
}
