import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { root } from "../run-command.mjs";
import { files, replies } from "./script.mjs";

/**
 * The same folder on every machine, because logs contain its path, and a fixture's home is read in the same place where
 * it was written.
 */
export const stageFolder = "/tmp/worldline-fixture";
const program = join(root, "dist", "cli.js");
/** Drops root's capabilities, so that root is refused like any other user. */
const withoutRights = process.getuid?.() === 0 ? ["setpriv", "--inh-caps=-all", "--bounding-set=-all"] : [];
/** A permission question ignores keys for a moment after it appears. */
const quietMs = 450;

/** @typedef {{ code: number | null, stdout: string, stderr: string }} Said */
/** @typedef {Awaited<ReturnType<typeof openStage>>} Stage */

/** @typedef {Pick<import("./script.mjs").Harness, "byPrompt" | "calls" | "goesBack" | "speaksOn" | "openModelServer" | "Pty" | "stringsFor">} StageHarness */

/**
 * Sets up the built program with a home and a workspace in a new folder, and a model with scripted replies.
 * @param {"files" | "sqlite"} store
 * @param {{ harness: StageHarness, folder: string }} place
 */
export async function openStage(store, { harness, folder }) {
  mkdirSync(folder);
  const home = join(folder, "home");
  const workspace = join(folder, "shop");
  for (const each of [home, workspace, join(folder, "tmp")]) mkdirSync(each);
  const write = (/** @type {string} */ path, /** @type {string} */ text) => {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  const server = await harness.openModelServer(harness.byPrompt(replies(harness)));
  const environment = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    WORLDLINE_HOME: home,
    WORLDLINE_STORE: store === "files" ? "files" : `sqlite:${join(home, "sessions.db")}`,
    WORLDLINE_PERMISSIONS_DENY: "Read(secret.txt)",
    WORLDLINE_SNAPSHOTS_MAX_FILE_BYTES: "20000",
    TMPDIR: join(folder, "tmp"),
    LANG: "en_US.UTF-8",
    TZ: "UTC",
    TERM: "xterm-256color",
    ...server.environment("anthropic"),
    WORLDLINE_MODEL: server.modelFor("anthropic"),
  };
  const run = (/** @type {readonly string[]} */ words, /** @type {readonly string[]} */ before = []) =>
    start([...before, process.execPath, program, ...words], { cwd: workspace, env: environment });
  return {
    /** The strings that the terminal shows. */
    words: harness.stringsFor("en").terminal,
    home,
    workspace,
    environment,
    write,
    run,
    runWithoutRights: (/** @type {readonly string[]} */ words) => run(words, withoutRights),
    openTerminal: (/** @type {readonly string[]} */ words = []) =>
      new harness.Pty({
        file: process.execPath,
        args: [program, ...words],
        cwd: workspace,
        environment,
        columns: 110,
        rows: 50,
      }),
    /** Stops the model server; the folder stays. */
    stop: () => server.close(),
  };
}

/**
 * @param {readonly string[]} command
 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} place
 * @returns {Promise<Said>}
 */
function start([file = "", ...args], place) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { ...place, stdio: ["ignore", "pipe", "pipe"] });
    const said = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text) => {
      said.stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      said.stderr += text;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, ...said }));
  });
}

/** @typedef {InstanceType<StageHarness["Pty"]>} Pty */

/** @param {Pty} terminal @param {string} text */
export function say(terminal, text) {
  terminal.type(text);
  terminal.press("enter");
}

/** @param {Pty} terminal @param {string} question @param {string} key */
export async function answer(terminal, question, key) {
  await terminal.waitFor(question);
  await delay(quietMs);
  terminal.type(key);
}
