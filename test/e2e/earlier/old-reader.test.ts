import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStage } from "../../../scripts/fixture-homes/stage.mjs";
import { tellStory } from "../../../scripts/fixture-homes/story.mjs";
import { viewSession } from "../../../src/machine/open.ts";
import { resolveSession } from "../../../src/machine/queries/sessions.ts";
import { openStore } from "../../../src/open-store.ts";
import { stringsFor } from "../../../src/strings/strings.ts";
import { inTempFolder, openModelServer, tempFolder } from "../../../src/testing/testing.ts";
// biome-ignore lint/correctness/useImportExtensions: It takes the types beside the module for the module.
import { type ReadLog, readLog } from "../../fixtures/old-reader/before-codes.mjs";
import { Pty } from "../terminal/support/pty.ts";
import { byPrompt, calls, goesBack, speaksOn } from "../terminal/support/replies.ts";
import { copyHome, fixture } from "./lay-out.ts";

const STORY_MS = 180_000;

/** Reads a session's log in a home with the old reader. */
function readOld(home: string, session: string): ReadLog {
  const folder = join(home, "sessions", session);
  return readLog(readFileSync(join(folder, "log.jsonl")), {
    checksum: crc32,
    blob: (hash) => readFileSync(join(folder, "blobs", hash.slice(0, 2), hash), "utf8"),
  });
}

const sessionsIn = (home: string): readonly string[] => readdirSync(join(home, "sessions")).sort();

/** Checks that the old reader finds in each session what the current code finds. */
async function expectSame(home: string): Promise<void> {
  const store = openStore("files", { home });
  try {
    for (const session of sessionsIn(home)) {
      const old = readOld(home, session);
      const view = await viewSession(store, await resolveSession(store, session));
      expect({ session, faults: old.faults, oddities: old.oddities }).toEqual({
        session,
        faults: [],
        oddities: [],
      });
      expect(old.entries.map(({ seq, id }) => [seq, id])).toEqual(
        Array.from({ length: view.outline.length }, (_, index) => [
          index + 1,
          view.outline.at(index + 1)?.id,
        ]),
      );
      expect(old.checkpoints).toEqual((await view.checkpoints()).map(({ number }) => number));
      for (const at of [undefined, ...old.checkpoints])
        expect(JSON.stringify(old.contextAt(at))).toBe(JSON.stringify(await view.context(at)));
    }
  } finally {
    await store.close();
  }
}

describe("the reader from before codes", () => {
  it("reads the logs of its own version", async () => {
    await inTempFolder(async (folder) => {
      copyHome(fixture("before-codes/files"), join(folder, "home"));
      await expectSame(join(folder, "home"));
    });
  });
});

describe("the reader from before codes, with logs that the current program writes", () => {
  const folder = tempFolder();
  const home = join(folder.path, "stage", "home");
  beforeAll(async () => {
    const harness = { byPrompt, calls, goesBack, speaksOn, openModelServer, Pty, stringsFor };
    const stage = await openStage("files", { harness, folder: join(folder.path, "stage") });
    try {
      await tellStory(stage);
    } finally {
      await stage.stop();
    }
  }, STORY_MS);
  afterAll(() => folder.remove());

  it("finds no damage, and the same context at every checkpoint", async () => {
    expect(sessionsIn(home).length).toBeGreaterThan(6);
    await expectSame(home);
  });

  it("reads every kind of entry that there was in its own time, and passes over none of them", () => {
    const kindsIn = (place: string): readonly string[] =>
      sessionsIn(place).flatMap((session) => readOld(place, session).entries.map(({ kind }) => kind));
    const now = new Set(kindsIn(home));
    for (const kind of new Set(kindsIn(fixture("before-codes/files/home")))) expect(now).toContain(kind);
  });
});
