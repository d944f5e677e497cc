import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Session } from "../../../../src/machine/session.ts";
import { isWorldlineError } from "../../../../src/record/error.ts";
import { branchSince } from "../../../../src/timeline/outline.ts";
import { begin, openSessionDeps, reply } from "../../../machine/deps.ts";
import { host, nearestPlace, record, told, unseen } from "./support.ts";

const MOST = 200_000;

describe("what the host has not seen, when it is long", () => {
  it("leaves out the middle of a result and of an input", async () => {
    const session = await begin(openSessionDeps());
    await session.prompt("read it");
    const input = { content: "y".repeat(9_000) };
    await session.reply({ model: "m", parts: [{ type: "tool-call", call: "a", name: "Write", input }] });
    await session.toolEnd("a", "ok", `${"😀".repeat(250_000)}the end`);
    const [text = ""] = await unseen(session);
    const result = `${"😀".repeat(2_667)}\n[492,008 characters omitted]\n`;
    expect(text.length).toBeLessThan(14_000);
    expect(text).toContain("\n[5,014 characters omitted]\n");
    expect(text).toContain(result);
    expect(text).toContain("😀the end");
    expect(Buffer.from(text).toString() === text).toBe(true);
  });

  it("shortens and drops the oldest actions, and keeps what the user said", async () => {
    const session = await begin(openSessionDeps());
    for (let turn = 0; turn < 300; turn += 1) {
      await session.prompt(`prompt ${turn}.`);
      await session.reply({ model: "m", parts: reply(`answer ${turn}. ${"x".repeat(2_000)}`, "a") });
      await session.toolEnd("a", "ok", "z".repeat(2_000));
    }
    const [text = "", ...more] = await unseen(session);
    expect(more).toEqual([]);
    expect(text.length).toBeLessThan(MOST + 1_000);
    expect(text.match(/prompt \d+/gu)).toHaveLength(300);
    expect(text.includes("answer 0.")).toBe(false);
    expect(text.includes(`answer 299. ${"x".repeat(2_000)}`)).toBe(true);
    expect(text).toMatch(/To keep it short, some replies, calls, and results were omitted \(\d+\)\./u);
  });

  it("shortens what the user wrote only when nothing else is left, and the oldest first", async () => {
    const session = await begin(openSessionDeps());
    await session.prompt(`first ${"a".repeat(150_000)}`);
    await session.reply({ model: "m", parts: reply("answer") });
    await session.prompt(`second ${"b".repeat(150_000)}`);
    const [first = "", second] = await unseen(session);
    expect(first.length).toBeLessThan(3_000);
    expect(first).toContain("\nfirst aaa");
    expect(second).toBe(`second ${"b".repeat(150_000)}`);
  });

  it("is complete while there is room", async () => {
    const session = await begin(openSessionDeps());
    await session.prompt("a".repeat(100_000));
    await session.reply({ model: "m", parts: reply("b".repeat(19_000)) });
    expect(await unseen(session)).toEqual([
      record("all", told("person", "a".repeat(100_000)), told('reply by "m"', "b".repeat(19_000))),
    ]);
  });

  it("law: whatever happened, contains the prompts after the place, in order", async () => {
    const act = fc.constantFrom("prompt", "reply", "calls", "notice", "host", "rewind", "redo", "interrupt");
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 25 }), fc.nat(), async (acts, dice) => {
        const session = await begin(openSessionDeps());
        for (const [index, one] of acts.entries()) await perform(session, one, dice + index);
        const text = (await unseen(session)).join("\n");
        let at = 0;
        for (const prompt of await promptsBehind(session)) {
          const found = text.indexOf(prompt, at);
          expect(found).toBeGreaterThanOrEqual(at);
          at = found + prompt.length;
        }
        expect(text.match(/\[prompt [0-9]+\]/gu) ?? []).toEqual(await promptsBehind(session));
      }),
      { numRuns: 60 },
    );
  });
});

async function promptsBehind(session: Session): Promise<string[]> {
  const from = ((await nearestPlace(session))?.seq ?? 0) + 1;
  const entries = await session.entries(branchSince(session.outline, from).map(({ seq }) => seq));
  return entries.flatMap((entry) =>
    entry.kind === "prompt" ? entry.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])) : [],
  );
}

async function perform(session: Session, act: string, dice: number): Promise<void> {
  const numbers = session.outline.rows().flatMap(({ kind, number }) => (kind === "checkpoint" ? number : []));
  switch (act) {
    case "prompt":
      await session.prompt(`[prompt ${session.outline.length}]`);
      break;
    case "reply":
      await session.step();
      await session.reply({ model: "m", parts: reply("answer") });
      break;
    case "calls":
      await session.reply({ model: "m", parts: reply("", "a", "b") });
      await session.toolEnd("a", "ok", "done");
      break;
    case "notice":
      await session.append({ kind: "notice", text: "look" });
      break;
    case "host":
      await session.append(host(`m${session.outline.length}`));
      break;
    case "rewind":
      if (numbers.length > 0) await ifAllowed(session.rewind(numbers[dice % numbers.length] as number));
      break;
    case "redo":
      await ifAllowed(session.redo());
      break;
    default:
      await session.interrupt();
  }
}

/** Ignores journeys that are refused because the session is already there or there is nothing to redo. */
async function ifAllowed(journey: Promise<unknown>): Promise<void> {
  try {
    await journey;
  } catch (error) {
    if (!isWorldlineError(error, "REWIND_REFUSED") && !isWorldlineError(error, "NOTHING_TO_REDO"))
      throw error;
  }
}
