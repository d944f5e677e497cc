import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { inTempFolder, openModelServer, scripted } from "worldline/testing";
import { serve } from "./server.ts";

it("drives the agent, a rewind and a redo over HTTP", async () => {
  await inTempFolder(async (folder) => {
    const model = await openModelServer(
      scripted(
        { calls: [{ name: "Write", input: { file_path: "new.txt", content: "made" } }] },
        { text: "Done." },
      ),
    );
    onTestFinished(async () => model.close());
    const workspace = join(folder, "workspace");
    mkdirSync(workspace);
    const { url, token, close } = await serve({
      workspace,
      home: join(folder, "home"),
      model: "anthropic/claude-haiku-4-5",
      environment: { PATH: process.env["PATH"], HOME: folder, ...model.environment("anthropic") },
    });
    try {
      const call = async (method: string, path: string, body?: unknown, as = token) =>
        fetch(`${url}/${path}`, {
          method,
          headers: { authorization: `Bearer ${as}` },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
      expect((await call("GET", "checkpoints", undefined, "guessed")).status).toBe(401);

      const answered: string[] = [];
      const response = await call("POST", "prompt", { text: "Make new.txt." });
      for await (const event of eventsOf(response)) {
        if (event["type"] === "turn-end") answered.push(String(event["answer"]));
        const doing = event["doing"] as { readonly what: string; readonly call: string } | undefined;
        if (doing?.what !== "asking") continue;
        expect((await call("POST", `permissions/${doing.call}`, { answer: "once" })).status).toBe(200);
      }
      expect(answered).toEqual(["Done."]);
      const isThere = () => existsSync(join(workspace, "new.txt"));
      expect(isThere()).toBe(true);

      const preview = (await (await call("POST", "preview", { to: 1 })).json()) as JourneyAnswer;
      expect(preview.files.steps).toMatchObject([{ path: "new.txt", what: "deleted" }]);
      expect((await call("POST", "rewind", { to: 1 })).status).toBe(200);
      expect(isThere()).toBe(false);
      expect((await call("POST", "redo")).status).toBe(200);
      expect(isThere()).toBe(true);
      const again = await call("POST", "redo");
      expect([again.status, await again.json()]).toMatchObject([422, { error: { code: "NOTHING_TO_REDO" } }]);
      expect((await call("POST", "rewind", { to: 99 })).status).toBe(422);
      expect((await call("POST", "nothing")).status).toBe(404);
    } finally {
      await close();
    }
  });
});

interface JourneyAnswer {
  readonly files: { readonly steps: readonly unknown[] };
}

async function* eventsOf(response: Response): AsyncGenerator<Readonly<Record<string, unknown>>> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line) as Readonly<Record<string, unknown>>;
  }
}
