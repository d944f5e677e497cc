import { pathText } from "../../../app/files/paths.ts";
import type { Answer, Undone } from "../../../app/find.ts";
import { systemClock } from "../../../disk/system-clock.ts";
import type { CallSeen } from "../../../finder/author.ts";
import type { FindProgress } from "../../../finder/find.ts";
import type { Change, Effect, Finding, Unjudged } from "../../../finder/finding.ts";
import type { ChangedPath } from "../../../finder/narrow/units.ts";
import type { WorkspaceState } from "../../../finder/states.ts";
import type { CheckpointView } from "../../../machine/checkpoint-list.ts";
import type { SessionView } from "../../../machine/view.ts";
import type { FileState } from "../../../record/files.ts";
import { oneLine } from "../../../record/visible-text.ts";
import { modeText } from "../../../show/change-text.ts";
import { relativeTime } from "../../../show/time.ts";
import type { CommandText } from "../../../strings/commands.ts";
import type { Strings } from "../../../strings/strings.ts";
import { wordingIn } from "../../../strings/wording.ts";
import { shellWording } from "../../command-again.ts";
import type { Frame } from "../../frame.ts";

const MAX_CALLS = 3;
const MAX_INPUT = 100;

type Why = (why: Unjudged) => string;

/** An answer, and the names of its states. */
export interface NamedAnswer extends Answer {
  readonly names: PlaceNames;
}

/** An answer as text for users. */
export function textOf(frame: Frame, answer: NamedAnswer, undone: Undone): string {
  const { common, strings } = frame;
  const { finding } = answer;
  const why: Why = (unjudged) => unjudgedText(frame, unjudged);
  const lines = [
    ...verdictLines(answer, strings.find, why),
    ...(isAboutChange(finding) ? changeLines(answer, strings, why) : []),
    ...(finding.linked.length === 0 ? [] : [strings.find.linked(finding.linked.map(pathText).join(", "))]),
    ...undoneLines(answer, undone, { find: strings.find, command: shellWording(common).command }),
  ];
  return lines.join("\n");
}

/** Why a state could not be judged, in the frame's language: English for `--json`. */
export function unjudgedText({ common, strings }: Pick<Frame, "common" | "strings">, why: Unjudged): string {
  const { unjudged } = strings.find;
  switch (why.code) {
    case "folder-missing":
    case "skipped":
      return unjudged[why.code];
    case "timeout":
      return unjudged.timeout(why.seconds);
    case "not-started":
      return unjudged["not-started"](why.program, why.problem);
    case "not-runnable":
      return unjudged["not-runnable"](why.exit);
    case "files-unwritten": {
      const { message } = wordingIn(strings.reasons, shellWording(common));
      return unjudged["files-unwritten"](message(why.problem));
    }
    case "files-uncaptured":
      return unjudged["files-uncaptured"](pathText(why.path));
    default:
      return why satisfies never;
  }
}

type Find = Strings["find"];

function isAboutChange(finding: Finding): boolean {
  if (finding.verdict === "cannot-tell") return finding.why === "unconfirmed";
  return finding.verdict === "found" || finding.verdict === "range";
}

function verdictLines({ finding, names, border }: NamedAnswer, find: Find, why: Why): readonly string[] {
  const ends = [names.name(border?.green, "last"), names.name(border?.red)] as const;
  switch (finding.verdict) {
    case "green-now":
      return [find.greenNow];
    case "found":
      return [find.found(...ends)];
    case "range":
      return [find.range(...ends, finding.border.red - finding.border.green - 1)];
    case "flaky":
      return [flakyText(finding, names, find), ...(border === undefined ? [] : [find.suspect(...ends)])];
    case "cannot-tell":
      if (finding.why === "unconfirmed") return [find.unconfirmed(...ends)];
      return cannotTell(finding, names, { find, unjudged: why });
    default:
      return finding satisfies never;
  }
}

function flakyText(
  { state, states, tried }: Extract<Finding, { verdict: "flaky" }>,
  names: PlaceNames,
  find: Find,
): string {
  const where = names.name(states[state]);
  const { passed = 0, failed = 0 } = tried.find((each) => each.state === state) ?? {};
  // Otherwise, part of the difference gave contradictory results.
  return passed > 0 && failed > 0 ? find.flaky(passed, passed + failed, where) : find.flakyNarrowing(where);
}

function cannotTell(
  { why, states, tried, oldest }: Extract<Finding, { oldest: number }>,
  names: PlaceNames,
  { find, unjudged }: { readonly find: Find; readonly unjudged: Why },
): readonly string[] {
  switch (why) {
    case "no-past":
      return [find.noPast, find.noPastHint];
    case "present": {
      const because = tried.find(({ state }) => state === oldest)?.why;
      const isMistyped = because?.code === "not-started" || because?.code === "not-runnable";
      const text = because === undefined ? "" : unjudged(because);
      return [find.presentUnjudged(text), ...(isMistyped ? [find.notStarted] : [])];
    }
    case "never-green":
      return [find.neverGreen(tried.length, names.name(states[oldest]))];
    default:
      return why satisfies never;
  }
}

function changeLines(
  { border, names, author, change, paths }: NamedAnswer,
  { find }: Strings,
  why: Why,
): readonly string[] {
  const prompt = names.view(border?.red)?.prompt;
  if (change === undefined) return [...(prompt === undefined ? [] : [find.prompt(prompt)]), find.noChange];
  return [
    ...(prompt === undefined ? [] : [find.prompt(prompt)]),
    ...authorLines(author?.by ?? "outside", author?.calls ?? [], find),
    "",
    ...paths.flatMap((path) => [...pathLines(path, find), ...renamedLines(path, change, find)]),
    "",
    ...(change.sense === "mends" && change.units.length > 1 ? [find.mends] : []),
    ...(change.size === "given-up" ? [find.givenUp] : []),
    effectText(change.effect, find, why),
  ];
}

