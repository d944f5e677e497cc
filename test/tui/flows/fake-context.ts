import type { App } from "../../../src/app/app.ts";
import type { Demonstrations } from "../../../src/app/find.ts";
import type { JourneyMade, JourneyPreview, Journeys } from "../../../src/app/journeys/journey-types.ts";
import type { EntryId, SessionId } from "../../../src/record/ids.ts";
import { en } from "../../../src/strings/en.ts";
import { atAShell } from "../../../src/strings/wording.ts";
import type { CommandContext } from "../../../src/tui/flows/command-context.ts";
import { asker } from "../dialogs/asker.ts";
import { CHECKPOINTS, PREVIEW } from "../dialogs/rows.ts";

/** What a flow did, in order: "say good: ...", "rewind {...}". */
export type Told = string[];

export interface FakeApp {
  readonly journeys?: Partial<Journeys>;
  readonly queries?: Partial<App["queries"]>;
  readonly sessions?: Partial<App["sessions"]>;
  readonly models?: Partial<App["models"]>;
  readonly upkeep?: Partial<App["upkeep"]>;
  readonly demonstrations?: Partial<Demonstrations>;
}

export interface FakeDesk extends CommandContext {
  readonly told: Told;
  /** The first line of each dialog. */
  readonly asked: readonly string[];
}

export const MADE: JourneyMade = {
  journey: "j1" as EntryId,
  scope: "both",
  place: { number: 12, at: 0, text: "find the leak" },
  prompt: [{ type: "text", text: "find the leak" }],
  files: {
    restored: 1,
    created: 1,
    removed: 1,
    merged: 0,
    kept: 1,
    notRestorable: 0,
    failed: 0,
    unrestored: [{ path: "notes.md", outcome: "kept", why: "changed by others" }],
  },
  differ: 0,
};

/** A context whose user presses the given keys, one list per dialog, and that records what happens. */
export function fakeDesk(scripts: readonly (readonly string[])[], app: FakeApp = {}): FakeDesk {
  const told: Told = [];
  const { ask, asked } = asker(scripts);
  const context = {
    strings: en,
    told,
    asked,
    app: appOf(told, app),
    demonstrations: { ...app.demonstrations },
    ask: async (dialog: Parameters<CommandContext["ask"]>[0]) => {
      told.push("ask");
      return ask(dialog);
    },
    say: ({ tone, line, details }: Parameters<CommandContext["say"]>[0]) => {
      told.push(`say ${tone}: ${line}${details === undefined ? "" : `\n${details}`}`);
    },
    show: async ({ title, form }: Parameters<CommandContext["show"]>[0]) => {
      told.push(`show ${form}: ${title}`);
    },
    wait: async (what: string, work: Parameters<CommandContext["wait"]>[1]) => {
      told.push(`wait: ${what}`);
      return work({ signal: new AbortController().signal, onProgress: () => undefined });
    },
    growingAnswer: (asked: string) => (line: string) => told.push(`${asked}: ${line}`),
    edit: (content: unknown) => told.push(`edit ${JSON.stringify(content)}`),
    resumeTurn: async (how: string) => told.push(`go on: ${how}`),
    reload: async () => told.push("reload"),
    shellCommand: atAShell.command,
    setLanguage: async (language: string) => told.push(`language ${language}`),
  };
  return context as unknown as FakeDesk;
}

function appOf(told: Told, { journeys, queries, sessions, models, upkeep }: FakeApp): App {
  const preview: JourneyPreview = PREVIEW;
  const write = (what: string, request: unknown) =>
    told.push(`${what} ${JSON.stringify(request, mapsAsObjects)}`);
  return {
    agent: { session: "here" as SessionId },
    model: { state: "ready", name: "m", window: 1_000 },
    journeys: {
      ready: async () => undefined,
      menuOpened: async () => undefined,
      unreadable: () => 0,
      rows: async () => CHECKPOINTS,
      rowsHere: async () => CHECKPOINTS.filter(({ place }) => place === "here"),
      rowsElsewhere: async () => CHECKPOINTS.filter(({ place }) => place === "elsewhere"),
      changedSince: async () => 0,
      scopes: async () => ({ scopes: ["both", "conversation", "files"] }),
      preview: async (request: unknown) => {
        write("preview", request);
        return preview;
      },
      rewind: async (request: unknown) => {
        write("rewind", request);
        return MADE;
      },
      previewRedo: async (request: unknown) => {
        write("preview redo", request);
        return preview;
      },
      redo: async (request: unknown) => {
        write("redo", request);
        return MADE;
      },
      leaveCut: async () => told.push("leave the turn that was cut"),
      running: async () => [],
      label: async (row: unknown, label: string) => write("label", { row, label }),
      ...journeys,
    },
    queries: { ...queries },
    sessions: { unreadable: () => 0, ...sessions },
    models: { ...models },
    upkeep: { ...upkeep },
  } as unknown as App;
}

function mapsAsObjects(_key: string, value: unknown): unknown {
  return value instanceof Map ? Object.fromEntries(value) : value;
}
