import { pathDocument, shortPathText } from "../../app/files/path-text.ts";
import type { FilesOutcome } from "../../machine/files/requests.ts";
import type { PathOutcome } from "../../ports/workspace-files.ts";
import { atAShell, pathWhy, wordingIn } from "../../strings/errors/wording.ts";
import type { Strings } from "../../strings/strings.ts";
import { countsIn } from "../../travel/logged-files.ts";
import { MOST_SHOWN } from "./change-text.ts";
import { throughDocument, throughEnd } from "./through-text.ts";

/** What became of the files: the counts, then every path that did not go as asked. */
export function outcomeLines(outcome: FilesOutcome, strings: Strings): string[] {
  const { files } = strings;
  const { paths, tracked } = outcome;
  const worthAWord = [
    ...paths.filter((each) => each.outcome === "failed"),
    ...paths.filter((each) => each.outcome === "kept"),
    ...paths.filter((each) => each.outcome === "restored" && each.why !== undefined),
  ];
  const rest = worthAWord.length - MOST_SHOWN;
  return [
    files.outcome(outcome),
    ...worthAWord.slice(0, MOST_SHOWN).map((each) => `  ${lineOf(each, strings)}`),
    ...(rest > 0 ? [`  ${files.more(rest)}`] : []),
    ...(tracked === undefined ? [] : [files.touchedOnly]),
    ...throughEnd(outcome, strings),
  ];
}

function lineOf({ path, outcome, detail, ...told }: PathOutcome, strings: Strings): string {
  const { files, reasons } = strings;
  const why = pathWhy(strings, told, wordingIn(reasons, atAShell));
  return files.pathOutcome(files.outcomes[detail ?? outcome], shortPathText(path), why ?? "");
}

/** The same for JSON, where nothing is cut. */
export function outcomeDocument({ paths, tracked, through, ...counts }: FilesOutcome) {
  return {
    ...(through === undefined ? {} : { through: throughDocument(through) }),
    ...(tracked === undefined ? {} : { tracked }),
    ...countsIn(counts),
    paths: paths.map(({ path, outcome, detail, why, reasons }) => ({
      ...pathDocument(path),
      outcome: detail ?? outcome,
      ...(why === undefined ? {} : { why }),
      ...(reasons === undefined ? {} : { reasons }),
    })),
  };
}
