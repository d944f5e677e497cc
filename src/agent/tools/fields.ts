import { z } from "zod";

/** A text that goes to the system, which takes none with a NUL. Refined, so that no pattern stands in the JSON Schema. */
export function systemText(description: string): z.ZodString {
  return z
    .string()
    .min(1)
    .refine((text) => !text.includes("\0"), "must not contain a NUL character")
    .describe(description);
}

/**
 * The schema, with fields that models add out of habit and that say nothing here: they are dropped instead of refused,
 * and the model is not told of them.
 */
export function tolerating<Input>(fields: readonly string[], schema: z.ZodType<Input>): z.ZodType<Input> {
  return z.preprocess((value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).filter(([key]) => !fields.includes(key)));
  }, schema);
}
