import { pathText } from "../app/files/paths.ts";
import type { Answer, Undone } from "../app/find.ts";
import { systemClock } from "../disk/system-clock.ts";
import type { CallSeen } from "../finder/author.ts";
import type { FindProgress } from "../finder/find.ts";
import type { Change, Effect, Finding, Unjudged } from "../finder/finding.ts";
import type { ChangedPath } from "../finder/narrow/units.ts";
import type { WorkspaceState } from "../finder/states.ts";
import type { FileState } from "../record/files.ts";
import { oneLine } from "../record/visible-text.ts";
import type { Wording } from "../strings/errors/texts.ts";
import type { Strings } from "../strings/strings.ts";
import { modeText } from "./change-text.ts";
import { relativeTime } from "./time.ts";

const MAX_CALLS = 3;
const MAX_INPUT = 100;

/** The strings in the reader's language, and the wording of commands and errors for that reader. */
interface FindWords {
  readonly strings: Pick<Strings, "find" | "time">;
  readonly wording: Pick<Wording, "command" | "message">;
}

/** Formats an answer as lines, without the result of `--undo`. */
export function answerLines(answer: Answer, words: FindWords): readonly string[] {
  const { finding } = answer;
  return [
    ...verdictLines(answer, words),
    ...(isAboutChange(finding) ? changeLines(answer, words) : []),
    ...(finding.linked.length === 0
      ? []
      : [words.strings.find.linked(finding.linked.map(pathText).join(", "))]),
  ];
}

/** Explains why a state could not be judged. */
export function unjudgedText(why: Unjudged, { strings, wording }: FindWords): string {
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
    case "files-unwritten":
      return unjudged["files-unwritten"](wording.message(why.problem));
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

function verdictLines({ finding, border }: Answer, words: FindWords): readonly string[] {
  const { find } = words.strings;
  const ends = [stateName(border?.green, words, "last"), stateName(border?.red, words)] as const;
  switch (finding.verdict) {
    case "green-now":
      return [find.greenNow];
    case "found":
      return [find.found(...ends)];
    case "range":
      return [find.range(...ends, finding.border.red - finding.border.green - 1)];
    case "flaky":
      return [flakyText(finding, words), ...(border === undefined ? [] : [find.suspect(...ends)])];
    case "cannot-tell":
      if (finding.why === "unconfirmed") return [find.unconfirmed(...ends)];
      return cannotTell(finding, words);
    default:
      return finding satisfies never;
  }
}

function flakyText(
  { state, states, tried }: Extract<Finding, { verdict: "flaky" }>,
  words: FindWords,
): string {
  const { find } = words.strings;
  const where = stateName(states[state], words);
  const { passed = 0, failed = 0 } = tried.find((each) => each.state === state) ?? {};
  // The test contradicted itself either in this state or in some part of the difference.
  return passed > 0 && failed > 0 ? find.flaky(passed, passed + failed, where) : find.flakyNarrowing(where);
}

function cannotTell(
  { why, states, tried, oldest }: Extract<Finding, { oldest: number }>,
  words: FindWords,
): readonly string[] {
  const { find } = words.strings;
  switch (why) {
    case "no-past":
      return [find.noPast, find.noPastHint];
    case "present": {
      const because = tried.find(({ state }) => state === oldest)?.why;
      const isMistyped = because?.code === "not-started" || because?.code === "not-runnable";
      const text = because === undefined ? "" : unjudgedText(because, words);
      return [find.presentUnjudged(text), ...(isMistyped ? [find.notStarted] : [])];
    }
    case "never-green":
      return [find.neverGreen(tried.length, stateName(states[oldest], words))];
    default:
      return why satisfies never;
  }
}

function changeLines({ author, change, paths, prompt }: Answer, words: FindWords): readonly string[] {
  const { find } = words.strings;
  if (change === undefined) return [...(prompt === undefined ? [] : [find.prompt(prompt)]), find.noChange];
  return [
    ...(prompt === undefined ? [] : [find.prompt(prompt)]),
    ...authorLines(author?.by ?? "outside", author?.calls ?? [], find),
    "",
    ...paths.flatMap((path) => [...pathLines(path, find), ...renamedLines(path, change, find)]),
    "",
    ...(change.sense === "mends" && change.units.length > 1 ? [find.mends] : []),
    ...(change.size === "given-up" ? [find.givenUp] : []),
    effectText(change.effect, words),
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

/**
 * Returns only the file or the command, if the input has one, because it is more informative than a list of all
 * arguments.
 */
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

function effectText(effect: Effect, words: FindWords): string {
  const { effects } = words.strings.find;
  switch (effect.state) {
    case "confirmed":
    case "other-causes":
      return effects[effect.state];
    case "changed-since":
      return effects["changed-since"](effect.paths.map(pathText).join(", "));
    case "unjudged":
      return effects.unjudged(unjudgedText(effect.why, words));
    default:
      return effect satisfies never;
  }
}

/** Returns the lines about the result of `--undo`, or about how to undo the change. */
export function undoneLines(
  { change, paths }: Answer,
  undone: Undone,
  { strings: { find }, wording: { command } }: FindWords,
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

/**
 * Returns the name of a state, such as `#12 of k3f9x2m7q1 (2 min ago)`, or "now" for the present if it is not in any
 * checkpoint.
 */
function stateName(
  state: WorkspaceState | undefined,
  { strings: { find, time } }: FindWords,
  end: "first" | "last" = "first",
): string {
  const place = state?.places.at(end === "first" ? 0 : -1);
  if (place === undefined) return find.present;
  const { checkpoint, session, at } = place;
  return find.checkpoint(checkpoint, session, relativeTime(at, systemClock.now(), time));
}

/** Describes the progress: the state that is tested, its result, and the number of remaining states. */
export function findProgressText(progress: FindProgress, words: FindWords): string {
  const { find } = words.strings;
  switch (progress.doing) {
    case "state":
      return tryingText(progress, words);
    case "judged":
      return progress.result === "unjudged"
        ? find.judged.unjudged(progress.why === undefined ? "" : unjudgedText(progress.why, words))
        : find.judged[progress.result];
    case "change":
      return find.narrowing(progress.pieces);
    default:
      return progress satisfies never;
  }
}

function tryingText(progress: Extract<FindProgress, { doing: "state" }>, words: FindWords): string {
  const { present, trying } = words.strings.find;
  const where = progress.why === "present" ? present : stateName(progress.state, words);
  if (progress.why === "between" || progress.why === "newer") {
    return trying[progress.why](where, progress.left ?? 1);
  }
  return trying[progress.why](where);
}
