import { describe, expect, it } from "vitest";
import { type HostTrace, mayKnow } from "../../../src/machine/forget/other-agents.ts";
import type { SessionId } from "../../../src/record/ids.ts";

const CLAUDE = [{ host: "claude", hostSession: "sdk" }];

function traces(sessions: Readonly<Record<string, Partial<HostTrace>>>): ReadonlyMap<SessionId, HostTrace> {
  const all = Object.entries(sessions).map(
    ([id, trace]) => [id as SessionId, { workspace: "/work", hostSessions: CLAUDE, ...trace }] as const,
  );
  return new Map(all);
}

describe("sessions whose other agents may know it", () => {
  it("are those below which a file was found, and no others", () => {
    const known = traces({
      here: {},
      above: { workspace: "/" },
      beside: { workspace: "/work-2" },
      below: { workspace: "/work/sub" },
      unknown: { workspace: "" },
      native: { hostSessions: [] },
    });
    expect(mayKnow({ sessions: [], paths: ["/work/.env"] }, known)).toEqual(["here", "above", "unknown"]);
    expect(mayKnow({ sessions: [], paths: [] }, known)).toEqual([]);
  });

  it("are all those that called a sub-agent which knew it, however deep, but not those that have it themselves", () => {
    const known = traces({
      root: {},
      native: { caller: "root" as SessionId, hostSessions: [] },
      deep: { caller: "native" as SessionId, hostSessions: [] },
      lost: { caller: "gone" as SessionId },
      other: {},
    });
    const found = (...sessions: readonly string[]) => ({ sessions: sessions as SessionId[], paths: [] });
    expect(mayKnow(found("deep", "lost"), known)).toEqual(["root"]);
    expect(mayKnow(found("deep", "root"), known)).toEqual([]);
  });
});
