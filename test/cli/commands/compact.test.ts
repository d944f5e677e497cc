import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSession } from "../../../src/open-session.ts";
import { textPart } from "../../../src/record/parts.ts";
import { type ModelServer, openModelServer } from "../../../src/testing/model-server/model-server.ts";
import { type Responder, scripted, type Wire } from "../../../src/testing/model-server/script.ts";
import { playground } from "../support/command-line.ts";

async function talked(replies: number) {
  const place = playground();
  const { home, workspace } = place;
  const session = await openSession({ home, workspace, system: "Be brief." });
  await session.prompt("Tell me a\nlong story.");
  for (let index = 0; index < replies; index += 1) {
    await session.step();
    await session.reply({ model: "m", parts: [textPart("And then it rained. ".repeat(50))] });
  }
  await session.close();
  return { ...place, session: session.id };
}

async function serving(responder: Responder): Promise<ModelServer> {
  const server = await openModelServer(responder);
  onTestFinished(async () => server.close());
  return server;
}

const wires = ["anthropic", "chat", "responses"] as const;

/**
 * A session with five replies, and the compact command run against a model that answers with `responder`.
 */
async function compacting(wire: Wire, responder: Responder) {
  const place = await talked(5);
  const server = await serving(responder);
  const environment = server.environment(wire);
  const setting = `--setting model=${server.modelFor(wire)}`;
  const context = async () => JSON.parse((await place.worldline("context --json")).stdout).messages;
  return {
    ...place,
    server,
    context,
    before: await context(),
    compact: async (line = "") => place.worldline(`compact ${line} ${setting}`, { environment }),
  };
}

describe("worldline compact", () => {
  it("says when there is nothing to compact", async () => {
    const { worldline } = await talked(2);
    const { code, stderr } = await worldline("compact");
    expect(code).toBe(1);
    expect(stderr).toContain("error: Nothing to compact.\nhint: The last 2 exchanges are always kept.");
  });

  it("decides the same with and without --dry-run where a summary could not be shorter", async () => {
    const place = playground();
    const session = await openSession({ home: place.home, workspace: place.workspace, system: "Be brief." });
    for (let index = 0; index < 5; index += 1) {
      await session.prompt(`say ${index}`);
      await session.step();
      await session.reply({ model: "m", parts: [textPart("Ok.")] });
    }
    await session.todos([{ text: "Look at every single page of it. ".repeat(20), status: "open" }]);
    await session.close();
    const nothing = "error: Nothing to compact.\nhint: The last 2 exchanges are always kept.";
    for (const line of ["compact", "compact --dry-run"]) {
      const { code, stdout, stderr } = await place.worldline(line);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toContain(nothing);
    }
    const unnamed = await place.worldline(["compact", "--model", ""]);
    expect(unnamed).toMatchObject({
      code: 42,
      stderr: expect.stringContaining("error: --model was given without a model."),
    });
  });

  it("says beforehand what would be summarized and what kept, and changes nothing", async () => {
    const { worldline, everything } = await talked(5);
    const before = everything();
    const { code, stdout } = await worldline("compact --dry-run");
    expect([code, stdout.split("\n")]).toEqual([
      0,
      [
        expect.stringMatching(/^A summary would replace 3 entries, about \d{3} tokens\.$/u),
        "Kept as is: the last 2 exchanges (4 entries).",
        'Also kept: the prompt "Tell me a long story."',
        "Nothing was changed.",
        "",
      ],
    ]);
    expect(everything()).toEqual(before);
  });

  it("gives the same as data, and keeps as many exchanges as the settings say", async () => {
    const { session, worldline } = await talked(5);
    const { stdout } = await worldline("compact --dry-run --json --setting compaction.keep=3");
    expect(JSON.parse(stdout)).toEqual({
      session,
      changed: false,
      summarised: { entries: 2, tokens: expect.any(Number) },
      kept: { exchanges: 3, entries: 6, prompts: ["Tell me a long story."] },
    });
  });

  it("needs a model, and leaves the session as it was without one", async () => {
    const { worldline, session } = await talked(5);
    const log = async () => (await worldline(`log --json --session ${session}`)).stdout;
    const before = await log();
    const { code, stderr } = await worldline("compact the rain");
    expect(code).toBe(41);
    expect(stderr).toContain("hint: ");
    expect(await log()).toBe(before);
  });
});

