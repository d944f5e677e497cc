import { lstatSync, utimesSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isWithin, type PathBytes } from "../../../src/record/files.ts";
import { type Findings, joinFindings } from "../../../src/snapshots/finding/findings.ts";
import { joinManifests } from "../../../src/snapshots/finding/manifest.ts";
import { Walker, type WalkerOptions } from "../../../src/snapshots/finding/walker.ts";
import { tempFolder } from "../../../src/testing/temp-folder.ts";
import { apply, everythingIn, type Model, partsFor, Tree } from "./workspace-tree.ts";

/** One change to the workspace; impossible ones are skipped. */
type Damage =
  | { readonly do: "write"; readonly path: PathBytes; readonly content: string }
  | { readonly do: "folder" | "remove" | "date back"; readonly path: PathBytes }
  | { readonly do: "link"; readonly path: PathBytes; readonly target: string }
  | { readonly do: "mode"; readonly path: PathBytes; readonly mode: number }
  | { readonly do: "rename"; readonly path: PathBytes; readonly to: PathBytes };

function inflict(tree: Tree, damage: Damage): void {
  const { path } = damage;
  switch (damage.do) {
    case "write":
      tree.file(path, damage.content);
      break;
    case "folder":
      tree.folder(path);
      break;
    case "link":
      tree.link(path, damage.target);
      break;
    case "remove":
      tree.remove(path);
      break;
    case "date back":
      utimesSync(tree.at(path), 1, 1);
      break;
    case "mode":
      // Folders stay accessible to their owner, because the reference walk could not enter closed ones
      // either. Other tests cover those.
      tree.chmod(path, lstatSync(tree.at(path)).isDirectory() ? damage.mode | 0o700 : damage.mode);
      break;
    case "rename":
      tree.rename(path, damage.to);
      break;
    default:
      damage satisfies never;
  }
}

function tryTo(tree: Tree, damage: Damage): void {
  try {
    inflict(tree, damage);
  } catch {
    // The change is impossible here, for example because a folder exists where a file was to be written.
    return;
  }
}

function damages(names: readonly PathBytes[], target = "a"): fc.Arbitrary<Damage[][]> {
  const path = fc
    .array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join("/"));
  const folderPath = path.filter((each) => !each.endsWith(".gitignore"));
  const content = fc.constantFrom("one", "two", "a\n", "b\n", "three four");
  const one: fc.Arbitrary<Damage> = fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant("write" as const), path, content }) },
    fc.record({ do: fc.constant("folder" as const), path: folderPath }),
    fc.record({ do: fc.constant("link" as const), path: folderPath, target: fc.constant(target) }),
    fc.record({ do: fc.constantFrom("remove" as const, "date back" as const), path }),
    fc.record({ do: fc.constant("mode" as const), path, mode: fc.constantFrom(0o600, 0o755, 0o4711) }),
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant("rename" as const), path: folderPath, to: folderPath }),
    },
  );
  return fc.array(fc.array(one, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 5 });
}

/** After each round of changes, the model takes in what `look` finds and must then equal `right`. */
interface Story {
  readonly look: (round: readonly Damage[], index: number) => readonly Findings[];
  readonly right: (model: Model) => Model;
}

function play(rounds: readonly Damage[][], begin: (tree: Tree) => Story): void {
  const folder = tempFolder();
  try {
    const tree = new Tree(folder.path);
    const { look, right } = begin(tree);
    const model: Model = new Map();
    for (const [index, round] of rounds.entries()) {
      for (const damage of round) tryTo(tree, damage);
      for (const findings of look(round, index)) apply(model, findings, tree);
      expect(sorted(model)).toEqual(sorted(right(model)));
    }
  } finally {
    folder.remove();
  }
}

/** A walker that is repeatedly saved, loaded and split. */
class Restless {
  readonly #parts: WalkerOptions;
  #walkers: Walker[];

  constructor(parts: WalkerOptions) {
    this.#parts = parts;
    this.#walkers = [new Walker(parts)];
  }

