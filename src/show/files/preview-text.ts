import type { ChangeSummary } from "../../app/files/change-summary.ts";
import { pathDocument, shortPathText } from "../../app/files/path-text.ts";
import type { DescribedPreview } from "../../app/journeys/described-preview.ts";
import type { FilesPreview } from "../../machine/files/requests.ts";
import type { PathBytes } from "../../record/files.ts";
import { because } from "../../record/path-reason.ts";
import type { Strings } from "../../strings/strings.ts";
import { type KeptPath, keptOutcome } from "../../travel/plan-files.ts";
import { changeDocument, changeLines, MOST_SHOWN } from "./change-text.ts";
import { duringDocument, duringLines, keptReason } from "./during-text.ts";
import { throughLines } from "./through-text.ts";

/** The lines that stand before the deed, and in a dry run. */
export function previewLines(described: DescribedPreview, strings: Strings): string[] {
  const { preview, steps, during, conflicts } = described;
  const { files } = strings;
  const { kept, gitHead } = preview;
  return [
    ...(preview.tracked === undefined ? [] : [files.touchedOnly]),
    ...throughLines(preview, strings),
    steps.length === 0 ? files.nothingToRestore : files.wouldRestore(countsOf(steps)),
    ...changeLines(steps, strings),
    ...duringLines(during, strings),
    ...(conflicts === "expected" ? [] : conflictLines(preview, strings)),
    ...cut(
      kept.map((each) => {
        const [path, reason] = [shortPathText(each.path), keptReason(each, preview, strings)];
        return isKept(each) ? files.keptPath(path, reason) : files.notRestorable(path, reason);
      }),
      files,
    ),
    ...(conflicts === "open" && kept.some(({ why }) => why === "outside") ? [`  ${files.keptHint}`] : []),
    ...(kept.some(({ why }) => why === "untracked") ? [`  ${files.through.rest}`] : []),
    ...(gitHead.target === gitHead.present || gitHead.target === undefined
      ? []
      : [files.gitMoved(gitHead.target, gitHead.present ?? files.nothing)]),
  ];
}

/** Only those that are not kept: what is kept is named with its reason anyway. */
function conflictLines({ conflicts, kept }: FilesPreview, { files }: Strings): string[] {
  const keptPaths = new Set<PathBytes>(kept.map(({ path }) => path));
  const shown = conflicts.filter(({ path }) => !keptPaths.has(path));
  return cut(
    shown.map(({ path, choice }) => files.conflict(shortPathText(path), files.choices[choice])),
    files,
  );
}

function cut(lines: readonly string[], { more }: Strings["files"]): string[] {
  const rest = lines.length - MOST_SHOWN;
  return [...lines.slice(0, MOST_SHOWN).map((line) => `  ${line}`), ...(rest > 0 ? [`  ${more(rest)}`] : [])];
}

/** Of files and links, as `outcomeCounts` has them afterwards. */
function countsOf(steps: readonly ChangeSummary[]): { created: number; deleted: number; changed: number } {
  const counted = steps.filter(({ kind }) => kind !== "folder");
  const created = counted.filter(({ what }) => what === "created").length;
  const deleted = counted.filter(({ what }) => what === "deleted").length;
  return { created, deleted, changed: counted.length - created - deleted };
}

function isKept({ why }: KeptPath): boolean {
  return keptOutcome(why).detail === undefined;
}

/** The same for JSON, where nothing is cut. */
export function previewDocument({ preview, steps, during }: DescribedPreview) {
  const ambiguous = new Set(during.map(({ path }) => path));
  const signs = new Map(preview.during.map(({ path, sign }) => [path, sign]));
  const { target, present, kept, conflicts, deletions, gitHead, tracked, through } = preview;
  return {
    ...(through === undefined ? {} : { through }),
    target: target ?? null,
    present: present ?? null,
    ...(tracked === undefined ? {} : { tracked }),
    // "tools": what edit tools did, or a journey. "during": what changed while commands ran, and may be the user's.
    steps: steps.map((step) => ({
      ...changeDocument(step),
      group: ambiguous.has(step.path) ? ("during" as const) : ("tools" as const),
    })),
    during: duringDocument(preview, during),
    kept: kept.filter(isKept).map(({ path, why }) => {
      const sign = why === "outside" ? signs.get(path) : undefined;
      return {
        ...pathDocument(path),
        why,
        reason: because({ code: why }).why,
        ...(sign === undefined ? {} : { sign }),
      };
    }),
    // Gone, and in no snapshot.
    notRestorable: kept
      .filter((each) => !isKept(each))
      .map(({ path, why }) => ({ ...pathDocument(path), why, reason: because({ code: why }).why })),
    conflicts: conflicts.map(({ path, choice, merge }) => ({ ...pathDocument(path), choice, merge })),
    deletions,
    git: { target: gitHead.target ?? null, present: gitHead.present ?? null },
  };
}
