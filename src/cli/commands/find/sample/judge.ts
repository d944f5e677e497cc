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

/** Compares an answer with what was really done; empty where all of it is right. Pure. */
export function judge(answer: Answer, { way, checkpoints }: Done): readonly Wrong[] {
  const { culprit, steps } = way;
  const { finding, border, change, paths, author } = answer;
  if (culprit === "cannot-tell") {
    const isHonest = finding.verdict === "flaky" || finding.verdict === "cannot-tell";
    return isHonest ? [] : [{ about: "verdict", said: finding.verdict, wanted: "cannot-tell" }];
  }
  if (finding.verdict !== "found" || change === undefined) {
    return [{ about: "verdict", said: finding.verdict, wanted: "found" }];
  }
  const call = steps[culprit.step]?.call;
  const patch = paths.map((path) => path.patch ?? "").join("\n");
  const missing = (culprit.lines ?? []).filter((line) => !patch.includes(`\n${line}\n`));
  const compared: readonly Wrong[] = [
    {
      about: "checkpoint",
      said: String(border?.red.places[0]?.checkpoint ?? NOTHING),
      wanted: String(checkpoints[culprit.step] ?? NOTHING),
    },
    {
      about: "files",
      said: paths.map(({ path }) => path).join(", "),
      wanted: culprit.paths.join(", "),
    },
    { about: "lines", said: missing.length === 0 ? "" : patch, wanted: missing.join("\n") },
    {
      about: "author",
      said: authorText(author?.by, author?.calls ?? []),
      wanted: authorText(call === undefined ? "outside" : "tool", call === undefined ? [] : [call]),
    },
    { about: "proof", said: `${change.size}, ${change.effect.state}`, wanted: "minimal, confirmed" },
  ];
  return compared.filter(({ said, wanted }) => said !== wanted);
}

function authorText(
  by: string | undefined,
  calls: readonly { readonly name: string; readonly input: Json }[],
): string {
  return [by ?? NOTHING, ...calls.map(({ name, input }) => `${name} ${JSON.stringify(input)}`)].join(", ");
}
