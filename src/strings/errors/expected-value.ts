/** What a setting's value, or a part of it, must be. */
export type ExpectedValue =
  | {
      readonly is:
        | "true-or-false"
        | "text"
        | "object"
        | "rule"
        | "rules"
        /** As a file must have them. */
        | "rules-in-brackets"
        | "models"
        | "providers"
        | "model-of-provider"
        | "provider-name"
        | "tokens"
        | "price"
        | "web-address"
        | "variable-name"
        | "model-name";
    }
  | { readonly is: "whole-number" | "number"; readonly from: number; readonly to: number }
  | { readonly is: "whole-number-or"; readonly word: string; readonly from: number; readonly to: number }
  | { readonly is: "one-of"; readonly choices: readonly string[] }
  | { readonly is: "one-name-of"; readonly names: readonly string[] }
  /** The name of a row, not what the row says. */
  | { readonly is: "name"; readonly of: ExpectedValue }
  | { readonly is: "field"; readonly name: string; readonly of: ExpectedValue };

/** Why a part of a value is not what it must be, where there is more to say than what was expected. */
export type WhyUnexpected = { readonly is: "no-such-name"; readonly name: string } | RuleProblem;

/** What is wrong with a permission rule. */
export interface RuleProblem {
  readonly is: "no-rule";
  readonly problem: string;
}

/** The part of a value that is wrong: names of rows and fields, and places in lists from 0. */
export type PathInValue = readonly (string | number)[];
