import { isJsonObject } from "../../../record/parts.ts";
import type { ExpectedValue } from "../../../strings/errors/expected-value.ts";
import type { Kind, Wrong } from "../kinds.ts";

/** What a field must be. */
export interface Field {
  readonly expected: ExpectedValue;
  readonly isRequired: "yes" | "no";
  readonly fits: (json: unknown) => boolean;
}

export interface TableOptions {
  readonly expected: ExpectedValue;
  /** What a row's name must be. */
  readonly names: { readonly expected: ExpectedValue; readonly fits: (name: string) => boolean };
  readonly fields: Readonly<Record<string, Field>>;
}

/** A table in JSON, from names to rows with known fields. As text it is the same JSON. */
export function tableOf<Row extends object>(options: TableOptions): Kind<Readonly<Record<string, Row>>> {
  const wrongIn = (json: unknown): Wrong | undefined => {
    if (!isJsonObject(json)) return { path: [], expected: options.expected };
    for (const [name, row] of Object.entries(json)) {
      if (!options.names.fits(name)) {
        const expected = { is: "name", of: options.names.expected } as const;
        return { path: [name], expected, why: { is: "no-such-name", name } };
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
  if (!isJsonObject(row)) return { path: [], expected: { is: "object" } };
  for (const [name, value] of Object.entries(row)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined) {
      const expected = { is: "one-name-of", names: Object.keys(fields) } as const;
      return { path: [name], expected, why: { is: "no-such-name", name } };
    }
    if (!field.fits(value)) return { path: [name], expected: { is: "field", name, of: field.expected } };
  }
  const missing = Object.entries(fields).find(
    ([name, { isRequired }]) => isRequired === "yes" && !Object.hasOwn(row, name),
  );
  return missing === undefined
    ? undefined
    : { path: [], expected: { is: "field", name: missing[0], of: missing[1].expected } };
}

/** Undefined where it is no JSON, which is then no table either. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
