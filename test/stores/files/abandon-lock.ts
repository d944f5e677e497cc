import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { deadOwner } from "../dead-owner.ts";

/** Leaves the lock of a program that was killed. */
export function abandonLock(folder: string): void {
  writeFileSync(join(folder, "lock"), `${JSON.stringify(deadOwner())}\n`);
}
