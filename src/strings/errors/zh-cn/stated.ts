import type { stated as english } from "../en/stated.ts";
import type { Translated } from "../texts.ts";

export const stated: Translated<typeof english> = {
  stated: { message: ({ message }) => message, hint: ({ hint = "" }) => hint },
};
