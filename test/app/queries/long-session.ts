import type { NewSession, SessionContext } from "../../../src/machine/open.ts";
import type { Session } from "../../../src/machine/session.ts";
import type { SessionView } from "../../../src/machine/view.ts";
import { begin, openSessionDeps, step } from "../../machine/deps.ts";

/**
 * A session with everything that a tree shows: prompts and commands, named places, branches that a rewind and a
 * backtrack left, and a compaction.
 */
export async function longSession(
  deps: SessionContext = openSessionDeps(),
  wanted: Partial<NewSession> = {},
): Promise<Session> {
  const session = await begin(deps, { ...wanted, backtrack: "on" });
  await session.prompt("find the leak");
  await step(session, "I look.", "c1");
  await step(session, "It is in pool.ts.");
  await session.label(2, "first step");
  await session.prompt("now write a test");
  await step(session, "Written.");
  await session.rewind({ to: 4, scope: "conversation" });
  await session.checkpoint("before the command");
  await runCommand(session, "npm test");
  await session.prompt("fix it");
  await backtrack(session, "# Found\n\nIt is in **pool.ts**.");
  await step(session, "Fixed.");
  await session.compact({ summary: "The leak is fixed.", keep: 1, reason: "asked" });
  await session.prompt("thanks");
  return session;
}

/** Begins a step, and goes back to its checkpoint. */
export async function backtrack(session: Session, note = "look elsewhere"): Promise<void> {
  const start = await session.step();
  const parts = [{ type: "tool-call", call: "b1", name: "Backtrack", input: {} }] as const;
  await session.reply({ model: "m", parts: [...parts] });
  await session.toolStart("b1", "Backtrack");
  await session.requestBacktrack("b1", { to: start, note, files: "keep" });
  await session.endStep();
}

export async function runCommand(session: Session, command: string): Promise<void> {
  await session.checkpoint();
  await session.toolStart("shell-1", "Shell", { input: { command } });
  await session.toolEnd("shell-1", "ok", "done");
}

/** Replaces each entry's id with its line. */
export function byLine(view: SessionView, data: unknown): unknown {
  return JSON.parse(JSON.stringify(data), (_key, value: unknown) =>
    typeof value === "string" ? (view.outline.byId(value as never)?.seq ?? value) : value,
  );
}
