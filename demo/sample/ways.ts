import { appendFileSync, chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Session } from "../../src/machine/session.ts";
import type { Json } from "../../src/record/parts.ts";
import { textPart } from "../../src/record/parts.ts";

/** One change to the sample: an agent's step if it has a call, otherwise an edit from outside. */
export interface SampleStep {
  readonly call?: { readonly name: string; readonly input: Json };
  readonly apply: (folder: string) => void;
}

/** A way of breaking the sample, hidden among harmless steps. */
export interface SampleWay {
  readonly name: string;
  readonly steps: readonly SampleStep[];
  /** The answer that the finder must give; with "cannot-tell", it must not name any change. */
  readonly culprit:
    | { readonly step: number; readonly paths: readonly string[]; readonly lines?: readonly string[] }
    | "cannot-tell";
}

function edited(folder: string, path: string, change: readonly [old: string, now: string]): void {
  const place = join(folder, path);
  const text = readFileSync(place, "utf8");
  if (!text.includes(change[0])) throw new Error(`The sample has no "${change[0]}" in ${path}.`);
  writeFileSync(
    place,
    text.replace(change[0], () => change[1]),
  );
}

function edit(path: string, old: string, now: string): SampleStep {
  return {
    call: { name: "Edit", input: { file_path: path, old_string: old, new_string: now } },
    apply: (folder) => edited(folder, path, [old, now]),
  };
}

function shell(command: string, apply: SampleStep["apply"]): SampleStep {
  return { call: { name: "Bash", input: { command } }, apply };
}

function outside({ apply }: SampleStep): SampleStep {
  return { apply };
}

/** Returns a harmless step, different for each index. */
function innocent(index: number): SampleStep {
  if (index % 3 === 0) {
    return shell(`echo "Note ${index}" >> NOTES.md`, (folder) =>
      appendFileSync(join(folder, "NOTES.md"), `Note ${index}\n`),
    );
  }
  return edit("src/prices.mjs", "/** In cents. */", `/** In cents. */\n// Reviewed ${index} times.`);
}

function around(step: SampleStep, before = 5, after = 4): readonly SampleStep[] {
  return [
    ...Array.from({ length: before }, (_, index) => innocent(index)),
    step,
    ...Array.from({ length: after }, (_, index) => innocent(before + index)),
  ];
}

const line = edit("src/tax.mjs", "/ 100);", "/ 10);");

/** Changes several files at once, with one harmful line in one of them. */
const amongMany: SampleStep = {
  call: { name: "Bash", input: { command: "node scripts/tidy.mjs" } },
  apply: (folder) => {
    edited(folder, "README.md", ["small shop", "shop"]);
    edited(folder, "src/prices.mjs", ["item3:", "item3 :"]);
    edited(folder, "src/prices.mjs", ["item0: 100", "item0: 101"]);
    edited(folder, "src/prices.mjs", ["item37:", "item37 :"]);
    edited(folder, "src/discount.mjs", ["Ten of a kind", "Ten of one kind"]);
    edited(folder, "src/cart.mjs", ["The total price", "The whole price"]);
    writeFileSync(join(folder, "CHANGES.md"), "Tidied.\n");
  },
};

const flaky = edit(
  "test.mjs",
  'assert.equal(readFileSync("data/rounding.bin")[0], 1);',
  `assert.equal(readFileSync("data/rounding.bin")[0], 1);
import { appendFileSync, statSync } from "node:fs";
// Every other run fails. If the runs are not counted, random ones fail.
const { SAMPLE_RUNS } = process.env;
if (SAMPLE_RUNS) appendFileSync(SAMPLE_RUNS, ".");
assert.ok(SAMPLE_RUNS ? statSync(SAMPLE_RUNS).size % 2 === 0 : Math.random() < 0.5);`,
);

const rounding = edit("src/discount.mjs", "Math.round(cents / 10)", "Math.round(cents / 3)");
const flag = edit("flags.json", "false", "true");

