import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { performForget } from "../../../src/machine/forget/perform-forget.ts";
import { planForget } from "../../../src/machine/forget/plan-forget.ts";
import { viewSession } from "../../../src/machine/open.ts";
import type { Session } from "../../../src/machine/session.ts";
import { isWorldlineError } from "../../../src/record/error.ts";
import type { Json } from "../../../src/record/parts.ts";
import { begin, codeOf, holding, linesOf, type Place, stores } from "../exchange/support.ts";
import { filesWith } from "./raw-search.ts";

const SECRET = "sk-live-9f8e7d6c";
const request = { what: "text", text: SECRET } as const;
const LONG = "nothing to see in this long text, which therefore stays exactly as it is, in its blob";

/** A session with the secret in every place that can hold one. */
async function leakySession(place: Place): Promise<Session> {
  const session = await begin(place.deps);
  const { entry } = await session.prompt(`my key is ${SECRET}, and again ${SECRET}`);
  const step = await session.step();
  const input: Json = { command: `curl -H ${SECRET}`, [`key ${SECRET}`]: [{ deep: SECRET }], pin: 42 };
  await session.reply({
    parts: [
      { type: "thinking", text: `use ${SECRET}`, signature: "signed" },
      { type: "text", text: `I use ${SECRET}` },
      { type: "tool-call", call: "c1", name: "Bash", input },
      { type: "tool-call", call: "c2", name: "Bash", input: {}, malformed: `{"a": "${SECRET}` },
    ],
    model: "scripted",
  });
  await session.toolStart("c1", "Bash", { input });
  const data = Buffer.from(`a picture of ${SECRET}`).toString("base64");
  await session.toolEnd("c1", "ok", [
    { type: "text", text: `${"x".repeat(110)}${SECRET}${"y".repeat(3_000)}` },
    { type: "image", mediaType: "image/png", data },
  ]);
  await session.toolEnd("c2", "error", LONG);
  await session.append({ kind: "notice", text: `noted ${SECRET}` });
  await session.append({ kind: "error", code: "PROVIDER", message: `401 for ${SECRET}`, hint: SECRET });
  await session.append({ kind: "host", host: "claude", hostSession: SECRET, message: SECRET });
  await session.todos([{ text: `rotate ${SECRET}`, status: "doing" }]);
  await session.requestBacktrack("c3", {
    to: step,
    note: `the key is ${SECRET}`,
    rationale: SECRET,
    files: "keep",
  });
  await session.endStep({ changed: [`${SECRET}.env`], running: [`curl ${SECRET}`] });
  await session.label(1, `with ${SECRET}`);
  await session.retitle(`About ${SECRET}`);
  await session.append({
    kind: "compaction",
    summary: `The key is ${SECRET}.`,
    focus: SECRET,
    firstKept: entry,
    pinned: [],
    reason: "asked",
    tokensBefore: 0,
    kept: 0,
  });
  return session;
}

