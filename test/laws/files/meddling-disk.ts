import type { PathBytes } from "../../../src/record/files.ts";
import { realWorkspaceDisk } from "../../../src/snapshots/workspace/real-workspace-disk.ts";
import type { PathStat, ReadFile, WorkspaceDisk } from "../../../src/snapshots/workspace/workspace-disk.ts";

const TICK_MS = 10;

/**
 * A disk on which another program changes the workspace during a capture. Its clock advances in ticks, as in
 * many file systems.
 */
export class MeddlingDisk implements WorkspaceDisk {
  readonly #disk = realWorkspaceDisk;
  readonly #tickMs: number;
  #left = 0;
  #meddle: (() => void) | undefined;

  constructor(tickMs: number = TICK_MS) {
    this.#tickMs = tickMs;
  }

  /** Runs `meddle` once, after this many looks. */
  after(looks: number, meddle: () => void): void {
    this.#left = looks;
    this.#meddle = meddle;
  }

  stat(path: PathBytes): PathStat | undefined {
    const stat = this.#disk.stat(path);
    this.#looked();
    return stat === undefined ? undefined : this.#coarse(stat);
  }

  names(folder: PathBytes): PathBytes[] {
    const names = this.#disk.names(folder);
    this.#looked();
    return names;
  }

  readFile(path: PathBytes): ReadFile {
    const { bytes, before, after } = this.#disk.readFile(path);
    this.#looked();
    return { bytes, before: this.#coarse(before), after: this.#coarse(after) };
  }

  readLink(path: PathBytes): PathBytes {
    const target = this.#disk.readLink(path);
    this.#looked();
    return target;
  }

  writeNew = this.#disk.writeNew;
  makeLink = this.#disk.makeLink;
  makeFolder = this.#disk.makeFolder;
  chmod = this.#disk.chmod;
  rename = this.#disk.rename;
  unlink = this.#disk.unlink;
  removeFolder = this.#disk.removeFolder;
  sync = this.#disk.sync;

  #looked(): void {
    this.#left -= 1;
    if (this.#left >= 0) return;
    const meddle = this.#meddle;
    this.#meddle = undefined;
    meddle?.();
  }

  #coarse(stat: PathStat): PathStat {
    const ticked = (time: number): number => Math.floor(time / this.#tickMs) * this.#tickMs;
    return { ...stat, changedAt: ticked(stat.changedAt), modifiedAt: ticked(stat.modifiedAt) };
  }
}
