import { copyFileSync, existsSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { workshop } from "../../support/workshop.ts";

const DAY_SECONDS = 24 * 60 * 60;
const ORPHAN = "k3f9x2m7q1";

/** A session with files, and the refs that a fork wrote before it died without creating its session. */
async function cutOffFork(age: number) {
  const shop = workshop();
  shop.put("a.txt", "one\n");
  const { session } = await shop.data("checkpoint");
  const refs = (of: string) => join(shop.home, "snapshots", "refs", `${of}.jsonl`);
  const then = Date.now() / 1000 - age;
  copyFileSync(refs(session), refs(ORPHAN));
  for (const each of [session, ORPHAN]) utimesSync(refs(each), then, then);
  const found = async (line = "doctor") =>
    (await shop.data(line)).checks
      .filter(({ about, status }: { about: string; status: string }) => about === "files" && status !== "ok")
      .map(({ status, message }: { status: string; message: string }) => `${status} ${message}`);
  return { ...shop, session, refs, found };
}

describe("files that are kept for a session that is not there", () => {
  it("are named, and let go with --fix", async () => {
    const { found, refs, session } = await cutOffFork(2 * DAY_SECONDS);
    const note = `note Files are stored for sessions that are neither here nor in the trash: ${ORPHAN}`;
    expect(await found()).toEqual([note]);
    expect(existsSync(refs(ORPHAN))).toBe(true);
    expect(await found("doctor --fix")).toEqual([
      `fixed Released the files of sessions that no longer exist: ${ORPHAN}`,
    ]);
    expect([existsSync(refs(ORPHAN)), existsSync(refs(session))]).toEqual([false, true]);
    expect(await found()).toEqual([]);
  });

  it("are left alone for a day: the session may be in the making", async () => {
    const { found, refs } = await cutOffFork(DAY_SECONDS / 2);
    expect(await found("doctor --fix")).toEqual([]);
    expect(existsSync(refs(ORPHAN))).toBe(true);
  });

  it("do not count if the session is in the trash", async () => {
    const { found, refs, session, worldline } = await cutOffFork(DAY_SECONDS / 2);
    expect(await worldline(`sessions delete ${session} --yes`)).toMatchObject({ code: 0 });
    const then = Date.now() / 1000 - 2 * DAY_SECONDS;
    utimesSync(refs(session), then, then);
    expect(await found("doctor --fix")).toEqual([]);
    expect(existsSync(refs(session))).toBe(true);
  });
});
