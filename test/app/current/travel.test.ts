import { describe, expect, it } from "vitest";
import { makeCheckpoint } from "../../../src/app/checkpoints/make-checkpoint.ts";
import type { JourneyProgress } from "../../../src/app/journeys/journey-types.ts";
import { openExecution } from "../../../src/open-execution.ts";
import { openSession } from "../../../src/open-session.ts";
import { frameOf } from "../../cli/support/frame-of.ts";
import { workshop } from "../../cli/support/workshop.ts";
import { openWorkshop, turn } from "../journeys/open-workshop.ts";

const restored = { restored: 1, created: 0, removed: 0, merged: 0, kept: 0, notRestorable: 0, failed: 0 };
const files = { ...restored, unrestored: [] };
const steps = [{ path: "a.txt", what: "changed", kind: "file", added: 1, removed: 1 }];

/** A session whose only turn changed "one" in a.txt to "two". */
async function changed() {
  const place = await openWorkshop();
  place.put("a.txt", "one\n");
  const number = await turn(place.session(), "make it two", () => place.put("a.txt", "two\n"));
  return { ...place, number, content: () => place.files()["a.txt"] };
}

describe("a rewind in the current session", () => {
  it("reports its progress, and the files alone bring no prompt back", async () => {
    const { journeys, session, number, content } = await changed();
    const seen: JourneyProgress[] = [];
    const request = { session: session().id, number, scope: "files" } as const;
    expect(await journeys.rewind(request, (progress) => seen.push(progress))).toStrictEqual({
      journey: expect.any(String),
      scope: "files",
      place: { number, at: expect.any(Number), label: undefined, text: "make it two", on: undefined },
      files,
      differ: 0,
    });
    expect(content()).toBe("one\n");
    for (const each of seen.filter(({ doing }) => doing === "capture"))
      expect(each).toEqual({ doing: "capture", done: expect.any(Number), of: expect.any(Number) });
    expect(seen.at(-1)).toMatchObject({ doing: "restore" });
  });

  it("of the conversation alone restores no files, and says how many tokens it frees", async () => {
    const { journeys, session, number, content } = await changed();
    const choices = new Map([["a.txt", "take"]] as const);
    const request = { session: session().id, number, scope: "conversation", choices } as const;
    const place = expect.objectContaining({ number });
    const { tokens = 0, ...preview } = await journeys.preview(request);
    expect(preview).toStrictEqual({ scope: "conversation", place, entries: expect.any(Number) });
    const before = session().tokenCount;
    expect(await journeys.rewind(request)).toStrictEqual({
      journey: expect.any(String),
      scope: "conversation",
      place,
      prompt: [{ type: "text", text: "make it two" }],
      differ: 1,
    });
    expect(tokens).toBeGreaterThan(0);
    // The next call of the model also learns of the rewind, so slightly less is free.
    expect(before - session().tokenCount).toBeLessThanOrEqual(tokens);
    expect(content()).toBe("two\n");
    expect(await journeys.previewRedo({})).not.toHaveProperty("tokens");
  });
});

