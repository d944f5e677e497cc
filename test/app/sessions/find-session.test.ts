import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { confirmSession } from "../../../src/app/sessions/confirm-session.ts";
import {
  chooseSession,
  contextOfSession,
  damageBeside,
  isOfPerson,
  namedSession,
  openNamed,
  openToAct,
  refuseExecution,
  requireSession,
  sessionsHere,
  warnOfUnread,
  withSession,
} from "../../../src/app/sessions/find-session.ts";
import { openStore } from "../../../src/app/sessions/store.ts";
import { newHeader, viewSession } from "../../../src/machine/open.ts";
import type { LogStore } from "../../../src/ports/log-store.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import { type SessionId, toSeq } from "../../../src/record/ids.ts";
import { openMemoryStore } from "../../../src/stores/memory.ts";
import { hinderedStore, ManualClock, Story, sessionNumber } from "../../../src/testing/testing.ts";
import { playground } from "../../cli/support/command-line.ts";
import { recordingContext } from "../support/recording-context.ts";
import { ruinLog } from "../support/ruin-log.ts";
import { writeForeign, writeSession } from "../support/write-session.ts";

type Given = Parameters<typeof recordingContext>[1];

function place(given: Given = {}) {
  const made = playground();
  return { ...made, ...recordingContext(made, given), store: openMemoryStore() };
}

/** Stores a session with one prompt. Of two sessions, the one with more prompts was used last. */
async function tell(
  store: LogStore,
  number: number,
  { workspace, prompts = 1 }: { readonly workspace: string; readonly prompts?: number },
): Promise<SessionId> {
  const story = new Story(sessionNumber(number));
  await store.create(story.begin(workspace));
  const told = Array.from({ length: prompts }, (_, each) => story.prompt(`prompt ${each + 1}`));
  await store.append(story.session, toSeq(2), told);
  return story.session;
}

const chosen = (id: SessionId, title = "prompt 1") => ({
  code: "session-chosen",
  session: { id, title, mode: "agent" },
});

describe("the session that a command works on", () => {
  it("is the one that was last used in the workspace, which is reported", async () => {
    const { context, notices, store, workspace } = place();
    expect(await chooseSession(context, store)).toBeUndefined();
    await expect(requireSession(context, store)).rejects.toEqual(
      new WorldlineError("no-checkpoints-yet", { workspace }),
    );
    await tell(store, 1, { workspace });
    const last = await tell(store, 2, { workspace, prompts: 2 });
    await tell(store, 3, { workspace: "/elsewhere", prompts: 3 });
    expect((await chooseSession(context, store))?.id).toBe(last);
    expect((await requireSession(context, store)).id).toBe(last);
    expect(notices).toEqual([chosen(last), chosen(last)]);
  });

  it("is the one that the user named, wherever it works", async () => {
    const { context, notices, store } = place({ common: { session: sessionNumber(1) } });
    await tell(store, 1, { workspace: "/elsewhere" });
    expect((await chooseSession(context, store))?.id).toBe(sessionNumber(1));
    expect((await openNamed(context, store, "PROMPT 1")).id).toBe(sessionNumber(1));
    expect(notices).toEqual([]);
    await expect(openNamed(context, store, "nothing")).rejects.toEqual(
      new WorldlineError("session-not-found", { wanted: "nothing" }),
    );
  });

  it("is named by its title", async () => {
    const { store } = place();
    const id = await tell(store, 1, { workspace: "/w" });
    expect(await namedSession(await viewSession(store, id))).toEqual(chosen(id).session);
  });
});

