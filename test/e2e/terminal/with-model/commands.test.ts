import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSession } from "../../../../src/open-session.ts";
import { heardIn, lastRequest } from "../support/heard.ts";
import { goneFrom, opened, say } from "../support/person.ts";
import { byPrompt, calls, goesBack } from "../support/replies.ts";
import { openWorldline } from "../support/story.ts";

describe("commands typed in the terminal", () => {
  it("/load-context adds a file that the model sees and /undo takes back, and says why it cannot", async () => {
    const { terminal, scene } = await openWorldline({
      script: byPrompt({
        "What do the notes say?": [{ text: "Pears." }],
        "And now?": [{ text: "Nothing." }],
      }),
      environment: { WORLDLINE_PERMISSIONS_DENY: "Read(secret.txt)" },
      rows: 50,
    });
    await opened(terminal);
    writeFileSync(join(scene.workspace, "binary.bin"), Buffer.from([1, 0, 255]));
    scene.write("large.txt", "x".repeat(300_000));
    scene.write("secret.txt", "hush");
    for (const [typed, why] of [
      ["missing.txt", "The file missing.txt does not exist."],
      ["src", "src is a folder."],
      ["binary.bin", "binary.bin is not a text file."],
      ["large.txt", "large.txt is too large to load: it has 300000 bytes"],
      ["secret.txt", "Reading secret.txt is not allowed"],
      ["", "This workspace has no AGENTS.md file."],
    ] as const) {
      say(terminal, `/load-context ${typed}`);
      await terminal.waitFor(why);
    }
    say(terminal, "/load-context notes.txt");
    await terminal.waitFor("Loaded notes.txt (about");
    say(terminal, "What do the notes say?");
    await terminal.waitFor("Pears.");
    expect(heardIn(lastRequest(scene))).toContain("Ask about the pears.");
    expect(heardIn(lastRequest(scene))).not.toContain("hush");
    say(terminal, "/undo 2");
    await terminal.waitFor("Enter");
    terminal.press("enter");
    await terminal.waitFor(/Re(?:wound|stored)/u);
    terminal.press("ctrl+c");
    await goneFrom(terminal, "\u203a What do the notes say?");
    say(terminal, "And now?");
    await terminal.waitFor("Nothing.");
    expect(heardIn(lastRequest(scene))).not.toContain("Ask about the pears.");
  });

  it("/verbose and /quiet change how much is shown, and end again", async () => {
    const lines = Array.from({ length: 12 }, (_, index) => `echo line-${index + 1}`).join("; ");
    const { terminal } = await openWorldline({
      script: byPrompt({ "Count to twelve": [calls("Bash", { command: lines }), { text: "Counted." }] }),
      arguments: ["--permission-mode", "auto"],
      rows: 40,
    });
    await opened(terminal);
    say(terminal, "Count to twelve");
    await terminal.waitFor("Counted.");
    const shown = async (): Promise<readonly string[]> =>
      (await terminal.settled()).filter((line) => /^\s+line-\d+$/u.test(line));
    const usual = (await shown()).length;
    expect(usual).toBeGreaterThan(0);
    say(terminal, "/verbose");
    await terminal.waitFor("Verbose:");
    expect(await shown()).toHaveLength(12);
    say(terminal, "/quiet");
    await terminal.waitFor("Quiet:");
    expect(await shown()).toHaveLength(0);
    expect(terminal.screen().join("\n")).toContain("Counted.");
    say(terminal, "/quiet off");
    await terminal.waitFor("Back to normal detail.");
    expect(await shown()).toHaveLength(usual);
    say(terminal, "/quiet loud");
    await terminal.waitFor("/quiet takes on or off.");
  });

  it("/config set checks the value, writes the user's settings, and says when it counts", async () => {
    const { terminal, scene } = await openWorldline({
      script: byPrompt({}),
      environment: { WORLDLINE_TRASH_DAYS: "7" },
      rows: 40,
    });
    await opened(terminal);
    say(terminal, "/config set ui.theme purple");
    await terminal.waitFor(/ui\.theme.*"auto" or "light" or "dark"|"auto" or "light" or "dark"/u);
    say(terminal, "/config set ui.theme light");
    await terminal.waitFor("Set: ui.theme = light. The change takes effect now.");
    say(terminal, "/config set compaction.reserve 1000");
    await terminal.waitFor("Set: compaction.reserve = 1000. The change takes effect the next");
    say(terminal, "/config set trash.days 90");
    await terminal.waitFor("trash.days is still 7");
    const settings = readFileSync(join(scene.home, ".worldline", "settings.json"), "utf8");
    expect(settings).toContain("light");
    expect(settings).toContain("1000");
    expect(settings).not.toContain("purple");
  });

  it("/rewind goes to session:number, and opening the menu is in the activity log and not on the timeline", async () => {
    const { terminal, scene } = await openWorldline({
      script: byPrompt({ "First thing": [{ text: "One." }], "Second thing": [{ text: "Two." }] }),
      rows: 40,
    });
    await opened(terminal);
    say(terminal, "First thing");
    await terminal.waitFor("One.");
    say(terminal, "/clear");
    const screen = await terminal.waitFor(/\/resume [0-9a-z]{10}/u);
    const first = /\/resume ([0-9a-z]{10})/u.exec(screen.join("\n"))?.[1] ?? "";
    say(terminal, "Second thing");
    await terminal.waitFor("Two.");
    const log = join(scene.home, ".worldline", "sessions", first, "log.jsonl");
    const before = readFileSync(log, "utf8");
    say(terminal, "/rewind");
    await terminal.waitFor("(current)");
    terminal.press("escape");
    await goneFrom(terminal, "(current)");
    expect(readFileSync(log, "utf8")).toBe(before);
    const activity = readFileSync(join(scene.home, ".worldline", "activity.jsonl"), "utf8");
    expect(activity.match(/"did":"rewind-menu-opened","in":"terminal"/gu)).toHaveLength(1);
    say(terminal, "/rewind zzzzz:1");
    await terminal.waitFor(`There is no session "zzzzz"`);
    const holder = await openSession({
      home: join(scene.home, ".worldline"),
      workspace: scene.workspace,
      resume: first,
      name: "another terminal",
    });
    say(terminal, `/resume ${first}`);
    await terminal.waitFor(`Session ${first} is in use by another terminal (pid ${process.pid}`);
    await terminal.waitFor(new RegExp(`worldline -r\\s+${first}\\s+--fork`, "u"));
    say(terminal, `/rewind ${first}:1`);
    await terminal.waitFor("Files and conversation");
    terminal.press("enter");
    await terminal.waitFor(/in use by another terminal[\s\S]*in use by another terminal/u);
    for (const kept of ["Two.", `There is no session "zzzzz"`])
      expect(terminal.screen().join("\n")).toContain(kept);
    await holder.close();
    say(terminal, `/rewind ${first.slice(0, 6)}:1`);
    await terminal.waitFor(/conversation/iu);
    terminal.press("enter");
    await terminal.waitFor("No files would change.");
    terminal.press("enter");
    await terminal.waitFor(/› First thing|Rewound/u);
  });

  it("shows the same numbers of a backtrack live and after the session is opened again", async () => {
    const { terminal, scene } = await openWorldline({
      script: byPrompt({
        "Find the leak": [
          calls("Bash", { command: "seq 1 2000" }),
          goesBack("The leak is in cart.js."),
          calls("Bash", { command: "echo again" }),
          { text: "Found it." },
        ],
        "And more": [{ text: "More." }],
      }),
      arguments: ["--permission-mode", "auto"],
      columns: 140,
      rows: 40,
    });
    await opened(terminal);
    say(terminal, "Find the leak");
    await terminal.waitFor("Found it.");
    say(terminal, "And more");
    await terminal.waitFor("More.");
    const numbers = (screen: readonly string[]): readonly string[] =>
      screen.join("\n").match(/[\d,.]+k? tokens(?: saved by backtracks)?|\d+% context/gu) ?? [];
    const live = numbers(await terminal.settled());
    expect(live.join(" ")).toContain("tokens saved by backtracks");
    say(terminal, "/exit");
    await terminal.exit();
    const again = scene.open({ arguments: ["-c", "--permission-mode", "auto"], columns: 140, rows: 40 });
    await again.waitFor("tokens saved by backtracks");
    expect(numbers(await again.settled())).toEqual(live);
  });
});
