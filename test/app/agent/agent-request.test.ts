import { describe, expect, it } from "vitest";
import {
  type AgentRequest,
  agentSettings,
  readableRules,
  settleHost,
} from "../../../src/app/agent/agent-request.ts";
import { openSession } from "../../../src/open-session.ts";
import { reportingContext } from "../support/reporting-context.ts";

const request: AgentRequest = {
  allow: ["Read"],
  deny: ["Bash(rm:*)"],
  resume: { how: "new" },
  fork: "no",
  keepSession: "yes",
};

async function valuesWith(settings: object) {
  return (await reportingContext({ settings }).context.settings()).values;
}

describe("an agent's settings", () => {
  it("are the user's", async () => {
    const values = await valuesWith({
      agent: { maxSteps: 7 },
      recovery: { maxRetries: 2 },
      snapshots: { firstWaitMs: 1_234 },
      backtrack: { display: "line" },
      compaction: { auto: false, ratio: 0.5, keep: 1_000, reserve: 2_000 },
    });
    const expected = {
      maxSteps: 7,
      maxRetries: 2,
      firstWaitMs: 1_234,
      backtrack: { display: "line", mention: values["backtrack.mention"] },
      compaction: { auto: "off", ratio: 0.5, keep: 1_000, reserve: 2_000 },
    };
    expect(agentSettings(values, {})).toEqual(expected);
    expect(agentSettings(values, { maxSteps: 3 })).toEqual({ ...expected, maxSteps: 3 });
    expect(agentSettings(await valuesWith({}), {}).compaction.auto).toBe("on");
  });
});

describe("an agent's rules", () => {
  const settings = { permissions: { allow: ["Edit"], ask: ["WebFetch"], deny: ["Bash(sudo:*)"] } };

  it("are those in the settings, and then those on the command line", async () => {
    expect(readableRules(await valuesWith(settings), request)).toEqual({
      allow: ["Edit", "Read"],
      ask: ["WebFetch"],
      deny: ["Bash(sudo:*)", "Bash(rm:*)"],
    });
  });

  it.each(["allow", "deny"])("are refused if one to %s cannot be read", async (list) => {
    const values = await valuesWith({});
    expect(() => readableRules(values, { allow: [], deny: [], [list]: ["Bash("] })).toThrow(
      expect.objectContaining({ params: expect.objectContaining({ rule: "Bash(" }) }),
    );
  });
});

describe("the host of an agent", () => {
  const settledAt = async (fields: Partial<AgentRequest>, usual?: "claude" | "native") => {
    const at = reportingContext({ settings: { host: "claude" } });
    const { home, workspace } = at;
    const session = await openSession({ home, workspace, system: "Be brief." });
    await session.prompt("one");
    await session.close();
    return {
      id: session.id,
      settled: await settleHost(at.context, { ...request, ...fields }, usual),
    };
  };

  it("is the requested one, whatever the session is", async () => {
    const asked = { host: "claude", resume: { how: "continue" } } as const;
    const { settled } = await settledAt(asked, "native");
    expect(settled).toEqual({ host: "claude", request: { ...request, ...asked } });
  });

  it("is the one in the settings for a new session, unless the one before had another", async () => {
    expect((await settledAt({})).settled).toEqual({ host: "claude", request });
    expect((await settledAt({}, "native")).settled).toEqual({ host: "native", request });
  });

  it("is the one that last answered in the session, which is then named by its id", async () => {
    const { id, settled } = await settledAt({ resume: { how: "continue" } }, "claude");
    const resume = { how: "resume", wanted: id };
    expect(settled).toEqual({ host: "native", request: { ...request, resume } });
  });

  it("is the one in the settings for a session that nothing was asked in", async () => {
    const { context, home, workspace } = reportingContext({ settings: { host: "claude" } });
    const session = await openSession({ home, workspace, system: "Be brief." });
    await session.close();
    const resume = { how: "resume", wanted: session.id } as const;
    expect(await settleHost(context, { ...request, resume })).toEqual({
      host: "claude",
      request: { ...request, resume },
    });
  });
});
