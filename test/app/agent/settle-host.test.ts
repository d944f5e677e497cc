import { describe, expect, it } from "vitest";
import { lastHost } from "../../../src/app/agent/agent-request.ts";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { createSession } from "../../../src/machine/open.ts";
import type { Session } from "../../../src/machine/session.ts";
import { openMemoryStore } from "../../../src/stores/memory.ts";

const claude = { kind: "host", host: "claude", hostSession: "s1" } as const;

async function session(...story: readonly ((session: Session) => Promise<unknown>)[]): Promise<Session> {
  const deps = { store: openMemoryStore(), clock: systemClock };
  const made = await createSession(
    deps,
    { workspace: "/work", system: "You help.", backtrack: "on" },
    { name: "a test" },
  );
  for (const chapter of story) await chapter(made);
  return made;
}

const byClaude = async (made: Session): Promise<unknown> => {
  await made.prompt("ask Claude", claude);
  return answered(made);
};
const byOurs = async (made: Session): Promise<unknown> => {
  await made.prompt("ask ours");
  return answered(made);
};
const answered = async (made: Session): Promise<unknown> => {
  await made.step();
  return made.reply({ parts: [{ type: "text", text: "Yes." }], model: "some/model" });
};
const named = async (made: Session): Promise<unknown> => made.append(claude);
const noted = async (made: Session): Promise<unknown> =>
  made.append({ kind: "notice", text: "A file changed." });
const rewoundTo = (to: number) => async (made: Session) => made.rewind({ to, scope: "conversation" });

describe("the host of a session", () => {
  it.each([
    ["nobody's before anything was asked", [], undefined],
    ["ours where nobody says otherwise", [byOurs], "native"],
    ["the one that answered", [byClaude], "claude"],
    ["the last one that answered: ours", [byClaude, byOurs, noted], "native"],
    ["the last one that answered: Claude", [byOurs, byClaude, noted], "claude"],
    ["the one that answered before the place of a rewind", [byOurs, byClaude, rewoundTo(3)], "native"],
    ["the last one at all, where a rewind leads before all of them", [byClaude, rewoundTo(1)], "claude"],
    ["the last one at all: ours", [byClaude, byOurs, rewoundTo(1)], "native"],
    ["the last one at all: Claude", [byOurs, byClaude, rewoundTo(1)], "claude"],
    ["the one that an entry names without a prompt", [byOurs, named], "claude"],
    ["the last one at all, named without a prompt", [byOurs, named, rewoundTo(1)], "claude"],
    [
      "unknown where somebody answered that this version does not know",
      [async (made: Session) => made.prompt("ask", { ...claude, host: "another" })],
      undefined,
    ],
  ] as const)("is %s", async (_what, story, host) => {
    const made = await session(...story);
    expect(await lastHost(made)).toBe(host);
    await made.close();
  });
});
