import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Check } from "../../../src/app/doctor/check.ts";
import { trashChecks } from "../../../src/app/doctor/trash-checks.ts";
import { openStore } from "../../../src/app/sessions/store.ts";
import { openSession } from "../../../src/open-session.ts";
import { playground } from "../../cli/support/command-line.ts";
import { recordingContext } from "../support/recording-context.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** A store with sessions that were deleted so many days ago. */
async function withTrash(...ages: readonly number[]) {
  const place = playground();
  const { context } = recordingContext(place);
  const store = openStore(context);
  const ids = [];
  for (const age of ages) {
    const session = await openSession({ home: place.home, workspace: place.workspace });
    await session.close();
    await store.trash(session.id, Date.now() - age * DAY_MS);
    ids.push(session.id);
  }
  const check = async (mode: "check" | "fix", days: number | undefined) =>
    trashChecks({ context, store, mode, days });
  return { ...place, context, store, ids, check };
}

type Given = readonly unknown[];
const fine = (count: number) => ({
  about: "trash",
  status: "ok",
  finding: { code: "trash", given: [count] },
});
const note = (code: string, ...given: Given) => ({
  about: "trash",
  status: "note",
  finding: { code, given },
});
const fixed = (code: string, ...given: Given) => ({ ...note(code, ...given), status: "fixed" });
const leftovers = (count: number) => ({
  ...note("leftovers", count),
  hint: { code: "leftoversHint", given: [] },
});

/** Folders that a killed program left while it created or removed a session. */
function leaveUnfinished(home: string) {
  for (const name of ["sessions/.new-one", "sessions/.gone-two", "trash/.gone-three"])
    mkdirSync(join(home, name), { recursive: true });
  for (const name of ["sessions/.other", "sessions/a.new-b", "trash/b.gone-c"])
    writeFileSync(join(home, name), "");
}

describe("the check of the trash", () => {
  it("counts the sessions in it, and reports those that are due", async () => {
    const { check, ids } = await withTrash(40, 10, 35);
    expect(await check("check", 60)).toEqual([fine(3)]);
    const [due, ...others] = (await check("check", 30)).slice(1);
    expect(await check("check", 30)).toEqual([
      fine(3),
      {
        ...note("trashExpired", expect.any(String), 30),
        hint: { code: "trashExpiredHint", given: [] },
        fixable: true,
      },
    ]);
    expect(others).toEqual([]);
    expect(namesIn(due)).toEqual([ids[0], ids[2]].sort());
  });

  it("removes those that are due, and nothing else, with a repair", async () => {
    const { check, ids, store } = await withTrash(40, 10, 35);
    expect(await check("fix", 60)).toEqual([fine(3)]);
    const [rest, removed] = await check("fix", 30);
    expect(rest).toEqual(fine(1));
    expect(removed).toEqual(fixed("trashRemoved", expect.any(String), 30));
    expect(namesIn(removed)).toEqual([ids[0], ids[2]].sort());
    expect((await store.listTrash()).map(({ session }) => session)).toEqual([ids[1]]);
  });

  it("removes nothing while it is unknown how long sessions are kept", async () => {
    expect(await (await withTrash()).check("fix", undefined)).toEqual([fine(0)]);
    const { check, home } = await withTrash(400);
    leaveUnfinished(home);
    expect(await check("fix", undefined)).toEqual([fine(1), note("trashUntouched"), leftovers(3)]);
    expect(await check("check", undefined)).toEqual([fine(1), note("trashUntouched"), leftovers(3)]);
  });

  it("counts what killed programs left, of which a repair removes what no program can be using", async () => {
    const { check, home } = await withTrash(1);
    leaveUnfinished(home);
    expect(await check("check", 30)).toEqual([fine(1), leftovers(3)]);
    expect(await check("fix", 30)).toEqual([fine(1), fixed("leftoversRemoved", 1), leftovers(2)]);
    expect(await check("fix", 30)).toEqual([fine(1), leftovers(2)]);
  });

  it("has nothing to say of a home without sessions, or with a file in place of their folder", async () => {
    const place = playground();
    const { context } = recordingContext(place);
    const check = async () => trashChecks({ context, store: openStore(context), mode: "check", days: 30 });
    expect(await check()).toEqual([fine(0)]);
    mkdirSync(place.home);
    writeFileSync(join(place.home, "sessions"), "");
    expect(await check()).toEqual([fine(0)]);
  });

  it("does not look for folders in a database", async () => {
    const place = playground();
    leaveUnfinished(place.home);
    const { context } = recordingContext(place, {
      common: { store: { kind: "sqlite", path: join(place.root, "sessions.db") } },
    });
    const store = openStore(context);
    expect(await trashChecks({ context, store, mode: "check", days: 30 })).toEqual([fine(0)]);
    await store.close();
  });
});

/** The names of the sessions that a finding lists, sorted. */
function namesIn(check: Check | undefined): readonly string[] {
  if (check?.finding.code !== "trashExpired" && check?.finding.code !== "trashRemoved") return [];
  return check.finding.given[0].split(", ").sort();
}
