import type { ErrorCode } from "./errors/texts.ts";
import type { Strings } from "./strings.ts";

/** An error as a line for a person. Its message stays as it was thrown, because models and scripts read the same words. */
export function errorText(
  { errors, output }: Pick<Strings, "errors" | "output">,
  { code, message }: { readonly code: ErrorCode | "UNEXPECTED"; readonly message: string },
): string {
  return output.failure(errors[code], message);
}
