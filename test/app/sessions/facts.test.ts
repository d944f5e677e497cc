import { writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sessionFacts } from "../../../src/app/sessions/facts.ts";
import { openStore } from "../../../src/app/sessions/store.ts";
import { viewSession } from "../../../src/machine/open.ts";
import { openSession } from "../../../src/open-session.ts";
import type { Holder } from "../../../src/ports/lease.ts";
import type { EntryOf } from "../../../src/record/entry.ts";
import { type EntryId, type SessionId, toSeq } from "../../../src/record/ids.ts";
import { openMemoryStore } from "../../../src/stores/memory.ts";
import { Story, sessionNumber } from "../../../src/testing/testing.ts";
import { Outline } from "../../../src/timeline/outline.ts";
import { playground } from "../../cli/support/command-line.ts";
import { tellConversation } from "../../cli/support/conversation.ts";
import { recordingContext } from "../support/recording-context.ts";

async function factsOf(place: ReturnType<typeof playground>, session: string) {
  const store = openStore(recordingContext(place).context);
  return sessionFacts(await viewSession(store, session as SessionId), store);
}

describe("the facts about a session", () => {
  it("count what it contains", async () => {
    const place = playground();
    const { home, workspace } = place;
    const session = await tellConversation({ home, workspace });
    const held = await openSession({ home, workspace, resume: session });
    const number = await held.checkpoint();
    await held.label(number, "green");
    await held.retitle("The leak");
    await held.close();
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u);
    const id = expect.stringMatching(/^\w{12}$/u);
    const facts = await factsOf(place, session);
    expect(facts).toEqual({
      id: session,
      title: "The leak",
      workspace: place.workspace,
      mode: "agent",
      prompts: 2,
      entries: expect.any(Number),
      checkpoints: 6,
      created: time,
      used: time,
      replies: 4,
      toolCalls: 2,
      compactions: 0,
      tokens: expect.any(Number),
      head: { seq: facts.entries, id, kind: "title", at: facts.used },
      checkpointKinds: { prompt: 2, manual: 1, step: 3 },
      labels: [{ number, label: "green" }],
      journeys: [{ seq: expect.any(Number), id, kind: "backtrack", at: time, state: expect.any(String) }],
      forkedFrom: null,
      imported: null,
      store: { kind: "files", name: place.home },
      folder: join(place.home, "sessions", session),
      files: expect.arrayContaining([{ file: "log.jsonl", bytes: expect.any(Number) }]),
      bytes: facts.files.reduce((sum, { bytes }) => sum + bytes, 0),
      heldBy: null,
      unfinished: null,
      damage: [],
    });
  });

  it("name its source, its holder and its damage", async () => {
    const store = openMemoryStore();
    const story = new Story(sessionNumber(1));
    const forkedFrom = { session: sessionNumber(2), entry: "000000000001" as EntryId };
    const imported = { from: "kimi-cli", name: "k1" };
    Object.assign(story.begin(), { forkedFrom, imported });
    const [first] = story.entries;
    await store.create(first as EntryOf<"session">);
    await store.append(story.session, toSeq(2), [
      story.prompt("one"),
      story.tell({ kind: "tool-start", call: "c1", name: "Bash" }),
      story.checkpoint(),
      story.tell({
        kind: "compaction",
        ...{ summary: "It leaks.", firstKept: story.last.id, pinned: [], reason: "asked" },
        ...{ tokensBefore: 0, kept: 0, estimate: 0 },
      }),
    ]);
    const damage = [{ what: "line", file: "", line: 3, bytes: 1, why: "It is damaged." }];
    const owner = { pid: 7, host: hostname(), name: "an agent", since: "2026-01-01T00:00:00.000Z" };
    const facts = async (holder: Holder | undefined) => {
      const held = Object.assign(Object.create(store), {
        verify: async () => damage,
        holder: async () => holder,
      });
      return sessionFacts(await viewSession(store, story.session), held);
    };
    const secret = { started: "x", boot: "y", token: "secret" };
    expect(await facts({ life: "living", owner: { ...owner, ...secret } })).toMatchObject({
      forkedFrom,
      imported,
      store: { kind: "memory", name: "memory" },
      folder: null,
      damage,
      heldBy: { life: "living", ...owner },
      compactions: 1,
      checkpointKinds: { prompt: 0, manual: 1, step: 0 },
      labels: [],
      journeys: [],
    });
    const { heldBy } = await facts({ life: "living", owner: { ...owner, ...secret } });
    expect(heldBy).toEqual({ life: "living", ...owner });
    expect((await facts({ life: "elsewhere" })).heldBy).toEqual({ life: "elsewhere" });
    expect((await facts(undefined)).heldBy).toBeNull();
  });

  it("have no head if no line can be read", async () => {
    const store = openMemoryStore();
    await store.create(new Story(sessionNumber(1)).begin());
    store.open = async () => ({ outline: new Outline(), damage: [] });
    const view = await viewSession(store, sessionNumber(1));
    expect(await sessionFacts(view, store)).toMatchObject({ head: null, entries: 0 });
  });

  it("say what a killed program left unfinished", async () => {
    const place = playground();
    const session = await openSession({ home: place.home, workspace: place.workspace });
    await session.prompt("one");
    await session.toolStart("c1", "Bash");
    await session.close();
    writeFileSync(join(place.home, "sessions", session.id, "lock"), "half a lo");
    expect(await factsOf(place, session.id)).toMatchObject({
      unfinished: { step: expect.any(Number), calls: [expect.objectContaining({ name: "Bash" })] },
      heldBy: { life: expect.any(String) },
    });
  });
});
