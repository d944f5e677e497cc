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
    const { removeKey, requireRoomForKey, setUpKey } = await import("../../app/agent/keys.ts");
    const { output, strings } = frame;
    const { name } = provider;
    if (options.remove) {
      const { outcome, file, environment } = removeKey(frame, variable);
      output.answer({ provider: name, key: outcome, file }, () =>
        outcome === "removed" ? strings.setup.removed(name, file) : strings.setup.wasNotKept(name),
      );
      if (environment === "wins") output.warn(strings.setup.environmentWins(variable));
      return 0;
    }
    requireRoomForKey(frame);
    const key = await readKey(frame, name);
    const { tested, file, environment } = await setUpKey(frame, {
      ...{ provider, variable, key, model: options.model },
      check: options.withoutTest ? "untried" : "tried",
      onTrying: (model) => {
        if (output.mode === "text") output.notice(strings.setup.testing(model));
      },
    });
    output.answer({ provider: name, key: "kept", file, tested: tested ?? null }, () => {
      const { kept, works, notTested } = strings.setup;
      return [kept(name, file), tested === undefined ? notTested : works(tested)].join("\n");
    });
    if (environment === "wins") output.warn(strings.setup.environmentWins(variable));
    return 0;
  },
});

/**
 * The first part of `worldline/finder`. In other model names, this part is the provider, but "worldline" is not one.
 */
const OURS = "worldline";

function notNeeded({ output, strings }: Frame, provider: string): ExitCode {
  output.answer({ provider, key: "not-needed" }, () => strings.setup.noKeyNeeded(provider));
  return 0;
}

/**
 * Reports that no key is needed, because Claude's agent has its own login. This applies unless the user names a
 * provider.
 */
function ownLogin({ output, strings }: Frame): ExitCode {
  output.answer({ host: "claude", key: "not-needed" }, () =>
    [strings.hosts.claudeAnswers, strings.hosts.keepAnyway].join("\n"),
  );
  return 0;
}

/** Returns the provider named on the command line, otherwise the one that the user chooses. */
async function chooseProvider(frame: Frame, wanted: string | undefined): Promise<Provider> {
  const { keyChoices, providerNamed } = await import("../../app/agent/keys.ts");
  if (wanted !== undefined) return providerNamed(frame, wanted);
  const { providers, withoutKey } = await keyChoices(frame);
  if (!canAsk(frame)) {
    throw new WorldlineError("whose-key", { providers: providers.map(({ provider }) => provider.name) });
  }
  const { output, strings } = frame;
  output.notice(strings.setup.whichProvider);
  const rows = providers.map(({ provider, address }, index) => [String(index + 1), provider.name, address]);
  for (const line of table(rows)) output.notice(`  ${line}`);
  output.notice(strings.setup.withoutKey(withoutKey, strings.models.finder));
  const picked = providers[(await askForRow(frame, providers.length)) - 1];
  if (picked === undefined) throw new WorldlineError("cancelled", { left: "unchanged" });
  return picked.provider;
}

const MAX_BYTES = 16 * 1024;

/** Reads the key from a pipe, or from the terminal without showing it. */
async function readKey(frame: Frame, provider: string): Promise<string> {
  const { stdin } = frame.surroundings;
  const key = stdin.isTTY === true ? await typed(frame, provider) : await piped(frame);
  if (key.trim() === "") throw new WorldlineError("key-missing", { provider });
  return key.trim();
}

async function piped(frame: Frame): Promise<string> {
  const limits = { maxBytes: MAX_BYTES, piped: "key" } as const;
  return (await readStandardInput(frame, limits)).toString("utf8");
}

/** Reads from the terminal without showing the input. Editing keys and pasting work. */
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
