import { describe, expect, it } from "vitest";
import { entryTree } from "../../../src/app/queries/entry-tree.ts";
import { nodeText } from "../../../src/show/tree.ts";
import { en } from "../../../src/strings/en.ts";
import { begin, openSessionDeps, step } from "../../machine/deps.ts";

describe("the tree of entries", () => {
  it("has no rows for how far another agent got, unless all are wanted", async () => {
    const session = await begin(openSessionDeps());
    const host = { kind: "host", host: "claude", hostSession: "sdk-1", message: "m1" } as const;
    await session.prompt("one", host);
    await step(session, "done");
    await session.append(host);
    const rows = async (wanted: "main" | "all") =>
      (await entryTree(session, { rows: wanted, text: (entry, at) => nodeText(entry, at, en) })).map(
        ({ row, text, number, isHead }) => `${row.kind} #${number} ${text}${isHead ? " <" : ""}`,
      );
    expect((await rows("main")).slice(1)).toEqual(["prompt #1 one", "reply #undefined reply done <"]);
    expect((await rows("all")).at(-1)).toBe("host #undefined host claude sdk-1, m1 <");
  });
});
