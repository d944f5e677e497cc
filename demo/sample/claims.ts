import type { Entry, EntryOf } from "../../src/record/entry.ts";
import type { LoggedCounts } from "../../src/record/files.ts";
import { isJsonObject, type Json } from "../../src/record/parts.ts";
import { countsIn, doneCount } from "../../src/travel/logged-files.ts";

/** One action of an agent, according to its log. */
export type TrailStep =
  | {
      readonly did: "call";
      readonly name: string;
      /** The file or the command of the action. */
      readonly about: string;
      readonly outcome: EntryOf<"tool-end">["outcome"] | "open";
    }
  | {
      readonly did: "back";
      readonly to: number;
      readonly note: string;
      /** Absent if no files were restored. */
      readonly files?: LoggedCounts;
    };

/** Reads a log from its first line to its last, including abandoned branches. Pure. */
export function trailOf(entries: readonly Entry[]): readonly TrailStep[] {
  const known = knownOf(entries);
  return entries.flatMap((entry): readonly TrailStep[] => {
    if (entry.kind === "backtrack") return [backStep(entry, known.restored.get(entry.id))];
    // Calls of Backtrack are skipped, because a backtrack that was carried out has its own entry.
    return entry.kind === "tool-start" && entry.name !== "Backtrack" ? [callStep(entry, known)] : [];
  });
}

interface Known {
  /** Facts from other entries: inputs and results by call, and restores by journey. */
  readonly inputs: ReadonlyMap<string, Json>;
  readonly ends: ReadonlyMap<string, EntryOf<"tool-end">>;
  readonly restored: ReadonlyMap<string, EntryOf<"restored">>;
}

function knownOf(entries: readonly Entry[]): Known {
  const calls = entries
    .flatMap((entry) => (entry.kind === "reply" ? entry.parts : []))
    .filter((part) => part.type === "tool-call");
  const ends = entries.filter((entry) => entry.kind === "tool-end");
  const restored = entries.filter((entry) => entry.kind === "restored");
  return {
    inputs: new Map(calls.map(({ call, input }) => [call, input])),
    ends: new Map(ends.map((end) => [end.call, end])),
    restored: new Map(restored.map((each) => [each.journey, each])),
  };
}

function backStep({ to, note }: EntryOf<"backtrack">, files: EntryOf<"restored"> | undefined): TrailStep {
  return { did: "back", to, note, ...(files === undefined ? {} : { files: countsIn(files) }) };
}

function callStep({ name, call, input }: EntryOf<"tool-start">, { inputs, ends }: Known): TrailStep {
  const about = aboutOf(input ?? inputs.get(call) ?? {});
  return { did: "call", name, about, outcome: ends.get(call)?.outcome ?? "open" };
}

function aboutOf(input: Json): string {
  if (!isJsonObject(input)) return "";
  const known = [input["file_path"], input["command"]].find((each) => typeof each === "string");
  return typeof known === "string" ? known : "";
}

/** A claim about the worker's repair, and whether it holds. */
export interface Claim {
  readonly claim: "red" | "wrong" | "back" | "restored" | "green" | "only" | "named";
  /** The finding that contradicts the claim, or a count of findings. */
  readonly found: string;
  readonly holds: boolean;
}

export interface Repaired {
  readonly trail: readonly TrailStep[];
  /** The command that runs the test. */
  readonly test: string;
  /** The result of the test before and after the turn, run outside the agent. */
  readonly tested: readonly [before: "green" | "red", after: "green" | "red"];
  /** Paths that the turn changed, and paths of the culprit that still differ from the unbroken sample. */
  readonly changed: readonly string[];
  readonly unmended: readonly string[];
  readonly culprit: readonly string[];
  readonly answer: string;
}

const CHANGES = new Set(["Edit", "Write"]);

/** Checks the claims about a repair. Pure: all facts were read from the log and the disk beforehand. */
export function claimsOf(repaired: Repaired): readonly Claim[] {
  const { trail, test, tested, changed, unmended, culprit, answer } = repaired;
  const wrong = wrongGuesses(trail, test);
  const journeys = trail.filter((step) => step.did === "back");
  const followed = wrong.filter(({ at, path }) => {
    const next = trail[at + 1];
    return next?.did === "back" && next.note.includes(path);
  });
  const whole = journeys.filter(
    ({ files }) => files !== undefined && doneCount(files) > 0 && files.kept + files.failed === 0,
  );
  const guesses = trail.filter((step) => step.did === "call" && isChange(step)).length;
  const [first] = trail;
  const isRed = first?.did === "call" && first.about === test && first.outcome === "error";
  const of = (some: number, all: number): string => `${some} of ${all}`;
  return [
    { claim: "red", found: tested[0], holds: isRed && tested[0] === "red" },
    { claim: "wrong", found: of(wrong.length, guesses), holds: wrong.length > 0 },
    {
      claim: "back",
      found: of(followed.length, wrong.length),
      holds: journeys.length > 0 && followed.length === wrong.length && journeys.length === wrong.length,
    },
    {
      claim: "restored",
      found: of(whole.length, journeys.length),
      holds: journeys.length > 0 && whole.length === journeys.length,
    },
    { claim: "green", found: tested[1], holds: tested[1] === "green" },
    {
      claim: "only",
      found: changed.join(", "),
      holds: changed.join("\n") === culprit.join("\n") && unmended.length === 0,
    },
    {
      claim: "named",
      found: answer.split(", ")[0] ?? "",
      holds: culprit.some((path) => answer.startsWith(`Found: ${path}`)),
    },
  ];
}

/** Returns the failed runs of the test after a change, each with the path that was changed last. */
function wrongGuesses(trail: readonly TrailStep[], test: string) {
  const wrong: { readonly at: number; readonly path: string }[] = [];
  let path: string | undefined;
  for (const [at, step] of trail.entries()) {
    if (step.did === "back") {
      path = undefined;
      continue;
    }
    if (isChange(step)) path = step.about;
    if (step.about === test && step.outcome === "error" && path !== undefined) wrong.push({ at, path });
  }
  return wrong;
}

function isChange({ name, outcome }: Extract<TrailStep, { did: "call" }>): boolean {
  return CHANGES.has(name) && outcome === "ok";
}
