import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { openModelServer } from "../context/built.mjs";
import { repairedFiles } from "./project.mjs";
import { tasks } from "./tasks.mjs";

/**
 * Runs `npm run live` against the scripted server as its provider, without a real model and without costs.
 * The scripted model repairs two projects, reads the remaining projects, and backtracks once if it can. The
 * output says nothing about real models.
 */
const live = fileURLToPath(new URL("live.mjs", import.meta.url));
const repaired = ["paging", "layers"];

function model({ messages, tools }) {
  const said = messages.map(({ text }) => text).join("\n");
  const task = tasks.find(({ name }) => said.includes(`is called ${name}.`));
  const calls = messages.flatMap((message) => message.calls);
  const results = messages.flatMap((message) => message.results);
  if (task === undefined) return { text: "I do not know this project." };
  if (results.length === 0 && !said.includes("You were further ahead")) {
    return { text: "I run the test first.", calls: [{ name: "Bash", input: { command: "node test.mjs" } }] };
  }
  if (!repaired.includes(task.name)) return lost(calls, tools);
  const [[path]] = task.repair;
  if (!calls.some(({ name }) => name === "Read"))
    return { calls: [{ name: "Read", input: { file_path: path } }] };
  if (calls.some(({ name }) => name === "Write")) return { text: "Repaired." };
  return { calls: [{ name: "Write", input: { file_path: path, content: repairedFiles(task)[path] } }] };
}

function lost(calls, tools) {
  if (!tools.includes("Backtrack") || calls.length === 0) return { text: "I cannot find it." };
  return {
    calls: [{ name: "Backtrack", input: { checkpoint_id: 2, note: "The test says nothing that helps." } }],
  };
}

const leftBehind = () => readdirSync(tmpdir()).filter((name) => name.startsWith("worldline-live-"));

/** Starts the program, and interrupts it once it has printed the expected text. */
async function play(args, env, interruptAt) {
  const child = spawn(process.execPath, [live, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let interrupted = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
      if (interruptAt === undefined || interrupted || !output.includes(interruptAt)) return;
      interrupted = true;
      setTimeout(() => child.kill("SIGINT"), 700);
    });
  }
  const code = await new Promise((resolve) => child.on("close", resolve));
  return { code, output };
}

const problems = [];
const expect = (what, holds) => {
  console.log(`${holds ? "ok   " : "WRONG"} ${what}`);
  if (!holds) problems.push(what);
};

const before = leftBehind().length;
const { HOME: _home, ANTHROPIC_API_KEY: _key, ANTHROPIC_BASE_URL: _url, ...bare } = process.env;
const server = await openModelServer(model);
try {
  const env = { ...bare, ...server.environment("anthropic") };
  const wanted = ["--model", server.modelFor("anthropic")];
  const whole = await play([...wanted, "--yes"], env);
  console.log(whole.output);
  const { on, off } = JSON.parse(whole.output.trim().split("\n").at(-1));
  expect("it exits with 0", whole.code === 0);
  expect(
    "two of ten are solved, with Backtrack and without",
    [on, off].every((rows) => rows.at(-1).solved === 2),
  );
  expect(
    "backtracks are counted where there is Backtrack",
    on.at(-1).backtracks === 8 && off.at(-1).backtracks === 0,
  );
  expect(
    "no request was refused",
    server.requests.every(({ refused }) => refused === undefined),
  );
  expect(
    "costs are announced first",
    whole.output.includes("COSTS MONEY") &&
      whole.output.indexOf("COSTS MONEY") < whole.output.indexOf("paging, Backtrack on"),
  );
  expect("without a terminal, it asks for --yes: 42", (await play(wanted, env)).code === 42);
  expect("no key: 41", (await play([...wanted, "--yes"], bare)).code === 41);
  expect("no model: 2", (await play(["--yes"], env)).code === 2);
  const cut = await play([...wanted, "--yes"], env, "paging, Backtrack off");
  expect("Ctrl-C: 130", cut.code === 130);
} finally {
  await server.close();
}
expect("no temporary folder is left", leftBehind().length === before);
process.exitCode = problems.length === 0 ? 0 : 1;