  scan(): Findings[] {
    const findings = joinFindings(this.#walkers.map((walker) => walker.scan({ folders: "all" })));
    if (findings.unsettled.length === 0) return [findings];
    this.split(1);
    return [
      findings,
      ...this.#walkers.map((each) => each.scan({ folders: [], decideAnew: findings.unsettled })),
    ];
  }

  split(of: number): void {
    const saved = this.#walkers.map((walker) => walker.save(""));
    const bytes = joinManifests(saved, "");
    this.#walkers = Array.from({ length: of }, (_, part) => {
      const loaded = bytes === undefined ? undefined : Walker.load(bytes, this.#parts, { part, of });
      if (loaded === undefined) throw new Error("refused");
      return loaded.walker;
    });
  }
}

describe("walking a workspace, whatever is done to it", () => {
  const names = ["a", "b", "c\xff\n", ".git"];

  const shares = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 5, maxLength: 5 });
  const all = { folders: "all" } as const;

  it("law: after taking in what was found, the model is what is there", () => {
    fc.assert(
      fc.property(damages(names), (rounds) => {
        play(rounds, (tree) => {
          const walker = new Walker(partsFor(tree.root, { now: Date.now }));
          return { look: () => [walker.scan(all)], right: () => everythingIn(tree) };
        });
      }),
      { numRuns: 40 },
    );
  });

  it("law: finds the same when given the paths that were touched", () => {
    // The link's target does not exist, because a write through a link would touch another path.
    fc.assert(
      fc.property(damages(names, "/dev/null/nowhere"), (rounds) => {
        play(rounds, (tree) => {
          const walker = new Walker(partsFor(tree.root, { now: Date.now }));
          const look = (round: readonly Damage[]): Findings[] => [
            walker.scan({ folders: round.flatMap(touched) }),
          ];
          return { look, right: () => everythingIn(tree) };
        });
      }),
      { numRuns: 40 },
    );
  });

  it("law: several walkers, saved and loaded and joined, find the same", () => {
    fc.assert(
      fc.property(damages(names), shares, (rounds, parts) => {
        play(rounds, (tree) => {
          const walker = new Restless(partsFor(tree.root, { now: Date.now }));
          const look = (_: unknown, index: number): Findings[] => {
            if (index % 2 === 1) walker.split(parts[index] ?? 1);
            return walker.scan();
          };
          return { look, right: () => everythingIn(tree) };
        });
      }),
      { numRuns: 40 },
    );
  });

  it("law: with ignore rules that come and go, it knows what a fresh walker would find", () => {
    fc.assert(
      fc.property(damages(["a", "b", ".gitignore"]), shares, (rounds, parts) => {
        play(rounds, (tree) => {
          const settings = partsFor(tree.root, { now: Date.now, limits: { maxIgnoredFiles: 1 } });
          const walker = new Restless(settings);
          const look = (_: unknown, index: number): Findings[] => {
            if (index > 0) walker.split(parts[index] ?? 1);
            return walker.scan();
          };
          const right = (model: Model): Model => {
            const fresh: Model = new Map();
            apply(fresh, new Walker(settings).scan(all), tree);
            return withLeftOutOf(model, fresh);
          };
          return { look, right };
        });
      }),
      { numRuns: 40 },
    );
  });
});

function touched(damage: Damage): PathBytes[] {
  const paths = damage.do === "rename" ? [damage.path, damage.to] : [damage.path];
  // Writing a file in a new folder touches that folder as well.
  return paths.flatMap((path) =>
    path.split("/").map((_, index, parts) => parts.slice(0, index + 1).join("/")),
  );
}

/**
 * An ignored folder that was once too large stays left out until it changes itself, even if something deep
 * inside has shrunk.
 */
function withLeftOutOf(model: Model, fresh: Model): Model {
  const left = [...model.keys()].filter((path) => model.get(path) === "left-out ignored" && fresh.has(path));
  const kept = new Map([...fresh].filter(([path]) => !left.some((above) => isWithin(path, above))));
  for (const path of left) kept.set(path, "left-out ignored");
  return kept;
}

function sorted(model: Model): [PathBytes, string][] {
  return [...model].sort(([a], [b]) => (a < b ? -1 : 1));
}
