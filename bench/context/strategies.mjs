import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { withTempDir } from "../temp-dir.mjs";
import { blocksOf, sum } from "./blocks.mjs";
import { openModelServer } from "./built.mjs";
import { openClearingProxy } from "./clearing-proxy.mjs";
import { comparePrefixes } from "./prefix-bytes.mjs";
import { scriptedModel } from "./scripted-model.mjs";
import { isOfSummariser, sentAgain } from "./sent-again.mjs";
import { labelsIn, task, window, writeWorkspace } from "./work.mjs";
import { environmentIn, runJson } from "./worldline.mjs";

const wide = 1_000_000;
const off = { "backtrack.enabled": "off", "compaction.auto": "off", "context.window": wide };
/** A compaction begins at 85% of the window, or 50,000 tokens before its end; this window makes that 170,000. */
const windowFor85 = window * 0.85 + 50_000;

const backtracking = { ...off, "backtrack.enabled": "on", "context.window": window };

/** Strategies for a limited window: the same agent with different settings. */
export const strategies = [
  { name: "linear", settings: off },
  {
    name: "compaction (at 85%, the last 20k kept)",
    settings: { ...off, "compaction.auto": "on", "context.window": windowFor85, "compaction.keep": 9 },
  },
  {
    name: "compaction (Worldline's defaults)",
    settings: { ...off, "compaction.auto": "on", "context.window": window },
  },
  { name: "tool clearing (over 100k, the last 3 kept)", settings: off, clearing: "on" },
  { name: "backtrack", settings: backtracking },
  {
    name: "the same, with a model that explains its thinking",
    settings: backtracking,
    manner: "talkative",
  },
];

const prices = { read: 0.1, written: 1.25, uncached: 1, output: 5 };

const systemAndTools = 8000;

/**
 * Runs the whole work once.
 * @param {(typeof strategies)[number]} strategy
 * @param {"dead ends first" | "spread"} order
 */
export async function play(strategy, order) {
  const least = await run(strategy, { model: () => ({ text: "Nothing to do." }), instructionBytes: 100 });
  const blocks = blocksOf(least.requests[0].body).filter(({ text }) => !text.startsWith("user "));
  const missing = systemAndTools - sum(blocks.map(({ tokens }) => tokens));
  const instructionBytes = 100 + missing * 4;
  const done = await run(strategy, {
    model: scriptedModel(labelsIn(order), strategy.manner),
    instructionBytes,
  });
  return { strategy: strategy.name, order, ...figuresOf(done) };
}

async function run(strategy, { model, instructionBytes }) {
  const server = await openModelServer(model);
  const proxy = strategy.clearing === "on" ? await openClearingProxy(server.url) : undefined;
  try {
    const document = await withTempDir(async (root) => {
      const workspace = join(root, "workspace");
      mkdirSync(workspace);
      writeWorkspace(workspace, { instructionBytes });
      const { ANTHROPIC_API_KEY } = server.environment("anthropic");
      const env = environmentIn(root, { ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL: proxy?.url ?? server.url });
      return runOnce({ strategy, model: server.modelFor("anthropic"), workspace, env });
    });
    const refused = server.requests.find((request) => request.refused !== undefined);
    if (document.outcome !== "done" || refused !== undefined) {
      throw new Error(`${strategy.name}: ${refused?.refused ?? JSON.stringify(document)}`);
    }
    return { requests: server.requests, cache: server.cache, document };
  } finally {
    await proxy?.close();
    await server.close();
  }
}

async function runOnce({ strategy, model, workspace, env }) {
  const settings = Object.entries(strategy.settings).flatMap(([key, value]) => [
    "--setting",
    `${key}=${value}`,
  ]);
  const args = ["-p", task, "--workspace", workspace, "--model", model, "--max-steps", "10000", ...settings];
  return (await runJson(args, { cwd: workspace, env })).document;
}

function figuresOf({ requests, cache, document: { steps, backtracks } }) {
  const own = requests.filter((request) => !isOfSummariser(request));
  const cost = Object.entries(prices).reduce((total, [kind, price]) => total + cache[kind] * price, 0);
  return {
    requests: requests.length,
    steps,
    backtracks,
    first: own[0].inputTokens,
    context: own.at(-1).inputTokens,
    largest: Math.max(...own.map(({ inputTokens }) => inputTokens)),
    ...sentAgain(requests),
    ...cache,
    cost,
    bytes: comparePrefixes(own),
  };
}
