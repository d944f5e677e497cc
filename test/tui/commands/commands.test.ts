import { describe, expect, it } from "vitest";
import { catalogueOf } from "../../../src/agent/models/catalogue.ts";
import type { ExportRequest } from "../../../src/app/current/sessions.ts";
import { type Check, finding } from "../../../src/app/doctor/check.ts";
import { priced } from "../../../src/app/queries/costs.ts";
import { foreignText, WorldlineError } from "../../../src/record/error.ts";
import { markdownTexts } from "../../../src/show/entry-text.ts";
import { en } from "../../../src/strings/en.ts";
import { mergeStats } from "../../../src/timeline/stats.ts";
import { version } from "../../../src/version.ts";
import { commandStage } from "./support/command-stage.ts";

/** The call of the export, in the user's language. */
function exportCall(request: Omit<ExportRequest, "texts">): string {
  return `sessions.export ${JSON.stringify({ ...request, texts: markdownTexts(en) })}`;
}

const row = (title: string, session: string, place = "elsewhere") => ({
  title,
  id: session,
  place,
  workspace: "/work",
  messages: 4,
  used: 0,
  mode: "agent",
});
describe("commands that go back", () => {
  it.each(["x", "0", "-1", "1.5", "99999999"])("refuse /undo %s and change nothing", async (words) => {
    expect(await commandStage().run(`/undo ${words}`)).toEqual([
      `warning: /undo takes the number of prompts or ! commands to undo: 1 or more, not "${words}".`,
    ]);
  });

  it("make a checkpoint with /checkpoint save, and refuse other words", async () => {
    const app = { "journeys.save": 7 };
    expect((await commandStage({ app }).run("/checkpoint save before it"))[1]).toBe(
      'journeys.save "before it"',
    );
    expect((await commandStage({ app }).run("/checkpoint save"))[1]).toBe("journeys.save");
  });

  it("say that there is no such checkpoint, and change nothing", async () => {
    const app = {
      "journeys.find": () => {
        throw new WorldlineError("label-unknown-here", { label: "everything", known: ["start"] });
      },
    };
    expect((await commandStage({ app }).run("/rewind everything")).slice(1)).toEqual([
      expect.stringContaining('No checkpoint is called "everything" here.'),
    ]);
  });

  it("go to the checkpoint that is named, which Esc still leaves", async () => {
    const app = {
      "journeys.find": {
        number: 3,
        place: "here",
        label: "before it",
        on: "prompt",
        at: 0,
        session: "s-here",
        branch: "here",
        files: "complete",
      },
      "journeys.scopes": { scopes: ["both", "conversation", "files"] },
    };
    const { run, shown } = commandStage({ app });
    const done = await run("/restore before it");
    expect(done[0]).toBe('journeys.find "before it"');
    expect(done.slice(1).map((line) => line.split(" ")[0])).toEqual(["journeys.ready", "journeys.scopes"]);
    expect(shown).toEqual([expect.stringContaining("before it")]);
  });
});

