import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { expect } from "vitest";
import { defaultAgentSettings } from "../../../src/agent/agent-context.ts";
import { NativeAgent } from "../../../src/agent/native-agent.ts";
import { systemClock } from "../../../src/disk/system-clock.ts";
import type { FilesPreview } from "../../../src/machine/files/requests.ts";
import { createSession } from "../../../src/machine/open.ts";
import type { Session } from "../../../src/machine/session.ts";
import { openWorkspaceFiles } from "../../../src/open-files.ts";
import type { Model } from "../../../src/ports/model.ts";
import { isWorldlineError } from "../../../src/record/error.ts";
import type { EntryId } from "../../../src/record/ids.ts";
import type { ReplyPart } from "../../../src/record/parts.ts";
import { openFilesStore } from "../../../src/stores/files/files.ts";
import { inTempFolder } from "../../../src/testing/testing.ts";

/**
 * When the user edits a file by hand. "during" means while a tool runs, the only time at which a hand edit
 * can be mistaken for the tool's.
 */
type Moment = "thinking" | "question" | "during" | "after";

interface HandEdit {
  readonly moment: Moment;
  readonly path: string;
}

interface Call {
  readonly tool: "Bash" | "Write" | "read";
  readonly path: string;
  readonly edits: readonly HandEdit[];
}

type Act =
  | { readonly do: "turn"; readonly steps: readonly (readonly Call[])[] }
  | { readonly do: "edit"; readonly path: string }
  | { readonly do: "rewind"; readonly to: number; readonly scope: "files" | "both" }
  | { readonly do: "redo" };

/** The files that the user edits: `mine` belongs to them alone, and the agent writes the others too. */
const path = fc.constantFrom("mine", "both", "agents");
const handEdit: fc.Arbitrary<HandEdit> = fc.record({
  moment: fc.constantFrom<Moment>("thinking", "question", "during", "after"),
  path,
});
const call: fc.Arbitrary<Call> = fc.record({
  tool: fc.constantFrom("Bash", "Bash", "Write", "read"),
  path: fc.constantFrom("both", "agents", "other"),
  edits: fc.array(handEdit, { maxLength: 2 }),
});
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("turn" as const),
      steps: fc.array(fc.array(call, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("edit" as const), path }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("rewind" as const),
      to: fc.nat(),
      scope: fc.constantFrom("files" as const, "both" as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("redo" as const) }) },
);

/**
 * Whatever the user edits by hand, and however they rewind and redo: content that existed before a journey
 * and was not written by the agent survives it. Only an edit made while a tool ran may be taken back, and the
 * preview lists it among the changes made meanwhile.
 */
export async function lawOfHandEdits(numRuns: number): Promise<void> {
  const torture = Number(process.env["WORLDLINE_TORTURE"] ?? 0);
  const runs = torture > 0 ? { numRuns: numRuns * Math.max(20, torture) } : { numRuns, seed: 20_260_102 };
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 6 }), async (story) => {
      await inTempFolder(async (folder) => {
        const play = await HandEditPlay.open(folder);
        try {
          for (const each of story) await play.act(each);
        } finally {
          await play.close();
        }
      });
    }),
    runs,
  );
}

class HandEditPlay {
  readonly #workspace: string;
  readonly #session: Session;
  readonly #agent: NativeAgent;
  readonly #closeFiles: () => Promise<void>;
  /** The moment of each hand edit, by the text that it wrote. */
  readonly #moments = new Map<string, Moment | "between">();
  readonly #journeys: EntryId[] = [];
  #steps: (readonly Call[])[] = [];
  #calls = new Map<string, Call>();
  #written = 0;

