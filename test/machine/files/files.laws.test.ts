import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Session } from "../../../src/machine/session.ts";
import type { Choice } from "../../../src/record/entry.ts";
import { isWorldlineError } from "../../../src/record/error.ts";
import { reopen } from "../deps.ts";
import { beginWithFiles, lastOf, stepThat, type World } from "./workspace.ts";

const PATHS = ["a", "d", "d/a", "d/b", "d/e/f", "g"];

type Edit = { readonly path: string; readonly text: string | undefined };
type Action =
  | { readonly do: "step" | "outside"; readonly edits: readonly Edit[] }
  | { readonly do: "checkpoint" | "reopen" }
  | {
      readonly do: "rewind";
      readonly pick: number;
      readonly choice: Choice;
      readonly scope: "both" | "files";
    }
  | { readonly do: "redo"; readonly choice: Choice };

const edit: fc.Arbitrary<Edit> = fc.record({
  path: fc.constantFrom(...PATHS),
  text: fc.option(fc.constantFrom("one", "two", "one more"), { nil: undefined }),
});
const choice = fc.constantFrom<Choice>("keep", "take", "merge");
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({
    do: fc.constantFrom("step" as const, "outside" as const),
    edits: fc.array(edit, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ do: fc.constantFrom("checkpoint" as const, "reopen" as const) }),
  fc.record({
    do: fc.constant("rewind" as const),
    pick: fc.nat(),
    choice,
    scope: fc.constantFrom("both" as const, "files" as const),
  }),
  fc.record({ do: fc.constant("redo" as const), choice }),
);

/** Plays a story and passes each journey, unperformed, to the `journey` callback. */
class Play {
  readonly world: World;
  session: Session;
  #lastState: Record<string, string> = {};

  constructor(world: World) {
    this.world = world;
    this.session = world.session;
  }

  async act(
    one: Action,
    journey: (choice: Choice, make: () => Promise<unknown>) => Promise<void>,
  ): Promise<void> {
    const { session } = this;
    switch (one.do) {
      case "step":
        await stepThat(session, () => this.#edit(one.edits));
        await session.capture({ checkpoint: await session.step(), author: "timeline" });
        this.noteState();
        break;
      case "outside":
        this.#edit(one.edits);
        break;
      case "checkpoint":
        await session.checkpoint();
        this.noteState();
        break;
      case "reopen":
        this.session = await reopen(this.world.deps, session);
        break;
      case "rewind": {
        const numbers = (await session.checkpoints()).map(({ number }) => number);
        const to = numbers[one.pick % Math.max(1, numbers.length)] ?? 0;
        await journey(one.choice, () => session.rewind({ to, scope: one.scope, choice: one.choice }));
        break;
      }
      case "redo":
        await journey(one.choice, () => session.redo({ choice: one.choice }));
        break;
      default:
        one satisfies never;
    }
  }

  noteState(): void {
    this.#lastState = this.world.files.told;
  }

  /** The paths that the outside has changed since the last known state. */
  get byHand(): readonly string[] {
    return PATHS.filter((path) => this.world.files.told[path] !== this.#lastState[path]);
  }

  #edit(edits: readonly Edit[]): void {
    const { files } = this.world;
    for (const { path, text } of edits) {
      files.remove(path);
      for (const above of ["d", "d/e"])
        if (path.startsWith(`${above}/`) && files.told[above] !== undefined) files.remove(above);
      if (text !== undefined) files.write(path, text);
    }
  }
}

function told(files: World["files"], paths: readonly string[]): unknown {
  return paths.map((path) => [path, files.told[path]]);
}

async function made(make: () => Promise<unknown>): Promise<"made" | "refused"> {
  try {
    await make();
    return "made";
  } catch (error) {
    if (isWorldlineError(error)) return "refused";
    throw error;
  }
}

describe("journeys with files", () => {
  it("law: whatever happened, a journey that is redone at once leaves every file as it was", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 14 }), async (story) => {
        const play = new Play(await beginWithFiles());
        const { files } = play.world;
        for (const one of story) {
          await play.act(one, async (_choice, make) => {
            const before = files.told;
            if ((await made(make)) === "refused") return expect(files.told).toEqual(before);
            const { left } = { left: undefined, ...(await play.session.journeys()).at(-1)?.entry };
            expect(left !== undefined && (await files.has(left))).toBe(true);
            const journey = (await play.session.journeys()).at(-1)?.entry.id;
            await play.session.redo({ ...(journey === undefined ? {} : { wanted: journey }) });
            expect(files.told).toEqual(before);
            play.noteState();
          });
        }
      }),
      { numRuns: 60 },
    );
  });

  it("law: what was changed outside since the last state is kept, unless it is to be taken or merged", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 14 }), async (story) => {
        const play = new Play(await beginWithFiles());
        const { files } = play.world;
        for (const one of story) {
          await play.act(one, async (wanted, make) => {
            const byHand = wanted === "keep" ? play.byHand : [];
            const before = told(files, byHand);
            if ((await made(make)) === "refused") return;
            expect(told(files, byHand)).toEqual(before);
            const end = await lastOf(play.session, "restored");
            expect(end?.failed).toBe(0);
            play.noteState();
          });
        }
      }),
      { numRuns: 60 },
    );
  });
});
