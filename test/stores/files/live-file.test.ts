import { describe, expect, it } from "vitest";
import { realDisk } from "../../../src/disk/disk.ts";
import { openFilesStore } from "../../../src/stores/files/files.ts";
import { ManualClock, rejectsWith, systemError } from "../../../src/testing/testing.ts";
import { writtenSession } from "./written-session.ts";

describe("the file that lines are added to", () => {
  it("is closed when an append fails and it cannot even be cut back", async () => {
    const { root, session, story } = await writtenSession({ prompts: ["one"] });
    const open = new Set<number>();
    const fail = () => {
      throw systemError("EIO", "log.jsonl");
    };
    const disk = {
      ...realDisk,
      open: (...given: Parameters<typeof realDisk.open>) => {
        const file = realDisk.open(...given);
        open.add(file);
        return file;
      },
      close: (file: number) => {
        open.delete(file);
        realDisk.close(file);
      },
      sync: fail,
      truncate: fail,
    };
    const store = openFilesStore({ root, clock: new ManualClock(), disk });
    const next = story.prompt("two");
    await rejectsWith("STORE_UNWRITABLE", store.append(session, next.seq, [next]));
    expect([...open]).toEqual([]);
  });
});
