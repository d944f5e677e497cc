import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { deadOwner } from "../dead-owner.ts";

/** Leaves a lock behind, as a killed program would. */
export function abandonLock(folder: string): void {
  writeFileSync(join(folder, "lock"), `${JSON.stringify(deadOwner())}\n`);
}
