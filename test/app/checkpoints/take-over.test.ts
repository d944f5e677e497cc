import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { playground } from "../../cli/support/command-line.ts";
import { tellConversation } from "../../cli/support/conversation.ts";

const elsewhere = JSON.stringify({
  pid: 1,
  started: "x",
  boot: "another",
  host: "laptop",
  name: "an agent",
  since: "2026-01-01T00:00:00.000Z",
  token: "0".repeat(32),
});

async function locked(content: string) {
  const place = playground();
  const { home, workspace } = place;
  const session = await tellConversation({ home, workspace });
  const lock = join(home, "sessions", session, "lock");
  writeFileSync(lock, content);
  return { ...place, session, lock };
}

const lines = [
  'checkpoint --setting lock.waitMs=0 "here"',
  "rewind 1 --scope conversation --setting lock.waitMs=0",
  "label 1 start --setting lock.waitMs=0",
  "sessions rename find new --setting lock.waitMs=0",
  "sessions delete find",
  "forget leak --yes",
];

describe("--take-over", () => {
  describe.each([
    ["of another machine", elsewhere, "an agent (pid 1 on laptop"],
    ["that cannot be read", "torn", "a lock that cannot be read"],
  ])("takes a lock %s", (_what, content, owner) => {
    it.each(lines)("with: %s", async (line) => {
      const { worldline, lock } = await locked(content);
      const refused = await worldline(line);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`is in use by ${owner}`) });
      expect(refused.stderr).toMatch(/^hint: .*--take-over/mu);
      expect(await worldline(`${line} --take-over`)).toMatchObject({ code: 0 });
      expect(existsSync(lock)).toBe(false);
    });
  });

  it("is foreseen by a dry run", async () => {
    const { worldline } = await locked(elsewhere);
    expect((await worldline("sessions delete find --dry-run")).stderr).toContain(
      "so it would not be deleted",
    );
    expect((await worldline("sessions delete find --dry-run --take-over")).stderr).not.toContain(
      "would not be deleted",
    );
  });

  it("says in its help what it is for", async () => {
    const { worldline } = playground();
    const { stdout } = await worldline("--help");
    expect(stdout.replace(/\s+/gu, " ")).toContain(
      "--take-over write to a session that another machine or container has locked",
    );
  });
});

describe("a lock that cannot be read", () => {
  it("is waited for, and called that", async () => {
    const { worldline } = await locked("torn");
    expect((await worldline("label 1 start --setting lock.waitMs=30")).stderr).toContain(
      "Waiting up to 1 second for a lock that cannot be read, which has this session open.",
    );
  });
});
