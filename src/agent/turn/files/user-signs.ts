import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { userHome } from "../../../disk/folders.ts";
import { folderOf, type PathBytes, type PathChange, shownPath } from "../../../record/files.ts";
import type { PathSign, Sign } from "../../../travel/logged-files.ts";
import { isOurs, pidsInProc, programOf } from "../../tools/bash/process-tree.ts";

export interface SignsContext {
  readonly workspace: string;
  /** The session whose commands must not be mistaken for the user's programs. */
  readonly session: string;
  /** When the last process of the commands ended, in milliseconds since 1970; undefined if unknown. */
  readonly endedAt?: number | undefined;
}

/**
 * Finds the files that the user probably changed while a command ran. Judges by names, times and open files, never by
 * contents. It cannot detect everything: an editor without swap files that saves during a command leaves no sign.
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

/** Names of files that editors keep next to a file while they edit it. */
function besideNames(name: string): readonly string[] {
  const hidden = name.startsWith(".") ? name : `.${name}`;
  return [
    // vim and nano; a second vim process uses the next letter.
    ...["swp", "swo", "swn", "swm"].map((ending) => `${hidden}.${ending}`),
    // emacs: its lock, and its auto-save file.
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

/** Names that only editors create. */
const EDITOR_FILE = /^(?:\..+\.sw[a-p]|\.#.+|#.+#|\.~lock\..+#|~\$.+|\..+\.kate-swp)$/u;

/** Swap and lock files: those that exist now, and those that disappeared in the same interval. */
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

  /** Neovim keeps swap files in its own folder, named after the whole path. */
  #elsewhere(path: PathBytes): string | undefined {
    this.#neovim ??= new Set(namesIn(Buffer.from(NEOVIM_SWAP)));
    if (this.#neovim.size === 0) return undefined;
    const name = `${placeOf(this.#workspace, path).toString("latin1").replaceAll("/", "%")}.swp`;
    return this.#neovim.has(name) ? join(NEOVIM_SWAP, shownPath(name)) : undefined;
  }
}

const CLOCK_STEP_MS = 2;

/** Whether the file changed after the commands had ended. A deleted file has no time that could be checked. */
function afterEnd({ workspace, endedAt }: SignsContext, { path, after }: PathChange): Sign | undefined {
  if (endedAt === undefined || after === undefined) return undefined;
  const at = changedAt(placeOf(workspace, path));
  // The kernel's timestamps lag behind `endedAt` and are never ahead of it; `endedAt` is truncated to whole
  // milliseconds.
  return at !== undefined && at > endedAt + CLOCK_STEP_MS ? { sign: "after-end" } : undefined;
}

/** Checks open files only on Linux: other systems offer no fast way to list those of other processes. */
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
