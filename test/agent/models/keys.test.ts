import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  dropKey,
  keepKey,
  keysPath,
  readKeys,
  requireRoomForKeys,
} from "../../../src/agent/models/access.ts";
import type { Disk } from "../../../src/disk/disk.ts";
import { realDisk } from "../../../src/disk/disk.ts";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { inTempFolder } from "../../../src/testing/temp-folder.ts";

const tools = { disk: realDisk, clock: systemClock };

describe("kept keys", () => {
  it("are in a file that only its owner can read, in a folder that is made for it", async () => {
    await inTempFolder((folder) => {
      const home = join(folder, "new", "home");
      keepKey(tools, { home, variable: "ANTHROPIC_API_KEY", key: " sk-1\n" });
      keepKey(tools, { home, variable: "OPENAI_API_KEY", key: "sk-2" });
      expect(statSync(keysPath(home)).mode & 0o777).toBe(0o600);
      expect(JSON.parse(readFileSync(keysPath(home), "utf8"))).toEqual({
        ANTHROPIC_API_KEY: "sk-1",
        OPENAI_API_KEY: "sk-2",
      });
      expect(readKeys(home, {}).find("OPENAI_API_KEY")).toEqual({ key: "sk-2", from: "file" });
    });
  });

  it("come after those of the environment", async () => {
    await inTempFolder((home) => {
      keepKey(tools, { home, variable: "OPENAI_API_KEY", key: "kept" });
      const keys = readKeys(home, { OPENAI_API_KEY: "set", ANTHROPIC_API_KEY: "" });
      expect(keys.find("OPENAI_API_KEY")).toEqual({ key: "set", from: "environment" });
      expect(keys.find("ANTHROPIC_API_KEY")).toBeUndefined();
    });
  });

  it("are refused in our words, and leave nothing, where the disk is full", async () => {
    await inTempFolder((home) => {
      const full: Disk = Object.assign(Object.create(realDisk), {
        write: () => {
          throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
        },
      });
      const place = { home, variable: "OPENAI_API_KEY", key: "sk-1" };
      const error = expect.objectContaining({
        code: "STORE_FULL",
        hint: expect.stringContaining("Free some disk space"),
      });
      expect(() => requireRoomForKeys({ ...tools, disk: full }, home)).toThrow(error);
      expect(() => keepKey({ ...tools, disk: full }, place)).toThrow(error);
      expect(readdirSync(home)).toEqual([]);
      requireRoomForKeys(tools, home);
      expect(readdirSync(home)).toEqual([]);
    });
  });

  it("are dropped one by one", async () => {
    await inTempFolder((home) => {
      expect(dropKey(tools, { home, variable: "OPENAI_API_KEY" })).toBe("not-kept");
      keepKey(tools, { home, variable: "OPENAI_API_KEY", key: "one" });
      keepKey(tools, { home, variable: "ANTHROPIC_API_KEY", key: "two" });
      expect(dropKey(tools, { home, variable: "OPENAI_API_KEY" })).toBe("dropped");
      expect(dropKey(tools, { home, variable: "toString" })).toBe("not-kept");
      expect(JSON.parse(readFileSync(keysPath(home), "utf8"))).toEqual({ ANTHROPIC_API_KEY: "two" });
      expect(statSync(keysPath(home)).mode & 0o777).toBe(0o600);
    });
  });

  it("are refused, and not shown, when others can read them", async () => {
    await inTempFolder((home) => {
      keepKey(tools, { home, variable: "OPENAI_API_KEY", key: "sk-secret" });
      chmodSync(keysPath(home), 0o644);
      expect(() => readKeys(home, {}).find("OPENAI_API_KEY")).toThrow(
        expect.objectContaining({ code: "MODEL_KEY", hint: expect.stringContaining("chmod 600") }),
      );
      expect(() => dropKey(tools, { home, variable: "OPENAI_API_KEY" })).toThrow(
        expect.objectContaining({ code: "MODEL_KEY", hint: expect.stringContaining("chmod 600") }),
      );
    });
  });

  it.each(['{"OPENAI_API_KEY": sk-secret', '["sk-secret"]'])(
    "are not quoted if the file is not a JSON object: %s",
    async (text) => {
      await inTempFolder((home) => {
        writeFileSync(keysPath(home), text, { mode: 0o600 });
        try {
          readKeys(home, {}).find("OPENAI_API_KEY");
          expect.unreachable();
        } catch (error) {
          expect(error).toMatchObject({ code: "MODEL_KEY" });
          expect(`${String(error)}${JSON.stringify(error)}`).not.toContain("sk-secret");
        }
      });
    },
  );

  it.each(["", "  ", "two words", "line\nbreak"])("take no such thing as %j", async (key) => {
    await inTempFolder((home) => {
      expect(() => keepKey(tools, { home, variable: "X", key })).toThrow(
        expect.objectContaining({ code: "INPUT_INVALID" }),
      );
    });
  });
});
