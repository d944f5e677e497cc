import { appendFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { realDisk } from "../../../src/disk/disk.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import type { Ref } from "../../../src/snapshots/keeping/ref.ts";
import { Refs } from "../../../src/snapshots/keeping/refs.ts";
import { inTempFolder } from "../../../src/testing/testing.ts";
import { ONE, prompt, ref, TWO } from "./kept-scene.ts";

describe("references", () => {
  it("are there for the next reader, for all sessions and for one", async () => {
    await inTempFolder((folder) => {
      const journey: Ref = { ...ref(3), keptFor: { session: ONE, journey: "left" } };
      new Refs(realDisk, join(folder, "refs")).add([ref(1), ref(2, TWO), journey]);
      const refs = new Refs(realDisk, join(folder, "refs"));
      expect(refs.all()).toEqual([ref(1), journey, ref(2, TWO)]);
      expect(refs.of(TWO)).toEqual([ref(2, TWO)]);
      expect(refs.snapshotsOf(ONE)).toEqual([ref(1).snapshot, journey.snapshot]);
      expect(refs.damage()).toEqual([]);
    });
  });

  it("that were released are gone, and can be added again", async () => {
    await inTempFolder((folder) => {
      const refs = new Refs(realDisk, folder);
      refs.add([ref(1), ref(2)]);
      refs.release([ref(1)]);
      expect(refs.all()).toEqual([ref(2)]);
      refs.add([ref(1), ref(1)]);
      expect(refs.all()).toEqual([ref(2), ref(1)]);
    });
  });

  it("are released however many they are", async () => {
    await inTempFolder((folder) => {
      const refs = new Refs(realDisk, folder);
      refs.release(Array.from({ length: 130_000 }, (_, index) => ref(index)));
      expect(refs.all()).toEqual([]);
    });
  });

  it("take a label that was given before the capture was done, and lose it with an empty one", async () => {
    await inTempFolder((folder) => {
      const refs = new Refs(realDisk, folder);
      refs.label(ONE, 1, "later name");
      refs.add([{ ...ref(1), keptFor: { ...prompt(1), label: "first name" } as Ref["keptFor"] }]);
      expect(refs.of(ONE).map(({ keptFor }) => keptFor)).toEqual([{ ...prompt(1), label: "later name" }]);
      refs.label(ONE, 1, "");
      expect(refs.of(ONE)).toEqual([ref(1)]);
    });
  });

  it("of a session that is dropped are gone", async () => {
    await inTempFolder((folder) => {
      const refs = new Refs(realDisk, folder);
      refs.add([ref(1), ref(2, TWO)]);
      refs.dropSession(ONE);
      refs.dropSession(ONE);
      expect(refs.all()).toEqual([ref(2, TWO)]);
      refs.add([ref(1)]);
      expect(refs.of(ONE)).toEqual([ref(1)]);
    });
  });

  it("of a session in another store stay if the one here is dropped, and are not taken for its", async () => {
    await inTempFolder((folder) => {
      const refs = new Refs(realDisk, folder);
      const there: Ref = { ...ref(1), store: "0123456789abcdef" };
      refs.add([ref(1), there, ref(2, TWO)]);
      expect(refs.sessionsIn(undefined)).toEqual([ONE, TWO]);
      expect(refs.sessionsIn("0123456789abcdef")).toEqual([ONE]);
      refs.dropSession(ONE);
      refs.dropSession(TWO, "0123456789abcdef");
      expect(new Refs(realDisk, folder).all()).toEqual([there, ref(2, TWO)]);
      expect(refs.sessionsIn(undefined)).toEqual([TWO]);
      refs.dropSession(ONE, "0123456789abcdef");
      expect(refs.all()).toEqual([ref(2, TWO)]);
    });
  });

  it.each(["../../evil", "aaaaaaaaaa/x", "", "AAAAAAAAAA"])(
    "of a session called %j are refused",
    async (id) => {
      await inTempFolder((folder) => {
        const refs = new Refs(realDisk, folder);
        expect(() => refs.add([ref(1, id as SessionId)])).toThrow("is not a session id");
        expect(() => refs.of(id as SessionId)).toThrow("is not a session id");
        expect(() => refs.dropSession(id as SessionId)).toThrow("is not a session id");
      });
    },
  );

  it("cost one line if the end is torn, wherever that is, and what is added next is on its own line", async () => {
    await inTempFolder((folder) => {
      new Refs(realDisk, folder).add([ref(1), ref(2)]);
      const path = join(folder, `${ONE}.jsonl`);
      const whole = readFileSync(path);
      const secondAt = whole.indexOf("\n", 1) + 1;
      for (let length = secondAt + 1; length < whole.length - 1; length += 1) {
        writeFileSync(path, whole.subarray(0, length));
        const refs = new Refs(realDisk, folder);
        expect(refs.all()).toEqual([ref(1)]);
        refs.add([ref(3)]);
        expect(refs.all()).toEqual([ref(1), ref(3)]);
      }
      truncateSync(path, 0);
      writeFileSync(path, whole.subarray(0, whole.length - 1));
      expect(new Refs(realDisk, folder).all()).toEqual([ref(1), ref(2)]);
    });
  });

  it("that are damaged name the snapshot that they may have meant", async () => {
    await inTempFolder((folder) => {
      const refs = new Refs(realDisk, folder);
      refs.add([ref(1), ref(2)]);
      const path = join(folder, `${ONE}.jsonl`);
      writeFileSync(path, readFileSync(path, "utf8").replace('"checkpoint":2', '"checkpoint":9'));
      appendFileSync(path, "not a line\n");
      expect(refs.all()).toEqual([ref(1)]);
      expect(refs.damage()).toEqual([{ session: ONE, lines: 2, snapshots: [ref(2).snapshot] }]);
    });
  });

  it("that cannot be read are not taken for none", async () => {
    await inTempFolder((folder) => {
      mkdirSync(join(folder, `${ONE}.jsonl`));
      expect(() => new Refs(realDisk, folder).all()).toThrow("could not be read (EISDIR)");
    });
  });
});
