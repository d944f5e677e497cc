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

/** The long outputs of sessions in databases that have a text. */
export async function outputsWith(
  home: string,
  hasText: (bytes: Buffer) => boolean,
): Promise<readonly { readonly session: SessionId; readonly path: string }[]> {
  const found: { session: SessionId; path: string }[] = [];
  for (const session of await namesIn(join(home, "outputs"))) {
    for (const file of await namesIn(join(home, "outputs", session))) {
      const path = join(home, "outputs", session, file);
      if (hasText(await readFile(path))) found.push({ session: session as SessionId, path });
    }
  }
  return found;
}

/** The names in a folder; none where there is no such folder. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}
