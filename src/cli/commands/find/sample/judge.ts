import type { SampleWay } from "../../../../finder/sample/ways.ts";
import type { Json } from "../../../../record/json.ts";
import type { Answer } from "../answer.ts";

/** Something that the finder said, and what it should have said. */
export interface Wrong {
  readonly about: "verdict" | "checkpoint" | "files" | "lines" | "author" | "proof" | "trouble";
  readonly said: string;
  readonly wanted: string;
}

export interface Done {
  readonly way: SampleWay;
  readonly checkpoints: readonly number[];
}

const NOTHING = "nothing";

type Culprit = Exclude<SampleWay["culprit"], "cannot-tell">;

/** Compares an answer with what was really done; empty where all of it is right. Pure. */
export function judge(answer: Answer, done: Done): readonly Wrong[] {
  const { culprit } = done.way;
  const { verdict } = answer.finding;
  if (culprit === "cannot-tell") {
    const isHonest = verdict === "flaky" || verdict === "cannot-tell";
    return isHonest ? [] : [{ about: "verdict", said: verdict, wanted: "cannot-tell" }];
  }
  if (verdict !== "found") return [{ about: "verdict", said: verdict, wanted: "found" }];
  const compared = [...placeIn(answer, done, culprit), ...changeIn(answer, culprit)];
  return compared.filter(({ said, wanted }) => said !== wanted);
}

/** When, and by whom. */
function placeIn(
  { border, author }: Answer,
  { way, checkpoints }: Done,
  { step }: Culprit,
): readonly Wrong[] {
  const call = way.steps[step]?.call;
  return [
    {
      about: "checkpoint",
      said: String(border?.red.places[0]?.checkpoint ?? NOTHING),
      wanted: String(checkpoints[step] ?? NOTHING),
    },
    {
      about: "author",
      said: authorText(author?.by, author?.calls ?? []),
      wanted: call === undefined ? authorText("outside", []) : authorText("tool", [call]),
    },
  ];
}

/** What, and whether the test passes without it. */
function changeIn({ change, paths }: Answer, culprit: Culprit): readonly Wrong[] {
  const patch = paths.map((path) => path.patch ?? "").join("\n");
  const missing = (culprit.lines ?? []).filter((line) => !patch.includes(`\n${line}\n`));
  return [
    { about: "files", said: paths.map(({ path }) => path).join(", "), wanted: culprit.paths.join(", ") },
    { about: "lines", said: missing.length === 0 ? "" : patch, wanted: missing.join("\n") },
    {
      about: "proof",
      said: change === undefined ? NOTHING : `${change.size}, ${change.effect.state}`,
      wanted: "minimal, confirmed",
    },
  ];
}

function authorText(
  by: string | undefined,
  calls: readonly { readonly name: string; readonly input: Json }[],
): string {
  return [by ?? NOTHING, ...calls.map(({ name, input }) => `${name} ${JSON.stringify(input)}`)].join(", ");
}