describe.each(stores)("forgetting a text in a store of $name", ({ open }) => {
  let place: Place;
  beforeEach(() => {
    place = open();
  });
  afterEach(async () => place.close());

  it("takes it out of every place, and leaves everything else as it was", async () => {
    const session = await leakySession(place);
    await session.close();
    const before = await linesOf(place.deps.store, session.id);
    const report = await performForget(place.deps, request, holding);
    expect(report).toMatchObject({ inTrash: [], left: [], unseen: [] });
    const after = await linesOf(place.deps.store, session.id);
    const place_ = ({ seq, id, parent, at, kind }: (typeof before)[number]): unknown => [
      seq,
      id,
      parent,
      at,
      kind,
    ];
    expect(after.map(place_)).toEqual(before.map(place_));
    const changed = after.filter((entry) => entry.forgotten !== undefined);
    expect(changed.map((entry) => entry.kind)).toEqual(
      "prompt reply tool-start tool-end notice error host todos backtrack label title compaction".split(" "),
    );
    expect(after.filter((entry) => entry.forgotten === undefined)).toEqual(
      before.filter((entry) => !changed.some((one) => one.seq === entry.seq)),
    );
    const view = await viewSession(place.deps.store, session.id);
    const everything: unknown[] = [];
    for await (const entry of view.all()) everything.push(entry);
    expect(JSON.stringify(everything)).not.toContain(SECRET);
    expect(JSON.stringify(everything)).toContain(LONG);
    expect(await place.deps.store.verify(session.id)).toEqual([]);
    if (place.root !== undefined) expect(filesWith(place.root, SECRET)).toEqual([]);
    if (place.root !== undefined) expect(filesWith(place.root, SECRET.slice(0, 10))).toEqual([]);
  });

  it("counts, drops a signature with what it signed, and an image as a whole", async () => {
    const session = await leakySession(place);
    await session.close();
    await performForget(place.deps, request, holding);
    const entries = await (await viewSession(place.deps.store, session.id)).entries(
      (await linesOf(place.deps.store, session.id)).map((entry) => entry.seq),
    );
    const [, , prompt, , reply, , end] = entries;
    expect(prompt).toMatchObject({
      parts: [{ type: "text", text: "my key is [forgotten], and again [forgotten]" }],
      forgotten: { times: 2 },
    });
    expect(reply).toMatchObject({ forgotten: { times: 6 } });
    expect(reply?.kind === "reply" && reply.parts[0]).toEqual({ type: "thinking", text: "use [forgotten]" });
    expect(reply?.kind === "reply" && reply.parts[2]).toMatchObject({
      input: { command: "curl -H [forgotten]", "key [forgotten]": [{ deep: "[forgotten]" }], pin: 42 },
    });
    expect(end?.kind === "tool-end" && end.parts[1]).toEqual({ type: "text", text: "[forgotten]" });
  });

  it("plans without changing anything, and names what it found", async () => {
    const session = await leakySession(place);
    const other = await begin(place.deps);
    await other.prompt("nothing here");
    const before = await linesOf(place.deps.store, session.id);
    expect(await planForget(place.deps.store, request)).toEqual({
      request,
      findings: [{ session: session.id, entries: 12, times: expect.any(Number) }],
      inTrash: [],
      unseen: [],
      mayKnow: [],
      hostSessions: [],
      files: {
        contents: 0,
        snapshots: 0,
        places: [],
        inWorkspace: [],
        inNames: 0,
        labels: 0,
        unreadable: 0,
        unlisted: [],
      },
    });
    expect(await linesOf(place.deps.store, session.id)).toEqual(before);
    await session.close();
    await other.close();
  });

  it("changes nothing while one of the sessions is held", async () => {
    const free = await leakySession(place);
    await free.close();
    const held = await begin(place.deps);
    await held.prompt(SECRET);
    const before = await linesOf(place.deps.store, free.id);
    const refusal = await performForget(place.deps, request, holding).catch((error: unknown) => error);
    expect(isWorldlineError(refusal, "SESSION_HELD") && refusal.message).toMatch(
      new RegExp(`Session ${held.id} is in use by a test.*Nothing was forgotten\\.$`),
    );
    expect(await linesOf(place.deps.store, free.id)).toEqual(before);
    await held.close();
    expect((await performForget(place.deps, request, holding)).sessions).toHaveLength(2);
  });

  it("looks through the trash, and leaves there what was there", async () => {
    const session = await leakySession(place);
    await session.close();
    await place.deps.store.trash(session.id, 5_000);
    const plan = await planForget(place.deps.store, request);
    expect(plan).toMatchObject({ findings: [], inTrash: [session.id] });
    const report = await performForget(place.deps, request, holding);
    expect(report.inTrash).toMatchObject([{ session: session.id }]);
    expect(await place.deps.store.list()).toEqual([]);
    expect(await place.deps.store.listTrash()).toEqual([{ session: session.id, at: 5_000 }]);
    if (place.root !== undefined) expect(filesWith(place.root, SECRET)).toEqual([]);
  });

  it("finds the rest of a secret that a quotation has cut", async () => {
    const session = await begin(place.deps);
    await session.prompt("say it");
    const step = await session.step();
    await session.reply({
      parts: [{ type: "text", text: `${"w".repeat(292)}${SECRET}` }],
      model: "scripted",
    });
    await session.requestBacktrack("c1", { to: step, note: "a note", files: "keep" });
    await session.endStep();
    await session.close();
    await performForget(place.deps, request, holding);
    const view = await viewSession(place.deps.store, session.id);
    const [backtrack] = await view.entriesOf("backtrack");
    expect(backtrack?.told).toEqual([`${"w".repeat(292)}[forgotten] …`]);
  });

  it("also finds a text that was written as JSON within a text", async () => {
    const text = 'pass"word\\1\nline';
    const session = await begin(place.deps);
    await session.prompt(`{"key": ${JSON.stringify(text)}} and ${text}`);
    await session.close();
    await performForget(place.deps, { what: "text", text }, holding);
    const [prompt] = await (await viewSession(place.deps.store, session.id)).entriesOf("prompt");
    expect(prompt?.parts).toEqual([{ type: "text", text: '{"key": "[forgotten]"} and [forgotten]' }]);
  });

  it("forgets a number in a tool's input, and no number of ours", async () => {
    const session = await begin(place.deps);
    const part = { type: "tool-call", call: "c", name: "Pay", input: { card: 4111111111111111 } } as const;
    await session.reply({ parts: [part], model: "scripted" });
    await session.close();
    await performForget(place.deps, { what: "text", text: "4111111111111111" }, holding);
    const [reply] = await (await viewSession(place.deps.store, session.id)).entriesOf("reply");
    expect(reply?.parts).toEqual([{ ...part, input: { card: "[forgotten]" } }]);
  });

  it("counts on when something else in the same entry is forgotten later", async () => {
    const session = await begin(place.deps);
    await session.prompt("first-secret and second-secret");
    await session.close();
    await performForget(place.deps, { what: "text", text: "first-secret" }, holding);
    await performForget(place.deps, { what: "text", text: "second-secret" }, holding);
    const [prompt] = await (await viewSession(place.deps.store, session.id)).entriesOf("prompt");
    expect(prompt?.forgotten?.times).toBe(2);
  });

  it.each([
    ["is empty", ""],
    ["is blank", "     "],
    ["is too short", "abc"],
    ["is part of the tombstone", "gotten"],
  ])("refuses a text that %s", async (_what, text) => {
    expect(await codeOf(planForget(place.deps.store, { what: "text", text }))).toBe("INPUT_INVALID");
  });

  it("refuses a text that holds sessions together, and changes nothing", async () => {
    const session = await begin(place.deps);
    const { tag } = session.header;
    await session.prompt(`parts 2026-01-01 ${tag} /work/project ${session.id}`);
    await session.close();
    const before = await linesOf(place.deps.store, session.id);
    for (const text of ["parts", "2026-01", tag, tag.slice(2, 8), "work/project", session.id]) {
      expect(await codeOf(performForget(place.deps, { what: "text", text }, holding)), text).toBe(
        "INPUT_INVALID",
      );
    }
    expect(await linesOf(place.deps.store, session.id)).toEqual(before);
  });

  it("says so when there is nothing to forget, without repeating the text", async () => {
    const session = await begin(place.deps);
    await session.prompt("nothing here");
    await session.close();
    const refusal = await performForget(place.deps, request, holding).catch((error: unknown) => error);
    expect(
      isWorldlineError(refusal, "NOTHING_TO_FORGET") && `${refusal.message} ${refusal.hint}`,
    ).not.toContain(SECRET);
  });
});
