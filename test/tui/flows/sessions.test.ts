import { describe, expect, it } from "vitest";
import type { ListedSession } from "../../../src/app/current/sessions.ts";
import type { CutOff } from "../../../src/app/queries/query-types.ts";
import { foreignText, WorldlineError } from "../../../src/record/error.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { sessionPicker } from "../../../src/tui/dialogs/session-picker.ts";
import { afterCrashFlow } from "../../../src/tui/flows/after-crash.ts";
import { connectFlow, modelFlow } from "../../../src/tui/flows/connect.ts";
import { trustFlow } from "../../../src/tui/flows/opening.ts";
import { resumeFlow } from "../../../src/tui/flows/sessions.ts";
import { languageFlow, settingsFlow } from "../../../src/tui/flows/settings.ts";
import { fakeDesk } from "./fake-context.ts";

const row: ListedSession = {
  id: "s1" as SessionId,
  title: "find the leak",
  workspace: "/work/app",
  messages: 12,
  prompts: 6,
  entries: 30,
  checkpoints: 6,
  created: 0,
  used: 0,
  damage: 0,
  place: "elsewhere",
  isNamedAsSource: false,
  mode: "agent",
};

/** The picker searches as the user types; here the user answers as if the rows had been found already. */
function picking(
  answers: readonly ReturnType<typeof picked>[],
  scripts: readonly (readonly string[])[],
  app: object,
) {
  const context = fakeDesk(scripts, app);
  const { ask } = context;
  const next = [...answers];
  const picker = sessionPicker(context.strings, { list: async () => [], of: "all" });
  return Object.assign(context, {
    ask: async (dialog: Parameters<typeof ask>[0]) => (isLike(dialog, picker) ? next.shift() : ask(dialog)),
  });
}

function isLike(dialog: object, other: object): boolean {
  return "background" in dialog && Object.keys(dialog).join() === Object.keys(other).join();
}

function picked(how: "open" | "delete", of: ListedSession = row) {
  return { do: how, row: of, of: "workspace" as const };
}

describe("resuming", () => {
  it("opens the session that was chosen; the screen follows the app there", async () => {
    const opened: unknown[] = [];
    const context = picking([picked("open")], [], {
      sessions: { open: async (session: unknown) => void opened.push(session) },
    });
    await resumeFlow(context);
    expect(opened).toEqual(["s1"]);
    expect(context.told).toEqual(["wait: Opening find the leak"]);
  });

  it("opens one from elsewhere only after a yes, and shows what it claims first", async () => {
    const done: unknown[] = [];
    const sessions = {
      claims: async () => ({
        session: "s1" as SessionId,
        title: "mine",
        imported: undefined,
        store: "files" as const,
        claimed: "~/.ssh",
        workspace: "/work/app",
      }),
      confirm: async (session: unknown) => void done.push(["confirmed", session]),
      open: async (session: unknown) => void done.push(["opened", session]),
    };
    const foreign = { ...row, title: `mine" ${"and so on ".repeat(20)}`, unconfirmed: true } as const;
    for (const keys of [["enter"], ["escape"]]) {
      const no = picking([picked("open", foreign)], [keys], { sessions });
      await resumeFlow(no);
      expect([done, no.told]).toEqual([[], ["ask"]]);
      expect(no.asked).toEqual([expect.stringContaining("which was created elsewhere?")]);
    }
    await resumeFlow(picking([picked("open", foreign)], [["y"]], { sessions }));
    expect(done).toEqual([
      ["confirmed", "s1"],
      ["opened", "s1"],
    ]);
  });

  it("stays in the session that is open here", async () => {
    const context = picking([picked("open", { ...row, place: "here" })], [], {});
    await resumeFlow(context);
    expect(context.told).toEqual(["say quiet: This session is already open."]);
  });

  it("deletes only after a yes, and says what cannot be deleted", async () => {
    const deleted: unknown[] = [];
    const remove = async (session: unknown) => {
      deleted.push(session);
      if (deleted.length === 2)
        throw new WorldlineError("stated", { code: "SESSION_HELD", message: "It is open elsewhere." });
    };
    const answers = [picked("delete"), picked("delete"), picked("delete")];
    const context = picking(answers, [["enter"], ["y"], ["y"]], { sessions: { delete: remove } });
    await resumeFlow(context);
    expect(deleted).toEqual(["s1", "s1"]);
    expect(context.told).toEqual([
      "ask",
      "ask",
      'say good: Moved "find the leak" to the trash, where it stays for 30 days. To restore it: worldline sessions undelete s1',
      "ask",
      "say error: It is open elsewhere.",
    ]);
  });
});

