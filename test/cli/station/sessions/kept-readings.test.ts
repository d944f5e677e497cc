import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { KeptReadings } from "../../../../src/cli/station/sessions/kept-readings.ts";
import type { SessionId } from "../../../../src/record/ids.ts";
import { placesOf } from "../../../../src/stores/files/places.ts";
import { tempFolder } from "../../../../src/testing/temp-folder.ts";

const session = "ae4m417v3t" as SessionId;

describe("what was read of a session", () => {
  it("is not read again before the session is written to, and is nothing where it is gone", async () => {
    const { path: home, remove } = tempFolder();
    onTestFinished(remove);
    const { folder, log } = placesOf(home, session);
    mkdirSync(folder, { recursive: true });
    writeFileSync(log, "1\n");
    const readings = new KeptReadings<number>();
    let count = 0;
    const read = async () => {
      count += 1;
      return count;
    };
    const known = async () => readings.of(home, session, read);
    expect([await known(), await known()]).toEqual([1, 1]);
    appendFileSync(log, "2\n");
    expect([await known(), await known()]).toEqual([2, 2]);
    rmSync(folder, { recursive: true });
    expect(await known()).toBeUndefined();
  });
});
