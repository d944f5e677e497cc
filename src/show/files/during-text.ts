import { pathDocument, shortPathText } from "../../app/files/path-text.ts";
import { commandsText, type DuringChange } from "../../app/journeys/described-preview.ts";
import type { FilesPreview } from "../../machine/files/requests.ts";
import type { PathBytes } from "../../record/files.ts";
import type { Strings } from "../../strings/strings.ts";
import type { Sign } from "../../travel/logged-files.ts";
import type { DuringPath } from "../../travel/plan-files.ts";
import { type KeptPath, keptOutcome } from "../../travel/plan-files.ts";
import { MOST_SHOWN } from "./change-text.ts";

/** How many lines of a diff a text shows, and for how many paths. */
const MOST_LINES = 20;
const MOST_DIFFS = 20;
/** A heading for each set of commands, and below it the paths with their diffs; cut with a count. */
export function duringLines(changes: readonly DuringChange[], strings: Strings): string[] {
  const { during, more } = strings.files;
  const groups = new Map<string, string[]>();
  for (const [index, { path, calls, diff = [] }] of changes.slice(0, MOST_SHOWN).entries()) {
    const commands = commandsText(calls);
    const lines = groups.get(commands) ?? [];
    groups.set(commands, lines);
    lines.push(`  ${shortPathText(path)}`);
    if (index >= MOST_DIFFS) continue;
    lines.push(...diff.slice(0, MOST_LINES).map((line) => `    ${line}`));
    if (diff.length > MOST_LINES) lines.push(`    ${during.moreLines(diff.length - MOST_LINES)}`);
  }
  const late = new Set(changes.filter(isLate).map(({ calls }) => commandsText(calls)));
  const rest = changes.length - MOST_SHOWN;
  return [
    ...[...groups].flatMap(([commands, lines]) => [
      during.title(commands),
      ...(late.has(commands) ? [`  ${during.late}`] : []),
      ...lines,
    ]),
    ...(rest > 0 ? [`  ${more(rest)}`] : []),
  ];
}

function isLate({ calls }: DuringPath): boolean {
  return calls.some(({ looked }) => looked === "late");
}

/** Why a path stays, as a person reads it. */
export function keptReason({ path, why }: KeptPath, preview: FilesPreview, strings: Strings): string {
  const signed = why === "outside" ? preview.during.find((each) => each.path === path) : undefined;
  if (signed?.sign === undefined) return strings.pathReasons.plain[why];
  return strings.files.during.kept(commandsText(signed.calls), signText(signed.sign, strings));
}

function signText(sign: Sign, { files: { signs } }: Strings): string {
  switch (sign.sign) {
    case "swap-file":
      return signs["swap-file"](sign);
    case "open-elsewhere":
      return signs["open-elsewhere"](sign);
    default:
      return signs[sign.sign]();
  }
}

/** For JSON: everything that changed while commands ran, what points to the user, and what becomes of it. */
export function duringDocument(preview: FilesPreview, changes: readonly DuringChange[]) {
  const diffs = new Map(changes.map(({ path, diff }) => [path, diff]));
  const steps = new Set(preview.steps.map(({ path }) => path));
  const gone = new Set(preview.kept.filter(({ why }) => keptOutcome(why).detail).map(({ path }) => path));
  const fateOf = (path: PathBytes) =>
    steps.has(path)
      ? ("restored" as const)
      : gone.has(path)
        ? ("not-restorable" as const)
        : ("kept" as const);
  return preview.during.map(({ path, calls, sign }) => {
    const diff = diffs.get(path);
    return {
      ...pathDocument(path),
      calls: calls.map(({ call, about, looked }) => ({
        call,
        about,
        ...(looked === undefined ? {} : { looked }),
      })),
      ...(sign === undefined ? {} : { sign }),
      fate: fateOf(path),
      ...(diff === undefined ? {} : { diff: diff.join("\n") }),
    };
  });
}
