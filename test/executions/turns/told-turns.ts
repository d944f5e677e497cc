import { createSession, type SessionContext } from "../../../src/machine/open.ts";
import type { Session } from "../../../src/machine/session.ts";
import { textPart } from "../../../src/record/parts.ts";
import { openMemoryStore } from "../../../src/stores/memory.ts";
import { ManualClock } from "../../../src/testing/simulated-system.ts";

/** An agent's session in memory, with a clock that the test controls. */
export async function agentSession(deps: SessionContext = memoryDeps()) {
  const session = await createSession(deps, { workspace: "/work" }, { name: "the agent" });
  return { deps, session };
}

export function memoryDeps(): SessionContext {
  const clock = new ManualClock();
  return { store: openMemoryStore({ clock }), clock };
}

/** A step that calls tools, each with its outcome; "open" means that the call never ends. */
export async function callingStep(
  session: Session,
  calls: Readonly<Record<string, "ok" | "error" | "denied" | "interrupted" | "open">>,
): Promise<number> {
  const number = await session.step();
  const named = Object.entries(calls).map(([name, outcome]) => ({
    call: `${name}-${number}`,
    name,
    outcome,
  }));
  await session.reply({
    model: "scripted",
    parts: named.map(({ call, name }) => ({
      type: "tool-call",
      call,
      name,
      input: { file_path: "a.ts" },
    })),
  });
  for (const { call, name, outcome } of named) {
    await session.toolStart(call, name);
    if (outcome !== "open") await session.toolEnd(call, outcome, `${name} said so`);
  }
  return number;
}

export async function replyingStep(session: Session, text: string): Promise<number> {
  const number = await session.step();
  await session.reply({ model: "scripted", parts: [textPart(text)] });
  return number;
}
