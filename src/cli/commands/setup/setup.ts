import type { Provider } from "../../../agent/models/provider-table.ts";
import { defineCommand } from "../../command/command.ts";
import type { Frame } from "../../command/frame.ts";
import { flag, optional, text } from "../../command/parameters.ts";
import type { ExitCode } from "../../exit.ts";
import { chooseProvider } from "./choose-provider.ts";
import { readKey } from "./read-key.ts";

export const setup = defineCommand({
  description:
    "Takes a provider's key, from a pipe or typed without showing it, tries it with one small call, and keeps it in a " +
    "file that only you can read. A key in the environment goes before one that is kept.",
  input: "secret",
  arguments: {
    provider: optional(
      "whose key it is, such as anthropic; see: worldline models (default: choose from a list)",
    ),
  },
  options: {
    model: text("<name>", "the model to try it with (default: the provider's usual one)"),
    withoutTest: flag("keep it without trying it, such as without a network"),
    remove: flag("remove the key that is kept"),
  },
  examples: [
    { command: "worldline setup anthropic", meaning: "asks for the key, and tries it" },
    { command: "pass show openai | worldline setup openai", meaning: "from a password manager" },
    { command: "worldline setup anthropic --remove", meaning: "forget it here" },
  ],
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

/** Of `worldline/finder`, which no provider has. */
const OURS = "worldline";

function notNeeded({ output, strings }: Frame, provider: string): ExitCode {
  output.answer({ provider, key: "not-needed" }, () => strings.setup.noKeyNeeded(provider));
  return 0;
}

/** Claude's agent has a login of its own, so nobody is asked for a key; whoever names a provider means it. */
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
  const { removeKey } = await import("../../../app/agent/models/remove-key.ts");
  const { keysPath } = await import("../../../agent/models/keys.ts");
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

/** Nobody should type a key, or pay for a call that tries it, where it cannot be kept. */
async function requireRoom({ home }: Frame): Promise<void> {
  const { requireRoomForKeys } = await import("../../../agent/models/keys.ts");
  requireRoomForKeys(await keyTools(), home);
}

async function keyTools() {
  const { realDisk } = await import("../../../disk/disk.ts");
  const { systemClock } = await import("../../../disk/system-clock.ts");
  return { disk: realDisk, clock: systemClock };
}

/** Throws what the provider says against it; then nothing is kept. */
async function test(
  frame: Frame,
  wanted: Place & { readonly key: string; readonly model: string | undefined },
): Promise<string> {
  const { tryKey } = await import("./try-key.ts");
  return tryKey(frame, wanted);
}

async function keep(
  frame: Frame,
  kept: Place & { readonly key: string; readonly tested: string | undefined },
): Promise<ExitCode> {
  const { keepKey, keysPath } = await import("../../../agent/models/keys.ts");
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
