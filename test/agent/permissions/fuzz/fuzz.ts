import fc from "fast-check";
import { anyCommand, KNOWN_ATTACKS } from "./any-command.ts";
import { buildRange, type Shooter, shoot } from "./range.ts";

export interface FuzzReport {
  readonly commands: number;
  /** How many commands ran because they needed no permission. */
  readonly ran: number;
  readonly holes: readonly { readonly command: string; readonly hole: string }[];
}

export interface FuzzRequest {
  /** Must be empty. */
  readonly folder: string;
  readonly count: number;
  readonly seed: number;
  readonly shooter?: Shooter;
  /** By default, fuzzing continues after a hole and reports all of them. */
  readonly stopAt?: "first hole";
}

/**
 * Decides on commands, really runs those that need no permission, and reports each one that did something
 * forbidden.
 */
export async function fuzz({ folder, count, seed, shooter, stopAt }: FuzzRequest): Promise<FuzzReport> {
  const range = buildRange(folder);
  const commands = [
    ...KNOWN_ATTACKS,
    ...fc.sample(anyCommand, { numRuns: count - KNOWN_ATTACKS.length, seed }),
  ];
  const holes: { command: string; hole: string }[] = [];
  let ran = 0;
  for (const command of commands) {
    const { asked, hole } = await shoot(range, command, shooter);
    if (asked === "no") ran += 1;
    if (hole !== undefined) holes.push({ command, hole });
    if (hole !== undefined && stopAt !== undefined) break;
  }
  return { commands: commands.length, ran, holes };
}
