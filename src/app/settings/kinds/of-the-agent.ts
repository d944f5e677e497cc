import type {
  ModelRowSettings,
  ProviderKind,
  ProviderSettings,
} from "../../../agent/models/model-settings.ts";
import { parseRule } from "../../../agent/permissions/rules.ts";
import type { Kind } from "../kinds.ts";
import { listOf } from "./list.ts";
import { type Field, tableOf } from "./table.ts";

export const rules: Kind<readonly string[]> = listOf({
  items: 'rules such as "Bash(npm test:*)"',
  item: "a rule",
  problemOf: (item) => {
    const parsed = parseRule(item);
    return "problem" in parsed ? parsed.problem : undefined;
  },
});

const tokens: Field = {
  expected: "a whole number of tokens",
  isRequired: "no",
  fits: (json) => typeof json === "number" && Number.isInteger(json) && json > 0,
};

const price: Field = {
  expected: "dollars per million tokens",
  isRequired: "no",
  fits: (json) => typeof json === "number" && json >= 0,
};

export const models: Kind<Readonly<Record<string, ModelRowSettings>>> = tableOf({
  expected: 'a table of models by "provider/name", in { }',
  names: { expected: '"provider/name"', fits: (name) => /^[^/\s]+\/\S+$/u.test(name) },
  fields: {
    window: tokens,
    maxOutput: tokens,
    input: price,
    output: price,
    cacheRead: price,
    cacheWrite: price,
  },
});

const providerKinds: readonly ProviderKind[] = ["anthropic", "openai", "openai-chat", "compatible", "ollama"];

export const providers: Kind<Readonly<Record<string, ProviderSettings>>> = tableOf({
  expected: "a table of providers by name, in { }",
  names: {
    expected: "letters, digits, dots and dashes",
    fits: (name) => /^[A-Za-z0-9][A-Za-z0-9._-]*$/u.test(name),
  },
  fields: {
    kind: {
      expected: providerKinds.map((kind) => `"${kind}"`).join(" or "),
      isRequired: "yes",
      fits: (json) => providerKinds.some((kind) => kind === json),
    },
    baseUrl: {
      expected: "an address that begins with http:// or https://",
      isRequired: "yes",
      fits: (json) => typeof json === "string" && /^https?:$/u.test(protocolOf(json)),
    },
    keyVariable: {
      expected: "the name of an environment variable",
      isRequired: "no",
      fits: (json) => typeof json === "string" && /^[A-Za-z_][A-Za-z0-9_]*$/u.test(json),
    },
    model: {
      expected: "a model's name",
      isRequired: "no",
      fits: (json) => typeof json === "string" && json !== "",
    },
  },
});

function protocolOf(address: string): string {
  return URL.canParse(address) ? new URL(address).protocol : "";
}
