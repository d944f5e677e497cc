import { symlinkSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FilesProgress } from "../../../../src/machine/files/requests.ts";
import type { Session } from "../../../../src/machine/session.ts";
import { isWorldlineError } from "../../../../src/record/error.ts";
import { afterCrash } from "../../deps.ts";
import { Killed } from "../../memory-workspace.ts";
import { beginAtHome, beginBeside, type OutsideWorld, put, writes } from "./outside-world.ts";

const NAMES = ["a", "b", "d/c"];

type Edit = readonly [name: string, text: string | undefined, mode: number];
type Action =
  | { readonly do: "tool" | "hand"; readonly edit: Edit }
  | { readonly do: "link"; readonly name: string }
  | { readonly do: "rewind"; readonly pick: number; readonly scope: "both" | "files"; readonly crash: number }
  | { readonly do: "redo"; readonly crash: number };

const edit: fc.Arbitrary<Edit> = fc.tuple(
  fc.constantFrom(...NAMES),
  fc.option(fc.constantFrom("one", "two", "\xff\0"), { nil: undefined, freq: 4 }),
  fc.constantFrom(0o644, 0o600),
);
/** After how many files the program is killed; 3 or more means that it is not. */
const crash = fc.nat(6);

function story(doing: fc.Arbitrary<"tool" | "hand">): fc.Arbitrary<Action[]> {
  const action: fc.Arbitrary<Action> = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: doing, edit }) },
    fc.record({
      do: fc.constant("rewind" as const),
      pick: fc.nat(),
      scope: fc.constantFrom("both", "files"),
      crash,
    }),
    fc.record({ do: fc.constant("redo" as const), crash }),
  );
  return fc.array(action, { minLength: 2, maxLength: 12 });
}

/** Plays a story. A journey that is killed is complete once the session has been reopened. */
class Play {
  readonly world: OutsideWorld;
  session: Session;
  /** The state of all files at each checkpoint. */
  readonly known = new Map<number, readonly string[]>();

  constructor(world: OutsideWorld) {
    this.world = world;
    this.session = world.session;
  }

  get now(): readonly string[] {
    return NAMES.map((name) => this.world.told(name));
  }

  async act(one: Action): Promise<void> {
    switch (one.do) {
      case "tool": {
        const before = this.now;
        const [name, text, mode] = one.edit;
        this.known.set(await writes(this.session, [this.world.at(name), text, mode]), before);
        return;
      }
      case "hand":
        return put(this.world.at(one.edit[0]), one.edit[1], one.edit[2]);
      case "link":
        put(this.world.at(one.name), undefined);
        return symlinkSync(this.world.at("elsewhere"), this.world.at(one.name));
      case "rewind": {
        const numbers = [...this.known.keys()];
        const to = numbers[one.pick % Math.max(1, numbers.length)];
        if (to === undefined) return;
        const { scope } = one;
        return this.#travel(one.crash, async (onProgress) => this.session.rewind({ to, scope, onProgress }));
      }
      case "redo":
        return this.#travel(one.crash, async (onProgress) => this.session.redo({ onProgress }));
      default:
        one satisfies never;
    }
  }

  async #travel(
    count: number,
    make: (onProgress: (progress: FilesProgress) => void) => Promise<unknown>,
  ): Promise<void> {
    try {
      await make((progress) => {
        if (progress.doing === "restore" && progress.done === count) throw new Killed();
      });
    } catch (error) {
      if (error instanceof Killed) this.session = await afterCrash(this.world.deps, this.session.id);
      // Skipped: nothing to redo, or nothing that differs.
      else if (!isWorldlineError(error)) throw error;
    }
  }
}

describe.each([
  ["beside the workspace", beginBeside],
  ["at home", beginAtHome],
])("law: files %s", (_place, open) => {
  it("that only tools wrote are at every checkpoint what they were there, and come back by redo", async () => {
    await fc.assert(
      fc.asyncProperty(story(fc.constant("tool")), fc.nat(), crash, async (actions, pick, count) => {
        const play = new Play(await open());
        for (const one of actions) await play.act(one);
        const numbers = [...play.known.keys()];
        const to = numbers[pick % Math.max(1, numbers.length)];
        if (to === undefined) return;
        const before = play.now;
        const journeys = (await play.session.journeys()).length;
        await play.act({ do: "rewind", pick, scope: "files", crash: count });
        expect(play.now).toEqual(play.known.get(to));
        if ((await play.session.journeys()).length === journeys) return;
        await play.act({ do: "redo", crash: count });
        expect(play.now).toEqual(before);
      }),
      { numRuns: 40 },
    );
  });

  it("that were last written outside the session are never changed by a journey without permission", async () => {
    await fc.assert(
      fc.asyncProperty(
        story(fc.constantFrom("tool", "hand")),
        fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom("mine", "yours")),
        fc.array(fc.tuple(fc.nat(), crash), { minLength: 1, maxLength: 3 }),
        async (actions, [name, text], journeys) => {
          const play = new Play(await open());
          for (const one of actions) await play.act(one);
          put(play.world.at(name), text, 0o640);
          for (const [pick, count] of journeys) {
            await play.act({ do: "rewind", pick, scope: "files", crash: count });
            expect(play.world.told(name)).toBe(`${text} 640`);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it("are never reached through a link", async () => {
    await fc.assert(
      fc.asyncProperty(story(fc.constantFrom("tool", "hand")), fc.nat(), async (actions, pick) => {
        const play = new Play(await open());
        put(play.world.at("elsewhere"), "theirs");
        for (const one of actions) await play.act(one);
        for (const name of ["a", "b"]) await play.act({ do: "link", name });
        await play.act({ do: "rewind", pick, scope: "files", crash: 9 });
        await play.act({ do: "redo", crash: 9 });
        expect([play.world.told("a"), play.world.told("b")]).toEqual(["no file", "no file"]);
        expect(play.world.told("elsewhere")).toBe("theirs 644");
      }),
      { numRuns: 20 },
    );
  });
});
