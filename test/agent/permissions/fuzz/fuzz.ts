import fc from "fast-check";
import { anyCommand, KNOWN_ATTACKS } from "./any-command.ts";
import { buildRange, type Shooter, shoot } from "./range.ts";

export interface FuzzReport {
  readonly commands: number;
  /** How many of them ran, because nothing was asked. */
  readonly ran: number;
  readonly holes: readonly { readonly command: string; readonly hole: string }[];
}

export interface FuzzRequest {
  /** An empty folder. */
  readonly folder: string;
  readonly count: number;
  readonly seed: number;
  readonly shooter?: Shooter;
  /** By default it goes on, and reports all. */
  readonly stopAt?: "first hole";
}

/** Decides on commands, runs those for real that are not asked about, and says which of them did anything that they must not. */
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
