import type { PathStat } from "../workspace/workspace-disk.ts";

/** What tells, without reading it, whether a file is still the one that was read. */
export interface Signature {
  readonly changedAt: number;
  readonly modifiedAt: number;
  readonly size: number;
  readonly inode: number;
  readonly mode: number;
}

/** File systems stamp with a clock that ticks every few milliseconds: two writes within a tick look alike. */
const TICK_MS = 50;

export function signatureOf(stat: PathStat): Signature {
  const { changedAt, modifiedAt, size, inode, mode } = stat;
  return { changedAt, modifiedAt, size, inode, mode };
}

export function isSame(a: Signature, b: Signature): boolean {
  return (
    a.changedAt === b.changedAt &&
    a.modifiedAt === b.modifiedAt &&
    a.size === b.size &&
    a.inode === b.inode &&
    a.mode === b.mode
  );
}

/** Whether another write could still leave the same signature. `now`: the moment before the look. */
export function isRacy(signature: Pick<Signature, "changedAt">, now: number): boolean {
  return !(signature.changedAt <= now - TICK_MS);
}
