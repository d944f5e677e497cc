import { pathDocument, pathText } from "../../src/app/files/paths.ts";
import { modeText } from "../../src/show/change-text.ts";
import type { Glyphs, Style } from "../../src/show/style.ts";
import { table } from "../../src/show/table.ts";
import type { Strings } from "../../src/strings/strings.ts";
import type { Difference, Seen } from "../survey.ts";
import type { Proof } from "./proof.ts";
import { isOff, type Trial } from "./trial.ts";

export interface ProofLook {
  readonly strings: Strings["prove"];
  readonly glyphs: Glyphs;
  readonly style: Style;
}

const MAX_PROBLEMS = 5;
const HASH_SHOWN = 12;

/** Renders the table of damages (restored, redone), followed by the claims about all of them. */
export function proofLines(proof: Proof, look: ProofLook): string[] {
  const { strings, style } = look;
  const { headings } = strings;
  const rows = table([
    ["", headings.damage, headings.paths, headings.restored, headings.redone],
    ...proof.trials.map((trial) => trialRow(trial, look)),
  ]);
  const [head = "", ...body] = rows;
  return [
    style.bold(head),
    ...body.flatMap((row, index) => {
      const trial = proof.trials[index];
      if (trial === undefined || !isOff(trial)) return [row];
      return [style.red(row), ...problemsOf(trial, strings).map((line) => `     ${line}`)];
    }),
    "",
    ...claimLines(proof, look),
  ];
}

function trialRow(trial: Trial, { strings, glyphs }: ProofLook): string[] {
  const { damage, paths, unrestored, unredone, unclean, stayed, failure } = trial;
  const mark = isOff(trial) ? glyphs.no : glyphs.yes;
  const name = strings.damages[damage];
  if (failure !== undefined) return [mark, name, "", strings.no, strings.no];
  if (paths === 0) return [mark, name, strings.nothing];
  const said = (off: number): string => (off === 0 ? strings.yes : strings.no);
  const restored = said(unrestored.length + unclean.length);
  const stay = stayed.length > 0 && unrestored.length === 0 ? [strings.stayed] : [];
  return [mark, name, paths.toLocaleString("en"), restored, said(unredone.length), ...stay];
}

function problemsOf(trial: Trial, strings: Strings["prove"]): string[] {
  const { unrestored, unredone, unclean, failure } = trial;
  if (failure !== undefined) return [strings.scriptFailed(failure)];
  return [
    ...differenceLines([...unrestored, ...unredone], strings),
    ...(unrestored.length === 0 && unclean.length > 0
      ? [strings.notClean(unclean.length), ...differenceLines(unclean, strings)]
      : []),
  ];
}

function differenceLines(found: readonly Difference[], strings: Strings["prove"]): string[] {
  const more = found.length - MAX_PROBLEMS;
  return [
    ...found
      .slice(0, MAX_PROBLEMS)
      .map((each) =>
        strings.problem(pathText(each.path), seenText(each.wanted, strings), seenText(each.found, strings)),
      ),
    ...(more > 0 ? [strings.moreProblems(more)] : []),
  ];
}

function seenText(seen: Seen | undefined, { absent }: Strings["prove"]): string {
  if (seen === undefined) return absent;
  const content = seen.kind === "link" ? pathText(seen.content) : seen.content.slice(0, HASH_SHOWN);
  return [seen.kind, modeText(seen.mode), content].filter((part) => part !== "").join(" ");
}

function claimLines({ kills, git, whole, store }: Proof, { strings, glyphs, style }: ProofLook): string[] {
  const { claims } = strings;
  const claimed = [
    {
      claim: claims.kills,
      found: kills.failure ?? strings.kills(kills.landed, kills.made),
      off: kills.torn,
      holds: kills.torn.length === 0 && kills.failure === undefined,
    },
    { claim: claims.git, found: strings.paths(git.paths), off: git.changed, holds: git.changed.length === 0 },
    {
      claim: claims.whole,
      found: strings.paths(whole.paths),
      off: whole.changed,
      holds: whole.changed.length === 0,
    },
    { claim: claims.store, found: strings.snapshots(store.snapshots), off: [], holds: store.faults === 0 },
  ];
  const rows = table(
    claimed.map(({ claim, found, holds }) => [holds ? glyphs.yes : glyphs.no, claim, found]),
  );
  return rows.flatMap((row, index) => {
    const one = claimed[index];
    if (one === undefined || one.holds) return [row];
    return [style.red(row), ...differenceLines(one.off, strings).map((line) => `     ${line}`)];
  });
}

/** Renders the proof as JSON. */
export function proofDocument({ trials, kills, git, whole, store }: Proof) {
  const all = (found: readonly Difference[]) =>
    found.map(({ path, wanted, found: now }) => ({
      ...pathDocument(path),
      wanted: wanted ?? null,
      found: now ?? null,
    }));
  return {
    trials: trials.map((trial) => ({
      damage: trial.damage,
      targets: trial.targets.map(pathDocument),
      paths: trial.paths,
      restored: trial.failure === undefined && trial.unrestored.length + trial.unclean.length === 0,
      redone: trial.failure === undefined && trial.unredone.length === 0,
      stayed: trial.stayed.map(pathDocument),
      unrestored: all(trial.unrestored),
      unredone: all(trial.unredone),
      unclean: all(trial.unclean),
      ...(trial.failure === undefined ? {} : { failure: trial.failure }),
    })),
    kills: { ...kills, torn: all(kills.torn) },
    git: { paths: git.paths, changed: all(git.changed) },
    whole: { paths: whole.paths, changed: all(whole.changed) },
    store,
  };
}
