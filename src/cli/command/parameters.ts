/** How the help names a value. The brackets make an option take one: without them its value would be read as an argument. */
type Placeholder = `<${string}>`;
type MaybePlaceholder = `[${string}]`;

/** An option of a command. Its name is its key in the command, as `--kebab-case`. */
export type OptionSpec =
  | {
      readonly kind: "flag";
      readonly description: string;
      readonly short?: string;
    }
  | {
      readonly kind: "text";
      readonly placeholder: Placeholder;
      readonly description: string;
      /** A second name of one letter, such as "o" for `-o`. */
      readonly short?: string;
    }
  | {
      readonly kind: "maybe";
      readonly placeholder: MaybePlaceholder;
      readonly description: string;
      readonly short?: string;
    }
  | { readonly kind: "choice"; readonly choices: readonly string[]; readonly description: string }
  | { readonly kind: "whole"; readonly placeholder: Placeholder; readonly description: string }
  | { readonly kind: "list"; readonly placeholder: Placeholder; readonly description: string };

/** A positional argument. Its key in the command is its name in the help. */
interface ArgumentSpec {
  readonly kind: "required" | "optional" | "rest";
  readonly description: string;
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;
/** In the order in which they are given; a `rest` stands last. */
export type ArgumentSpecs = Readonly<Record<string, ArgumentSpec>>;

/** There or not. */
export function flag(description: string) {
  return { kind: "flag" as const, description };
}

export function text(placeholder: Placeholder, description: string) {
  return { kind: "text" as const, placeholder, description };
}

/** May be given with a value or without one. */
export function maybe(placeholder: MaybePlaceholder, description: string) {
  return { kind: "maybe" as const, placeholder, description };
}

/** An option that was given, perhaps without a value. */
export interface Maybe {
  readonly value?: string;
}

/** One word of a few. */
export function choice<const Word extends string>(choices: readonly Word[], description: string) {
  return { kind: "choice" as const, choices, description };
}

/** A whole number, not negative. */
export function whole(placeholder: Placeholder, description: string) {
  return { kind: "whole" as const, placeholder, description };
}

/** May be given several times. */
export function list(placeholder: Placeholder, description: string) {
  return { kind: "list" as const, placeholder, description };
}

export function required(description: string) {
  return { kind: "required" as const, description };
}

export function optional(description: string) {
  return { kind: "optional" as const, description };
}

/** Everything that follows, perhaps nothing. */
export function rest(description: string) {
  return { kind: "rest" as const, description };
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
export type ArgumentValues<Specs extends ArgumentSpecs> = {
  readonly [Name in keyof Specs]: ArgumentValue<Specs[Name]>;
};
