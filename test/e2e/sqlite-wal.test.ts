import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sessionNumber } from "../../src/testing/testing.ts";
import { bundleProgram } from "../crash/children/bundle.ts";
import { startChild } from "../crash/children/child.ts";
import { machine } from "./binary.ts";

it.each([[["-wal"]], [["-wal", "-shm"]]])(
  "what a killed program wrote is not lost silently if %j is removed",
  async (ends) => {
    const { home, temporary, worldline } = machine();
    const database = join(temporary, "sessions.db");
    const store = ["--store", `sqlite:${database}`];
    const writer = new URL("../stores/sqlite/children/writer.ts", import.meta.url);
    const script = await bundleProgram(writer, temporary);
    await startChild(script, [`sqlite:${database}`, home, "1", "1", "2", "well"]).ended;
    await startChild(script, [`sqlite:${database}`, home, "1", "3", "5", "killed"]).ended;
    for (const end of ends) rmSync(`${database}${end}`);
    const missing = `3 acknowledged entries in 1 session (${sessionNumber(1)}) are missing`;

    const looked = await worldline([...store, "doctor"]);
    expect(looked.code).toBe(1);
    expect(looked.stdout).toContain(missing);
    const listed = await worldline([...store, "sessions", "list", "--all"]);
    expect(listed).toMatchObject({ code: 0, stderr: expect.stringContaining("3 acknowledged entries") });
    const written = await worldline([...store, "sessions", "rename", sessionNumber(1), "again"]);
    expect(written).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is missing its last 3 acknowledged entries"),
    });

    const fixed = await worldline([...store, "doctor", "--fix"]);
    expect(fixed.stdout).toContain("The loss of 3 acknowledged entries in 1 session was accepted");
    expect(await worldline([...store, "sessions", "rename", sessionNumber(1), "again"])).toMatchObject({
      code: 0,
    });
    expect((await worldline([...store, "doctor"])).code).toBe(0);
  },
);
