import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { typedHistory } from "../../../src/app/places/home.ts";
import { openExecution } from "../../../src/open-execution.ts";
import { openSession } from "../../../src/open-session.ts";
import { openModelServer, scripted } from "../../../src/testing/testing.ts";
import { workshop } from "../../cli/support/workshop.ts";

/** Half of it needs escaping in JSON, in addresses or in both, and two letters can be encoded in two ways. */
export const SECRET = 'sk-live-4242/Zoë+"κλειδί"&tail-9x8y7z';
const SECRET_NFD = SECRET.normalize("NFD");
const SECRET_ASCII = JSON.stringify(SECRET)
  .slice(1, -1)
  .replaceAll(/[^\0-\x7f]/gu, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** The content of a file outside the workspace before a tool wrote to it. It is kept as a blob. */
export const OUTSIDE = `outside: ${SECRET}\n`;

export type LeakyHome = Awaited<ReturnType<typeof leakyHome>>;

/**
 * A home with the secret in every place where the product itself puts text: an agent worked with it; the user
 * typed, named, rewound, forked and deleted; a program saved it; and a crash left fragments. `storeIn`
 * returns an address for --store.
 */
export async function leakyHome(storeIn: (root: string) => Promise<string> | string) {
  const shop = workshop();
  const store = await storeIn(shop.root);
  const { home, workspace, root } = shop;
  const environment = { WORLDLINE_STORE: store, HOME: root };
  const worldline = (words: readonly string[], more: Parameters<typeof shop.worldline>[1] = {}) =>
    shop.worldline(words, { ...more, environment: { ...environment, ...more.environment } });
  const must = async (words: readonly string[], more: Parameters<typeof shop.worldline>[1] = {}) => {
    const said = await worldline([...words, "--json"], more);
    if (said.code !== 0) throw new Error(`${words.join(" ")}: ${said.stdout}${said.stderr}`);
    return JSON.parse(said.stdout);
  };
  const place = { ...shop, store, worldline, must, options: { home, workspace, store } };

  shop.put("plain.txt", `key=${SECRET}\n`);
  shop.put("packed.txt", `${"a line that repeats\n".repeat(2_000)}${SECRET}\n`);
  shop.put("data.json", `{"key":"${SECRET_ASCII}"}\n`);
  shop.put("decomposed.txt", `${SECRET_NFD}\n`);
  shop.put("encoded.txt", `Authorization: Basic ${Buffer.from(`me:${SECRET}`).toString("base64")}\n`);
  shop.put("AGENTS.md", `The staging key is ${SECRET}.\n`);
  shop.put("innocent.txt", "nothing here\n");
  const session = await agentWorked(place);
  await told(place, session);
  await typedHistory(home, workspace).add(`use ${SECRET} and ${SECRET_NFD}`);
  await typedHistory(home, workspace).add("an innocent line");
  await must(["checkpoint", `before ${SECRET}`]);
  shop.put("innocent.txt", "something else\n");
  await must(["checkpoint", "named later"]);
  const { checkpoints } = await must(["checkpoints"]);
  await must(["label", String(checkpoints[0].number ?? checkpoints[0].id), `after ${SECRET}`]);
  await must(["rewind", String(checkpoints[1].number ?? checkpoints[1].id), "--yes"]);
  const fork = await must(["fork", "--at", String(checkpoints[1].number ?? checkpoints[1].id)]);
  await saved(place);
  const trashed = await inTrash(place);
  for (const path of ["plain.txt", "packed.txt", "data.json", "decomposed.txt", "encoded.txt", "AGENTS.md"])
    shop.remove(path);
  return { ...place, session, fork: fork.session as string, trashed };
}

interface Leaking {
  readonly root: string;
  readonly home: string;
  readonly workspace: string;
  readonly store: string;
  readonly options: { readonly home: string; readonly workspace: string; readonly store: string };
  readonly worldline: (
    words: readonly string[],
    more?: { readonly environment?: Record<string, string> },
  ) => Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
}

/**
 * A turn with the secret in its prompt, thinking, calls, results, a kept output, an interval, a sub-agent and
 * a reply.
 */
async function agentWorked({ worldline }: Leaking): Promise<string> {
  const write = { file_path: "written.txt", content: `${SECRET}\n` };
  const noisy = `cat plain.txt; seq 1 9000; cat plain.txt; seq 1 9000; cat plain.txt`;
  const server = await openModelServer(
    scripted(
      {
        thinking: `I think of ${SECRET}.`,
        text: `I use ${SECRET}.`,
        calls: [
          { name: "Bash", input: { command: noisy, description: `with ${SECRET}` } },
          { name: "Write", input: write },
          { name: "Bash", input: { command: `echo '${SECRET}' > echoed.txt` } },
        ],
      },
      { calls: [{ name: "Task", input: { description: "look", prompt: `look at ${SECRET}` } }] },
      { text: `The sub-agent saw ${SECRET}.` },
      { text: `Done with ${SECRET}.` },
    ),
  );
  onTestFinished(() => server.close());
  const line = ["-p", `my key is ${SECRET}, and ${SECRET_NFD}`, "--permission-mode", "auto", "--json"];
  const said = await worldline(line, { environment: server.environment("anthropic") });
  if (said.code !== 0) throw new Error(said.stdout + said.stderr);
  return JSON.parse(said.stdout).session as string;
}

/** Writes what else an entry can hold through the library, as the two agents and the terminal would. */
async function told({ root, options }: Leaking, resume: string): Promise<void> {
  const session = await openSession({ ...options, resume, files: "on" });
  const file = join(root, "outside.txt");
  writeFileSync(file, OUTSIDE);
  await session.toolStart("w1", "Write", { input: { file_path: file } });
  const watch = await session.watchOutside([file]);
  writeFileSync(file, "clean");
  await session.toolEnd("w1", "ok", { parts: [], outside: (await watch?.changes()) ?? [] });
  await session.todos([{ text: `rotate ${SECRET}`, status: "doing" }]);
  await session.retitle(`About ${SECRET}`);
  await session.toolStart("shell-000000000001", "Shell", { input: { command: `echo ${SECRET}` } });
  await session.toolEnd("shell-000000000001", "ok", `${"x".repeat(20_000)}${SECRET}${"y".repeat(20_000)}`);
  await session.append({ kind: "notice", text: `The person ran echo ${SECRET}` });
  const { entry } = await session.prompt(`long: ${"z".repeat(70)}${SECRET}`);
  const step = await session.step();
  await session.reply({
    model: "m",
    parts: [{ type: "tool-call", call: "b1", name: "Backtrack", input: { note: SECRET } }],
  });
  await session.toolStart("b1", "Backtrack");
  await session.requestBacktrack("b1", {
    to: step,
    note: `note ${SECRET}`,
    rationale: `why ${SECRET}`,
    files: "keep",
  });
  await session.endStep({ changed: [`${SECRET}.env`], running: [`curl ${SECRET}`] });
  await session.append({ kind: "error", code: "PROVIDER", message: `401 for ${SECRET}`, hint: SECRET });
  await session.append({
    kind: "host",
    host: "claude",
    hostSession: "11111111-1111-4111-8111-111111111111",
    message: SECRET,
  });
  await session.append({
    kind: "compaction",
    ...{ summary: `The key is ${SECRET}.`, focus: SECRET, firstKept: entry },
    ...{ pinned: [], reason: "asked", tokensBefore: 0, kept: 0 },
  });
  await session.close();
}

async function saved({ options }: Leaking): Promise<void> {
  const execution = await openExecution("exec-1", options);
  const long = Buffer.concat([Buffer.alloc(100_001, 7), Buffer.from(SECRET)]);
  await execution.save({
    name: `step ${SECRET}`,
    index: 0,
    variables: Buffer.from(SECRET),
    state: { long, keys: new Map([[SECRET, new Set([SECRET])]]), failed: new Error(`no ${SECRET}`) },
  });
  await execution.close();
}

async function inTrash({ options, worldline }: Leaking): Promise<string> {
  const session = await openSession({ ...options, resume: "new" });
  await session.prompt(`deleted: ${SECRET}`);
  await session.mark();
  await session.close();
  const said = await worldline(["sessions", "delete", session.id]);
  if (said.code !== 0) throw new Error(said.stdout + said.stderr);
  return session.id;
}

/** Adds what crashes leave. */
export function crashLeftovers({ home }: Pick<LeakyHome, "home">, session: string): void {
  const at = (path: string): string => join(home, path);
  writeFileSync(at("history/.0123456789abcdef.jsonl.aabbccddeeff"), `{"typed":"${SECRET_ASCII}"}\n`);
  const torn = `{"do":"label","checkpoint":1,"label":"torn ${SECRET.slice(0, 12)}`;
  appendFileSync(at(`snapshots/refs/${session}.jsonl`), `\n${torn}`);
  writeFileSync(at(`snapshots/refs/${session}.jsonl.new`), `{"label":"${SECRET}"}`);
  const log = at(`sessions/${session}/log.jsonl`);
  if (!existsSync(log)) return;
  writeFileSync(`${log}.torn-1`, `{"seq":99,"text":"${SECRET.slice(0, 12)}`);
  appendFileSync(log, `{"seq":99,"text":"${SECRET.slice(0, 12)}`);
}
