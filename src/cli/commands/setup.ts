import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import type { Provider } from "../../agent/models/catalogue.ts";
import { WorldlineError } from "../../record/error.ts";
import { table } from "../../show/table.ts";
import { askForRow, canAsk } from "../ask.ts";
import { defineCommand, flag, optional, text } from "../command.ts";
import type { ExitCode } from "../exit.ts";
import type { Frame } from "../frame.ts";
import { readStandardInput } from "../standard-input.ts";

export const setup = defineCommand({
  help: (help) => help.setup,
  input: "secret",
  arguments: {
    provider: optional(),
  },
  options: {
    model: text("<name>"),
    withoutTest: flag(),
    remove: flag(),
  },
  run: async ({ arguments: { provider: wanted }, options, frame }): Promise<ExitCode> => {
    if (wanted === OURS) return notNeeded(frame, OURS);
    if (wanted === undefined && (await frame.settings()).values.host === "claude") return ownLogin(frame);
    const provider = await chooseProvider(frame, wanted);
    const { keyVariable: variable } = provider;
    if (variable === undefined) return notNeeded(frame, provider.name);
    const place = { provider, variable };
    if (options.remove) return remove(frame, place);
    await requireRoom(frame);
    const key = await readKey(frame, provider.name);
    const tested = options.withoutTest
      ? undefined
      : await test(frame, { ...place, key, model: options.model });
    return keep(frame, { ...place, key, tested });
  },
});

/** The provider part of `worldline/finder`, which is not a provider. */
const OURS = "worldline";

function notNeeded({ output, strings }: Frame, provider: string): ExitCode {
  output.answer({ provider, key: "not-needed" }, () => strings.setup.noKeyNeeded(provider));
  return 0;
}

/** Claude's agent has its own login, so no key is needed unless the user names a provider. */
function ownLogin({ output, strings }: Frame): ExitCode {
  output.answer({ host: "claude", key: "not-needed" }, () =>
    [strings.hosts.claudeAnswers, strings.hosts.keepAnyway].join("\n"),
  );
  return 0;
}

interface Place {
  readonly provider: Provider;
  readonly variable: string;
}

async function remove(frame: Frame, { provider, variable }: Place): Promise<ExitCode> {
  const { removeKey } = await import("../../app/agent/models.ts");
  const { keysPath } = await import("../../agent/models/access.ts");
  const { output, strings } = frame;
  const outcome = removeKey(frame.home, variable);
  const file = keysPath(frame.home);
  output.answer({ provider: provider.name, key: outcome, file }, () =>
    outcome === "removed"
      ? strings.setup.removed(provider.name, file)
      : strings.setup.wasNotKept(provider.name),
  );
  warnOfEnvironment(frame, variable);
  return 0;
}

/** Checks that a key could be saved, before the user types one or pays for the call that tries it. */
async function requireRoom({ home }: Frame): Promise<void> {
  const { requireRoomForKeys } = await import("../../agent/models/access.ts");
  requireRoomForKeys(await keyTools(), home);
}

async function keyTools() {
  const { realDisk } = await import("../../disk/disk.ts");
  const { systemClock } = await import("../../disk/system-clock.ts");
  return { disk: realDisk, clock: systemClock };
}

/** Tries the key with a model. If the provider rejects it, throws the reason and saves nothing. */
async function test(
  frame: Frame,
  wanted: Place & { readonly key: string; readonly model: string | undefined },
): Promise<string> {
  const { tryKey } = await import("../../app/agent/try-key.ts");
  const { output, strings } = frame;
  const onTrying = (model: string) => {
    if (output.mode === "text") output.notice(strings.setup.testing(model));
  };
  return tryKey(frame, { ...wanted, onTrying });
}

async function keep(
  frame: Frame,
  kept: Place & { readonly key: string; readonly tested: string | undefined },
): Promise<ExitCode> {
  const { keepKey, keysPath } = await import("../../agent/models/access.ts");
  const { output, strings, home } = frame;
  const { provider, variable, key, tested } = kept;
  keepKey(await keyTools(), { home, variable, key });
  const file = keysPath(home);
  output.answer({ provider: provider.name, key: "kept", file, tested: tested ?? null }, () => {
    const { kept: keptText, works, notTested } = strings.setup;
    return [keptText(provider.name, file), tested === undefined ? notTested : works(tested)].join("\n");
  });
  warnOfEnvironment(frame, variable);
  return 0;
}

function warnOfEnvironment({ output, strings, surroundings }: Frame, variable: string): void {
  if (surroundings.environment[variable]?.trim()) output.warn(strings.setup.environmentWins(variable));
}

/** The provider that the user named or chooses. */
export async function chooseProvider(frame: Frame, wanted: string | undefined): Promise<Provider> {
  const { providersOf } = await import("../../agent/models/catalogue.ts");
  const { values } = await frame.settings();
  const providers = providersOf({ providers: values.providers }, frame.surroundings.environment);
  if (wanted === undefined) return pick(frame, providers);
  const found = providers.find(({ name }) => name === wanted);
  if (found === undefined) throw unknown(providers);
  return found;
}

async function pick(frame: Frame, all: readonly Provider[]): Promise<Provider> {
  const providers = all.filter(({ keyVariable }) => keyVariable !== undefined);
  if (!canAsk(frame)) {
    throw new WorldlineError("whose-key", { providers: namesOf(providers) });
  }
  const { output, strings } = frame;
  output.notice(strings.setup.whichProvider);
  const { shownAddress } = await import("../../agent/http-fetch.ts");
  const rows = providers.map(({ name, baseUrl }, index) => [String(index + 1), name, shownAddress(baseUrl)]);
  for (const line of table(rows)) output.notice(`  ${line}`);
  const { FINDER_MODEL } = await import("../../finder/worker/offline-worker.ts");
  output.notice(strings.setup.withoutKey(FINDER_MODEL, strings.models.finder));
  const picked = providers[(await askForRow(frame, providers.length)) - 1];
  if (picked === undefined) throw new WorldlineError("cancelled", { left: "unchanged" });
  return picked;
}

/** The error does not repeat what was typed, because it may be the key. */
function unknown(providers: readonly Provider[]): WorldlineError {
  return new WorldlineError("provider-name-unknown", { providers: namesOf(providers) });
}

function namesOf(providers: readonly Provider[]): readonly string[] {
  return providers.map(({ name }) => name);
}

const MAX_BYTES = 16 * 1024;

/** Reads the key from a pipe, or from a terminal without showing it. */
export async function readKey(frame: Frame, provider: string): Promise<string> {
  const { stdin } = frame.surroundings;
  const key = stdin.isTTY === true ? await typed(frame, provider) : await piped(frame);
  if (key.trim() === "") throw new WorldlineError("key-missing", { provider });
  return key.trim();
}

async function piped(frame: Frame): Promise<string> {
  const limits = { maxBytes: MAX_BYTES, piped: "key" } as const;
  return (await readStandardInput(frame, limits)).toString("utf8");
}

/** Reads from the terminal so that editing keys and pasting work, and discards the echo. */
async function typed({ surroundings, strings }: Frame, provider: string): Promise<string> {
  const { stdin, stderr } = surroundings;
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const say = (text: string) => stderr.write(text, () => undefined);
  say(strings.setup.keyQuestion(provider));
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true, historySize: 0 });
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once("line", resolve);
      lines.once("SIGINT", () => reject(new WorldlineError("cancelled", { left: "unchanged" })));
      lines.once("close", () => resolve(""));
    });
  } finally {
    lines.close();
    say("\n");
  }
}