describe("a session from elsewhere", () => {
  it("can be read, but not used", async () => {
    const { context, home, workspace, notices } = place();
    const id = await writeForeign({ home, workspace }, sessionNumber(1));
    const store = openStore(context);
    expect((await openNamed(context, store, id)).id).toBe(id);
    const unconfirmed = new WorldlineError("session-unconfirmed", { session: id }, { session: id });
    await expect(openToAct(context, store, id)).rejects.toEqual(unconfirmed);
    const { header } = await viewSession(store, id);
    await expect(contextOfSession(context, header)).rejects.toEqual(unconfirmed);
    expect(notices).toEqual([]);
  });

  it("is passed over, with a notice if it would have been chosen", async () => {
    const shop = place();
    const { context, home, workspace, notices } = shop;
    const own = await writeSession(shop);
    await writeForeign({ home, workspace }, sessionNumber(1));
    const store = openStore(context);
    expect((await sessionsHere(context, store)).map(({ id }) => id)).toEqual([own]);
    expect(notices).toEqual([]);
    await store.trash(own, 1);
    await writeForeign({ home, workspace }, sessionNumber(2));
    await writeForeign({ home, workspace: "/elsewhere" }, sessionNumber(3));
    expect(await sessionsHere(context, store)).toEqual([]);
    expect(notices).toEqual([{ code: "sessions-passed-over", session: sessionNumber(2), count: 2 }]);
  });

  it("would have been chosen if it was used later than the session of this home", async () => {
    const shop = place();
    const { context, home, workspace, notices } = shop;
    const own = await writeSession(shop);
    const store = openStore(context);
    const { used } = await viewSession(store, own);
    const at = new Date(used).toISOString();
    await writeForeign({ home, workspace }, sessionNumber(1), { at });
    await sessionsHere(context, store);
    expect(notices).toEqual([]);
    const later = new Date(used + 1).toISOString();
    await writeForeign({ home, workspace }, sessionNumber(2), { at: later });
    await sessionsHere(context, store);
    expect(notices).toEqual([{ code: "sessions-passed-over", session: sessionNumber(2), count: 1 }]);
  });

  it("is found in the folder for which it was confirmed", async () => {
    const { context, home, root, workspace } = place();
    const id = await writeForeign({ home, workspace: join(root, "theirs") }, sessionNumber(1));
    const store = openStore(context);
    await confirmSession(context, store, await viewSession(store, id));
    const [found] = await sessionsHere(context, store);
    expect([found?.id, found?.header.workspace]).toEqual([id, workspace]);
  });
});

describe("the sessions of a workspace", () => {
  it("are in the order of their last use, without those of sub-agents and programs", async () => {
    const { context, store, workspace } = place();
    const first = await tell(store, 1, { workspace });
    const last = await tell(store, 2, { workspace, prompts: 2 });
    const header = (more: object) => ({
      ...newHeader(new ManualClock(), { workspace }),
      ...more,
    });
    await store.create(header({ session: sessionNumber(3), task: { session: first, call: "c1" } }));
    await store.create(header({ session: sessionNumber(4), mode: "execution" }));
    expect((await sessionsHere(context, store)).map(({ id }) => id)).toEqual([last, first]);
    expect([header({}), header({ mode: "workspace" })].map(isOfPerson)).toEqual([true, true]);
    expect([header({ mode: "execution" }), header({ task: {} })].map(isOfPerson)).toEqual([false, false]);
  });

  it("do not include a session that cannot be read, which is reported", async () => {
    const shop = place();
    const { context, home, notices } = shop;
    const [whole, ruined] = [await writeSession(shop), await writeSession(shop)];
    ruinLog(home, ruined);
    expect((await sessionsHere(context, openStore(context))).map(({ id }) => id)).toEqual([whole]);
    expect(notices).toEqual([
      {
        code: "session-broken",
        session: ruined,
        problem: expect.objectContaining({ code: "STORE_UNREADABLE" }),
      },
    ]);
  });

  it("do not include a session whose first line is lost, because it names no workspace", async () => {
    const { context, store, workspace, notices } = place();
    await tell(store, 1, { workspace });
    store.read = async () => [];
    expect(await sessionsHere(context, store)).toEqual([]);
    expect(notices).toEqual([]);
  });

  it("hide no error that is not Worldline's", async () => {
    const { context, store, workspace } = place();
    await tell(store, 1, { workspace });
    const bug = new TypeError("broken");
    const broken = hinderedStore(store, (call) => {
      if (call === "open") throw bug;
    });
    await expect(sessionsHere(context, broken)).rejects.toBe(bug);
  });
});

const damage = (line: number, file = "log.jsonl") =>
  ({ what: "line", file, line, bytes: 1, why: "It is damaged." }) as const;

