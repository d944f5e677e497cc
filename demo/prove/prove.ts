import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { interruptible } from "../../src/app/context.ts";
import { currentFolder } from "../../src/app/places/workspace.ts";
import { defineCommand, flag, list, optional, whole } from "../../src/cli/command.ts";
import type { Frame } from "../../src/cli/frame.ts";
import { openProgress, type Progress } from "../../src/cli/output.ts";
import { WorldlineError } from "../../src/record/error.ts";
import type { PathBytes } from "../../src/record/files.ts";
import { closest } from "../../src/record/options.ts";
import { glyphsFor } from "../../src/show/style.ts";
import { openStage, type Stage } from "../stage.ts";
import { type Copied, copyFolder } from "./copy-folder.ts";
import { type Damage, damages } from "./damages.ts";
import { plantSample } from "./plant-sample.ts";
import { proveFiles, rowsOff } from "./proof.ts";
import { proofDocument, proofLines } from "./proof-text.ts";

const KILLS = 12;
const SEED = 1;
const LIMIT_GIB = 2;
const GIB = 2 ** 30;
const FILES_EACH = 100_000;
/** The sample folder, planted next to the user's own files so that every kind of damage has a target. */
const SAMPLE = "worldline-prove-sample";

export const prove = defineCommand({
  help: (help) => help.prove,
  arguments: { folder: optional() },
  options: {
    kills: whole("<count>"),
    seed: whole("<number>"),
    limit: whole("<GiB>"),
    damage: list("<kind>"),
    keep: flag(),
  },
  run: async ({ arguments: { folder }, options, frame }) => {
    const from = folder === undefined ? undefined : folderOf(frame, folder);
    const request = {
      from,
      kills: options.kills ?? KILLS,
      seed: options.seed ?? SEED,
      limit: options.limit ?? LIMIT_GIB,
      damages: damagesNamed(options.damage),
      keep: options.keep ? "keep" : "remove",
    } as const;
    // The work stays interruptible during long steps, because the temporary folder must be removed after an interrupt.
    return interruptible(frame, async (signal) => {
      const stage = openStage("prove");
      const progress = openProgress(frame);
      try {
        return await perform({ frame, stage, progress, request, signal });
      } finally {
        progress.clear();
        if (request.keep === "remove") stage.remove();
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
    throw new WorldlineError("damage-unknown", {
      given: name,
      known,
      ...(meant === undefined ? {} : { meant }),
    });
  }
  return damages.filter(({ name }) => names.includes(name));
}

interface ProveContext {
  readonly frame: Frame;
  readonly stage: Stage;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  readonly request: {
    readonly from: string | undefined;
    readonly kills: number;
    readonly seed: number;
    readonly limit: number;
    readonly damages: readonly Damage[];
    readonly keep: "keep" | "remove";
  };
}

async function perform({ frame, stage, progress, request, signal }: ProveContext): Promise<0 | 1> {
  const { output, strings, surroundings } = frame;
  const { prove: said } = strings;
  const { from } = request;
  const copied = await copy({ frame, stage, progress, request, signal });
  const sample: PathBytes = from === undefined ? "" : freeName(stage.workspace, SAMPLE);
  plantSample(stage.workspace, sample);
  if (output.mode === "text")
    for (const line of copiedLines(frame, stage, { from, copied })) output.notice(line);
  const proof = await proveFiles({
    stage,
    sample,
    damages: request.damages,
    seed: request.seed,
    kills: request.kills,
    signal,
    onTrial: (index, damage) =>
      progress.show(said.trying(index + 1, request.damages.length, said.damages[damage])),
    onKill: (index) => progress.show(said.killing(index + 1, request.kills)),
  });
  progress.clear();
  const off = rowsOff(proof);
  const document = {
    folder: from ?? null,
    seed: request.seed,
    off,
    copied:
      copied === undefined
        ? null
        : { ...copied, leftOut: copied.leftOut.length, skipped: copied.skipped.length },
    ...proofDocument(proof),
    temporary: request.keep === "keep" ? stage.folder : null,
  };
  const look = { strings: said, glyphs: glyphsFor(surroundings.environment), style: output.style };
  output.answer(document, () =>
    [
      ...proofLines(proof, look),
      "",
      said.outcome(off, proof.trials.length, proof.trials.flatMap(({ stayed }) => stayed).length),
      request.keep === "keep" ? said.kept(stage.folder) : said.gone,
    ].join("\n"),
  );
  return off === 0 ? 0 : 1;
}

async function copy({ frame, stage, progress, request, signal }: ProveContext): Promise<Copied | undefined> {
  const { from, limit } = request;
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
    throw new WorldlineError("folder-to-prove-missing", { folder: path }, { cause });
  }
}
