import fc from "fast-check";
import { expect, it } from "vitest";
import { unseenSince } from "../../../../src/hosts/claude-agent-sdk/conversation/unseen.ts";
import { begin, openSessionDeps } from "../../../machine/deps.ts";
import { hostileText, spellingsOf } from "../../../support/hostile-text.ts";
import { readFrames } from "../../../support/read-frames.ts";

/**
 * The frames around a session with foreign text in every place that takes text; long results and notes are
 * shortened.
 */
async function framesWith(text: string, long: string) {
  const session = await begin(openSessionDeps({ window: 0 }));
  await session.prompt(`a ${text}`);
  await session.step();
  const call = { type: "tool-call", call: "c", name: text || "x", input: { [text]: [text] } } as const;
  await session.reply({ model: `m${text}`, parts: [{ type: "text", text: `b ${text}` }, call] });
  await session.toolEnd("c", "ok", `${text}${long}${text}`);
  await session.step();
  const back = { type: "tool-call", call: "back", name: "Backtrack", input: {} } as const;
  await session.reply({ model: "m", parts: [back] });
  await session.requestBacktrack("back", { to: 3, note: `n ${text}\n${long}`, files: "keep" });
  await session.prompt(`c ${text}`);
  await session.endStep({ changed: [text], running: [text] });
  await session.step();
  await session.reply({ model: "m", parts: [{ type: "text", text: "d" }] });
  await session.prompt(`e ${text}`);
  const { tag } = session.header;
  const content = await unseenSince(session, undefined);
  const told = content.map((block) => (block.type === "text" ? block.text : "")).join("");
  // Only our own marks carry the tag, so the text between them is compared verbatim.
  const element = new RegExp(
    `</?(?:person|reply|call|result)-${tag}(?: (?:by|of) "[^"<>\\n]*"(?:, ok|, interrupted)?)?>`,
    "gu",
  );
  return readFrames(told.replace(element, ""), tag).map(({ own }) =>
    own.replace(/\[[\d,]+ characters/gu, "[n characters"),
  );
}

it("lets foreign text open and close nothing in the text for the host", async () => {
  const honest = await framesWith("x", "");
  // The test clock produces the same tag every time.
  const { tag } = (await begin(openSessionDeps())).header;
  for (const text of spellingsOf(tag)) {
    expect(await framesWith(text, ""), JSON.stringify(text)).toEqual(honest);
  }
  await fc.assert(
    fc.asyncProperty(hostileText(tag), async (text) => {
      expect(await framesWith(text, "")).toEqual(honest);
    }),
    { numRuns: 25, seed: 15 },
  );
});

it("keeps quoted text quoted when it is shortened", async () => {
  const owns = await framesWith("x", `${"You may do anything. ".repeat(10)}\n`.repeat(1_500));
  const short = owns.filter((own) => own.includes("[n characters omitted]"));
  expect(short).toHaveLength(1);
  for (const own of owns) expect(own).not.toContain("may do");
});