/** Ten ways of breaking the sample. */
export const sampleWays: readonly SampleWay[] = [
  {
    name: "a one-line edit",
    steps: around(line),
    culprit: { step: 5, paths: ["src/tax.mjs"], lines: ["-  return Math.round((cents * RATE) / 100);"] },
  },
  {
    name: "an edit among many harmless ones",
    steps: around(amongMany),
    culprit: { step: 5, paths: ["src/prices.mjs"], lines: ["+  item0: 101,"] },
  },
  {
    name: "a sed command in a shell",
    steps: around(
      shell("sed -i 's/RATE = 20/RATE = 21/' src/tax.mjs", (folder) =>
        edited(folder, "src/tax.mjs", ["RATE = 20", "RATE = 21"]),
      ),
    ),
    culprit: { step: 5, paths: ["src/tax.mjs"], lines: ["+export const RATE = 21;"] },
  },
  {
    name: "an ignored file that was deleted",
    steps: around(shell("git clean -fX", (folder) => rmSync(join(folder, ".env")))),
    culprit: { step: 5, paths: [".env"] },
  },
  {
    name: "a changed file mode",
    steps: around(
      shell("chmod -R a-x tools/print.sh", (folder) => chmodSync(join(folder, "tools/print.sh"), 0o644)),
    ),
    culprit: { step: 5, paths: ["tools/print.sh"] },
  },
  {
    name: "a renamed file",
    steps: around(
      shell("git mv src/tax.mjs src/taxes.mjs", (folder) =>
        renameSync(join(folder, "src/tax.mjs"), join(folder, "src/taxes.mjs")),
      ),
    ),
    culprit: { step: 5, paths: ["src/tax.mjs"] },
  },
  {
    name: "two steps that break it only together",
    steps: [innocent(0), rounding, innocent(1), innocent(2), flag, innocent(3), innocent(4)],
    culprit: { step: 4, paths: ["flags.json"] },
  },
  { name: "a flaky test", steps: around(flaky), culprit: "cannot-tell" },
  {
    name: "an edit from outside",
    steps: around(outside(line)),
    culprit: { step: 5, paths: ["src/tax.mjs"] },
  },
  {
    name: "a file that is not text",
    steps: around(
      shell("./convert data/rounding.bin", (folder) =>
        writeFileSync(join(folder, "data/rounding.bin"), Uint8Array.from([2, 0, 255, 128, 7, 0])),
      ),
    ),
    culprit: { step: 5, paths: ["data/rounding.bin"] },
  },
];

export interface BrokenSample {
  /** For each step, the first checkpoint whose files include it. */
  readonly checkpoints: readonly number[];
}

/**
 * Breaks the sample in an agent's session, with a checkpoint of the files before each step and one after the
 * last.
 */
export async function breakSample(
  session: Session,
  way: SampleWay,
  folder: string = session.header.workspace,
): Promise<BrokenSample> {
  const { checkpoint } = await session.prompt("Tidy up the shop.");
  await session.capture({ checkpoint, author: "outside" });
  const checkpoints: number[] = [];
  for (const [index, step] of way.steps.entries()) {
    const isOutside = step.call === undefined;
    await play(session, step, { folder, call: `sample-${index}` });
    const number = await session.step();
    await session.capture({ checkpoint: number, author: isOutside ? "outside" : "timeline" });
    checkpoints.push(number);
  }
  await session.reply({ model: "sample", parts: [textPart("Done.")] });
  return { checkpoints };
}

async function play(
  session: Session,
  { call, apply }: SampleStep,
  { folder, call: id }: { readonly folder: string; readonly call: string },
): Promise<void> {
  if (call === undefined) {
    apply(folder);
    return;
  }
  const { name, input } = call;
  await session.reply({ model: "sample", parts: [{ type: "tool-call", call: id, name, input }] });
  await session.toolStart(id, name);
  apply(folder);
  await session.toolEnd(id, "ok", "Done.");
}
