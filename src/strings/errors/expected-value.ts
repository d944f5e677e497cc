import type { Problem } from "./texts.ts";

/** The valid values for a setting, or for a part of one. */
export type ExpectedValue =
  | {
      readonly is:
        | "true-or-false"
        | "text"
        | "object"
        | "rule"
        | "rules"
        /** Rules in the form that files require. */
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
  /** `of` applies to the name of a row, not to its value. */
  | { readonly is: "name"; readonly of: ExpectedValue }
  | { readonly is: "field"; readonly name: string; readonly of: ExpectedValue };

/** A more specific reason why a part of a value is invalid; absent if the expectation says enough. */
export type WhyUnexpected = { readonly is: "no-such-name"; readonly name: string } | RuleProblem;

/** The problem with an invalid permission rule. */
export interface RuleProblem {
  readonly is: "no-rule";
  readonly problem: Problem;
}

/** The path to the invalid part of a value: names of rows and fields, and zero-based list indexes. */
export type PathInValue = readonly (string | number)[];
