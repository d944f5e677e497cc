import type { ModelRowSettings, ProviderKind, ProviderSettings } from "../../../agent/models/catalogue.ts";
import { parseRule } from "../../../agent/permissions/rules.ts";
import type { Kind } from "../kinds.ts";
import { listOf } from "./list.ts";
import { type Field, tableOf } from "./table.ts";

export const rules: Kind<readonly string[]> = listOf({
  expected: { items: { is: "rules" }, itemsInJson: { is: "rules-in-brackets" }, item: { is: "rule" } },
  problemOf: (item) => {
    const parsed = parseRule(item);
    return "problem" in parsed ? { is: "no-rule", problem: parsed.problem } : undefined;
  },
});

const tokens: Field = {
  expected: { is: "tokens" },
  isRequired: "no",
  fits: (json) => typeof json === "number" && Number.isInteger(json) && json > 0,
};

const price: Field = {
  expected: { is: "price" },
  isRequired: "no",
  fits: (json) => typeof json === "number" && json >= 0,
};

export const models: Kind<Readonly<Record<string, ModelRowSettings>>> = tableOf({
  expected: { is: "models" },
  names: { expected: { is: "model-of-provider" }, fits: (name) => /^[^/\s]+\/\S+$/u.test(name) },
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
  expected: { is: "providers" },
  names: {
    expected: { is: "provider-name" },
    fits: (name) => /^[A-Za-z0-9][A-Za-z0-9._-]*$/u.test(name),
  },
  fields: {
    kind: {
      expected: { is: "one-of", choices: providerKinds },
      isRequired: "yes",
      fits: (json) => providerKinds.some((kind) => kind === json),
    },
    baseUrl: {
      expected: { is: "web-address" },
      isRequired: "yes",
      fits: (json) => typeof json === "string" && /^https?:$/u.test(protocolOf(json)),
    },
    keyVariable: {
      expected: { is: "variable-name" },
      isRequired: "no",
      fits: (json) => typeof json === "string" && /^[A-Za-z_][A-Za-z0-9_]*$/u.test(json),
    },
    model: {
      expected: { is: "model-name" },
      isRequired: "no",
      fits: (json) => typeof json === "string" && json !== "",
    },
  },
});

function protocolOf(address: string): string {
  return URL.canParse(address) ? new URL(address).protocol : "";
}
