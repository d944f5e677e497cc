import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { performForget } from "../../../src/machine/forget/perform-forget.ts";
import { planForget } from "../../../src/machine/forget/plan-forget.ts";
import { viewSession } from "../../../src/machine/open.ts";
import type { Entry } from "../../../src/record/entry.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import type { Json } from "../../../src/record/parts.ts";
import { begin, codeOf, holding, type Place, stores } from "../exchange/support.ts";

const request = { what: "path", path: "/work/project/.env" } as const;
const LONG = "KEY=1\n".repeat(40);

describe.each(stores)("forgetting a file in a store of $name", ({ open }) => {
  let place: Place;
  beforeEach(() => {
    place = open();
  });
  afterEach(async () => place.close());

  async function withCalls(...inputs: readonly Json[]): Promise<SessionId> {
    const session = await begin(place.deps);
    await session.prompt("look at .env, KEY=1");
    for (const [at, input] of inputs.entries()) {
      const call = `c${at}`;
      await session.reply({ parts: [{ type: "tool-call", call, name: "Tool", input }], model: "scripted" });
      await session.toolStart(call, "Tool");
      await session.toolEnd(call, "ok", LONG);
    }
    await session.close();
    return session.id;
  }

  async function inputsAndResults(id: SessionId): Promise<unknown[]> {
    const view = await viewSession(place.deps.store, id);
    return [...(await view.entriesOf("reply")), ...(await view.entriesOf("tool-end"))].map((entry: Entry) => {
      if (entry.kind === "tool-end") return entry.parts;
      return entry.kind === "reply" && entry.parts[0]?.type === "tool-call"
        ? entry.parts[0].input
        : undefined;
    });
  }

  it("removes what tools got and reported about it, however they name its path", async () => {
    const id = await withCalls(
      { file_path: "/work/project/.env", content: LONG, mode: "w" },
      { path: ".env" },
      { edits: [{ target: "./src/../.env", old_string: "a", new_string: LONG }], all: true },
      { path: "src/.env", content: "other" },
      { command: "cat .env" },
    );
    const kept = [{ type: "text", text: LONG }];
    const gone = [{ type: "text", text: "[forgotten]" }];
    expect((await planForget(place.deps.store, request)).findings).toEqual([
      { session: id, entries: 5, times: 7 },
    ]);
    await performForget(place.deps, request, holding);
    expect(await inputsAndResults(id)).toEqual([
      { file_path: "/work/project/.env", content: "[forgotten]", mode: "[forgotten]" },
      { path: ".env" },
      {
        edits: [{ target: "./src/../.env", old_string: "[forgotten]", new_string: "[forgotten]" }],
        all: true,
      },
      { path: "src/.env", content: "other" },
      { command: "cat .env" },
      gone,
      gone,
      gone,
      kept,
      kept,
    ]);
    expect(await codeOf(performForget(place.deps, request, holding))).toBe("NOTHING_TO_FORGET");
  });

  it("knows a call's id that was used again", async () => {
    const session = await begin(place.deps);
    for (const path of [".env", "readme"]) {
      await session.reply({
        parts: [{ type: "tool-call", call: "c", name: "Read", input: { path } }],
        model: "m",
      });
      await session.toolEnd("c", "ok", `content of ${path}`);
    }
    await session.close();
    await performForget(place.deps, request, holding);
    expect((await inputsAndResults(session.id)).slice(2)).toEqual([
      [{ type: "text", text: "[forgotten]" }],
      [{ type: "text", text: "content of readme" }],
    ]);
  });

  it("refuses an empty path, and says when nothing names it", async () => {
    await withCalls({ path: "readme" });
    expect(await codeOf(planForget(place.deps.store, { what: "path", path: " " }))).toBe("INPUT_INVALID");
    expect(await codeOf(performForget(place.deps, request, holding))).toBe("NOTHING_TO_FORGET");
  });
});
