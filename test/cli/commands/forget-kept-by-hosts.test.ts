import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSession } from "../../../src/open-session.ts";
import { playground } from "../support/command-line.ts";

const SECRET = "sk-live-4242/abc.def";
const SDK_SESSION = "0b6b0d1e-3c5e-4c0a-9d6b-5a2f3e4d5c6b";

/** A session in which Claude was given the secret, and the SDK's own transcript of it. */
async function told(by: "prompt" | "file" = "prompt") {
  const place = playground();
  const { root, home, workspace, worldline } = place;
  const config = join(root, "claude");
  const project = join(config, "projects", "-workspace");
  mkdirSync(project, { recursive: true });
  const transcript = join(project, `${SDK_SESSION}.jsonl`);
  writeFileSync(transcript, SECRET);
  writeFileSync(join(project, "33333333-3333-4333-8333-333333333333.jsonl"), "another");
  const session = await openSession({ home, workspace, files: by === "file" ? "on" : "off" });
  const host = { kind: "host", host: "claude", hostSession: SDK_SESSION, message: SDK_SESSION } as const;
  const file = join(workspace, "key.txt");
  if (by === "file") writeFileSync(file, SECRET);
  const { checkpoint } = await session.prompt(by === "file" ? "use @key.txt" : `use ${SECRET}`, host);
  await session.capture({ checkpoint, author: "outside" });
  rmSync(file, { force: true });
  await session.close();
  return {
    ...place,
    session: session.id,
    config,
    transcript,
    forget: async (
      words: readonly string[],
      environment: Record<string, string> = { CLAUDE_CONFIG_DIR: config },
    ) => worldline(["forget", SECRET, ...words], { environment }),
  };
}

describe("worldline forget, if Claude was told the secret", () => {
  it("names the files that the SDK keeps, and leaves them as they are", async () => {
    const { forget, config, transcript, everything } = await told();
    const named =
      `The Claude Agent SDK was used here too, and its own files in ${config} may still contain it. ` +
      "Worldline does not change these files, and does not continue the conversations in them. Remove them yourself:\n" +
      `  ${transcript}\n`;
    expect((await forget(["--dry-run"])).stdout).toContain(named);
    const done = await forget(["--yes"]);
    expect(done.code).toBe(0);
    expect(done.stdout).toContain(named);
    expect(done.stdout + done.stderr).not.toContain(SECRET);
    const holders = everything().filter(([, content]) => content?.includes(SECRET));
    expect(holders.map(([path]) => path)).toEqual([transcript.slice(transcript.indexOf("/claude/"))]);
  });

  it("names them for scripts too", async () => {
    const { forget, transcript } = await told();
    const hostSessions = [{ host: "claude", hostSession: SDK_SESSION }];
    const planned = JSON.parse((await forget(["--dry-run", "--json"])).stdout);
    expect(planned).toMatchObject({ hostSessions, keptByHosts: [transcript], changed: false });
    const done = JSON.parse((await forget(["--yes", "--json"])).stdout);
    expect(done).toMatchObject({ hostSessions, keptByHosts: [transcript], changed: true });
  });

  it("also names them if only a file had it that Claude may have been shown, and never continues from there", async () => {
    const { forget, transcript, session, worldline } = await told("file");
    const done = JSON.parse((await forget(["--yes", "--json"])).stdout);
    expect(done).toMatchObject({ sessions: [], files: { erased: 1 }, keptByHosts: [transcript], left: [] });
    const { entries } = JSON.parse((await worldline(`log --session ${session} --json`)).stdout);
    const hosts = entries.filter(({ kind }: { kind: string }) => kind === "host");
    expect(hosts).toMatchObject([{ hostSession: SDK_SESSION, forgotten: { times: 1 } }]);
    expect(hosts[0]).not.toHaveProperty("message");
  });

  it("says where it has looked if they are not there", async () => {
    const { forget, root } = await told();
    const elsewhere = join(root, "elsewhere");
    expect((await forget(["--yes"], { CLAUDE_CONFIG_DIR: elsewhere })).stdout).toContain(
      `None of its files are in ${elsewhere}, but files that the SDK keeps elsewhere (CLAUDE_CONFIG_DIR) may still contain it. Remove them yourself: ${SDK_SESSION}\n`,
    );
  });
});