describe("a redo in the current session", () => {
  it("is previewed and made for what the rewind changed", async () => {
    const { journeys, session, number, content } = await changed();
    const { journey } = await journeys.rewind({ session: session().id, number, scope: "both" });
    const place = { number: number + 2, at: expect.any(Number), label: undefined, text: "make it two" };
    const preview = {
      scope: "both",
      place,
      entries: expect.any(Number),
      files: expect.objectContaining({ steps, conflicts: [] }),
    };
    expect(await journeys.previewRedo({})).toStrictEqual(preview);
    expect(await journeys.previewRedo({ journey, scope: "files" })).toStrictEqual({
      ...preview,
      scope: "files",
      tokens: 0,
    });
    expect(await journeys.redo({}, () => undefined)).toStrictEqual({
      journey: expect.any(String),
      scope: "both",
      place,
      files,
      differ: 0,
    });
    expect(content()).toBe("two\n");
  });

  it("of the conversation alone restores no files", async () => {
    const { journeys, session, number, content } = await changed();
    await journeys.rewind({ session: session().id, number, scope: "both" });
    const choices = new Map([["a.txt", "take"]] as const);
    expect(await journeys.redo({ scope: "conversation", choices })).toStrictEqual({
      journey: expect.any(String),
      scope: "conversation",
      place: expect.objectContaining({ number: number + 2 }),
      differ: 1,
    });
    expect(content()).toBe("one\n");
  });

  it("leaves the files as they are if they are no longer captured, and says so", async () => {
    const place = await changed();
    const { id } = place.session();
    await place.journeys.rewind({ session: id, number: place.number, scope: "both" });
    await place.reopen();
    place.write("user", JSON.stringify({ enableFileCheckpointing: false }));
    const { journeys, reopen } = await openWorkshop(place);
    await reopen(id);
    expect(await journeys.previewRedo({})).toStrictEqual({
      scope: "conversation",
      place: expect.objectContaining({ number: place.number + 2 }),
      entries: expect.any(Number),
      filesStay: expect.objectContaining({ reason: "checkpointing-off" }),
    });
  });

  it("says which newer work it leaves", async () => {
    const { journeys, session, number } = await changed();
    const { journey } = await journeys.rewind({ session: session().id, number, scope: "conversation" });
    const { checkpoint } = await session().prompt("make it three");
    expect((await journeys.previewRedo({ journey })).newer).toStrictEqual({
      kind: "rewind",
      to: number,
      leaves: checkpoint,
    });
  });
});

describe("a rewind in another session", () => {
  it("names a session without a title by its id", async () => {
    const { journeys, session, home, workspace } = await openWorkshop();
    const other = await openSession({ home, workspace });
    await other.checkpoint();
    await other.checkpoint();
    await other.close();
    const request = { session: other.id, number: 1, scope: "conversation" } as const;
    expect((await journeys.preview(request)).opens).toStrictEqual({ session: other.id });
    const left = session().id;
    expect((await journeys.rewind(request)).visit).toStrictEqual({ left, opened: { session: other.id } });
  });

  it("holds a program's session only for the journey", async () => {
    const { journeys, session, put, home, workspace, files: content } = await openWorkshop();
    const execution = await openExecution("exec-1", { home, workspace, files: "on" });
    put("a.txt", "one\n");
    await execution.step("load", () => 1);
    put("a.txt", "two\n");
    await execution.step("write", () => 2);
    await execution.close();
    const here = session().id;
    const request = { session: execution.session as never, number: 1, scope: "both" } as const;
    expect(await journeys.preview(request)).toStrictEqual({
      scope: "both",
      place: { execution: "exec-1", step: "load" },
      entries: expect.any(Number),
      tokens: expect.any(Number),
      files: expect.objectContaining({ steps }),
    });
    expect(await journeys.rewind(request)).toStrictEqual({
      journey: expect.any(String),
      scope: "both",
      place: { execution: "exec-1", step: "load" },
      redo: execution.session,
      files,
      differ: 0,
    });
    expect([session().id, content()["a.txt"]]).toEqual([here, "one\n"]);
  });

  it("holds the workspace's own session only for the journey, and waits for nobody", async () => {
    const place = workshop();
    place.put("a.txt", "one\n");
    const made = await makeCheckpoint(frameOf(place), "one", "test");
    place.put("a.txt", "two\n");
    await makeCheckpoint(frameOf(place), "two", "test");
    const { journeys, session, files: content } = await openWorkshop(place);
    const request = { session: made.session, number: 1, scope: "files", choices: new Map() } as const;
    const here = session().id;
    const { opens } = await journeys.preview(request);
    expect(opens).toBeUndefined();
    expect(await journeys.rewind({ ...request, choices: new Map([["a.txt", "take"]]) })).toStrictEqual({
      journey: expect.any(String),
      scope: "files",
      place: { number: 1, at: expect.any(Number), label: "one", text: undefined, on: undefined },
      files,
      differ: 0,
    });
    expect([session().id, content()["a.txt"]]).toEqual([here, "one\n"]);
  });
});

describe("a journey while a turn runs", () => {
  it("is refused with the problem as its cause", async () => {
    const { journeys, busy } = await openWorkshop();
    busy("busy");
    const problem = expect.objectContaining({ code: "TURN_RUNNING" });
    await expect(journeys.ready()).rejects.toMatchObject({
      reason: "running-before-journey",
      params: { problem },
      cause: problem,
    });
  });
});
