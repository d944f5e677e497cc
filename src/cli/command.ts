import { WorldlineError } from "../record/error.ts";
import type { Strings } from "../strings/strings.ts";
import type { ExitCode } from "./exit.ts";
import type { Frame } from "./frame.ts";

/** The values that a command receives from the command line, with the types from the command's own specs. */
interface Invocation<Arguments extends ArgumentSpecs, Options extends OptionSpecs> {
  readonly arguments: ArgumentValues<Arguments>;
  readonly options: OptionValues<Options>;
  readonly frame: Frame;
}

export type Help = Strings["help"];

/** The text that `--help` shows for a command. */
export interface CommandHelp {
  readonly summary?: string;
  /** Present if the summary alone does not explain the command. */
  readonly description?: string;
  readonly arguments?: Readonly<Record<string, string>>;
  readonly options?: Readonly<Record<string, string>>;
  /** Examples, each with an explanation. */
  readonly examples: Readonly<Record<string, string>>;
}

/** Requires help text for each argument and each option, so that missing text is a compile error. */
type HelpFor<Arguments, Options> = CommandHelp &
  (keyof Arguments extends never ? object : { readonly arguments: TextsOf<Arguments> }) &
  (keyof Options extends never ? object : { readonly options: TextsOf<Options> });

type TextsOf<Specs> = { readonly [Name in keyof Specs]: string };

interface CommandSpec<Arguments extends ArgumentSpecs, Options extends OptionSpecs> {
  readonly help: (help: Help) => HelpFor<Arguments, Options>;
  readonly arguments?: Arguments;
  readonly options?: Options;
  /** "secret": errors never repeat what the user typed, not even to explain what is wrong with the input. */
  readonly input?: "public" | "secret";
  readonly subcommands?: readonly CommandEntry[];
  /**
   * Runs the command. If the function returns nothing, the exit code is 0. A command that has only subcommands has no
   * `run`.
   */
  readonly run?: (invocation: Invocation<Arguments, Options>) => Promise<ExitCode> | Promise<void>;
}

/**
 * A command whose type does not include its specs, so that all commands fit into one table. Created only by
 * `defineCommand`.
 */
export interface Command {
  readonly help: (help: Help) => CommandHelp;
  readonly arguments: ArgumentSpecs;
  readonly options: OptionSpecs;
  readonly input: "public" | "secret";
  readonly subcommands: readonly CommandEntry[];
  readonly run:
    | ((invocation: Invocation<ArgumentSpecs, OptionSpecs>) => Promise<ExitCode> | Promise<void>)
    | undefined;
}

/**
 * A row in the table of commands. A row contains everything that the list in `--help` needs, so only the module of the
 * command that runs is loaded. Names and summaries are defined only here.
 */
export interface CommandEntry {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: (help: Help) => string;
  /** The heading in `--help`; absent for subcommands, which share one heading. */
  readonly group?: keyof Help["groups"];
  readonly load: () => Promise<Command>;
}

export function defineCommand<
  const Arguments extends ArgumentSpecs = Record<never, never>,
  const Options extends OptionSpecs = Record<never, never>,
>(spec: CommandSpec<Arguments, Options>): Command {
  const { run } = spec;
  return {
    help: spec.help,
    arguments: spec.arguments ?? {},
    options: spec.options ?? {},
    input: spec.input ?? "public",
    subcommands: spec.subcommands ?? [],
    // `valuesOf` parsed the values with these specs, but the type of a table of different commands cannot express this.
    run: run === undefined ? undefined : (invocation) => run(invocation as Invocation<Arguments, Options>),
  };
}

/**
 * The placeholder for a value in the help. Commander reads a value only if the option has these brackets. Without the
 * brackets, Commander would treat the value as an argument.
 */
type Placeholder = `<${string}>`;
type MaybePlaceholder = `[${string}]`;

/**
 * A command's option. The option's key in the command is its name. On the command line, the name is written as
 * `--kebab-case`.
 */
export type OptionSpec =
  | { readonly kind: "flag"; readonly short?: string }
  /** `short`: a one-letter alternative name, such as "o" for `-o`. */
  | { readonly kind: "text"; readonly placeholder: Placeholder; readonly short?: string }
  | { readonly kind: "maybe"; readonly placeholder: MaybePlaceholder; readonly short?: string }
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  | { readonly kind: "whole"; readonly placeholder: Placeholder }
  | { readonly kind: "list"; readonly placeholder: Placeholder };

