import type { Kind, SettingValue } from "./kinds.ts";

/**
 * How far a workspace's own file may move a value before the person trusts it. A cloned repository must
 * not make Worldline keep less, wait longer, cost more, do more or send the conversation elsewhere than its user chose.
 * "narrower": towards the front of `narrowestFirst`. "add": what it adds to a list counts. "never": nor when it is
 * trusted, because the value decides about what belongs to other workspaces.
 */
export type Untrusted = "nothing" | "lower" | "higher" | "narrower" | "add" | "never";

export interface Setting<Value extends SettingValue = SettingValue> {
  readonly kind: Kind<Value>;
  readonly default: Value;
  readonly description: string;
  readonly untrusted: Untrusted;
  /** "union": lists are added up over the layers, and of tables the rows; else the strongest layer's word counts alone. */
  readonly layers?: "union";
  /** For words that can be compared. */
  readonly narrowestFirst?: readonly string[];
  /** Where the variable's name is not the one made from the key; see `variableOf`. */
  readonly variable?: string;
  /** Whether a variable that says the opposite of a settings file is worth a warning. */
  readonly contradiction?: "warn";
}
