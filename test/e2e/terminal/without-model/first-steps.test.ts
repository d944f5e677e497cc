import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openModelServer } from "../../../../src/testing/testing.ts";
import { opened, say } from "../support/person.ts";
import { byPrompt } from "../support/replies.ts";
import type { OpenOptions, SceneOptions } from "../support/scene.ts";
import { openWorldline, type Story } from "../support/story.ts";

async function firstScreen(options: Partial<SceneOptions> & OpenOptions = {}): Promise<Story> {
  const story = await openWorldline(options);
  await opened(story.terminal);
  await story.terminal.waitFor("5  connect a model");
  return story;
}

describe("the steps of the first screen", () => {
  it("find live what broke the sample, and leave nothing of it", async () => {
    const { terminal, scene } = await firstScreen({ rows: 60 });
    terminal.type("1");
    await terminal.waitFor("Bisecting: ");
    await terminal.waitFor(/^ +by: \S/mu);
    await terminal.waitFor("Correct: that is the planted fault.");
    await terminal.waitFor("which has been removed");
    expect(scene.read("src/cart.js")).toContain("discount");
  });

  it("open a playground whose files come back after Esc Esc", async () => {
    const { terminal, scene } = await firstScreen();
    terminal.type("2");
    await terminal.waitFor("Opened a small project to experiment with:");
    await opened(terminal);
    // The path may be wrapped on the screen, so the folder is found on disk instead.
    const [name = ""] = readdirSync(join(scene.root, "tmp")).filter((each) =>
      each.startsWith("worldline-playground-"),
    );
    const broken = join(scene.root, "tmp", name, "src", "cart.mjs");
    const before = readFileSync(broken, "utf8");
    say(terminal, "!rm -r src");
    await terminal.waitFor("4 files changed");
    expect(existsSync(broken)).toBe(false);
    terminal.press("escape", "escape");
    await terminal.waitFor("4 files since");
    terminal.type("1");
    await terminal.waitFor("Files and conversation");
    terminal.type("1");
    await terminal.waitFor(/Files: \d created, 0 changed, 0 deleted/u);
    terminal.press("enter");
    await terminal.waitFor("Restored to checkpoint: #1");
    expect(readFileSync(broken, "utf8")).toBe(before);
  });

  it("open a folder that is typed, and say of one that is not there that it is not", async () => {
    const { terminal, scene } = await firstScreen();
    mkdirSync(join(scene.home, "garden"));
    writeFileSync(join(scene.home, "garden", "pears.txt"), "ripe\n");
    terminal.type("3");
    await terminal.waitFor("Which folder?");
    say(terminal, "~/orchard");
    await terminal.waitFor("Choose a folder that exists.");
    terminal.type("3");
    await terminal.waitFor("Which folder?");
    say(terminal, "~/garden");
    await terminal.waitFor(/^Worldline .*garden$/mu);
    await terminal.waitFor("✓ Opened");
    await opened(terminal);
    say(terminal, "!rm pears.txt");
    await terminal.waitFor("1 file changed: pears.txt deleted");
  });

  it("list the sessions of all folders, and open the one that is chosen", async () => {
    const { terminal, scene } = await firstScreen();
    say(terminal, "!echo kept > kept.txt");
    await terminal.waitFor("1 file changed: kept.txt");
    say(terminal, "/title The kept one");
    await terminal.waitFor("Session: The kept one");
    say(terminal, "/exit");
    await terminal.exit();
    mkdirSync(join(scene.home, "elsewhere"));

    const again = scene.open({ arguments: [join(scene.home, "elsewhere")] });
    await again.waitFor("5  connect a model");
    again.type("4");
    await again.waitFor("Sessions in all workspaces");
    await again.waitFor("The kept one");
    again.press("enter");
    await again.waitFor("! echo kept > kept.txt");
    await again.waitFor(/^Worldline .*shop$/mu);
  });

  it("connect a provider only with a key that it takes, and keep no other", async () => {
    const server = await openModelServer(() => ({ misbehave: { do: "status", status: 401 } }));
    onTestFinished(() => server.close());
    const { terminal, scene } = await firstScreen({ environment: { ANTHROPIC_BASE_URL: server.url } });
    terminal.type("5");
    await terminal.waitFor("1. anthropic  needs a key");
    terminal.type("1");
    await terminal.waitFor("Key for anthropic");
    terminal.type("sk-wrong");
    await terminal.waitFor("› ••••••••");
    terminal.press("enter");
    await terminal.waitFor(/does not accept the key.*Nothing was\s+saved\./su);
    expect(server.requests).toHaveLength(1);
    expect(terminal.bytes).not.toContain("sk-wrong");
    expect(existsSync(join(scene.home, ".worldline", "keys.json"))).toBe(false);
    await terminal.waitFor("no model");
  });

  it("ask first about an Ollama that runs on this machine", async () => {
    const server = await openModelServer(
      byPrompt({ "What do you sell?": [{ text: "Pears, from nearby." }] }),
    );
    onTestFinished(() => server.close());
    const { terminal } = await firstScreen({ environment: server.environment("ollama") });
    expect(server.requests).toEqual([]);
    terminal.type("5");
    await terminal.waitFor("Ollama is running on this machine. Use it?");
    await terminal.waitFor("It has ollama/scripted-model.");
    terminal.type("1");
    await terminal.waitFor("Connected: ollama/scripted-model");
    say(terminal, "What do you sell?");
    await terminal.waitFor("Pears, from nearby.");
    expect(new Set(server.requests.map(({ wire }) => wire))).toEqual(new Set(["ollama"]));
  });
});
