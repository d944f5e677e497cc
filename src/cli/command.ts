import { WorldlineError } from "../record/error.ts";
import type { Strings } from "../strings/strings.ts";
import type { ExitCode } from "./exit.ts";
import type { Frame } from "./frame.ts";

/** What a command is started with: what the user gave, typed by the command's own specs. */
interface Invocation<Arguments extends ArgumentSpecs, Options extends OptionSpecs> {
  readonly arguments: ArgumentValues<Arguments>;
  readonly options: OptionValues<Options>;
  readonly frame: Frame;
}

export type Help = Strings["help"];

/** What `--help` says of a command. */
export interface CommandHelp {
  readonly summary?: string;
  /** Where the summary is not enough. */
  readonly description?: string;
  readonly arguments?: Readonly<Record<string, string>>;
  readonly options?: Readonly<Record<string, string>>;
  /** What each example means. */
  readonly examples: Readonly<Record<string, string>>;
}

/** A text for each argument and each option: without one, the command does not compile. */
type HelpFor<Arguments, Options> = CommandHelp &
  (keyof Arguments extends never ? object : { readonly arguments: TextsOf<Arguments> }) &
  (keyof Options extends never ? object : { readonly options: TextsOf<Options> });

type TextsOf<Specs> = { readonly [Name in keyof Specs]: string };

interface CommandSpec<Arguments extends ArgumentSpecs, Options extends OptionSpecs> {
  readonly help: (help: Help) => HelpFor<Arguments, Options>;
  readonly arguments?: Arguments;
  readonly options?: Options;
  /** "secret": what the user typed is never repeated, not even to say what is wrong with it. */
  readonly input?: "public" | "secret";
  readonly subcommands?: readonly CommandEntry[];
  /** Without a return value the exit code is 0. A command that is only its subcommands has none. */
  readonly run?: (invocation: Invocation<Arguments, Options>) => Promise<ExitCode> | Promise<void>;
}

/** A command whose specs are known only to itself. Made by `defineCommand` alone. */
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
 * One row of a table of commands: enough for the list in `--help`, so that only the command that is
 * started has its module loaded. Names and summaries are only here.
 */
export interface CommandEntry {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: (help: Help) => string;
  /** The heading in `--help`; for subcommands there is only one. */
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
    // The values were read by these very specs (`valuesOf`), which the type of a mixed table cannot say.
    run: run === undefined ? undefined : (invocation) => run(invocation as Invocation<Arguments, Options>),
  };
}

/** How the help names a value. The brackets make an option take one: without them its value would be read as an argument. */
type Placeholder = `<${string}>`;
type MaybePlaceholder = `[${string}]`;

/** An option of a command. Its name is its key in the command, as `--kebab-case`. */
export type OptionSpec =
  | { readonly kind: "flag"; readonly short?: string }
  /** `short`: a second name of one letter, such as "o" for `-o`. */
  | { readonly kind: "text"; readonly placeholder: Placeholder; readonly short?: string }
  | { readonly kind: "maybe"; readonly placeholder: MaybePlaceholder; readonly short?: string }
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  | { readonly kind: "whole"; readonly placeholder: Placeholder }
  | { readonly kind: "list"; readonly placeholder: Placeholder };

/** A positional argument. Its key in the command is its name in the help. */
interface ArgumentSpec {
  readonly kind: "required" | "optional" | "rest";
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;
/** In the order in which they are given; a `rest` comes last. */
type ArgumentSpecs = Readonly<Record<string, ArgumentSpec>>;

/** There or not. */
export function flag() {
  return { kind: "flag" as const };
}

export function text(placeholder: Placeholder) {
  return { kind: "text" as const, placeholder };
}

/** May be given with a value or without one. */
export function maybe(placeholder: MaybePlaceholder) {
  return { kind: "maybe" as const, placeholder };
}

/** An option that was given, perhaps without a value. */
interface Maybe {
  readonly value?: string;
}

/** One word of a few. */
export function choice<const Word extends string>(choices: readonly Word[]) {
  return { kind: "choice" as const, choices };
}

/** A whole number, not negative. */
export function whole(placeholder: Placeholder) {
  return { kind: "whole" as const, placeholder };
}

/** May be given several times. */
export function list(placeholder: Placeholder) {
  return { kind: "list" as const, placeholder };
}

export function required() {
  return { kind: "required" as const };
}

export function optional() {
  return { kind: "optional" as const };
}

/** Everything that follows, perhaps nothing. */
export function rest() {
  return { kind: "rest" as const };
}

/** What a command gets for an option. */
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

/** What commander hands over: nothing about it is known to the type checker. */
export type Parsed = Readonly<Record<string, unknown>>;

/** The options as the specs promise them, whatever was left out. */
export function optionValues<Specs extends OptionSpecs>(specs: Specs, parsed: Parsed): OptionValues<Specs> {
  const values = Object.entries(specs).map(([name, spec]) => [
    name,
    optionValue(name, spec, givenFor(name, spec, parsed)),
  ]);
  return Object.fromEntries(values) as OptionValues<Specs>;
}

/** Commander takes `--no-files` for the opposite of a `--files` that is on by default. */
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

/** `dryRun` is `--dry-run`. */
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
    // Commander keeps whether there was a `--no-name` under the name of `--name <text>`, as true or false.
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
