import { requireCheckpointId } from "./check-calls.ts";

/** `ckpt-<execution>-<index>@<attempt>`. */
export function checkpointId(execution: string, index: number, attempt: number): string {
  return `ckpt-${execution}-${index}@${attempt}`;
}

export interface CheckpointName {
  readonly index: number;
  /** Undefined: the latest. */
  readonly attempt: number | undefined;
}

const PLACE = /^(0|[1-9]\d{0,15})(?:@([1-9]\d{0,15}))?$/u;

/** What an id names within this execution; undefined where it is another's, or no such id. */
export function checkpointNamed(execution: string, id: string): CheckpointName | undefined {
  requireCheckpointId(id);
  const prefix = `ckpt-${execution}-`;
  // By length and not by pattern: an execution may be called anything, and `exec-1` is not `exec-10`.
  const [, index, attempt] = (id.startsWith(prefix) && PLACE.exec(id.slice(prefix.length))) || [];
  if (index === undefined) return undefined;
  return { index: Number(index), attempt: attempt === undefined ? undefined : Number(attempt) };
}
