import type { FilesOutcome, FilesPreview } from "../../machine/files/requests.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import { outcomeCounts } from "../../travel/logged-files.ts";
import { keptOutcome } from "../../travel/plan-files.ts";
import type { CurrentSession } from "../current/session-access.ts";
import { type ChangeSummary, summariseChanges } from "../files/change-summary.ts";
import { pathText } from "../files/path-text.ts";
import type { AppWords } from "../words.ts";
import { commandsText, type DuringChange, describePreview } from "./described-preview.ts";
import type { FileStep, FilesMade, FilesPreviewed } from "./journey-types.ts";
import { namesIn, type PathNames } from "./path-names.ts";

/** Beyond this many files lines are not counted: somebody waits for the list. */
const MOST_COUNTED = 200;

/** What a journey would do to the files, as the screen shows it. */
export async function filesPreviewed(
  { context, words }: Pick<CurrentSession, "context" | "words">,
  preview: FilesPreview,
  files: WorkspaceFiles | undefined,
): Promise<FilesPreviewed> {
  const known = { counted: MOST_COUNTED, conflicts: "open", words } as const;
  const { steps, during } = await describePreview(preview, files, known);
  const { values } = await context.settings();
  const nameOf = namesIn(preview);
  const { target, present } = preview.gitHead;
  const isMoved = target !== undefined && target !== present;
  return {
    steps: steps.map((step) => stepTold(step, nameOf)),
    conflicts: await conflictsTold(preview, nameOf),
    kept: preview.kept.map((each) => ({
      path: nameOf(each.path),
      fate: keptOutcome(each.why).detail ?? "kept",
      why: words.kept(each, preview),
    })),
    during: duringTold(preview, { during, nameOf, words }),
    deletions: steps.filter(({ what, kind }) => what === "deleted" && kind !== "folder").length,
    consent: preview.deletions > values["rewind.confirmDeletes"] ? "needed" : "given",
    ...(isMoved ? { git: { was: target, now: present ?? words.noHead } } : {}),
    tracked: preview.tracked ?? "everything",
    ...(preview.through === undefined ? {} : { through: preview.through }),
  };
}

/** What goes back unless the person says otherwise, and what is kept because something points to them. */
function duringTold(
  preview: FilesPreview,
  known: {
    readonly during: readonly DuringChange[];
    readonly nameOf: PathNames;
    readonly words: Pick<AppWords, "kept">;
  },
): FilesPreviewed["during"] {
  const { during, nameOf, words } = known;
  const diffs = new Map(during.map(({ path, diff }) => [path, diff]));
  const going = new Set(during.map(({ path }) => path));
  const staying = preview.during.filter(({ path }) => !going.has(path));
  return [...groupedByCommands(during), ...staying].map((each) => {
    const { path, calls, sign } = each;
    const diff = diffs.get(path);
    return {
      path: nameOf(path),
      commands: commandsText(calls),
      ...(sign === undefined ? {} : { kept: words.kept({ path, why: "outside" }, preview) }),
      ...(diff === undefined ? {} : { diff }),
    };
  });
}

/** Each heading names the commands once; inside, and among them, the order stays. */
function groupedByCommands(during: readonly DuringChange[]): readonly DuringChange[] {
  const groups = new Map<string, DuringChange[]>();
  for (const change of during) {
    const commands = commandsText(change.calls);
    const group = groups.get(commands);
    if (group === undefined) groups.set(commands, [change]);
    else group.push(change);
  }
  return [...groups.values()].flat();
}

async function conflictsTold(
  { conflicts }: FilesPreview,
  nameOf: PathNames,
): Promise<FilesPreviewed["conflicts"]> {
  const summaries = await summariseChanges(conflicts, NO_CONTENT, 0);
  return summaries.map((summary, index) => {
    const { path, what, kind } = stepTold(summary, nameOf);
    const { choice = "keep", merge = "unclean" } = conflicts[index] ?? {};
    return { path, what, kind, choice, merge };
  });
}

/** Lines of conflicts are not counted. */
const NO_CONTENT = { content: async () => new Uint8Array(0) };

function stepTold({ path, what, kind, lines }: ChangeSummary, nameOf: PathNames): FileStep {
  return {
    path: nameOf(path),
    // What is in no snapshot is kept, and never a step.
    what: what === "uncovered" ? "changed" : what,
    kind,
    ...(lines === undefined ? {} : { added: lines.added, removed: lines.removed }),
  };
}

/** What a journey did to them. */
export function filesMade(outcome: FilesOutcome, words: Pick<AppWords, "restoredThrough">): FilesMade {
  const told = outcome.paths.flatMap(({ path, outcome: fate, detail, why = "", reasons }) => {
    if (fate === "restored") return [];
    return [{ path: pathText(path), outcome: detail === "not-restorable" ? detail : fate, why, reasons }];
  });
  const notes = words.restoredThrough(outcome);
  return { ...outcomeCounts(outcome.paths), told, ...(notes.length === 0 ? {} : { notes }) };
}
