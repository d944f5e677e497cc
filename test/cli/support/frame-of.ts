import { PassThrough } from "node:stream";
import { type Frame, openFrame, type Surroundings } from "../../../src/cli/frame.ts";
import { Output } from "../../../src/cli/output.ts";
import { stringsFor } from "../../../src/strings/strings.ts";
import { paper, type playground } from "./command-line.ts";

interface Given extends Partial<Pick<Surroundings, "onInterrupt">> {
  readonly environment?: Record<string, string>;
  /** The settings that the command line sets. */
  readonly settings?: Record<string, string>;
}

/**
 * The frame that a command in the playground's workspace would get, for testing layers below the commands.
 */
export function frameOf(
  { home, workspace }: Pick<ReturnType<typeof playground>, "home" | "workspace">,
  given: Given = {},
): Frame {
  const strings = stringsFor("en");
  const environment = { WORLDLINE_HOME: home, ...given.environment };
  const [stdout, stderr] = [paper().stream, paper().stream];
  const surroundings: Surroundings = {
    arguments: [],
    environment,
    cwd: () => workspace,
    stdin: Object.assign(new PassThrough(), { isTTY: false }),
    stdout,
    stderr,
    cancelled: new AbortController().signal,
    onInterrupt: given.onInterrupt ?? (() => () => undefined),
    knownWorkspaces: async () => [],
  };
  const common = {
    json: false,
    session: undefined,
    workspace: undefined,
    store: { kind: "files" },
    storeFrom: "elsewhere",
    trust: false,
    settings: given.settings ?? {},
    takeOver: "no",
  } as const;
  const output = new Output({ stdout, stderr, mode: "text", environment, strings });
  return openFrame({ common, output, strings, surroundings });
}
