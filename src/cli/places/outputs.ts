import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { StorePlace } from "../../ports/log-store.ts";
import type { SessionId } from "../../record/ids.ts";
import { systemCode } from "./system-error.ts";

/** Where the long outputs of a session's tools are kept: with its log, or, where a database has that, by themselves. */
export function outputsOf(home: string, { kind }: StorePlace, session: SessionId): string {
  return kind === "files" ? join(home, "sessions", session, "outputs") : join(home, "outputs", session);
}

/** Lets go of what sessions in a database had beside it; those in files took it along. */
export async function dropOutputs(home: string, sessions: readonly SessionId[]): Promise<void> {
  for (const session of sessions) await rm(join(home, "outputs", session), { recursive: true, force: true });
}

/** The sessions in databases whose long outputs have the text. */
export async function outputsWith(home: string, text: string): Promise<readonly SessionId[]> {
  const found: string[] = [];
  for (const session of await namesIn(join(home, "outputs"))) {
    const files = await namesIn(join(home, "outputs", session));
    for (const file of files) {
      if ((await readFile(join(home, "outputs", session, file))).includes(text)) found.push(session);
    }
  }
  return [...new Set(found)] as SessionId[];
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}
