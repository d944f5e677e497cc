import { createHash } from "node:crypto";
import type { StorePlace } from "../ports/log-store.ts";

const DIGITS = 16;

/**
 * By which references to snapshots tell in which store their session is: undefined for the files of this home, as
 * before there were others. Whoever writes an address in another way gets another key, and then nothing is judged.
 */
export function storeKey({ kind, name }: StorePlace, home: string): string | undefined {
  if (kind === "files" && name === home) return undefined;
  const where = kind === "postgres" ? withoutPerson(name) : name;
  return createHash("sha256").update(`${kind} ${where}`).digest("hex").slice(0, DIGITS);
}

/** Two people with roles of their own work with the same sessions. */
function withoutPerson(name: string): string {
  return name.replace(/^postgres:\/\/[^@/]*@/u, "postgres://");
}
