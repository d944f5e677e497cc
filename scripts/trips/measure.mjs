import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { commandLineOptions, copyPackageFiles } from "../build.mjs";
import { loadHarness } from "../pictures/harness.mjs";
import { root } from "../run-command.mjs";
import { executedFiles } from "./coverage.mjs";

/** @typedef {"start" | "prompt" | "rewind"} TripName */

/** The time limit for an answer, in case the program hangs. */
const answerDeadlineMs = 10_000;
const prompt = "The discount is wrong: 10 % of 200 gives -1800. Fix it.";
const answer = "Nothing else calls it.";

const replies = [
  { calls: [{ name: "Read", input: { file_path: "src/cart.js" } }] },
  {
    calls: [
      {
        name: "Edit",
        input: {
          file_path: "src/cart.js",
          old_string: "amount * percent;",
          new_string: "(amount * percent) / 100;",
        },
      },
    ],
  },
  { text: answer },
];

/** @param {string} folder */
async function bundleProgram(folder) {
  const { build: bundle, stop } = await import("esbuild");
  const out = join(folder, "program");
  await bundle({
    ...commandLineOptions(out),
    minifyWhitespace: false,
    minifySyntax: false,
    sourcemap: "external",
  });
  await copyPackageFiles(join(out, "cli"));
  await stop();
  copyFileSync(join(root, "scripts/trips/preload.mjs"), join(folder, "preload.mjs"));
}

/**
 * Asks all threads of the program which functions were called since the previous request.
 * @param {string} folder
 * @param {number} number
 */
async function requestExecuted(folder, number) {
  writeFileSync(join(folder, "request"), String(number));
  const threads = readdirSync(folder).flatMap((name) => /^thread-(\d+)$/u.exec(name)?.[1] ?? []);
  const answers = threads.map((thread) => join(folder, `answer-${number}-${thread}.json`));
  const deadline = Date.now() + answerDeadlineMs;
  while (!answers.every((file) => existsSync(file))) {
    if (Date.now() > deadline) throw new Error("A thread of the program did not report what it had called.");
    await delay(10);
  }
  return executedFiles(answers.flatMap((file) => JSON.parse(readFileSync(file, "utf8"))));
}

/**
 * Plays one session in a terminal and returns which files each trip executed.
 * @returns {Promise<{ trip: TripName, files: string[] }[]>}
 */
export async function measureTrips() {
  // Inside the project, so that packages are found from there.
  const parent = join(root, ".build");
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, "trips-"));
  try {
    await bundleProgram(folder);
    const { openScene, scripted, SHOP } = await loadHarness();
    const preload = pathToFileURL(join(folder, "preload.mjs")).href;
    const scene = await openScene({
      program: [process.execPath, "--import", preload, join(folder, "program", "cli.js")],
      files: SHOP,
      script: scripted(...replies),
      environment: { WORLDLINE_PERMISSIONS_MODE: "accept-edits" },
    });
    try {
      return await playTrips(scene, (number) => requestExecuted(folder, number));
    } finally {
      await scene.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {Awaited<ReturnType<Awaited<ReturnType<typeof loadHarness>>["openScene"]>>} scene
 * @param {(number: number) => Promise<string[]>} executed
 * @returns {Promise<{ trip: TripName, files: string[] }[]>}
 */
async function playTrips(scene, executed) {
  const original = scene.read("src/cart.js");
  const terminal = scene.open();
  await terminal.waitFor("files captured");
  await terminal.settled();
  const start = await executed(1);

  terminal.type(prompt);
  terminal.press("enter");
  await terminal.waitFor(answer);
  await terminal.waitFor("1 file changed");
  await terminal.settled();
  if (scene.read("src/cart.js") === original) throw new Error("The agent's edit did not reach the file.");
  const afterPrompt = await executed(2);

  terminal.type("/rewind");
  terminal.press("enter");
  await terminal.waitFor("(current)");
  await terminal.settled();
  terminal.type("1");
  await terminal.waitFor("Files and conversation");
  terminal.type("1");
  await terminal.waitFor("Enter");
  await terminal.settled();
  terminal.press("enter");
  await terminal.waitFor("Restored to checkpoint: #1");
  await terminal.settled();
  if (scene.read("src/cart.js") !== original) throw new Error("The rewind did not restore the file.");
  const afterRewind = await executed(3);
  return [
    { trip: "start", files: start },
    { trip: "prompt", files: afterPrompt },
    { trip: "rewind", files: afterRewind },
  ];
}