describe("commands about sessions", () => {
  it("open the one that is named, or ask which of several", async () => {
    const found = [
      row("Fix the leak", "s-1"),
      row("fix the tests", "s-2"),
      row("This one", "s-here", "here"),
    ];
    const opened = async (rows: unknown) =>
      (await commandStage({ app: { "sessions.find": rows } }).run("/load fix it")).slice(1);
    const open = (title: string, session: string) => [
      `wait Opening ${title}`,
      `sessions.open "${session}"`,
      "reload",
    ];
    expect(await opened(found.slice(0, 1))).toEqual(open("Fix the leak", "s-1"));
    const { run, done, shown } = commandStage({ app: { "sessions.find": found } });
    await run("/load fix it");
    expect([done, shown]).toEqual([['sessions.find "fix it"'], [expect.stringContaining("Sessions")]]);
    expect(await opened(found.slice(2))).toEqual(["quiet: This session is already open."]);
    const unknown = () => {
      throw new WorldlineError("session-not-found", { wanted: "fix it" });
    };
    expect(await opened(unknown)).toEqual([expect.stringContaining('There is no session "fix it".')]);
  });

  it("delete one after a question, and never the one that is open", async () => {
    const leak = { "sessions.find": [row("Fix the leak", "s-1")] };
    expect(await commandStage({ app: leak, keys: "y" }).run("/delete leak")).toEqual([
      'sessions.find "leak"',
      'sessions.delete "s-1"',
      expect.stringContaining("Fix the leak"),
    ]);
    expect(await commandStage({ app: leak, keys: "\r" }).run("/delete leak")).toEqual([
      'sessions.find "leak"',
    ]);
    const here = { "sessions.find": [row("This one", "s-here", "here")] };
    expect((await commandStage({ app: here, keys: "y" }).run("/delete this one")).slice(1)).toEqual([
      "warning: The open session cannot be deleted. Start another session first with /clear.",
    ]);
  });

  it("name this one, and say its name", async () => {
    expect(await commandStage().run("/title The parser")).toEqual(['sessions.retitle "The parser"']);
    const app = { "queries.state": { title: "The parser" } };
    expect((await commandStage({ app }).run("/title"))[1]).toBe(
      "quiet: Title: The parser. Change it with /title <text>.",
    );
    expect((await commandStage({ app: { "queries.state": {} } }).run("/title"))[1]).toBe(
      "quiet: This session has no title. Set one with /title <text>.",
    );
  });

  it("save it under a name, as its title and as a checkpoint", async () => {
    const done = await commandStage({ app: { "journeys.save": 7 } }).run("/save before it");
    expect(done.filter((line) => /^(?:sessions|journeys)\./u.test(line))).toEqual([
      'sessions.retitle "before it"',
      'journeys.save "before it"',
    ]);
  });

  it("begin another one, and continue in a copy", async () => {
    expect(await commandStage().run("/clear")).toEqual([
      "wait Starting a new session",
      "sessions.begin",
      "reload",
      "quiet: New session. The previous session is kept: /resume s-here",
    ]);
    expect((await commandStage({ app: { "sessions.begin": "gone" } }).run("/clear")).at(-1)).toBe(
      "quiet: New session. The previous session was empty and was not kept.",
    );
    expect(await commandStage().run("/fork")).toEqual([
      "wait Copying the session",
      "sessions.fork",
      "reload",
      "good: Now in a copy; session s-here is unchanged.",
    ]);
  });

  it.each([
    ["", { format: "markdown" }],
    ["md", { format: "markdown" }],
    ["json", { format: "json" }],
    ["bundle out dir/a.bundle", { format: "bundle", file: "out dir/a.bundle" }],
    ["notes.json", { format: "json", file: "notes.json" }],
    ["md a b.md --force", { format: "markdown", file: "a b.md", existing: "replace" }],
    ["--force notes.json", { format: "json", file: "notes.json", existing: "replace" }],
  ] as const)("write it to a file with /export %s", async (words, request) => {
    expect(
      (await commandStage({ app: { "sessions.export": "/work/a" } }).run(`/export ${words}`)).slice(1),
    ).toEqual([exportCall(request), "good: Exported to /work/a"]);
  });

  it("overwrite an existing file only if the user says so", async () => {
    const written = async (keys: string) => {
      const app = {
        "sessions.export": ({ existing }: { existing?: string }) => {
          if (existing !== "replace")
            throw new WorldlineError("stated", {
              code: "NEEDS_YES",
              message: "/work/a.md already exists.",
            });
          return "/work/a.md";
        },
      };
      return (await commandStage({ app, keys }).run("/export a.md")).at(-1);
    };
    expect(await written("y")).toBe("good: Exported to /work/a.md");
    expect(await written("n")).toBe(exportCall({ format: "markdown", file: "a.md" }));
  });

  it("refuse an unknown format", async () => {
    expect(await commandStage().run("/export pdf")).toEqual([
      'warning: Unknown format "pdf". Available: markdown, json, bundle (then a file name)',
    ]);
  });
});

