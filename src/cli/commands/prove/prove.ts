import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { interruptible } from "../../../app/interrupts.ts";
import { currentFolder } from "../../../app/places/workspace.ts";
import { closest } from "../../../record/closest.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { PathBytes } from "../../../record/files.ts";
import { glyphsFor } from "../../../show/glyphs.ts";
import { defineCommand } from "../../command/command.ts";
import type { Frame } from "../../command/frame.ts";
import { flag, list, optional, whole } from "../../command/parameters.ts";
import { openProgress, type Progress } from "../../output/progress.ts";
import { type Copied, copyFolder } from "./copying/copy-folder.ts";
import { plantSample } from "./copying/sample.ts";
import { type Damage, damages } from "./damage/damages.ts";
import { proveFiles, rowsOff } from "./proof.ts";
import { proofDocument, proofLines } from "./proof-text.ts";
import { openStage, type Stage } from "./stage.ts";

const KILLS = 12;
const SEED = 1;
const LIMIT_GIB = 2;
const GIB = 2 ** 30;
const FILES_EACH = 100_000;
/** Beside the person's own files stands a sample, so that every kind of damage finds something. */
const SAMPLE = "worldline-prove-sample";

export const prove = defineCommand({
  description:
    "Copies a folder, or a built-in sample, to a temporary place, does some forty kinds of damage to the copy with a real shell, " +
    "rewinds and redoes each, and kills restores in the middle with SIGKILL. After each step every path is compared (kind, mode, " +
    "sha256, link target) by a walk that has nothing in common with how snapshots are made. Exits with 1 if anything is " +
    "off. The folder itself is only read.",
  arguments: { folder: optional("what to copy (default: a built-in sample)") },
  options: {
    kills: whole("<count>", `how many restores are killed (default: ${KILLS})`),
    seed: whole("<number>", `what is attacked, and when it is killed, depends on it (default: ${SEED})`),
    limit: whole(
      "<GiB>",
      `copy up to so many GiB, and ${FILES_EACH.toLocaleString("en")} files for each (default: ${LIMIT_GIB})`,
    ),
    damage: list("<kind>", "only this kind, as --json names it; may be given several times"),
    keep: flag("leave the temporary folder behind, to look at it"),
  },
  examples: [
    { command: "worldline prove", meaning: "on a sample with a little of everything" },
    { command: "worldline prove .", meaning: "on a copy of your own files" },
    { command: "worldline prove . --seed 7 --kills 100", meaning: "other targets, and more kills" },
    { command: "worldline prove . --damage removedFolder", meaning: "one kind of damage only" },
    { command: "worldline prove --json | jq '.off'", meaning: "how many rows are off" },
  ],
  run: async ({ arguments: { folder }, options, frame }) => {
    const from = folder === undefined ? undefined : folderOf(frame, folder);
    const wish = {
      from,
      kills: options.kills ?? KILLS,
      seed: options.seed ?? SEED,
      limit: options.limit ?? LIMIT_GIB,
      damages: damagesNamed(options.damage),
      keep: options.keep ? "keep" : "remove",
    } as const;
    // However long a step takes: the temporary folder must not stay.
    return interruptible(frame, async (signal) => {
      const stage = openStage();
      const progress = openProgress(frame);
      try {
        return await perform({ frame, stage, progress, wish, signal });
      } finally {
        progress.clear();
        if (wish.keep === "remove") stage.strike();
      }
    });
  },
});

function damagesNamed(names: readonly string[]): readonly Damage[] {
  if (names.length === 0) return damages;
  const known = damages.map(({ name }) => name);
  for (const name of names) {
    if (known.some((each) => each === name)) continue;
    const meant = closest(name, known);
    throw new WorldlineError("INPUT_INVALID", `There is no damage "${name}".`, {
      hint: meant === undefined ? `Known: ${known.join(", ")}` : `Did you mean ${meant}?`,
    });
  }
  return damages.filter(({ name }) => names.includes(name));
}

interface Performing {
  readonly frame: Frame;
  readonly stage: Stage;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  readonly wish: {
    readonly from: string | undefined;
    readonly kills: number;
    readonly seed: number;
    readonly limit: number;
    readonly damages: readonly Damage[];
    readonly keep: "keep" | "remove";
  };
}

async function perform({ frame, stage, progress, wish, signal }: Performing): Promise<0 | 1> {
  const { output, strings, surroundings } = frame;
  const { prove: said } = strings;
  const { from } = wish;
  const copied = await copy({ frame, stage, progress, wish, signal });
  const sample: PathBytes = from === undefined ? "" : freeName(stage.workspace, SAMPLE);
  plantSample(stage.workspace, sample);
  if (output.mode === "text")
    for (const line of copiedLines(frame, stage, { from, copied })) output.notice(line);
  const proof = await proveFiles({
    stage,
    sample,
    damages: wish.damages,
    seed: wish.seed,
    kills: wish.kills,
    signal,
    onTrial: (index, damage) =>
      progress.show(said.trying(index + 1, wish.damages.length, said.damages[damage])),
    onKill: (index) => progress.show(said.killing(index + 1, wish.kills)),
  });
  progress.clear();
  const off = rowsOff(proof);
  const document = {
    folder: from ?? null,
    seed: wish.seed,
    off,
    copied:
      copied === undefined
        ? null
        : { ...copied, leftOut: copied.leftOut.length, skipped: copied.skipped.length },
    ...proofDocument(proof),
    temporary: wish.keep === "keep" ? stage.folder : null,
  };
  const look = { strings: said, glyphs: glyphsFor(surroundings.environment), style: output.style };
  output.answer(document, () =>
    [
      ...proofLines(proof, look),
      "",
      said.outcome(off, proof.trials.length, proof.trials.flatMap(({ stayed }) => stayed).length),
      wish.keep === "keep" ? said.kept(stage.folder) : said.gone,
    ].join("\n"),
  );
  return off === 0 ? 0 : 1;
}

async function copy({ frame, stage, progress, wish, signal }: Performing): Promise<Copied | undefined> {
  const { from, limit } = wish;
  if (from === undefined) return undefined;
  return copyFolder({
    from,
    to: stage.workspace,
    limits: { files: limit * FILES_EACH, bytes: limit * GIB },
    onProgress: (files) => progress.show(frame.strings.prove.copying(files)),
    signal,
  });
}

function freeName(folder: string, name: string): string {
  return existsSync(join(folder, name)) ? freeName(folder, `${name}-too`) : name;
}

function copiedLines(
  { strings }: Frame,
  { workspace }: Stage,
  { from, copied }: { readonly from: string | undefined; readonly copied: Copied | undefined },
): string[] {
  const { prove: said } = strings;
  if (copied === undefined) return [said.title(said.sample)];
  const { files, bytes, leftOut, skipped } = copied;
  return [
    said.title(from ?? ""),
    said.copied(files, bytes, workspace),
    ...(leftOut.length > 0 ? [said.leftOut(leftOut.length)] : []),
    ...(skipped.length > 0 ? [said.skipped(skipped.length)] : []),
  ];
}

function folderOf({ surroundings }: Frame, given: string): string {
  const path = resolve(currentFolder(surroundings.cwd), given);
  try {
    return realpathSync(path);
  } catch (cause) {
    throw new WorldlineError("WORKSPACE_UNUSABLE", `${path} is not there.`, {
      hint: "Give a folder that exists, or none: worldline prove",
      cause,
    });
  }
}