/** A positional argument. The help shows the argument under its key in the command. */
interface ArgumentSpec {
  readonly kind: "required" | "optional" | "rest";
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;
/** The arguments, in command-line order. A `rest` argument must come last. */
type ArgumentSpecs = Readonly<Record<string, ArgumentSpec>>;

/** Defines an option without a value. */
export function flag() {
  return { kind: "flag" as const };
}

export function text(placeholder: Placeholder) {
  return { kind: "text" as const, placeholder };
}

/** Defines an option with an optional value. */
export function maybe(placeholder: MaybePlaceholder) {
  return { kind: "maybe" as const, placeholder };
}

/** The value of an option that can be given without a value. */
interface Maybe {
  readonly value?: string;
}

/** Defines an option whose value is one word from a fixed set. */
export function choice<const Word extends string>(choices: readonly Word[]) {
  return { kind: "choice" as const, choices };
}

/** Defines an option whose value is a non-negative integer. */
export function whole(placeholder: Placeholder) {
  return { kind: "whole" as const, placeholder };
}

/** Defines an option that can be given several times. */
export function list(placeholder: Placeholder) {
  return { kind: "list" as const, placeholder };
}

export function required() {
  return { kind: "required" as const };
}

export function optional() {
  return { kind: "optional" as const };
}

/** Defines an argument that takes all remaining words, possibly none. */
export function rest() {
  return { kind: "rest" as const };
}

/** The type of an option's value. */
type OptionValue<Spec extends OptionSpec> = Spec extends { kind: "flag" }
  ? boolean
  : Spec extends { kind: "list" }
    ? readonly string[]
    : Spec extends { kind: "choice"; choices: readonly (infer Word)[] }
      ? Word | undefined
      : Spec extends { kind: "whole" }
        ? number | undefined
        : Spec extends { kind: "maybe" }
          ? Maybe | undefined
          : string | undefined;

type ArgumentValue<Spec extends ArgumentSpec> = Spec extends { kind: "required" }
  ? string
  : Spec extends { kind: "rest" }
    ? readonly string[]
    : string | undefined;

export type OptionValues<Specs extends OptionSpecs> = {
  readonly [Name in keyof Specs]: OptionValue<Specs[Name]>;
};
type ArgumentValues<Specs extends ArgumentSpecs> = {
  readonly [Name in keyof Specs]: ArgumentValue<Specs[Name]>;
};

/** The values that commander passes on, whose types are unknown to the type checker. */
export type Parsed = Readonly<Record<string, unknown>>;

/** Returns the options with the types from their specs. Options that were not given have their default values. */
export function optionValues<Specs extends OptionSpecs>(specs: Specs, parsed: Parsed): OptionValues<Specs> {
  const values = Object.entries(specs).map(([name, spec]) => [
    name,
    optionValue(name, spec, givenFor(name, spec, parsed)),
  ]);
  return Object.fromEntries(values) as OptionValues<Specs>;
}

/**
 * Returns the value given for an option. Commander treats `--no-files` as the opposite of a `--files` that is on by
 * default.
 */
function givenFor(name: string, spec: OptionSpec, parsed: Parsed): unknown {
  const [, letter, rest] = spec.kind === "flag" ? (/^no([A-Z])(.*)$/u.exec(name) ?? []) : [];
  return letter === undefined ? parsed[name] : parsed[`${letter.toLowerCase()}${rest}`] === false;
}

export function argumentValues<Specs extends ArgumentSpecs>(
  specs: Specs,
  parsed: readonly unknown[],
): ArgumentValues<Specs> {
  const values = Object.entries(specs).map(([name, spec], index) => [
    name,
    parsed[index] ?? (spec.kind === "rest" ? [] : undefined),
  ]);
  return Object.fromEntries(values) as ArgumentValues<Specs>;
}

/** Returns the option for a key, such as `--dry-run` for `dryRun`. */
export function optionName(key: string): string {
  return `--${key.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`;
}

function optionValue(key: string, spec: OptionSpec, given: unknown): unknown {
  switch (spec.kind) {
    case "flag":
      return given === true;
    case "list":
      return given ?? [];
    case "whole":
      return given === undefined ? undefined : wholeNumber(optionName(key), String(given));
    case "maybe":
      return given === undefined ? undefined : given === true ? {} : { value: String(given) };
    // For `--no-name`, commander stores true or false under the key of `--name <text>`.
    case "text":
    case "choice":
      return typeof given === "string" ? given : undefined;
    default:
      return spec satisfies never;
  }
}

function wholeNumber(name: string, given: string): number {
  const number = /^\d+$/u.test(given) ? Number(given) : Number.NaN;
  if (Number.isSafeInteger(number)) return number;
  throw new WorldlineError("not-a-whole-number", { option: name, given });
}
