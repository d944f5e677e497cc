import { en } from "../../../../src/strings/en.ts";
import type { Strings } from "../../../../src/strings/strings.ts";
import { runSlash } from "../../../../src/tui/commands/slash-commands.ts";
import type { Dialog } from "../../../../src/tui/dialogs/dialog.ts";
import { parseSlash } from "../../../../src/tui/editor/inputs.ts";
import type { CommandContext } from "../../../../src/tui/flows/command-context.ts";
import { readKeys } from "../../../../src/tui/terminal/keys.ts";
import type { Phase } from "../../../../src/tui/view/view-state.ts";
import { plainLook } from "../../support/plain-look.ts";

type Answers = Readonly<Record<string, unknown>>;

export interface StageOptions {
  /** The app's answers by "folder.method": a value, or a function that returns one. */
  readonly app?: Answers;
  readonly model?: "ready" | "none";
  /** Bytes that are typed into the dialogs, one after the other; Esc once they are used up. */
  readonly keys?: string;
  readonly strings?: Strings;
}

const FOLDERS = ["queries", "journeys", "sessions", "models", "upkeep"] as const;

/** A command context with a user at the keyboard; it records what was done, in order, as readable lines. */
export function commandStage({ app = {}, model = "ready", keys = "", strings = en }: StageOptions = {}) {
  const done: string[] = [];
  const shown: string[] = [];
  const typed = [...readKeys(keys)];
  const answered = (name: string, words: readonly unknown[]): unknown => {
    const answer = app[name];
    return typeof answer === "function" ? answer(...words) : answer;
  };
  const folder = (name: string): unknown =>
    new Proxy(
      {},
      {
        get:
          (_target, method) =>
          async (...words: readonly unknown[]): Promise<unknown> => {
            const told = words.filter((word) => typeof word !== "function" && word !== undefined);
            done.push([`${name}.${String(method)}`, ...told.map((word) => JSON.stringify(word))].join(" "));
            return answered(`${name}.${String(method)}`, words);
          },
      },
    );
  let isConfirmed = false;
  const auto = {
    get isConfirmed() {
      return isConfirmed;
    },
    confirm: () => {
      isConfirmed = true;
      done.push("auto confirmed");
    },
  };
  const agent = {
    session: "s-here",
    workspace: "/work",
    mode: "manual",
    setMode: (mode: string) => done.push(`mode ${mode}`),
    run: async (command: string, told: string) => {
      done.push(`run ${told}: ${command}`);
      return { outcome: "ok", exitCode: 0, checkpoint: 3 };
    },
  };
  const context = {
    strings,
    app: {
      agent,
      auto,
      settings: app["settings"] ?? { "backtrack.display": "card" },
      model:
        model === "ready" ? { state: "ready", name: "m", window: 1_000 } : { state: "none", lookedFor: [] },
      ...Object.fromEntries(FOLDERS.map((name) => [name, folder(name)])),
    },
    ask: async (dialog: Dialog<unknown, unknown>) => {
      const look = plainLook(strings);
      const space = { width: 60, rows: 20 };
      let state = dialog.start;
      shown.push(dialog.draw(state, space, look).join("\n"));
      for (;;) {
        const pressed = dialog.press(state, typed.shift() ?? { key: "escape" }, { ...space, look });
        if ("answer" in pressed) return pressed.answer;
        state = pressed.state;
      }
    },
    say: ({ tone, line }: { tone: string; line: string }) => done.push(`${tone}: ${line}`),
    answer: ({ asked, text }: { asked: string; text: string }) => done.push(`${asked} -> ${text}`),
    show: async ({ title, text }: { title: string; text: string }) => {
      done.push(`show ${title}`);
      shown.push(text);
    },
    wait: async (what: string, work: (waiting: unknown) => Promise<unknown>) => {
      done.push(`wait ${what}`);
      return work({ signal: new AbortController().signal, onProgress: () => undefined });
    },
    edit: (text: string) => done.push(`edit ${text}`),
    send: async (text: string) => {
      done.push(`send ${text.slice(0, 20)}`);
    },
    compact: async (focus: string | undefined) => {
      done.push(`compact ${focus ?? "-"}`);
    },
    reload: async () => {
      done.push("reload");
    },
    setLanguage: async (language: string) => {
      done.push(`language ${language}`);
    },
    leave: () => done.push("leave"),
  } as unknown as CommandContext;
  return {
    context,
    done,
    shown,
    run: async (text: string, phase: Phase = "idle") => {
      const slash = parseSlash(text);
      if (slash === undefined) throw new Error(`${text} is no command`);
      await runSlash(context, slash, phase);
      return done;
    },
  };
}
