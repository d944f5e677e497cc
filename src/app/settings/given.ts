import type { SettingValue } from "./kinds.ts";
import type { SettingKey } from "./table.ts";

/** The three files, from the weakest to the strongest. */
export type FileLayer = "user" | "workspace" | "local";

/** Where a value stands, so that a person finds it. */
export type Source =
  | { readonly layer: "default" }
  | { readonly layer: FileLayer; readonly file: string; readonly line: number; readonly column: number }
  | { readonly layer: "environment"; readonly variable: string }
  | { readonly layer: "flag" };

/** One layer's word about one setting. */
export interface GivenValue {
  readonly key: SettingKey;
  readonly value: SettingValue;
  readonly source: Source;
  /** Of a list in a file: where each item stands, in the list's order. */
  readonly places?: readonly { readonly line: number; readonly column: number }[];
}
