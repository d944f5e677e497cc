import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { workshop } from "../../cli/support/workshop.ts";
import { type OpenWorkshop, openWorkshop } from "./open-workshop.ts";

const OWN = "worldline config set snapshots.engine worldline";

/** A prompt to Claude and one step of it; `snapshots.engine` is "sdk", but the SDK is not installed. */
async function withClaude(): Promise<{ app: OpenWorkshop; prompt: number; step: number }> {
  const place = workshop();
  const nowhere = join(place.root, "nowhere");
  mkdirSync(nowhere);
  place.write("user", JSON.stringify({ snapshots: { engine: "sdk" }, claude: { sdk: nowhere } }));
  const app = await openWorkshop(place);
  const session = app.session();
  app.put("a.txt", "one\n");
  const host = { kind: "host", host: "claude", hostSession: "s1", message: "u1" } as const;
  const { checkpoint: prompt } = await session.prompt("change it", host);
  await session.capture({ checkpoint: prompt, author: "outside" });
  const step = await session.step();
  await session.capture({ checkpoint: step, author: "timeline" });
  return { app, prompt, step };
}

describe("going back in the terminal with snapshots.engine sdk", () => {
  it("offers files for a prompt of Claude's, and says why not for a step", async () => {
    const { app, prompt, step } = await withClaude();
    const { id: session } = app.session();
    expect(await app.journeys.scopes({ session, number: prompt })).toEqual({
      scopes: ["both", "conversation", "files"],
    });
    expect(await app.journeys.scopes({ session, number: step })).toEqual({
      scopes: [],
      without: expect.objectContaining({
        message: `The Claude Agent SDK has no files for checkpoint ${step}, because it is a step checkpoint. Worldline's own snapshots may have the files: ${OWN}`,
      }),
    });
  });

  it("says what is missing before anything is done", async () => {
    const { app, prompt } = await withClaude();
    const { id: session } = app.session();
    const asked = app.journeys.preview({ session, number: prompt, scope: "both" });
    await expect(asked).rejects.toMatchObject({
      message: expect.stringContaining("needs the Claude Agent SDK"),
      hint: expect.stringContaining(`Worldline has its own snapshot for checkpoint ${prompt}.`),
    });
    expect(app.session().outline.linesOf("rewind")).toEqual([]);
  });

  it("goes back in the conversation without the SDK", async () => {
    const { app, prompt } = await withClaude();
    const { id: session } = app.session();
    const made = await app.journeys.rewind({ session, number: prompt, scope: "conversation" });
    expect(made).toMatchObject({ scope: "conversation", differ: 0 });
  });
});
