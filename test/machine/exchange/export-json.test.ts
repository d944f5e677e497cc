import { expect, it } from "vitest";
import { exportJson } from "../../../src/machine/exchange/export-json.ts";
import { begin, memoryPlace } from "./support.ts";

it("gives all entries of a session as data, with all their texts", async () => {
  const { deps } = memoryPlace();
  const session = await begin(deps);
  const long = "long ".repeat(40);
  await session.prompt(long);
  await session.rewind(1);
  await session.retitle("A title");
  const json = await exportJson(session);
  expect(json).toMatchObject({
    format: { name: "worldline-session", version: 1 },
    session: { id: session.id, title: "A title", workspace: "/work/project", mode: "agent", damage: [] },
  });
  expect(json.entries.map((entry) => entry.kind)).toEqual([
    "session",
    "checkpoint",
    "prompt",
    "rewind",
    "title",
  ]);
  expect(json.entries[2]).toMatchObject({ parts: [{ type: "text", text: long }] });
  expect(json.session.head).toBe(json.entries.at(-1)?.id);
  expect(JSON.parse(JSON.stringify(json))).toEqual(json);
});
