import { describe, expect, it } from "vitest";
import { examples } from "../../examples/executions/examples.ts";
import { placesForTests } from "../support/places-for-tests.ts";

const said: Readonly<Record<string, readonly string[]>> = {
  create: ["ckpt-exec-123-2@1 data_processing [success]"],
  load: ["loaded data_processing: processing since 2026, first batch 50", "another execution's: undefined"],
  list: [
    "Step 0: data_fetch [success]",
    "Step 1: data_validation [success]",
    "Step 2: data_processing [success]",
    "Step 3: api_call [failed]",
  ],
  "last-successful": ["Last success: Step 2 (data_processing)", "Before step 2: Step 1 (data_validation)"],
  retry: [
    "sent 2 in attempt 3",
    "Step 3, attempt 1 [failed]",
    "Step 3, attempt 2 [failed]",
    "Step 3, attempt 3 [success]",
    "No successful checkpoint found before step 0",
  ],
  resume: [
    "mailed: found the receipt of attempt 1",
    "mailed: found the receipt of attempt 1",
    "Checkpoint ckpt-orders-today-9 not found",
  ],
  rollback: [
    'back behind upgrade: { "version": 2 }',
    "Step 0: write (here)",
    "Step 1: upgrade (here)",
    "Step 2: break (left)",
  ],
};

describe.each(placesForTests)("the examples, with executions kept in %s", (_store, inPlace) => {
  it.each(Object.entries(examples))("say of themselves what they do: %s", async (name, example) => {
    await inPlace(async (place) => {
      const lines: string[] = [];
      await example(place, (line) => lines.push(line));
      expect(lines).toEqual(said[name]);
    });
  });
});
