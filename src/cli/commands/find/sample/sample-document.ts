import { pathDocument } from "../../../../app/files/path-text.ts";
import type { JsonDocument } from "../../../output/output.ts";
import type { Proof } from "./sample.ts";
import type { TriedWay } from "./try-way.ts";

export interface Outcome {
  /** How many rows and claims do not hold. */
  readonly off: number;
  /** Where it was left; undefined where it is gone. */
  readonly kept: string | undefined;
}

/** All of a proof, for programs. */
export function sampleDocument({ ways, repair }: Proof, { off, kept }: Outcome): JsonDocument {
  return { off, ways: ways.map(wayDocument), repair: repair ?? null, kept: kept ?? null };
}

function wayDocument({ name, answer, wrong }: TriedWay) {
  return {
    name,
    verdict: answer?.finding.verdict ?? null,
    checkpoint: (answer?.change && answer.border?.red.places[0]?.checkpoint) ?? null,
    paths: (answer?.paths ?? []).map(({ path, what }) => ({ ...pathDocument(path), what })),
    author: answer?.author ?? null,
    right: wrong.length === 0,
    wrong,
  };
}
