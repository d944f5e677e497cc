import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  type AgentEvent,
  isWorldlineError,
  type JourneyProgress,
  type OpenAgentOptions,
  openAgent,
} from "worldline";
import {
  type ModelServer,
  openModelServer,
  type Responder,
  scripted,
  tempFolder,
} from "../src/testing/testing.ts";

/** A folder with one file, a home, and a model that gives the test's replies. */
async function stage(responder: Responder) {
  const folder = tempFolder();
  const server = await openModelServer(responder);
  onTestFinished(async () => {
    await server.close();
    folder.remove();
  });
  const workspace = join(folder.path, "workspace");
  mkdirSync(workspace);
  writeFileSync(join(workspace, "notes.txt"), "mine\n");
  const open = async (options: OpenAgentOptions = {}) => {
    const agent = await openAgent({ ...placeOf(folder.path, workspace, server), ...options });
    onTestFinished(async () => agent.close());
    return agent;
  };
  return {
    open,
    server,
    read: (name: string) => readFileSync(join(workspace, name), "utf8"),
    exists: (name: string) => existsSync(join(workspace, name)),
    save: (name: string, text: string) => writeFileSync(join(workspace, name), text),
  };
}

function placeOf(folder: string, workspace: string, server: ModelServer): OpenAgentOptions {
  const environment = { PATH: process.env["PATH"], HOME: folder, ...server.environment("anthropic") };
  return { workspace, home: join(folder, "home"), environment, model: "anthropic/claude-haiku-4-5" };
}

const write = (...names: readonly string[]) => ({
  calls: names.map((name) => ({
    name: "Write",
    input: { file_path: name, content: `${name} by the agent` },
  })),
});

