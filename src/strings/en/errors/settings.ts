import type { ExpectedValue, PathInValue, WhyUnexpected } from "../../errors/expected-value.ts";
import { error, type Wording } from "../../errors/texts.ts";

export interface PlaceInFile {
  readonly file: string;
  /** Line and column, both counted from 1 as in editors. */
  readonly line: number;
  readonly column: number;
}

/** An invalid value, and what was expected. */
export interface Expectation {
  readonly given: string;
  readonly expected: ExpectedValue;
  /** The wrong part of a value and what was expected there; absent if the whole value is wrong. */
  readonly part?: { readonly path: PathInValue; readonly expected: ExpectedValue } | undefined;
  readonly why?: WhyUnexpected | undefined;
}

const at = ({ file, line, column }: PlaceInFile) => `${file}:${line}:${column}`;
const correct = () => "Fix the file. It is ignored until it is valid. Nothing was changed.";
const leaveWhereOut = "Leave out --where";

/** Errors in settings: in settings files, in environment variables, and on the command line. */
export const settings = {
  "settings-syntax": error(
    "SETTINGS_INVALID",
    ({ problem, ...place }: PlaceInFile & { readonly problem: SyntaxProblem }) =>
      `${at(place)}: ${syntaxProblems[problem]}.`,
    correct,
  ),
  "settings-not-an-object": error(
    "SETTINGS_INVALID",
    ({ found, ...place }: PlaceInFile & { readonly found: string }) =>
      `${at(place)}: expected an object in { }, found ${found}.`,
    correct,
  ),
  "settings-name-repeated": error(
    "SETTINGS_INVALID",
    ({ name, first, ...place }: PlaceInFile & { readonly name: string; readonly first: number }) =>
      `${at(place)}: "${name}" is a duplicate; the first is on line ${first}.`,
    correct,
  ),
  "settings-value-unexpected": error(
    "SETTINGS_INVALID",
    (
      {
        key,
        expected,
        found,
        why,
        ...place
      }: PlaceInFile & {
        readonly key: string;
        readonly expected: ExpectedValue;
        readonly found: string;
        readonly why?: WhyUnexpected | undefined;
      },
      { message },
    ) =>
      `${at(place)}: expected ${expectedText(expected)} for ${key}, found ${found}${whyText(why, message)}.`,
    correct,
  ),
  "settings-file-unreadable": error(
    "SETTINGS_INVALID",
    ({ file, why }: { readonly file: string; readonly why: WhyFileUnreadable }) =>
      `${file} cannot be read: ${whyFileUnreadable(why)}.`,
    () => "Make sure that the file is readable and contains JSON, or remove it.",
  ),
  "trust-unreadable": error(
    "SETTINGS_INVALID",
    ({ file, why }: { readonly file: string; readonly why: WhyTrustUnreadable }) =>
      `${file} cannot be read: ${why === "foreign" ? "it was not written by Worldline" : why.system}.`,
    () => "Delete it, then trust each workspace again.",
  ),
  "setting-variable-invalid": error(
    "SETTINGS_INVALID",
    ({ variable, ...expectation }: Expectation & { readonly variable: string }, { message }) =>
      `The variable ${variable} is "${expectation.given}"; expected ${expectationText(expectation, message)}.`,
    ({ variable }) => `Change it, or remove it: unset ${variable}`,
  ),
  "setting-value-invalid": error(
    "INPUT_INVALID",
    ({ key, ...expectation }: Expectation & { readonly key: string; readonly usual: string }, { message }) =>
      `${key} cannot be "${expectation.given}"; expected ${expectationText(expectation, message)}.`,
    ({ usual }) => `The default is ${usual}.`,
  ),
  "setting-without-value": error(
    "INPUT_INVALID",
    ({ given }: { readonly given: string }) => `--setting must have the form key=value, not "${given}".`,
    () => "For example: --setting lock.waitMs=1000",
  ),
  "setting-unknown": error(
    "INPUT_INVALID",
    ({
      name,
    }: {
      readonly name: string;
      readonly meant: string | undefined;
      readonly known: readonly string[];
    }) => `There is no setting "${name}".`,
    ({ meant, known }) => (meant === undefined ? `Settings: ${known.join(", ")}` : `Did you mean ${meant}?`),
  ),
  "setting-of-all-workspaces": error(
    "INPUT_INVALID",
    ({ key }: { readonly key: string }) => `${key} applies to all workspaces, so a workspace cannot set it.`,
    ({ key }, { command }) =>
      `${leaveWhereOut} to set it in your own settings: ${command({ do: "config set", key, value: { any: "value" } })}`,
  ),
  "workspace-without-settings": error(
    "INPUT_INVALID",
    ({ workspace }: { readonly workspace: string }) =>
      `${workspace} cannot have workspace settings, because they would be your user settings.`,
    () => `${leaveWhereOut}.`,
  ),
  "settings-file-outside": error(
    "INPUT_INVALID",
    ({ file, path }: { readonly file: string; readonly path: string }) =>
      `${file} points outside the workspace (to ${path}).`,
    () => "Replace the link with a file, or change the file that it points to.",
  ),
  "trust-and-untrust": error(
    "INPUT_INVALID",
    () => "--trust and untrust cannot be used together.",
    () => "Leave out --trust.",
  ),
};