describe("after a crash", () => {
  const cut: CutOff = {
    ...{ state: "cut", step: 4, while: "tools", prompt: "test it", interruptedBy: "unknown", before: 12 },
    openCalls: [{ call: "c1", name: "Bash", about: "npm test" }],
    ...{ finishedCalls: [], unstartedCalls: [], unansweredCalls: [] },
  };

  it("continues it, retries it, or leaves it", async () => {
    const told = await Promise.all(
      [["1"], ["2"], ["4"], ["escape"]].map(async (keys) => {
        const context = fakeDesk([keys]);
        await afterCrashFlow(context, cut);
        return context.told;
      }),
    );
    expect(told).toEqual([
      ["ask", "go on: continue"],
      ["ask", "go on: retry"],
      ["ask", "leave the turn that was cut"],
      ["ask"],
    ]);
  });

  it("takes the files back to before the step, and Esc there leads back to the choices", async () => {
    const context = fakeDesk([["3"], ["escape"], ["3"], ["enter"]]);
    await afterCrashFlow(context, cut);
    expect(context.told.filter((line) => line.startsWith("rewind"))).toEqual([
      'rewind {"session":"here","number":12,"scope":"files"}',
    ]);
  });
});

describe("connecting a model", () => {
  const providers = async () => [
    { provider: "anthropic", keyVariable: "ANTHROPIC_API_KEY", state: "no-key" as const },
  ];

  it("asks before an Ollama is used", async () => {
    const chosen: unknown[] = [];
    const models = {
      findOllama: async () => ({ models: ["llama3", "qwen3"] }),
      connectLocal: async (name: string) => void chosen.push(name),
    };
    const context = fakeDesk([["1"], ["2"]], { models });
    await connectFlow(context);
    expect(chosen).toEqual(["ollama/qwen3"]);
    expect(context.told.at(-1)).toBe(
      'say good: Connected: ollama/qwen3. Saved as the "model" setting; change it with /model.',
    );
  });

  it("takes a key for a provider, and says nothing of it", async () => {
    const given: unknown[] = [];
    const models = {
      findOllama: async () => undefined,
      providers,
      connect: async (...key: readonly unknown[]) => void given.push(key),
    };
    const context = fakeDesk([["1"], ["escape"], ["1"], ["'sk-1'", "enter"]], { models });
    await connectFlow(context);
    expect(given).toEqual([["anthropic", "sk-1"]]);
    expect(context.told.join("\n")).not.toContain("sk-1");
  });

  it("chooses among models, for now or for later", async () => {
    const chosen: unknown[] = [];
    const models = {
      list: async () => [{ name: "one", state: "ready" as const, isCurrent: true }],
      choose: async (...choice: readonly unknown[]) => void chosen.push(choice),
    };
    await modelFlow(fakeDesk([["1"]], { models }), "");
    await modelFlow(fakeDesk([["s"]], { models }), "");
    await modelFlow(fakeDesk([], { models }), "two");
    expect(chosen).toEqual([
      ["one", "no"],
      ["one", "yes"],
      ["two", "no"],
    ]);
  });
});

describe("settings, trust and language", () => {
  it("change a value, and say if one is refused", async () => {
    const upkeep = {
      settings: async () => [
        { key: "ui.doubleEscapeMs", value: "500", source: { layer: "default" } } as const,
      ],
      set: async (_key: string, value: string) => {
        if (value === "x")
          throw new WorldlineError("stated", { code: "SETTINGS_INVALID", message: "Not a number." });
        return { effect: "now", value, source: { layer: "default" } } as const;
      },
    };
    const context = fakeDesk(
      [["1"], ["ctrl+u", "'600'", "enter"], ["1"], ["ctrl+u", "'x'", "enter"], ["escape"]],
      { upkeep },
    );
    await settingsFlow(context);
    expect(context.told.filter((line) => line !== "ask")).toEqual([
      "say good: Set: ui.doubleEscapeMs = 600. The change takes effect now.",
      "say error: Not a number.",
    ]);
  });

  it("trust only what the user has agreed to", async () => {
    const trusted: string[] = [];
    const upkeep = {
      untrusted: async () => ({ folder: "app", what: [foreignText("x")], seal: "s" }),
      trust: async ({ seal }: { readonly seal: string }) => {
        trusted.push(seal);
        return "done" as const;
      },
    };
    await trustFlow(fakeDesk([["1"]], { upkeep }));
    await trustFlow(fakeDesk([["2"]], { upkeep }));
    await trustFlow(fakeDesk([], { upkeep: { untrusted: async () => undefined } }));
    expect(trusted).toEqual(["s"]);
  });

  it("shows a folder again that changed during the question", async () => {
    const seals: string[] = [];
    const context = fakeDesk([["2"], ["1"]], {
      upkeep: {
        untrusted: async () => ({ folder: "app", what: [foreignText("x")], seal: `s${seals.length}` }),
        trust: async ({ seal }: { readonly seal: string }) => {
          seals.push(seal);
          return "changed" as const;
        },
      },
    });
    await trustFlow(context);
    expect(seals).toEqual(["s0"]);
  });

  it("take a language by name or from the menu", async () => {
    const named = fakeDesk([]);
    await languageFlow(named, "zh");
    const chosen = fakeDesk([["2"]]);
    await languageFlow(chosen, "");
    expect([named.told, chosen.told]).toEqual([["language zh-CN"], ["ask", "language zh-CN"]]);
  });
});
