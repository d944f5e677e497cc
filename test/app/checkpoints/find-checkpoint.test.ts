import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSession } from "../../../src/open-session.ts";
import { playground } from "../../cli/support/command-line.ts";

const SDK_SESSION = "0b6b0d1e-3c5e-4c0a-9d6b-5a2f3e4d5c6b";
const ONE = "11111111-1111-4111-8111-111111111111";
const TWO = "22222222-2222-4222-8222-222222222222";
const REPLY = "33333333-3333-4333-8333-333333333333";
const LATER = "44444444-4444-4444-8444-444444444444";

/**
 * A session with two prompts to another agent, a.txt captured before each; and a newer session whose only
 * prompt went to our own agent.
 */
async function prompted() {
  const place = playground();
  const { home, workspace, worldline } = place;
  const write = (text: string): void => writeFileSync(join(workspace, "a.txt"), text);
  const session = await openSession({ home, workspace, files: "on" });
  const host = { kind: "host", host: "claude", hostSession: SDK_SESSION } as const;
  for (const [message, text] of [
    [ONE, "first\n"],
    [TWO, "second\n"],
  ] as const) {
    write(text);
    const { checkpoint } = await session.prompt(`make it ${text}`, { ...host, message });
    await session.capture({ checkpoint, author: "outside" });
    await session.append({ ...host, message: REPLY });
  }
  write("third\n");
  await session.close();
  const younger = await openSession({ home, workspace, resume: "new" });
  await younger.prompt("to our own agent");
  await younger.close();
  return {
    ...place,
    session: session.id,
    data: async (line: string) => JSON.parse((await worldline(`${line} --json`)).stdout),
  };
}

describe("a checkpoint that is named by another agent's UUID of its prompt", () => {
  it("is the one that metadata.json names so", async () => {
    const { home, session, data } = await prompted();
    const metadata = join(home, "sessions", session, "checkpoints", "metadata.json");
    const { checkpoints } = JSON.parse(readFileSync(metadata, "utf8"));
    expect(checkpoints).toMatchObject([
      { id: TWO, sessionId: SDK_SESSION, description: "make it second" },
      { id: ONE, sessionId: SDK_SESSION, description: "make it first" },
    ]);
    expect(await data(`rewind ${checkpoints[0].id} --dry-run`)).toMatchObject({ session, to: 2 });
  });

  it("is found by every command, in whichever session it is, also in capitals", async () => {
    const { worldline, data, session, workspace } = await prompted();
    expect((await worldline(`show ${ONE}:a.txt`)).stdout).toBe("first\n");
    expect(await data(`diff ${ONE} ${TWO}`)).toMatchObject({
      before: `${session}:1`,
      after: `${session}:2`,
      changes: [{ path: "a.txt" }],
    });
    expect(await data(`label ${TWO.toUpperCase()} better`)).toMatchObject({ session, number: 2 });
    expect((await worldline(`rewind ${ONE} --scope files --take --yes`)).code).toBe(0);
    expect(readFileSync(join(workspace, "a.txt"), "utf8")).toBe("first\n");
  });

  it("is the one of the session that was named, else that of the session last used of those that have it", async () => {
    const { data, session, worldline } = await prompted();
    const forked = (await data(`fork --at ${TWO}`)).session;
    await worldline(`checkpoint --session ${forked}`);
    expect(await data(`rewind ${ONE} --dry-run`)).toMatchObject({ session: forked });
    expect(await data(`rewind ${ONE} --dry-run --session ${session}`)).toMatchObject({ session });
  });

  it.each([
    ["that nobody knows", LATER],
    ["of a message that is no prompt", REPLY],
    ["of that agent's session", SDK_SESSION],
  ])("is refused with what there is, for a UUID %s", async (_what, id) => {
    const { worldline } = await prompted();
    const { code, stderr } = await worldline(`rewind ${id}`);
    expect({ code, stderr }).toEqual({
      code: 42,
      stderr: expect.stringContaining(`No checkpoint is called "${id}" here.`),
    });
  });
});
