import { isJsonObject } from "../../../record/json.ts";
import type { Kind, Wrong } from "../kinds.ts";

/** What a field must be: finishes the sentence "expected ...". */
export interface Field {
  readonly expected: string;
  readonly isRequired: "yes" | "no";
  readonly fits: (json: unknown) => boolean;
}

export interface TableOptions {
  /** Finishes the sentence "expected ...", such as "a table of models in { }". */
  readonly expected: string;
  /** What a row's name must be. */
  readonly names: { readonly expected: string; readonly fits: (name: string) => boolean };
  readonly fields: Readonly<Record<string, Field>>;
}

/** A table in JSON, from names to rows with known fields. As text it is the same JSON. */
export function tableOf<Row extends object>(options: TableOptions): Kind<Readonly<Record<string, Row>>> {
  const wrongIn = (json: unknown): Wrong | undefined => {
    if (!isJsonObject(json)) return { path: [], expected: options.expected };
    for (const [name, row] of Object.entries(json)) {
      if (!options.names.fits(name)) {
        return { path: [name], expected: `${options.names.expected} as a name`, why: `not "${name}"` };
      }
      const wrong = wrongInRow(options.fields, row);
      if (wrong !== undefined) return { ...wrong, path: [name, ...wrong.path] };
    }
    return undefined;
  };
  const fromJson = (json: unknown) =>
    wrongIn(json) === undefined ? (json as Readonly<Record<string, Row>>) : undefined;
  return {
    expected: options.expected,
    fromJson,
    fromText: (text) => fromJson(parsed(text)),
    wrongIn,
    jsonOf: parsed,
  };
}

function wrongInRow(fields: TableOptions["fields"], row: unknown): Wrong | undefined {
  if (!isJsonObject(row)) return { path: [], expected: "an object in { }" };
  for (const [name, value] of Object.entries(row)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined) {
      return { path: [name], expected: `one of ${Object.keys(fields).join(", ")}`, why: `not "${name}"` };
    }
    if (!field.fits(value)) return { path: [name], expected: `${field.expected} as ${name}` };
  }
  const missing = Object.entries(fields).find(
    ([name, { isRequired }]) => isRequired === "yes" && !Object.hasOwn(row, name),
  );
  return missing === undefined
    ? undefined
    : { path: [], expected: `${missing[1].expected} as ${missing[0]}` };
}

/** Undefined where it is no JSON, which is then no table either. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
