import { describe, expect, it } from "vitest";
import { logOf } from "../../../src/app/queries/log.ts";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { viewSession } from "../../../src/machine/open.ts";
import { openSession } from "../../../src/open-session.ts";
import { openFilesStore } from "../../../src/stores/files/files.ts";
import { playground } from "../../cli/support/command-line.ts";

async function conversation() {
  const { home, workspace } = playground();
  const session = await openSession({ home, workspace, system: "Be brief." });
  for (const text of ["one", "two", "three"]) await session.prompt(text);
  await session.close();
  return viewSession(openFilesStore({ root: home, clock: systemClock }), session.id);
}

async function kindsOf(part: ReturnType<typeof logOf>) {
  const kinds: string[] = [];
  for await (const { entry } of part.items) kinds.push(entry?.kind ?? "damage");
  return kinds;
}

describe("the log of a session", () => {
  it("is everything, oldest first", async () => {
    const part = logOf(await conversation(), { branch: "all", kind: undefined, limit: 0 });
    const kinds = await kindsOf(part);
    expect(part.earlier).toBe(0);
    expect(kinds[0]).toBe("session");
    expect(kinds.filter((kind) => kind === "prompt")).toHaveLength(3);
  });

  it("is the newest entries of a kind, and counts those before them", async () => {
    const part = logOf(await conversation(), { branch: "here", kind: "prompt", limit: 2 });
    expect(part.earlier).toBe(1);
    expect(await kindsOf(part)).toEqual(["prompt", "prompt"]);
  });
});