describe("an agent opened by a program", () => {
  it("asks the program before it changes a file, and tells it what happens", async () => {
    const { open, read } = await stage(scripted(write("new.txt"), { text: "Done." }));
    const events: AgentEvent[] = [];
    const asked: string[] = [];
    const agent = await open({
      onEvent: (event) => events.push(event),
      permission: ({ tool, about }) => {
        asked.push(`${tool} ${about}`);
        return { answer: "once" };
      },
    });
    const end = await agent.prompt("Make new.txt.");
    expect([end.outcome, end.answer, end.steps]).toEqual(["done", "Done.", 2]);
    expect(asked).toEqual(["Write new.txt"]);
    expect(read("new.txt")).toBe("new.txt by the agent");
    const kinds = events.flatMap((event) => (event.type === "entry" ? [event.entry.kind] : []));
    expect(kinds).toEqual(expect.arrayContaining(["prompt", "tool-start", "tool-end", "reply"]));
    expect(events.some(({ type }) => type === "turn-end")).toBe(true);
  });

  it("is refused without a model, with a hint for a program, and leaves no session", async () => {
    const folder = tempFolder();
    onTestFinished(() => folder.remove());
    const home = join(folder.path, "home");
    const environment = { PATH: process.env["PATH"], HOME: folder.path };
    const refused = openAgent({ workspace: folder.path, home, environment });
    await expect(refused).rejects.toMatchObject({
      code: "NO_MODEL",
      message: expect.stringContaining("ANTHROPIC_API_KEY"),
      hint: 'Set one of these variables, or pass a model: openAgent({ model: "ollama/<name>" })',
    });
    expect(existsSync(join(home, "sessions"))).toBe(false);
  });

  it("declines what it would have to ask where the program has no answer", async () => {
    const { open, server } = await stage(scripted(write("new.txt"), { text: "I could not." }));
    const agent = await open();
    expect((await agent.prompt("Make new.txt.")).outcome).toBe("done");
    const results = server.requests.at(-1)?.messages.at(-1)?.results ?? [];
    expect(results.map(({ text }) => text)).toEqual([
      expect.stringContaining("The program that runs this agent declined."),
    ]);
  });

  it("rewinds the conversation and the files, and redoes both", async () => {
    const { open, exists } = await stage(scripted(write("new.txt"), { text: "Done." }));
    const agent = await open({ mode: "accept-edits" });
    await agent.prompt("Make new.txt.");
    const { session } = agent;
    const prompts = (await agent.checkpoints()).filter(({ on }) => on === "prompt");
    expect(prompts).toMatchObject([{ session, number: 1, text: "Make new.txt." }]);
    const { files } = await agent.previewRewind(1);
    expect(files?.steps).toMatchObject([{ path: "new.txt", what: "deleted" }]);
    expect(exists("new.txt")).toBe(true);

    const back = await agent.rewind(1);
    expect(back.prompt).toEqual([{ type: "text", text: "Make new.txt." }]);
    expect([exists("new.txt"), exists("notes.txt")]).toEqual([false, true]);
    expect((await agent.journeys()).map(({ kind, order }) => [kind, order])).toEqual([["rewind", "next"]]);

    await agent.redo();
    expect(exists("new.txt")).toBe(true);
    await expect(agent.redo()).rejects.toMatchObject({ code: "NOTHING_TO_REDO" });
  });

  it("is interrupted by an aborted signal, and keeps what was done until then", async () => {
    const stop = new AbortController();
    const { open } = await stage(async () => {
      setTimeout(() => stop.abort(), 20);
      return { text: "never", misbehave: { do: "silence" } };
    });
    const agent = await open();
    const end = await agent.prompt("Wait.", { signal: stop.signal });
    expect(end.outcome).toBe("interrupted");
    expect(agent.busy).toBe("nothing");
    const aborted = AbortSignal.abort(new Error("stopped"));
    await expect(agent.prompt("Not this one.", { signal: aborted })).rejects.toThrow("stopped");
    expect((await agent.checkpoints()).filter(({ on }) => on === "prompt")).toHaveLength(1);
  });

  it("continues a turn that was interrupted, and refuses to when nothing was", async () => {
    const stop = new AbortController();
    let calls = 0;
    const { open } = await stage(async () => {
      calls += 1;
      if (calls > 1) return { text: "Done after all." };
      setTimeout(() => stop.abort(), 20);
      return { text: "never", misbehave: { do: "silence" } };
    });
    const first = await open();
    await first.prompt("Work.", { signal: stop.signal });
    await first.close();
    const second = await open({ resume: "latest" });
    expect(await second.resume()).toMatchObject({ outcome: "done", answer: "Done after all." });
    expect((await second.checkpoints()).filter(({ on }) => on === "prompt")).toHaveLength(1);
    await expect(second.resume("retry")).rejects.toMatchObject({ reason: "turn-not-cut" });
  });

  it("reports the progress of files while it rewinds and redoes", async () => {
    const { open } = await stage(scripted(write("a", "b"), { text: "Done." }));
    const agent = await open({ mode: "accept-edits" });
    await agent.prompt("Make two files.");
    const reported: JourneyProgress[] = [];
    const onProgress = (progress: JourneyProgress) => reported.push(progress);
    const restored = () =>
      reported
        .splice(0)
        .filter(({ doing }) => doing === "restore")
        .at(-1);
    await agent.rewind(1, { onProgress });
    expect(restored()).toEqual({ doing: "restore", done: 2, of: 2 });
    await agent.redo({ onProgress });
    expect(restored()).toEqual({ doing: "restore", done: 2, of: 2 });
  });

  it("deletes many files only when the program agrees", async () => {
    const { open, exists } = await stage(scripted(write("a", "b", "c"), { text: "Done." }));
    const agent = await open({ mode: "accept-edits", settings: { "rewind.confirmDeletes": "2" } });
    await agent.prompt("Make three files.");
    await expect(agent.rewind(1)).rejects.toMatchObject({ code: "NEEDS_YES", params: { deletions: 3 } });
    expect(exists("a")).toBe(true);
    await agent.rewind(1, { confirmDeletions: true });
    expect(["a", "b", "c"].filter(exists)).toEqual([]);
    await agent.redo();
    expect(["a", "b", "c"].filter(exists)).toEqual(["a", "b", "c"]);
  });

  it("keeps a file that was changed outside its work, unless the program chooses otherwise", async () => {
    const { open, read, save } = await stage(scripted(write("shared.txt"), { text: "Done." }));
    const agent = await open({ mode: "accept-edits" });
    await agent.prompt("Make shared.txt.");
    save("shared.txt", "the user's");
    await agent.rewind(1, { scope: "files" });
    expect(read("shared.txt")).toBe("the user's");
    await agent.redo({ scope: "files" });
    await agent.rewind(1, { scope: "files", choices: { "shared.txt": "take" } });
    expect(() => read("shared.txt")).toThrow("ENOENT");
  });

  it("continues where another run of the program left off", async () => {
    const { open } = await stage(scripted({ text: "One." }, { text: "Two." }));
    const first = await open();
    await first.prompt("First.");
    const { session } = first;
    await first.close();
    const second = await open({ resume: "latest" });
    expect(second.session).toBe(session);
    expect((await second.prompt("Second.")).answer).toBe("Two.");
  });

  it("refuses options that it does not know, before anything is opened", async () => {
    const wrong = await openAgent({ permissions: () => undefined } as never).catch((error: unknown) => error);
    expect(isWorldlineError(wrong, "INPUT_INVALID")).toBe(true);
    const mode = await openAgent({ mode: "yolo" as never }).catch((error: unknown) => error);
    expect(isWorldlineError(mode, "INPUT_INVALID")).toBe(true);
  });
});
