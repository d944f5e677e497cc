import type { ExitCode } from "../exit.ts";
import type { Frame } from "./frame.ts";
import type { ArgumentSpecs, ArgumentValues, OptionSpecs, OptionValues } from "./parameters.ts";

/** What a command is started with: what the person gave, typed by the command's own specs. */
interface Invocation<Arguments extends ArgumentSpecs, Options extends OptionSpecs> {
  readonly arguments: ArgumentValues<Arguments>;
  readonly options: OptionValues<Options>;
  readonly frame: Frame;
}

export interface Example {
  readonly command: string;
  readonly meaning: string;
}

export interface CommandSpec<Arguments extends ArgumentSpecs, Options extends OptionSpecs> {
  /** For `--help`, where the summary is not enough. */
  readonly description?: string;
  readonly arguments?: Arguments;
  readonly options?: Options;
  /** "secret": what the person typed is never repeated, not even to say what is wrong with it. */
  readonly input?: "public" | "secret";
  /** At least one: an example teaches faster than a list of options. */
  readonly examples: readonly [Example, ...Example[]];
  readonly subcommands?: readonly CommandEntry[];
  /** Without a return value the exit code is 0. A command that is only its subcommands has none. */
  readonly run?: (invocation: Invocation<Arguments, Options>) => Promise<ExitCode> | Promise<void>;
}

/** A command whose specs are known only to itself. Made by `defineCommand` alone. */
export interface Command {
  readonly description: string | undefined;
  readonly arguments: ArgumentSpecs;
  readonly options: OptionSpecs;
  readonly input: "public" | "secret";
  readonly examples: readonly Example[];
  readonly subcommands: readonly CommandEntry[];
  readonly run:
    | ((invocation: Invocation<ArgumentSpecs, OptionSpecs>) => Promise<ExitCode> | Promise<void>)
    | undefined;
}

/**
 * One row of a table of commands: enough for the list in `--help`, so that only the command that is
 * started has its module loaded. Names and summaries stand here alone.
 */
export interface CommandEntry {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** The heading in `--help`; for subcommands there is only one. */
  readonly group?: string;
  readonly load: () => Promise<Command>;
}

export function defineCommand<
  const Arguments extends ArgumentSpecs = Record<never, never>,
  const Options extends OptionSpecs = Record<never, never>,
>(spec: CommandSpec<Arguments, Options>): Command {
  const { run } = spec;
  return {
    description: spec.description,
    arguments: spec.arguments ?? {},
    options: spec.options ?? {},
    input: spec.input ?? "public",
    examples: spec.examples,
    subcommands: spec.subcommands ?? [],
    // The values were read by these very specs (`valuesOf`), which the type of a mixed table cannot say.
    run: run === undefined ? undefined : (invocation) => run(invocation as Invocation<Arguments, Options>),
  };
}