function authorLines(
  by: "tool" | "timeline" | "outside",
  calls: readonly CallSeen[],
  find: Find,
): readonly string[] {
  if (by !== "tool") return [find.by[by]];
  const likely = calls.filter(({ touches }) => touches !== "other");
  const named = calls.filter(({ touches }) => touches === "names");
  const shown = (named.length > 0 ? named : likely).slice(0, MAX_CALLS);
  const others = calls.length - shown.length;
  return [
    ...shown.map(({ name, input }) => find.by.tool(name, inputText(input))),
    ...(others > 0 ? [find.by.otherCalls(others)] : []),
  ];
}

/** Only the file or the command, if the input has one, because that says more than all arguments together. */
function inputText(input: CallSeen["input"]): string {
  const { file_path, command } = { ...(input as Readonly<Record<string, unknown>> | null) };
  const known = [file_path, command].find((each) => typeof each === "string");
  const text = oneLine(typeof known === "string" ? known : JSON.stringify(input));
  return text.length > MAX_INPUT ? `${text.slice(0, MAX_INPUT)}…` : text;
}

function pathLines({ path, what, before, after, patch }: ChangedPath, find: Find): readonly string[] {
  const name = pathText(path);
  if (patch !== undefined) return [patch.trimEnd()];
  if (what === "mode") return [find.changes.mode(name, modeOf(before), modeOf(after))];
  return [find.changes[what](name)];
}

function renamedLines({ path }: ChangedPath, { renamed }: Change, find: Find): readonly string[] {
  const to = renamed.get(path);
  return to === undefined ? [] : [find.renamed(pathText(to))];
}

function modeOf(state: FileState | undefined): string {
  return state?.kind === "file" || state?.kind === "folder" ? modeText(state.mode) : "";
}

function effectText(effect: Effect, { effects }: Find, why: Why): string {
  switch (effect.state) {
    case "confirmed":
    case "other-causes":
      return effects[effect.state];
    case "changed-since":
      return effects["changed-since"](effect.paths.map(pathText).join(", "));
    case "unjudged":
      return effects.unjudged(why(effect.why));
    default:
      return effect satisfies never;
  }
}

function undoneLines(
  { change, paths }: NamedAnswer,
  undone: Undone,
  { find, command }: { readonly find: Find; readonly command: CommandText },
): readonly string[] {
  switch (undone.state) {
    case "not-asked":
      return change?.effect.state === "confirmed" ? [find.undoWith] : [];
    case "refused":
      return [find.notUndone];
    case "undone":
      return [find.undone(paths.map(({ path }) => pathText(path)).join(", "), command)];
    case "partly": {
      const left = undone.files.paths.filter(({ outcome }) => outcome !== "restored");
      return [find.undonePartly(left.map(({ path }) => pathText(path)).join(", "), command)];
    }
    default:
      return undone satisfies never;
  }
}

/** The names of states for users. */
export interface PlaceNames {
  /** `#12 of k3f9x2m7q1 (2 min ago)`; "now" for the present if it is not in any checkpoint. */
  name(state: WorkspaceState | undefined, end?: "first" | "last"): string;
  /** The known facts about the state's checkpoint. */
  view(state: WorkspaceState | undefined, end?: "first" | "last"): CheckpointView | undefined;
}

export async function placeNames(frame: Frame, views: readonly SessionView[]): Promise<PlaceNames> {
  const { find, time } = frame.strings;
  const checkpoints = new Map<string, CheckpointView>();
  for (const view of views) {
    for (const each of await view.checkpoints()) checkpoints.set(`${view.id}:${each.number}`, each);
  }
  const placeOf = (state: WorkspaceState | undefined, end: "first" | "last") =>
    state?.places.at(end === "first" ? 0 : -1);
  return {
    name(state, end = "first") {
      const place = placeOf(state, end);
      if (place === undefined) return find.present;
      const { checkpoint, session, at } = place;
      return find.checkpoint(checkpoint, session, relativeTime(at, systemClock.now(), time));
    },
    view(state, end = "first") {
      const place = placeOf(state, end);
      return place && checkpoints.get(`${place.session}:${place.checkpoint}`);
    },
  };
}

/** Prints the progress to standard error, with and without `--json`: which state, its result, and how many are left. */
export function tellProgress(frame: Frame, names: PlaceNames): (progress: FindProgress) => void {
  const { output, strings } = frame;
  const { find } = strings;
  const tryingText = (progress: Extract<FindProgress, { doing: "state" }>): string => {
    const where = progress.why === "present" ? find.present : names.name(progress.state);
    if (progress.why === "between" || progress.why === "newer") {
      return find.trying[progress.why](where, progress.left ?? 1);
    }
    return find.trying[progress.why](where);
  };
  return (progress) => {
    switch (progress.doing) {
      case "state":
        output.notice(tryingText(progress));
        return;
      case "judged":
        output.notice(
          progress.result === "unjudged"
            ? find.judged.unjudged(progress.why === undefined ? "" : unjudgedText(frame, progress.why))
            : find.judged[progress.result],
        );
        return;
      case "change":
        output.notice(find.narrowing(progress.pieces));
        return;
      default:
        progress satisfies never;
    }
  };
}
