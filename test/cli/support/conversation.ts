import { type OpenSessionOptions, openSession } from "../../../src/open-session.ts";
import { textPart } from "../../../src/record/parts.ts";

export const noise = "noise ".repeat(5_000);

/**
 * Writes an agent session: a prompt (#1), a step (#2), a large read and a backtrack from it to #2; then the
 * answer, and a second prompt (#4) with its step (#5) and answer.
 */
export async function tellConversation(options: OpenSessionOptions): Promise<string> {
  const session = await openSession({ system: "Be brief.", settings: { window: 200_000 }, ...options });
  const reply = (text: string) => session.reply({ model: "scripted", parts: [textPart(text)] });
  await session.prompt("find the leak");
  const start = await session.step();
  await session.reply({
    model: "scripted",
    parts: [textPart("I read it."), { type: "tool-call", call: "c1", name: "Read", input: { path: "log" } }],
  });
  await session.toolStart("c1", "Read");
  await session.toolEnd("c1", "ok", noise);
  await session.step();
  await session.reply({
    model: "scripted",
    parts: [{ type: "tool-call", call: "c2", name: "Backtrack", input: {} }],
  });
  await session.toolStart("c2", "Backtrack");
  await session.requestBacktrack("c2", { to: start, note: "it is in pool.ts", files: "keep" });
  await session.endStep();
  await reply("Fixed in pool.ts.");
  await session.prompt("now write\na test");
  await session.step();
  await reply("Written.");
  await session.close();
  return session.id;
}
