import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { viewSession } from "../../../src/machine/open.ts";
import { newEntryId, type SessionId } from "../../../src/record/ids.ts";
import { openFilesStore } from "../../../src/stores/files/files.ts";
import { playground } from "../support/command-line.ts";
import { tellConversation } from "../support/conversation.ts";

async function told() {
  const place = playground();
  const { home, workspace, worldline } = place;
  const session = (await tellConversation({ home, workspace })) as SessionId;
  const log = join(home, "sessions", session, "log.jsonl");
  return {
    ...place,
    session,
    store: () => openFilesStore({ root: home, clock: systemClock }),
    /** Changes lines in place, as a failing disk would, without touching the index. */
    damage: (...texts: readonly string[]) => {
      const spoil = (content: string, text: string) => content.replace(text, text.toUpperCase());
      writeFileSync(log, texts.reduce(spoil, readFileSync(log, "utf8")));
    },
    data: async (line: string) => JSON.parse((await worldline(`${line} --json`)).stdout),
  };
}

describe("damage that came after the index was made", () => {
  it.each(["context", "log", "sessions search pool", "sessions export --format markdown"])(
    "is reported by `%s`, once, with file and line",
    async (line) => {
      const { damage, worldline, session } = await told();
      damage("Fixed in pool.ts.");
      const { code, stderr } = await worldline(line);
      const warnings = stderr.split("\n").filter((each) => each.includes("damaged"));
      expect({ code, warnings }).toEqual({
        code: 0,
        warnings: [
          `warning: The log of session ${session} has been damaged; the rest is shown. ` +
            "log.jsonl line 13 cannot be read: The checksum does not match the line.",
        ],
      });
    },
  );

  it("is in the data, and among its warnings", async () => {
    const { damage, data } = await told();
    damage("Fixed in pool.ts.");
    const { damage: found, warnings } = await data("log");
    expect(found).toMatchObject([{ what: "line", file: "log.jsonl", line: 13 }]);
    expect(warnings).toEqual([expect.stringContaining("log.jsonl line 13")]);
  });

  it("is shown by `log` in its place, together with everything after it", async () => {
    const { damage, worldline } = await told();
    damage("I read it.", "Fixed in pool.ts.");
    const { stdout } = await worldline("log");
    const shown = stdout.split("\n").map((line) => line.replace(/^ *(\d+|\S \S+ line \d+) .*/u, "$1"));
    expect(shown.slice(3, 6)).toEqual(["4", "✘ log.jsonl line 5", "6"]);
    expect(shown.slice(11, 14)).toEqual(["12", "✘ log.jsonl line 13", "14"]);
  });

  it("is looked for by `sessions show`, in lines that it does not show too", async () => {
    const { damage, data, worldline } = await told();
    damage("Fixed in pool.ts.");
    expect((await data("sessions show")).damage).toMatchObject([{ file: "log.jsonl", line: 13 }]);
    expect((await worldline("sessions show")).stdout).toContain("log.jsonl line 13 cannot be read");
  });

  it("is reported for the first line too", async () => {
    const { damage, worldline } = await told();
    damage("Be brief.");
    const { stderr } = await worldline("sessions show");
    expect(stderr).toContain("has 1 damaged place");
  });

  it("is not reported by commands that did not read it", async () => {
    const { damage, worldline } = await told();
    damage("I read it.");
    expect((await worldline("context")).stderr).not.toContain("damaged");
  });
});

describe("entries of kinds that this version does not know", () => {
  it("are reported once for each session that is opened, and can be listed", async () => {
    const { store, session, worldline } = await told();
    const { outline } = await store().open(session);
    const foreign = {
      seq: outline.nextSeq,
      id: newEntryId((count) => new Uint8Array(count)),
      parent: outline.head?.id ?? null,
      at: "2026-01-01T00:00:00.000Z",
      kind: "foreign" as const,
      foreignKind: "teleport",
      fields: {},
    };
    await store().append(session, outline.nextSeq, [foreign]);
    const { code, stderr } = await worldline("context");
    expect(code).toBe(0);
    expect(stderr.split("\n").filter((line) => line.startsWith("warning:"))).toEqual([
      `warning: Session ${session} has 1 entry of kinds that this version does not recognize; they are kept but ignored.`,
    ]);
    expect((await viewSession(store(), session)).foreign).toEqual([18]);
  });
});
