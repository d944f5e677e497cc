import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { toSeq } from "../../../src/record/ids.ts";
import { openSqliteStore } from "../../../src/stores/sqlite/sqlite-store.ts";
import { Story } from "../../../src/testing/testing.ts";
import { playground } from "../support/command-line.ts";

/** A session in a SQLite file that this process holds. */
async function held() {
  const deps = playground();
  const path = join(deps.home, "sessions.db");
  const store = openSqliteStore({ path, clock: systemClock });
  const story = new Story();
  await store.create(story.begin(deps.workspace));
  await store.append(story.session, toSeq(2), [story.prompt("find the leak")]);
  const lease = await store.lease(story.session, { name: "another program", waitMs: 0 });
  const close = async () => {
    await lease.release();
    await store.close();
  };
  const data = async (line: string) => JSON.parse((await deps.worldline(`${line} --json`)).stdout);
  return { ...deps, data, path, session: story.session, close };
}

describe("a session in a database", () => {
  it("is shown with its place and its holder", async () => {
    const { worldline, data, path, session, close } = await held();
    const { stdout } = await worldline(`sessions show ${session} --store sqlite:${path}`);
    expect(stdout).toMatch(/\nStore +\d.* in .*sessions\.db \(sqlite\)\n/u);
    expect(stdout).toMatch(/\nIn use by +another program \(pid \d+ on .*\), since /u);
    expect(await data(`sessions show ${session} --store sqlite:${path}`)).toMatchObject({
      id: session,
      store: { kind: "sqlite", name: path },
      folder: null,
      heldBy: { life: "living", name: "another program", pid: process.pid },
    });
    await close();
  });

  it("is not deleted while another program holds it, which a dry run foresees", async () => {
    const { worldline, path, session, close } = await held();
    const dry = await worldline(`sessions delete ${session} --dry-run --store sqlite:${path}`);
    expect(dry.stderr).toContain(`Session ${session} is in use by another program`);
    const refused = await worldline(`sessions delete ${session} --store sqlite:${path}`);
    expect(refused.stderr).toContain("another program");
    await close();
    expect((await worldline(`sessions delete ${session} --store sqlite:${path}`)).code).toBe(0);
  });

  it("is looked at by the doctor like any other", async () => {
    const { worldline, path, session, close } = await held();
    const { code, stdout } = await worldline(`doctor --store sqlite:${path}`);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(session) });
    expect(stdout).toContain("another program");
    await close();
  });
});