describe("commands about settings", () => {
  it("change the language, and refuse an unknown one", async () => {
    expect(await commandStage().run("/language zh-CN")).toEqual(["language zh-CN"]);
    expect(await commandStage().run("/language English")).toEqual(["language en"]);
    expect(await commandStage().run("/language fr")).toEqual([
      'warning: Unknown language "fr". Available: en, zh-CN',
    ]);
  });

  it("show rules and mode, and change the mode", async () => {
    const told = { allow: ["Bash(npm test:*)"], ask: [], deny: ["Read(.env)"], granted: [] };
    expect((await commandStage({ app: { "upkeep.permissions": told } }).run("/permissions"))[1]).toBe(
      [
        "/permissions -> Mode: manual (Shift+Tab: manual, accept edits, plan; for auto: /permissions auto)",
        "  asks before anything is changed",
        "",
        "Allow rules:",
        "  Bash(npm test:*)",
        "",
        "Deny rules:",
        "  Read(.env)",
      ].join("\n"),
    );
    expect(await commandStage().run("/permissions plan")).toEqual([
      "mode plan",
      "good: Permission mode: plan",
    ]);
    expect(await commandStage().run("/permissions yolo")).toEqual([
      'warning: Unknown mode "yolo". Available: manual, accept-edits, plan, auto',
    ]);
  });

  it("change to auto mode after the user has read what then runs without asking and has agreed, once", async () => {
    const refused = commandStage({ keys: "n" });
    expect(await refused.run("/permissions auto")).toEqual([]);
    expect(refused.shown.join("\n").replaceAll(/\s+/gu, " ")).toContain("run any command (such as git push");
    const agreed = commandStage({ keys: "y" });
    await agreed.run("/mode auto");
    await agreed.run("/mode plan");
    expect(await agreed.run("/mode auto")).toEqual([
      "auto confirmed",
      "mode auto",
      "good: Permission mode: auto",
      "mode plan",
      "good: Permission mode: plan",
      "mode auto",
      "good: Permission mode: auto",
    ]);
  });

  it("show one setting and change it", async () => {
    const app = {
      "upkeep.settings": [{ key: "ui.mouse", value: "on", source: { layer: "default" } }],
    };
    expect((await commandStage({ app }).run("/config ui.mouse"))[1]).toBe("quiet: ui.mouse = on (default)");
    const set = { effect: "now", value: "off", source: { layer: "default" } };
    const setting = { ...app, "upkeep.set": set };
    for (const typed of ["/config ui.mouse off", "/config set ui.mouse off"]) {
      expect((await commandStage({ app: setting }).run(typed)).slice(1)).toEqual([
        'upkeep.set "ui.mouse" "off"',
        "good: Set: ui.mouse = off. The change takes effect now.",
      ]);
    }
    const told = async (how: object): Promise<string | undefined> =>
      (
        await commandStage({ app: { ...app, "upkeep.set": { ...set, ...how } } }).run(
          "/config set ui.mouse off",
        )
      ).at(-1);
    expect(await told({ effect: "later" })).toMatch(/^good: .*the next time a session is opened/u);
    expect(
      await told({
        effect: "overridden",
        value: "on",
        source: { layer: "environment", variable: "WORLDLINE_UI_MOUSE" },
      }),
    ).toBe(
      "warning: Saved in your settings, but ui.mouse is still on, because environment WORLDLINE_UI_MOUSE overrides it.",
    );
    expect((await commandStage({ app }).run("/config get ui.mouse"))[1]).toBe(
      "quiet: ui.mouse = on (default)",
    );
    for (const typed of ["/config set", "/config set ui.mouse"]) {
      expect((await commandStage({ app }).run(typed)).at(-1)).toMatch(/^warning: Type \/config set/u);
    }
    expect((await commandStage({ app }).run("/config ui.mouth off")).slice(1)).toEqual([
      "warning: Unknown setting ui.mouth. /config lists all settings.",
    ]);
  });
});

