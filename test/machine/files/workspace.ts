import type { NewSession } from "../../../src/machine/open.ts";
import type { Session } from "../../../src/machine/session.ts";
import type { Entry, EntryKind, EntryOf } from "../../../src/record/entry.ts";
import { begin, openSessionDeps, type WatchContext } from "../deps.ts";
import { MemoryWorkspace } from "../memory-workspace.ts";

export interface World {
  readonly deps: WatchContext & { readonly files: MemoryWorkspace };
  readonly files: MemoryWorkspace;
  readonly session: Session;
}

export async function beginWithFiles(wanted: Partial<NewSession> = {}): Promise<World> {
  const files = new MemoryWorkspace();
  const deps = Object.assign(openSessionDeps(), { files });
  return { deps, files, session: await begin(deps, wanted) };
}

/**
 * A step of the agent with one tool call that does `work`; the files are captured before it, for the step's
 * checkpoint.
 */
export async function stepThat(session: Session, work: () => void): Promise<number> {
  const number = await session.step();
  await session.capture({ checkpoint: number, author: "timeline" });
  const call = `call${number}`;
  await session.reply({ model: "m", parts: [{ type: "tool-call", call, name: "write", input: {} }] });
  await session.toolStart(call, "write");
  work();
  await session.toolEnd(call, "ok", "done");
  return number;
}

/** A prompt with a capture of the files as they are when the user sends it. */
export async function promptWith(session: Session, text: string): Promise<number> {
  const { checkpoint } = await session.prompt(text);
  await session.capture({ checkpoint, author: "outside" });
  return checkpoint;
}

export async function lastOf<Kind extends EntryKind>(
  session: Session,
  kind: Kind,
): Promise<EntryOf<Kind> | undefined> {
  return (await session.entriesOf(kind)).at(-1);
}

export async function allKinds(session: Session): Promise<string[]> {
  const kinds: Entry["kind"][] = [];
  for await (const entry of session.all()) kinds.push(entry.kind);
  return kinds;
}
