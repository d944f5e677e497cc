import { describe, expect, it } from "vitest";
import { sessionTree } from "../../src/show/tree.ts";
import { stringsFor } from "../../src/strings/strings.ts";
import { begin, openSessionDeps, step } from "../machine/deps.ts";

describe("the tree of a session", () => {
  it("has no rows for how far another agent got, unless all are wanted", async () => {
    const session = await begin(openSessionDeps());
    const host = { kind: "host", host: "claude", hostSession: "sdk-1", message: "m1" } as const;
    await session.prompt("one", host);
    await step(session, "done");
    await session.append(host);
    const rows = async (wanted: "main" | "all") =>
      (await sessionTree(session, { rows: wanted, strings: stringsFor("en") })).map(
        ({ row, text, number, isHead }) => `${row.kind} #${number} ${text}${isHead ? " <" : ""}`,
      );
    expect((await rows("main")).slice(1)).toEqual(["prompt #1 one", "reply #undefined reply done <"]);
    expect((await rows("all")).at(-1)).toBe("host #undefined host claude sdk-1, m1 <");
  });
});
