import { describe, expect, it } from "vitest";
import { type AskedDenial, deniedCalls } from "../../../src/app/agent/headless-user.ts";
import type { AgentEvent } from "../../../src/ports/agent-events.ts";
import type { Draft } from "../../../src/record/entry.ts";

function entry(fields: Draft): AgentEvent {
  return { type: "entry", entry: fields } as unknown as AgentEvent;
}

const bySubAgent = (event: AgentEvent, session = "sub") =>
  ({ type: "sub-agent", session, event }) as unknown as AgentEvent;

const calls = (call: string, command: string) =>
  entry({
    kind: "reply",
    model: "m",
    parts: [
      { type: "text", text: "I try." },
      { type: "tool-call", call, name: "Bash", input: { command } },
    ],
  });

type End = Extract<Draft, { kind: "tool-end" }>;

const ended = (call: string, fields: Partial<End> = {}) =>
  entry({
    kind: "tool-end",
    call,
    outcome: "denied",
    parts: [{ type: "text", text: "It is not allowed." }],
    ...fields,
  } as Draft);

const asked = (call: string, about: string): AskedDenial => ({
  ...{ call, tool: "Bash", about, why: "no one could be asked", rule: "Bash(x)" },
});

const neverEnded = asked("c9", "rm z");

/** The denied calls, without the one that never ended, which is always the last. */
function denials(known: readonly AskedDenial[], ...events: readonly AgentEvent[]) {
  const denied = deniedCalls([...known, neverEnded]);
  for (const event of events) denied.apply(event);
  const all = denied.all();
  expect(all.at(-1)).toEqual(neverEnded);
  return all.slice(0, -1);
}

describe("the denied calls of a turn", () => {
  it("are those that a rule denied, with the reason that the model was told", () => {
    expect(denials([], calls("c1", "rm a"), ended("c1"))).toEqual([
      { tool: "Bash", about: "rm a", why: "It is not allowed." },
    ]);
  });

  it("have the reason in English if the log has it as a code", () => {
    const denial = { code: "denied-by-rule", rule: "Bash(rm:*)" } as never;
    const [first] = denials([], calls("c1", "rm a"), ended("c1", { denial }));
    expect(first?.why).toContain("Bash(rm:*)");
    const [unknown] = denials([], ended("c1", { denial: { code: "of a later version" } as never }));
    expect(unknown).toEqual({ tool: "c1", about: "", why: "It is not allowed." });
  });

  it("are not those that ran", () => {
    const start = entry({ kind: "tool-start", call: "c1", name: "Bash", input: {} } as never);
    const ran = [calls("c1", "ls"), start, ended("c1", { outcome: "ok" })];
    expect(denials([], ...ran, { type: "text", text: "Done." } as unknown as AgentEvent)).toEqual([]);
  });

  it("are once each, with what the user would have been asked", () => {
    const one = asked("c1", "rm a");
    expect(denials([one], calls("c1", "rm a"), ended("c1"))).toEqual([one]);
    expect(denials([one], ended("c2"), ended("c1"))).toEqual([
      { tool: "c2", about: "", why: "It is not allowed." },
      one,
    ]);
  });

  it("include those of sub-agents, whose calls may have the same ids", () => {
    const own = asked("c1", "rm own");
    const theirs = asked("c1", "rm theirs");
    const events = [
      calls("c1", "rm own"),
      bySubAgent(calls("c1", "rm theirs")),
      bySubAgent(ended("c1")),
      ended("c1"),
    ];
    expect(denials([], ...events).map(({ about }) => about)).toEqual(["rm theirs", "rm own"]);
    expect(denials([own, theirs], ...events)).toEqual([own, theirs]);
  });
});
