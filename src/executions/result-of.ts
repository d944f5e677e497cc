import { isWorldlineError } from "../record/error.ts";
import type { ExecutionResult } from "./execution.ts";

/** What is expected to go wrong is a result; what is not, such as a bug of ours, is thrown. */
export async function resultOf<Output>(work: () => Promise<Output>): Promise<ExecutionResult<Output>> {
  try {
    return { success: true, output: await work() };
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return { success: false, error };
  }
}
