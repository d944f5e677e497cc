import type { LogStore } from "../../../ports/log-store.ts";
import { isWorldlineError } from "../../../record/error.ts";
import type { SessionId } from "../../../record/ids.ts";
import { isSameOutside, type OutsideChange, type OutsideState } from "../../../record/outside.ts";
import { type Look, lookAtPath, stateOf } from "./look-at-path.ts";

/** The contents of files, kept as blobs of their session. */
export interface KeptContents {
  readonly session: SessionId;
  readonly store: Pick<LogStore, "putBlob" | "getBlob">;
}

/** Files that a tool is about to write, as they were before. */
export interface OutsideWatch {
  /** What is otherwise now, kept before and after. */
  changes(): Promise<readonly OutsideChange[]>;
}

export async function watchPaths(contents: KeptContents, paths: ReadonlySet<string>): Promise<OutsideWatch> {
  const before: Watched[] = [];
  for (const path of paths) {
    const look = await lookAtPath(path);
    before.push({ path, look, state: await keep(contents, look) });
  }
  return {
    changes: async () => {
      const changes: OutsideChange[] = [];
      for (const watched of before) changes.push(...(await changeOf(contents, watched)));
      return changes;
    },
  };
}

interface Watched {
  readonly path: string;
  readonly look: Look;
  readonly state: OutsideState | undefined;
}

async function changeOf(
  contents: KeptContents,
  { path, look, state }: Watched,
): Promise<readonly OutsideChange[]> {
  const now = await lookAtPath(path);
  if (isUntouched(look, now)) return [];
  const after = await keep(contents, now);
  return [
    { path, ...(state === undefined ? {} : { before: state }), ...(after === undefined ? {} : { after }) },
  ];
}

function isUntouched(before: Look, now: Look): boolean {
  if (before.there === "elsewhere") return now.there === "elsewhere";
  if (before.there === "unknown") return now.there === "unknown" && before.signature === now.signature;
  return isSameOutside(stateOf(before), stateOf(now));
}

/** What cannot be kept does not stop the tool: it is written down that it is not known. */
async function keep(contents: KeptContents, look: Look): Promise<OutsideState | undefined> {
  const state = stateOf(look);
  if (look.there !== "file") return state;
  try {
    await contents.store.putBlob(contents.session, look.bytes);
    return state;
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return { why: "unreadable" };
  }
}
