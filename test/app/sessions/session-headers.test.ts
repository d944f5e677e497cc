import { describe, expect, it } from "vitest";
import { type SessionHeader, subAgentsOf } from "../../../src/app/sessions/store.ts";
import { newHeader } from "../../../src/machine/open.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { ManualClock } from "../../../src/testing/testing.ts";

function row(id: string, parent?: string): SessionHeader {
  const header = newHeader(new ManualClock(), { workspace: "/work", tag: "t" });
  const task = parent === undefined ? {} : { task: { session: parent as SessionId, call: "c" } };
  return { id: id as SessionId, header: { ...header, session: id as SessionId, ...task } };
}

describe("the sub-agents of a session", () => {
  it("are its own, and theirs", () => {
    const lost = { id: "e" as SessionId, header: undefined };
    const rows = [row("a"), row("b", "a"), row("c", "b"), row("d"), lost];
    expect(subAgentsOf("a" as SessionId, rows)).toEqual(["b", "c"]);
  });

  it("are found once, where imported logs say that they go in a circle", () => {
    const rows = [row("a", "a"), row("b", "c"), row("c", "b")];
    expect(subAgentsOf("a" as SessionId, rows)).toEqual([]);
    expect(subAgentsOf("b" as SessionId, rows)).toEqual(["c"]);
  });
});
