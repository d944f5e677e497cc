import { pathDocument } from "../../../app/files/paths.ts";
import type { Answer, Undone } from "../../../app/find.ts";
import type { TriedState } from "../../../finder/finding.ts";
import type { ChangedPath } from "../../../finder/narrow/units.ts";
import type { WorkspaceState } from "../../../finder/states.ts";
import type { FileState, PathBytes } from "../../../record/files.ts";
import { modeText } from "../../../show/change-text.ts";
import { unjudgedText } from "../../../show/find-text.ts";
import { outcomeDocument } from "../../../show/journey-text.ts";
import { wordingOf } from "../../command-again.ts";
import type { Frame } from "../../frame.ts";
import type { JsonDocument } from "../../output.ts";

/** Returns the complete answer as JSON. */
export function documentOf(frame: Frame, answer: Answer, undone: Undone): JsonDocument {
  const { finding, border, change, paths, author, prompt } = answer;
  return {
    verdict: finding.verdict,
    ...(finding.verdict === "cannot-tell" ? { why: finding.why } : {}),
    states: finding.states.length,
    tried: finding.tried.map((each) => triedDocument(frame, each, finding.states)),
    green: border === undefined ? null : stateDocument(border.green, "last"),
    red: border === undefined ? null : stateDocument(border.red, "first"),
    prompt: prompt ?? null,
    author: author ?? null,
    change:
      change === undefined
        ? null
        : {
            sense: change.sense,
            size: change.size,
            hunks: change.units.length,
            paths: paths.map((path) => pathOf(path, change.renamed.get(path.path))),
          },
    confirmed: change === undefined ? null : change.effect.state,
    linked: finding.linked.map(pathDocument),
    undo: undoDocument(undone),
  };
}

function triedDocument(
  frame: Frame,
  { state, why, ...tally }: TriedState,
  states: readonly WorkspaceState[],
) {
  const tried = states[state];
  const { passed, failed } = tally;
  const result = passed > 0 && failed > 0 ? "flaky" : failed > 0 ? "red" : passed > 0 ? "green" : "unjudged";
  return {
    ...(tried === undefined ? {} : stateDocument(tried, "first")),
    result,
    ...tally,
    ...whyDocument(frame, why),
  };
}

/** Returns the reason as JSON. `why` is in English, so programs should switch on `reason`. */
function whyDocument(frame: Frame, why: TriedState["why"]) {
  if (why === undefined) return {};
  const { code: reason, ...params } = why;
  return { why: unjudgedText(why, { strings: frame.strings, wording: wordingOf(frame) }), reason, params };
}

function stateDocument({ kind, at, snapshot, places }: WorkspaceState, end: "first" | "last") {
  const place = places.at(end === "first" ? 0 : -1);
  return {
    kind,
    session: place?.session ?? null,
    checkpoint: place?.checkpoint ?? null,
    at: new Date(place?.at ?? at).toISOString(),
    snapshot,
  };
}

function pathOf({ path, what, hunks, before, after, patch }: ChangedPath, renamed: PathBytes | undefined) {
  return {
    ...pathDocument(path),
    ...(renamed === undefined ? {} : { renamed: pathDocument(renamed) }),
    what,
    hunks,
    ...(what === "mode" ? { modes: { before: modeOf(before), after: modeOf(after) } } : {}),
    ...(patch === undefined ? {} : { patch }),
  };
}

function modeOf(state: FileState | undefined): string | null {
  return state?.kind === "file" || state?.kind === "folder" ? modeText(state.mode) : null;
}

function undoDocument(undone: Undone) {
  if (undone.state === "not-asked") return null;
  if (undone.state === "refused") return { state: "refused", why: undone.why };
  const { session, journey, files } = undone;
  return { state: undone.state, session, journey, files: outcomeDocument(files) };
}