describe("commands that look", () => {
  it("say where the user is", async () => {
    const state = {
      title: "The parser",
      checkpoint: 12,
      contextTokens: 410,
      branchesLeft: 2,
      leftByBacktracks: 1,
      gitBranch: "main",
      savedTokens: 3_000,
      cost: 0.125,
      snapshots: { state: "partial", why: "one file is too large" },
      redoable: 1,
    };
    const off = { "queries.state": state, settings: { "backtrack.display": "off" } };
    const [, silent] = await commandStage({ app: off }).run("/status");
    expect(silent).toMatch(/^other branches +1$/mu);
    expect(silent).not.toContain("backtrack");
    expect((await commandStage({ app: { "queries.state": state } }).run("/status"))[1]).toBe(
      [
        "/status -> session              s-here",
        "title                The parser",
        "workspace            /work",
        "model                m",
        "permissions          manual",
        "checkpoint           #12",
        "other branches       2",
        "git branch           main",
        "context              410 of 1,000 tokens",
        "cost                 $0.13",
        "saved by backtracks  about 3,000 tokens",
        "can be redone        1 journey",
        "files                partly captured: one file is too large",
      ].join("\n"),
    );
  });

  it("show what fills the window until a key is pressed", async () => {
    const context = { window: 1_000, used: 400, parts: [{ what: "prompts", tokens: 400 }] };
    const { run, shown } = commandStage({ app: { "queries.context": context }, keys: "x" });
    await run("/context");
    expect(shown).toEqual([expect.stringMatching(/40%[\s\S]*press any key to close$/u)]);
  });

  it("answer with the text of the command line: the numbers of the session", async () => {
    const stats = priced(mergeStats([]), catalogueOf({ models: {} }));
    const done = await commandStage({ app: { "queries.stats": { ...stats, prompts: 3 } } }).run("/stats");
    expect(done.slice(0, 2)).toEqual(["wait Asking: stats", "queries.stats"]);
    expect(done[2]).toMatch(/^\/stats -> .*\nprompts +3\n/u);
  });

  it("answer with the text of the command line: what the doctor found", async () => {
    const checks: readonly Check[] = [
      { about: "settings", status: "ok", finding: finding("settingsValid", 1) },
      {
        about: "sessions",
        status: "error",
        finding: { code: "problem", problem: foreignText("It is gone.") },
        fixable: true,
      },
    ];
    const [wait, asked, answer] = await commandStage({ app: { "upkeep.doctor": checks } }).run("/doctor");
    expect([wait, asked]).toEqual(["wait Asking: doctor", `upkeep.doctor "${version}"`]);
    expect(answer).toMatch(/^\/doctor -> ok .*\nerror +It is gone\.\n\n1 error/u);
  });

  it("list the todos, or say that there are none", async () => {
    const todos = [
      { text: "read", status: "done" },
      { text: "write", status: "doing" },
      { text: "test", status: "open" },
    ];
    expect((await commandStage({ app: { "queries.todos": todos } }).run("/todos"))[1]).toBe(
      "/todos -> [x] read\n[>] write\n[ ] test",
    );
    expect((await commandStage({ app: { "queries.todos": [] } }).run("/todos"))[1]).toBe("quiet: No todos.");
  });
});

describe("commands for the agent", () => {
  it("have it compact, with a focus", async () => {
    expect(await commandStage().run("/compact")).toEqual(["compact -"]);
    expect(await commandStage().run("/compact the parser")).toEqual(["compact the parser"]);
  });

  it("have AGENTS.md written by the model", async () => {
    expect(await commandStage().run("/init")).toEqual(["send Look at this workspa"]);
  });

  it("write a skeleton of it without a model, after a question, and never over an existing file", async () => {
    const app = { "upkeep.hasInstructions": false, "upkeep.writeInstructions": "written" };
    const done = await commandStage({ model: "none", app, keys: "y" }).run("/init");
    expect(done).toEqual([
      "upkeep.hasInstructions",
      "wait Writing AGENTS.md",
      expect.stringMatching(/^upkeep.writeInstructions \["# For agents/u),
      "good: Created AGENTS.md. Fill it in; /undo removes it.",
    ]);
    expect(await commandStage({ model: "none", app, keys: "\r" }).run("/init")).toEqual([
      "upkeep.hasInstructions",
    ]);
    const there = { "upkeep.hasInstructions": true };
    expect((await commandStage({ model: "none", app: there }).run("/init"))[1]).toBe(
      "quiet: AGENTS.md already exists. If you connect a model, /init can improve it.",
    );
  });
});
