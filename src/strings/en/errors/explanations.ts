import { remark } from "../../errors/texts.ts";

export interface Variable {
  readonly variable: string;
}

export interface Address {
  readonly address: string;
}

/** Remarks about whether a model provider can be used, and why or why not. None of them contains a key. */
export const providers = {
  "provider-without-key": remark(({ variable }: { readonly variable: string | undefined }) =>
    variable === undefined ? "No key is stored." : `No key: ${variable} is not set, and no key is stored.`,
  ),
  "provider-key-set": remark(({ variable }: Variable) => `${variable} is set.`),
  "provider-key-stored": remark(() => "A key is stored."),
  "provider-needs-no-key": remark(() => "No key is needed."),
  "provider-address-invalid": remark(({ address }: Address) => `Not a valid base URL: ${address}`),
  "provider-silent": remark(({ address }: Address) => `No server responds at ${address}`),
  "provider-models": remark(({ count }: { readonly count: number }) => {
    if (count === 0) return "The server has no models yet.";
    return count === 1 ? "The server has 1 model." : `The server has ${count} models.`;
  }),
};
