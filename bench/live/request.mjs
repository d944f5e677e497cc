import { parseArgs } from "node:util";
import { tasks } from "./tasks.mjs";

export const usage = `Usage: npm run live -- --model <provider/name> [--tasks <number>] [--runs <number>] [--yes]
       npm run live -- --check

Has a real model repair ten small projects, each with the Backtrack tool and without it, and prints what came of it.
It costs money. --check costs nothing: without a model, it checks that each test fails as written and passes after the repair.`;

/**
 * Parses the options from the command line, or returns why they are invalid.
 * @returns {{ do: "check" } | { do: "wrong", why: string } | { do: "run", model: string, tasks: number, runs: number,
 * asked: "yes" | "no" }}
 */
export function requestOf(args) {
  let values;
  try {
    ({ values } = parseArgs({
      args,
      options: {
        model: { type: "string" },
        tasks: { type: "string", default: String(tasks.length) },
        runs: { type: "string", default: "1" },
        yes: { type: "boolean", default: false },
        check: { type: "boolean", default: false },
      },
    }));
  } catch (error) {
    return { do: "wrong", why: error.message };
  }
  if (values.check) return { do: "check" };
  const counts = { tasks: Number(values.tasks), runs: Number(values.runs) };
  if (values.model === undefined || values.model.trim() === "")
    return { do: "wrong", why: "--model is missing." };
  if (!isCount(counts.tasks, tasks.length))
    return { do: "wrong", why: `--tasks needs a number from 1 to ${tasks.length}.` };
  if (!isCount(counts.runs, 100)) return { do: "wrong", why: "--runs needs a number from 1 to 100." };
  return { do: "run", model: values.model, ...counts, asked: values.yes ? "yes" : "no" };
}

const isCount = (value, most) => Number.isInteger(value) && value >= 1 && value <= most;
