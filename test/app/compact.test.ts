import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type CompactionRequest, compactConversation, previewCompaction } from "../../src/app/compact.ts";
import { openStore } from "../../src/app/sessions/store.ts";
import { printPerson } from "../../src/cli/commands/agent/print-person.ts";
import { KEPT_BY_SDK } from "../../src/hosts/claude-agent-sdk/turn/compaction.ts";
import { viewSession } from "../../src/machine/open.ts";
import { openSession } from "../../src/open-session.ts";
import { type Part, textPart } from "../../src/record/parts.ts";
import { openModelServer } from "../../src/testing/model-server/model-server.ts";
import { type Responder, scripted } from "../../src/testing/model-server/script.ts";
import { type Workshop, workshop } from "../cli/support/workshop.ts";
import { contextAt } from "./support/context-at.ts";

const person = printPerson(() => undefined);
const image: Part = { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" } as Part;

/** An agent's session with five long replies to one prompt. */
async function talked(place: Workshop, parts: readonly Part[] | string = "Tell me a\nlong story.") {
  const { home, workspace } = place;
  const session = await openSession({ home, workspace, system: "Be brief.", resume: "new" });
  await session.prompt(parts);
  for (let index = 0; index < 5; index += 1) {
    await session.step();
    await session.reply({ model: "m", parts: [textPart("And then it rained. ".repeat(50))] });
  }
  await session.close();
  return session.id;
}

interface Given {
  readonly place?: Workshop;
  readonly settings?: Record<string, string>;
  readonly cancelled?: AbortSignal;
  readonly request?: Partial<CompactionRequest>;
}

/** A long conversation, and a model that answers with `responder`. */
async function compacting(responder: Responder, { place = workshop(), settings, cancelled }: Given = {}) {
  const server = await openModelServer(responder);
  onTestFinished(async () => server.close());
  const id = await talked(place);
  const model = server.modelFor("anthropic");
  const environment = {
    WORLDLINE_HOME: place.home,
    PATH: process.env["PATH"] ?? "",
    ...server.environment("anthropic"),
  };
  const { context, notices, progress } = contextAt(place, {
    common: { settings: { model, ...settings } },
    surroundings: { environment, ...(cancelled === undefined ? {} : { cancelled }) },
  });
  const view = async () => viewSession(openStore(context), id);
  const compact = async (request: Partial<CompactionRequest> = {}) =>
    compactConversation(context, await view(), { focus: "", model: undefined, person, ...request });
  return { ...place, context, notices, progress, server, model, view, compact };
}

const rained = scripted({ text: "It rained." }, { text: "It rained on." });

describe("previewing a compaction", () => {
  it("returns what a summary would replace, and what it would keep", async () => {
    const { context, view } = await compacting(rained);
    const { cut, keep, prompts } = await previewCompaction(context, await view());
    expect([keep, prompts]).toEqual([2, ["Tell me a long story."]]);
    expect(cut.pinned.map(({ kind }) => kind)).toEqual(["prompt"]);
  });

  it("keeps at least one exchange, and the number of exchanges in the settings", async () => {
    const { context, view } = await compacting(rained, { settings: { "compaction.keep": "0" } });
    expect(await previewCompaction(context, await view())).toMatchObject({ keep: 1 });
    const more = contextAt(
      { home: context.home, workspace: await context.workspace() },
      {
        common: { settings: { "compaction.keep": "9" } },
      },
    );
    await expect(previewCompaction(more.context, await view())).rejects.toMatchObject({
      reason: "nothing-to-compact",
      params: { kept: 9 },
    });
  });

  it("leaves out prompts without text", async () => {
    const place = workshop();
    const id = await talked(place, [image]);
    const { context } = contextAt(place);
    const { cut, prompts } = await previewCompaction(context, await viewSession(openStore(context), id));
    expect([cut.pinned.length, prompts]).toEqual([1, []]);
  });
});

describe("compacting a conversation", () => {
  it("returns the tokens before and after, and the model with its usage", async () => {
    const { compact, model, progress, server, view, notices } = await compacting(rained);
    const before = (await view()).tokenCount;
    const compacted = await compact();
    expect(compacted).toEqual({
      outcome: "done",
      before: expect.any(Number),
      after: (await view()).tokenCount,
      model,
      usage: expect.objectContaining({ input: expect.any(Number), output: expect.any(Number) }),
    });
    expect(compacted.before).toBe(before);
    expect(compacted.after).toBeLessThan(before);
    expect(progress).toContainEqual({ doing: "summarize", model });
    expect(progress.at(-1)).toBe("done");
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.messages[0]?.text).not.toContain("particular detail");
    expect(notices).toEqual([]);
  });

  it("asks for detail about the topic that is named", async () => {
    const { compact, server } = await compacting(rained);
    await compact({ focus: "the rain" });
    expect(server.requests[0]?.messages[0]?.text).toContain("particular detail: the rain");
  });

  it("is done by the model that is named, instead of the one in the settings", async () => {
    const { compact, model } = await compacting(rained, { settings: { model: "anthropic/not-this-one" } });
    expect(await compact({ model })).toMatchObject({ model });
  });

  it("is done by the main model if the one for summaries fails", async () => {
    const failing: Responder = ({ model: asked }) =>
      asked === "fails" ? { misbehave: { do: "empty" } } : { text: "It rained." };
    const { compact, model, server } = await compacting(failing, {
      settings: { "compaction.model": "anthropic/fails" },
    });
    expect(await compact()).toMatchObject({ model });
    expect(server.requests.map(({ model: asked }) => asked).slice(0, 2)).toEqual(["fails", "fails"]);
  });

  it("fails with the reason if there is no usable summary", async () => {
    const { compact, view } = await compacting(() => ({ misbehave: { do: "empty" } }));
    const before = (await view()).tokenCount;
    await expect(compact()).rejects.toMatchObject({
      reason: "compaction-failed",
      params: { code: expect.any(String), why: expect.stringContaining("empty reply") },
    });
    expect((await view()).tokenCount).toBe(before);
  });

  it("fails if another program has compacted it in the meantime", async () => {
    const { context, compact, view } = await compacting(rained);
    const old = await view();
    await compact();
    const again = compactConversation(context, old, { focus: "", model: undefined, person });
    await expect(again).rejects.toMatchObject({ reason: "nothing-to-compact", params: { kept: 2 } });
  });
});