  private constructor(parts: {
    folder: string;
    session: Session;
    files: Awaited<ReturnType<typeof openWorkspaceFiles>>;
  }) {
    const { folder, session, files } = parts;
    this.#workspace = join(folder, "workspace");
    this.#session = session;
    this.#closeFiles = async () => files.close();
    this.#agent = new NativeAgent({
      session,
      resumed: "new",
      mode: "manual",
      files,
      model: this.#model(),
      person: {
        allow: async ({ call }) => {
          await this.#edit("question", this.#calls.get(call));
          return { answer: "once" };
        },
        answer: async () => undefined,
        approve: async () => ({ answer: "no", reason: "no" }),
      },
      rules: { allow: [], ask: [], deny: [] },
      settings: defaultAgentSettings,
      clock: systemClock,
      environment: { PATH: process.env["PATH"] },
      fetch,
      keepOutput: async () => join(folder, "outputs"),
      secretVariables: [],
      outputs: join(folder, "outputs"),
      priceOf: () => undefined,
      openSubSession: () => Promise.reject(new Error("There are no sub-agents here.")),
    });
    this.#agent.on((event) => {
      if (event.type === "doing" && event.doing.what === "tool")
        this.#write("during", this.#calls.get(event.doing.call));
    });
  }

  static async open(folder: string): Promise<HandEditPlay> {
    const workspace = join(folder, "workspace");
    const home = join(folder, "home");
    mkdirSync(workspace);
    for (const name of ["mine", "both", "agents"]) writeFileSync(join(workspace, name), `first ${name}`);
    const files = await openWorkspaceFiles({ workspace, home });
    const deps = { store: openFilesStore({ root: home, clock: systemClock }), clock: systemClock, files };
    const request = { workspace, system: "You are in a law.", backtrack: "off" } as const;
    return new HandEditPlay({
      folder,
      session: await createSession(deps, request, { name: "a law" }),
      files,
    });
  }

  async close(): Promise<void> {
    await this.#agent.close();
    await this.#closeFiles();
  }

  async act(act: Act): Promise<void> {
    switch (act.do) {
      case "turn":
        this.#steps = [...act.steps];
        expect((await this.#agent.prompt("go")).outcome).toBe("done");
        return;
      case "edit":
        this.#writeByHand(act.path, "between");
        return;
      case "rewind":
        return this.#rewind(act);
      case "redo":
        return this.#redo();
      default:
        return act satisfies never;
    }
  }

  async #rewind({ to: pick, scope }: Extract<Act, { do: "rewind" }>): Promise<void> {
    const { highestNumber } = this.#session.outline;
    if (highestNumber === 0) return;
    const to = 1 + (pick % highestNumber);
    await this.#journey(
      async () => this.#session.previewFiles({ to }),
      async () => {
        const { journey } = await this.#session.rewind({ to, scope });
        this.#journeys.push(journey);
      },
    );
  }

  async #redo(): Promise<void> {
    const journey = this.#journeys.pop();
    if (journey === undefined) return;
    await this.#journey(
      async () => this.#session.previewFiles({ journey }),
      async () => void (await this.#session.redo({ wanted: journey })),
    );
  }

  /** Checks the law on one journey. */
  async #journey(look: () => Promise<FilesPreview>, make: () => Promise<void>): Promise<void> {
    const before = this.#contents();
    let preview: FilesPreview;
    try {
      preview = await look();
      await make();
    } catch (error) {
      // The journey was refused, so nothing may have changed.
      if (!isWorldlineError(error)) throw error;
      expect(this.#contents()).toEqual(before);
      return;
    }
    const after = this.#contents();
    const ambiguous = new Set(
      preview.during.filter(({ sign }) => sign === undefined).map((each) => each.path),
    );
    for (const [name, text] of before) {
      const moment = this.#moments.get(text);
      if (moment === undefined || after.get(name) === text) continue;
      expect({ name, text, moment, isShown: ambiguous.has(name) }).toEqual({
        ...{ name, text, moment: "during", isShown: true },
      });
    }
  }

  #contents(): ReadonlyMap<string, string> {
    return new Map(
      readdirSync(this.#workspace).map((name) => [name, readFileSync(join(this.#workspace, name), "utf8")]),
    );
  }

  #model(): Model {
    return {
      name: "law/model",
      window: 200_000,
      stream: () => this.#reply(),
    };
  }

  async *#reply(): AsyncGenerator<{ type: "end"; parts: ReplyPart[] }> {
    // The agent has seen what its previous calls did, so the user may edit again.
    for (const call of this.#calls.values()) await this.#edit("after", call);
    const step = this.#steps.shift();
    this.#calls = new Map();
    if (step === undefined) {
      yield { type: "end", parts: [{ type: "text", text: "done" }] };
      return;
    }
    const parts = step.map((call): ReplyPart => {
      this.#written += 1;
      const id = `call${this.#written}`;
      this.#calls.set(id, call);
      return { type: "tool-call", call: id, ...this.#asked(call) };
    });
    for (const call of step) await this.#edit("thinking", call);
    yield { type: "end", parts };
  }

  #asked({ tool, path: name }: Call): { name: string; input: Record<string, string> } {
    const text = `agent ${this.#written}`;
    if (tool === "Write") return { name: "Write", input: { file_path: name, content: text } };
    return {
      name: "Bash",
      input: { command: tool === "read" ? `ls ${name}` : `printf '${text}' > ${name}` },
    };
  }

  /** Waits a little first: no user can edit in the same millisecond in which a command ends. */
  async #edit(moment: Moment, call: Call | undefined): Promise<void> {
    if (call?.edits.some((each) => each.moment === moment) !== true) return;
    await sleep(10);
    this.#write(moment, call);
  }

  #write(moment: Moment, call: Call | undefined): void {
    for (const edit of call?.edits ?? []) if (edit.moment === moment) this.#writeByHand(edit.path, moment);
  }

  #writeByHand(name: string, moment: Moment | "between"): void {
    this.#written += 1;
    const text = `hand ${this.#written}`;
    this.#moments.set(text, moment);
    writeFileSync(join(this.#workspace, name), text);
  }
}
