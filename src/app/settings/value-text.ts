import type { SettingValue } from "./kinds.ts";

/** A value as a person writes it in a variable or a flag; reading it again gives the same value. */
export function valueText(value: SettingValue): string {
  if (typeof value !== "object") return String(value);
  return isList(value) ? value.join("\n") : JSON.stringify(value);
}

/** A value in one line, for a person to see. */
export function shownValue(value: SettingValue): string {
  if (typeof value !== "object") return value === "" ? "none" : String(value);
  if (Object.keys(value).length === 0) return "none";
  return isList(value) ? value.join(", ") : JSON.stringify(value);
}

/** `Array.isArray` does not tell a readonly list from an object. */
export function isList(value: SettingValue): value is readonly string[] {
  return Array.isArray(value);
}