describe("the files before a compaction", () => {
  it("are captured in a checkpoint of their own if they have changed", async () => {
    const { compact, view, put, data } = await compacting(rained);
    put("a.txt", "one\n");
    await compact();
    const { outline } = await view();
    expect(outline.linesOf("checkpoint")).toHaveLength(2);
    const { checkpoints } = await data("checkpoints");
    expect(checkpoints[0]).toMatchObject({ number: 7, on: "manual", files: { state: "complete" } });
    const stored = await (await view()).storedEntries(outline.linesOf("snapshot"));
    expect(stored).toMatchObject([{ checkpoint: 7, author: "outside" }]);
  });

  it("are not captured again if the timeline has them, or if files are not captured at all", async () => {
    const known = await compacting(rained);
    await known.worldline("checkpoint");
    await known.compact();
    expect((await known.view()).outline.linesOf("checkpoint")).toHaveLength(2);
    const off = await compacting(rained, { settings: { enableFileCheckpointing: "false" } });
    await off.compact();
    expect((await off.view()).outline.linesOf("checkpoint")).toHaveLength(1);
    expect(off.notices).toEqual([]);
  });

  it("do not prevent the compaction if they cannot be captured", async () => {
    const place = workshop();
    mkdirSync(join(place.home, "snapshots"), { recursive: true });
    writeFileSync(join(place.home, "snapshots", "segments"), "");
    const { compact, notices, model } = await compacting(rained, { place });
    place.put("a.txt", "one\n");
    expect(await compact()).toMatchObject({ model });
    expect(notices).toEqual([
      { code: "without-files", problem: expect.objectContaining({ code: "STORE_UNREADABLE" }) },
    ]);
  });

  it("are not captured, and nothing is compacted, if the user cancels", async () => {
    const { compact, notices, server } = await compacting(rained, { cancelled: AbortSignal.abort() });
    await expect(compact()).rejects.toMatchObject({ code: "CANCELLED" });
    expect([notices, server.requests]).toEqual([[], []]);
  });
});

describe("a conversation of the Claude Agent SDK", () => {
  const claude = { kind: "host", host: "claude", hostSession: "s1", message: "u1" } as const;

  it("has no preview, and is not compacted if the SDK would keep everything", async () => {
    const place = workshop();
    const { home, workspace } = place;
    const session = await openSession({ home, workspace, system: "Be brief.", resume: "new" });
    await session.prompt("Hello.", claude);
    await session.close();
    const { context } = contextAt(place);
    const view = await viewSession(openStore(context), session.id);
    await expect(previewCompaction(context, view)).rejects.toMatchObject({
      reason: "compaction-not-foreseen",
    });
    const compacted = compactConversation(context, view, { focus: "", model: undefined, person });
    await expect(compacted).rejects.toMatchObject({
      reason: "nothing-to-compact",
      params: { kept: KEPT_BY_SDK },
    });
  });
});
