import { pathDocument, pathText } from "../../src/app/files/paths.ts";
import { modeText } from "../../src/show/change-text.ts";
import type { Glyphs, Style } from "../../src/show/style.ts";
import { table } from "../../src/show/table.ts";
import type { Strings } from "../../src/strings/strings.ts";
import type { Difference, Seen } from "../survey.ts";
import type { Proof } from "./proof.ts";
import type { Proved } from "./prove.ts";
import { isOff, type Trial } from "./trial.ts";

interface ProofLook {
  readonly strings: Strings["prove"];
  readonly glyphs: Glyphs;
  readonly style: Style;
}

const MAX_PROBLEMS = 5;
const HASH_SHOWN = 12;

/** Renders the table of damages (restored, redone), the claims about all of them, and the outcome. */
export function proofText(proved: Proved, look: ProofLook): string {
  const { strings } = look;
  const { off, trials, kept } = proved;
  return [
    ...proofLines(proved, look),
    "",
    strings.outcome(off, trials.length, trials.flatMap(({ stayed }) => stayed).length),
    kept === undefined ? strings.gone : strings.kept(kept),
  ].join("\n");
}

function proofLines(proof: Proof, look: ProofLook): string[] {
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
export function proofDocument(proved: Proved) {
  const { folder, seed, off, copied, trials, kills, git, whole, store, kept } = proved;
  return {
    folder: folder ?? null,
    seed,
    off,
    copied:
      copied === undefined
        ? null
        : { ...copied, leftOut: copied.leftOut.length, skipped: copied.skipped.length },
    trials: trials.map(trialDocument),
    kills: { ...kills, torn: differenceDocuments(kills.torn) },
    git: { paths: git.paths, changed: differenceDocuments(git.changed) },
    whole: { paths: whole.paths, changed: differenceDocuments(whole.changed) },
    store,
    temporary: kept ?? null,
  };
}

function trialDocument(trial: Trial) {
  const { damage, targets, paths, unrestored, unredone, unclean, stayed, failure } = trial;
  return {
    damage,
    targets: targets.map(pathDocument),
    paths,
    restored: failure === undefined && unrestored.length + unclean.length === 0,
    redone: failure === undefined && unredone.length === 0,
    stayed: stayed.map(pathDocument),
    unrestored: differenceDocuments(unrestored),
    unredone: differenceDocuments(unredone),
    unclean: differenceDocuments(unclean),
    ...(failure === undefined ? {} : { failure }),
  };
}

function differenceDocuments(found: readonly Difference[]) {
  return found.map(({ path, wanted, found: now }) => ({
    ...pathDocument(path),
    wanted: wanted ?? null,
    found: now ?? null,
  }));
}
