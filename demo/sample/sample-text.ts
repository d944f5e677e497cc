import { pathDocument, pathText } from "../../src/app/files/paths.ts";
import { oneLine } from "../../src/record/visible-text.ts";
import type { Glyphs, Style } from "../../src/show/style.ts";
import { table } from "../../src/show/table.ts";
import { shortened } from "../../src/show/text-width.ts";
import type { Strings } from "../../src/strings/strings.ts";
import { doneCount } from "../../src/travel/logged-files.ts";
import type { TrailStep } from "./claims.ts";
import type { TestedSamples } from "./find-sample.ts";
import type { Repair } from "./repair.ts";
import type { TriedWay } from "./try-way.ts";

type Words = Strings["find"]["sample"];

interface SampleLook {
  readonly words: Words;
  readonly glyphs: Glyphs;
  readonly style: Style;
  /** The width of the terminal. */
  readonly columns: number;
}

interface Look {
  readonly words: Words;
  readonly mark: (holds: boolean) => string;
  readonly red: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly fitted: (text: string) => string;
}

/** Renders a table of the ways, followed by the worker's actions and the claims about them. */
export function sampleText(
  { ways, repair, off, kept }: TestedSamples,
  { words, glyphs, style, columns }: SampleLook,
): string {
  const look: Look = {
    words,
    mark: (holds) => (holds ? glyphs.yes : glyphs.no),
    red: style.red,
    bold: style.bold,
    fitted: (text) => shortened(text, columns, glyphs.ellipsis),
  };
  return [
    ...wayLines(ways, look),
    "",
    ...(repair === undefined ? [] : [...repairLines(repair, look), ""]),
    words.outcome(off, ways.length, repair === undefined ? "finder" : "both"),
    kept === undefined ? words.gone : words.kept(kept),
  ].join("\n");
}

function wayLines(ways: readonly TriedWay[], { words, mark, red, bold }: Look): readonly string[] {
  const { headings } = words;
  const [head = "", ...rows] = table([
    ["", headings.way, headings.verdict, headings.named, ""],
    ...ways.map((way) => {
      const isRight = way.wrong.length === 0;
      const verdict = way.answer === undefined ? "" : words.verdicts[way.answer.finding.verdict];
      const name = words.way(way.name);
      return [mark(isRight), name, verdict, namedText(way, words), isRight ? words.right : words.wrong];
    }),
  ]);
  const body = rows.flatMap((row, index) => {
    const wrong = ways[index]?.wrong ?? [];
    if (wrong.length === 0) return [row];
    return [
      red(row),
      ...wrong.map(
        ({ about, said, wanted }) => `     ${oneLine(words.said(words.about[about], said, wanted))}`,
      ),
    ];
  });
  return [bold(head), ...body];
}

function namedText({ answer }: TriedWay, words: Words): string {
  if (answer?.change === undefined) return words.nothing;
  const { author, paths, border } = answer;
  const by = author?.by === "tool" ? (author.calls[0]?.name ?? "") : words.by[author?.by ?? "outside"];
  const checkpoint = border?.red.places[0]?.checkpoint;
  return words.named(paths.map(({ path }) => pathText(path)).join(", "), checkpoint, by);
}

function repairLines(repair: Repair, { words, mark, red, bold, fitted }: Look): readonly string[] {
  const { way, prompt, test, trail, answer, claims } = repair;
  const rows = table(
    claims.map(({ claim, found, holds }) => [mark(holds), words.claims[claim], oneLine(found)]),
  );
  return [
    bold(words.worker(words.way(way))),
    `  > ${prompt}`,
    ...trail.map((step) => fitted(`  ${stepText(step, test, words)}`)),
    ...answer.split("\n").map((line) => fitted(`  ${line}`)),
    "",
    bold(words.claimed),
    ...rows.map((row, index) => `  ${claims[index]?.holds === false ? red(row) : row}`),
  ];
}

function stepText(step: TrailStep, test: string, words: Words): string {
  if (step.did === "call") {
    const { name, about, outcome } = step;
    return oneLine(words.call(name, about, (about === test ? words.tested : words.ended)[outcome]));
  }
  const last = step.note.trimEnd().split("\n").at(-1) ?? "";
  return oneLine(
    words.back(
      step.to,
      step.files === undefined ? 0 : doneCount(step.files),
      last.replace(/^- (?:\[\S+\] )?/u, ""),
    ),
  );
}

/** The results as JSON. */
export function sampleDocument({ ways, repair, off, kept }: TestedSamples) {
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
