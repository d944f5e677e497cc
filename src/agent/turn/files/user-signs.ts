import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { userHome } from "../../../disk/folders.ts";
import { folderOf, type PathBytes, type PathChange, shownPath } from "../../../record/files.ts";
import type { PathSign, Sign } from "../../../travel/logged-files.ts";
import { isOurs, pidsInProc, programOf } from "../../tools/bash/process-tree.ts";

export interface SignsContext {
  readonly workspace: string;
  /** The session. Its commands must not be mistaken for the user's programs. */
  readonly session: string;
  /** The time when the commands' last process exited, in milliseconds since 1970. Undefined if unknown. */
  readonly endedAt?: number | undefined;
}

/**
 * Finds the files that the user probably changed while a command ran. Checks names, times and open files, but never
 * contents. This cannot detect everything. For example, an editor without swap files leaves no sign if it saves a file
 * during a command.
 */
export function userSigns(world: SignsContext, changes: readonly PathChange[]): readonly PathSign[] {
  const files = changes.filter(({ before, after }) => (after ?? before)?.kind !== "folder");
  const swapFiles = new SwapFiles(world.workspace, files);
  const signs = new Map<PathBytes, Sign>();
  for (const change of files) {
    const sign = swapFiles.signOf(change.path) ?? afterEnd(world, change);
    if (sign !== undefined) signs.set(change.path, sign);
  }
  const doubtful = files.filter(({ path, after }) => after !== undefined && !signs.has(path));
  for (const [path, program] of openElsewhere(world, doubtful))
    signs.set(path, { sign: "open-elsewhere", program });
  return files.flatMap(({ path }) => {
    const sign = signs.get(path);
    return sign === undefined ? [] : [{ path, sign }];
  });
}

/** Returns the names of the files that editors keep next to a file while they edit it. */
function besideNames(name: string): readonly string[] {
  const hidden = name.startsWith(".") ? name : `.${name}`;
  return [
    // vim and nano. Additional vim processes use the next letters.
    ...["swp", "swo", "swn", "swm"].map((ending) => `${hidden}.${ending}`),
    // The lock file and the auto-save file of emacs.
    `.#${name}`,
    `#${name}#`,
    // LibreOffice, Microsoft Office, Kate.
    `.~lock.${name}#`,
    `~$${name}`,
    `.${name}.kate-swp`,
  ];
}

const NEOVIM_SWAP = join(
  process.env["XDG_STATE_HOME"] ?? join(userHome(), ".local", "state"),
  "nvim",
  "swap",
);

/** Matches file names that only editors create. */
const EDITOR_FILE = /^(?:\..+\.sw[a-p]|\.#.+|#.+#|\.~lock\..+#|~\$.+|\..+\.kate-swp)$/u;

/** Finds swap and lock files, including files that disappeared in the same interval. */
class SwapFiles {
  readonly #workspace: string;
  readonly #changed: ReadonlySet<PathBytes>;
  readonly #namesByFolder = new Map<PathBytes, ReadonlySet<string>>();
  #neovim: ReadonlySet<string> | undefined;

  constructor(workspace: string, changes: readonly PathChange[]) {
    this.#workspace = workspace;
    this.#changed = new Set(changes.map(({ path }) => path));
  }

  signOf(path: PathBytes): Sign | undefined {
    const folder = folderOf(path);
    const name = folder === "" ? path : path.slice(folder.length + 1);
    if (EDITOR_FILE.test(name)) return { sign: "editor-file" };
    const beside = besideNames(name).find(
      (each) =>
        this.#namesIn(folder).has(each) || this.#changed.has(folder === "" ? each : `${folder}/${each}`),
    );
    if (beside !== undefined) return { sign: "swap-file", file: shownPath(beside) };
    const elsewhere = this.#elsewhere(path);
    return elsewhere === undefined ? undefined : { sign: "swap-file", file: elsewhere };
  }

  #namesIn(folder: PathBytes): ReadonlySet<string> {
    const known = this.#namesByFolder.get(folder);
    if (known !== undefined) return known;
    const names = new Set(namesIn(placeOf(this.#workspace, folder)));
    this.#namesByFolder.set(folder, names);
    return names;
  }

  /** Finds a Neovim swap file. Neovim keeps these files in its own folder and names them after the whole path. */
  #elsewhere(path: PathBytes): string | undefined {
    this.#neovim ??= new Set(namesIn(Buffer.from(NEOVIM_SWAP)));
    if (this.#neovim.size === 0) return undefined;
    const name = `${placeOf(this.#workspace, path).toString("latin1").replaceAll("/", "%")}.swp`;
    return this.#neovim.has(name) ? join(NEOVIM_SWAP, shownPath(name)) : undefined;
  }
}

const CLOCK_STEP_MS = 2;

/** Checks whether the file changed after the commands had ended. A deleted file has no timestamp to check. */
function afterEnd({ workspace, endedAt }: SignsContext, { path, after }: PathChange): Sign | undefined {
  if (endedAt === undefined || after === undefined) return undefined;
  const at = changedAt(placeOf(workspace, path));
  // The kernel's timestamps can lag behind the clock that `endedAt` was read from, but are never ahead of it. `endedAt`
  // is truncated to whole milliseconds.
  return at !== undefined && at > endedAt + CLOCK_STEP_MS ? { sign: "after-end" } : undefined;
}

/**
 * Finds changed files that other programs have open. Works only on Linux, because other systems offer no fast way to
 * list the open files of other processes.
 */
function openElsewhere(world: SignsContext, changes: readonly PathChange[]): ReadonlyMap<PathBytes, string> {
  const paths = new Map(changes.map(({ path }) => [placeOf(world.workspace, path).toString("latin1"), path]));
  const found = new Map<PathBytes, string>();
  if (paths.size === 0) return found;
  for (const pid of pidsInProc() ?? []) {
    for (const fd of namesIn(Buffer.from(`/proc/${pid}/fd`))) {
      const path = paths.get(linkAt(`/proc/${pid}/fd/${fd}`));
      if (path === undefined || found.has(path) || isOurs(pid, world.session)) continue;
      found.set(path, programOf(pid));
    }
  }
  return found;
}

function placeOf(workspace: string, path: PathBytes): Buffer {
  return Buffer.concat([Buffer.from(path === "" ? workspace : `${workspace}/`), Buffer.from(path, "latin1")]);
}

function namesIn(folder: Buffer): readonly string[] {
  try {
    return readdirSync(folder, { encoding: "latin1" });
  } catch {
    // The folder no longer exists, or belongs to another user.
    return [];
  }
}

function linkAt(path: string): string {
  try {
    return readlinkSync(path, "latin1");
  } catch {
    return "";
  }
}

function changedAt(path: Buffer): number | undefined {
  try {
    return lstatSync(path).ctimeMs;
  } catch {
    return undefined;
  }
}