describe.each(wires)("worldline compact, with a model on the wire of %s", (wire) => {
  it("shows the model the summary from then on, and says how much smaller the context is", async () => {
    const { compact, server, before, context } = await compacting(
      wire,
      scripted({ text: "It rained a lot." }),
    );
    const { code, stdout } = await compact("--json the rain");
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { changed: true, model: server.modelFor(wire) }]);
    const [summary, prompt, ...rest] = await context();
    expect(summary.parts[0].text).toContain("\n\n> It rained a lot.");
    expect(prompt.parts[0].text).toBe("Tell me a\nlong story.");
    expect(rest.filter(({ role }: { role: string }) => role === "assistant")).toEqual([
      before.at(-3),
      before.at(-1),
    ]);
    const [request] = server.requests;
    expect(request).toMatchObject({ tools: [], messages: [{ role: "user" }] });
    expect(request?.messages[0]?.text).toContain("in particular detail: the rain");
    expect(server.requests.map(({ refused }) => refused)).toEqual([undefined]);
  });

  it.each([
    ["says nothing", () => ({ misbehave: { do: "empty" } }), "sent an empty reply: no text and no tool call"],
    ["only thinks", () => ({ thinking: "hm", text: "<think>hm</think>" }), "it contains only thinking"],
    [
      "says more than there was",
      () => ({ text: "blah ".repeat(3_000) }),
      "it is longer than the text it replaces",
    ],
    [
      "repeats what it was told",
      (request) => ({ text: request.messages[0]?.text.replace(/^[\s\S]*<\/record-.*>/u, "") ?? "" }),
      "it only repeats the instructions",
    ],
    [
      "hits its limit",
      () => ({ text: "It rained", stop: "length" }),
      "it was cut off at the model's output limit",
    ],
  ] as const satisfies readonly (readonly [string, Responder, string])[])(
    "tries three times and leaves the context as it was when it %s",
    async (_, responder, why) => {
      const { compact, server, before, context } = await compacting(wire, responder);
      const { code, stderr } = await compact();
      expect([code, server.requests.length]).toEqual([1, 3]);
      expect(stderr).toContain("error: The conversation could not be compacted. ");
      expect(stderr).toContain(`${why}.\nhint: The context is unchanged.\n`);
      expect(await context()).toEqual(before);
    },
  );

  it("sends less when the provider says that it is too long", async () => {
    const tooLong = {
      anthropic: {
        type: "error",
        error: {
          type: "invalid_request_error",
          message: "prompt is too long: 250000 tokens > 200000 maximum",
        },
      },
      chat: {
        error: { message: "too long", type: "invalid_request_error", code: "context_length_exceeded" },
      },
      responses: {
        error: { message: "too long", type: "invalid_request_error", code: "context_length_exceeded" },
      },
    }[wire];
    const { compact, server } = await compacting(
      wire,
      scripted({ misbehave: { do: "status", status: 400, body: tooLong }, text: "It rained a lot." }),
    );
    expect((await compact()).code).toBe(0);
    const [first = 0, second = 0] = server.requests.map(({ bytes }) => bytes.length);
    expect(second).toBeLessThan(first);
  });
});

describe("worldline compact, before it summarizes", () => {
  async function withFile() {
    const place = await compacting("anthropic", scripted({ text: "It rained." }, { text: "It rained on." }));
    writeFileSync(join(place.workspace, "a.txt"), "one\n");
    const manual = async () => {
      const { checkpoints } = JSON.parse((await place.worldline("checkpoints --json")).stdout);
      const made = checkpoints.filter(({ on }: { on: string }) => on === "manual");
      return made.map(({ number, files }: { number: number; files: { state: string } }) => [
        number,
        files.state,
      ]);
    };
    return { ...place, manual };
  }

  it("captures files that have changed, in a separate checkpoint", async () => {
    const { compact, manual, worldline, workspace } = await withFile();
    expect((await compact()).code).toBe(0);
    expect(await manual()).toEqual([[7, "complete"]]);
    writeFileSync(join(workspace, "a.txt"), "two\n");
    expect(await worldline("rewind 7 --scope files --take --yes")).toMatchObject({ code: 0 });
    expect(readFileSync(join(workspace, "a.txt"), "utf8")).toBe("one\n");
  });

  it("makes none if the timeline has them already, or if files are not captured", async () => {
    const { compact, manual, worldline } = await withFile();
    await worldline("checkpoint");
    const before = await manual();
    expect((await compact()).code).toBe(0);
    expect(await manual()).toEqual(before);
    const off = await withFile();
    expect((await off.compact("--setting enableFileCheckpointing=false")).code).toBe(0);
    expect(await off.manual()).toEqual([]);
  });
});