describe("damage", () => {
  it("is reported when a session is opened, and again only if more is found", async () => {
    const { context, notices, store, workspace, endWork } = place();
    const id = await tell(store, 1, { workspace });
    let found = [damage(2)];
    const damaged = Object.assign(openMemoryStore(), {
      list: async () => [id],
      read: store.read,
      open: async (session: SessionId) => ({ ...(await store.open(session)), damage: found }),
    });
    const view = await openNamed(context, damaged, id);
    expect(notices).toEqual([{ code: "session-damaged", session: id, count: 1 }]);
    endWork();
    expect(notices).toHaveLength(1);
    found = [damage(2), damage(3)];
    Object.defineProperty(view, "damage", { get: () => found });
    endWork();
    expect(notices.slice(1)).toEqual([{ code: "session-damaged-since", session: id, damage: [damage(3)] }]);
    endWork();
    expect(notices).toHaveLength(2);
  });

  it("is new if its kind, its file or its line differ", () => {
    const known = [damage(1), damage(2)];
    const others = [damage(3), damage(1, "log.1.jsonl"), { ...damage(1), what: "blob" } as const];
    expect(damageBeside([...known, ...others], known)).toEqual(others);
  });

  it("does not include entries of newer versions, which are counted", async () => {
    const { context, notices, store, workspace } = place();
    const view = await viewSession(store, await tell(store, 1, { workspace }));
    warnOfUnread(context, Object.defineProperty(view, "foreign", { value: [{}, {}] }));
    expect(notices).toEqual([{ code: "session-foreign", session: view.id, count: 2 }]);
  });
});

describe("a session that is given as an argument", () => {
  it("means the same as the option, and must not contradict it", async () => {
    const { context, store } = place();
    const [one, two] = [await tell(store, 1, { workspace: "/w" }), await tell(store, 2, { workspace: "/w" })];
    expect(await withSession(context, store, undefined)).toBe(context);
    const asking = (session: string | undefined, other: string | undefined) =>
      withSession({ ...context, common: { ...context.common, session: other } }, store, session);
    const found = await asking(one.slice(0, 10), undefined);
    expect(found).toEqual({ ...context, common: { ...context.common, session: one } });
    expect((await asking(one, one)).common.session).toBe(one);
    await expect(asking(one, two)).rejects.toEqual(
      new WorldlineError("two-sessions-named", { session: one, other: two }),
    );
  });
});

describe("the context of a session", () => {
  it("is that of its workspace, which is reported if it is another one", async () => {
    const { context, notices, workspace, root } = place();
    const session = sessionNumber(1);
    expect(await contextOfSession(context, { session, workspace })).toBe(context);
    expect(notices).toEqual([]);
    const other = join(root, "other");
    mkdirSync(other);
    const found = await contextOfSession(context, { session, workspace: other });
    expect(await found.workspace()).toBe(other);
    expect(notices).toEqual([{ code: "session-elsewhere", session, workspace: other }]);
  });

  it("must not contradict the workspace that the user named", async () => {
    const made = playground();
    const { context, notices } = recordingContext(made, { common: { workspace: made.workspace } });
    const session = sessionNumber(1);
    await expect(contextOfSession(context, { session, workspace: "/other" })).rejects.toEqual(
      new WorldlineError("session-of-other-folder", { session, workspace: "/other", here: made.workspace }),
    );
    expect(await contextOfSession(context, { session, workspace: made.workspace })).toBe(context);
    expect(notices).toEqual([]);
  });
});

describe("a program's session", () => {
  it("is refused, by the id of its execution if it has one", () => {
    const header = { ...newHeader(new ManualClock(), { workspace: "/w", mode: "execution" }) };
    const { session } = header;
    expect(() => refuseExecution(header)).toThrow(
      new WorldlineError("execution-not-conversation", { id: session, session }),
    );
    expect(() => refuseExecution({ ...header, execution: { id: "nightly", scope: "w" } })).toThrow(
      new WorldlineError("execution-not-conversation", { id: "nightly", session }),
    );
    expect(() => refuseExecution({ ...header, mode: "agent" })).not.toThrow();
  });
});