export type SyntaxProblem = keyof typeof syntaxProblems;

/** The reason why a settings file cannot be read; `system`: the system's message. */
export type WhyFileUnreadable =
  | "not-utf8"
  | "not-a-file"
  | { readonly largerThan: number }
  | { readonly system: string };

/** The reason why the file of trusted workspaces cannot be read. */
export type WhyTrustUnreadable = "foreign" | { readonly system: string };

/** The problems that the parser finds, by the parser's own names. */
export const syntaxProblems = {
  InvalidSymbol: "this is not a value; strings need double quotes",
  InvalidNumberFormat: "this number cannot be read",
  PropertyNameExpected: "expected a name in double quotes",
  ValueExpected: "expected a value",
  ColonExpected: "expected a colon",
  CommaExpected: "expected a comma",
  CloseBraceExpected: "expected a closing brace }",
  CloseBracketExpected: "expected a closing bracket ]",
  EndOfFileExpected: "expected the end of the file",
  InvalidCommentToken: "this comment cannot be read",
  UnexpectedEndOfComment: "this comment is not closed",
  UnexpectedEndOfString: "this string has no closing double quote",
  UnexpectedEndOfNumber: "this number is incomplete",
  InvalidUnicode: "this \\u escape cannot be read",
  InvalidEscapeCharacter: "this escape cannot be read",
  InvalidCharacter: "this character must be escaped",
  NestedTooDeeply: "this is nested too deeply",
  NoJson: "this is not JSON",
} as const;

function whyFileUnreadable(why: WhyFileUnreadable): string {
  if (why === "not-utf8") return "it is not UTF-8 text";
  if (why === "not-a-file") return "it is not a file";
  return "system" in why ? why.system : `it is larger than ${why.largerThan} bytes`;
}

/** Finishes the sentence "expected ...". */
function expectedText(expected: ExpectedValue): string {
  switch (expected.is) {
    case "whole-number":
      return `a whole number from ${expected.from} to ${expected.to}`;
    case "number":
      return `a number from ${expected.from} to ${expected.to}`;
    case "whole-number-or":
      return `"${expected.word}" or a whole number from ${expected.from} to ${expected.to}`;
    case "one-of":
      return expected.choices.map((choice) => `"${choice}"`).join(" or ");
    case "one-name-of":
      return `one of ${expected.names.join(", ")}`;
    case "name":
      return `${expectedText(expected.of)} as a name`;
    case "field":
      return `${expectedText(expected.of)} as ${expected.name}`;
    default:
      return expectedTexts[expected.is];
  }
}

const expectedTexts = {
  "true-or-false": "true or false",
  text: "a string",
  object: "an object in { }",
  rule: "a rule",
  rules: 'a list of rules such as "Bash(npm test:*)"',
  "rules-in-brackets": 'a list of rules such as "Bash(npm test:*)" in [ ]',
  models: 'a table of models by "provider/name", in { }',
  providers: "a table of providers by name, in { }",
  "model-of-provider": '"provider/name"',
  "provider-name": "letters, digits, dots, and dashes",
  tokens: "a whole number of tokens",
  price: "dollars per million tokens",
  "web-address": "an address that begins with http:// or https://",
  "variable-name": "the name of an environment variable",
  "model-name": "a model name",
} as const;

function expectationText({ expected, part, why }: Expectation, message: Wording["message"]): string {
  if (part === undefined) return expectedText(expected);
  const path = part.path.map((step) => (typeof step === "number" ? `item ${step + 1}` : step)).join(" / ");
  return `${expectedText(expected)}; ${path}: expected ${expectedText(part.expected)}${whyText(why, message)}`;
}

function whyText(why: WhyUnexpected | undefined, message: Wording["message"]): string {
  if (why === undefined) return "";
  return why.is === "no-such-name" ? `: not "${why.name}"` : `: ${message(why.problem)}`;
}
