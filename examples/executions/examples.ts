import { create } from "./create.ts";
import { lastSuccessful } from "./last-successful.ts";
import { list } from "./list.ts";
import { load } from "./load.ts";
import type { Example } from "./place.ts";
import { resume } from "./resume.ts";
import { retry } from "./retry.ts";
import { rollback } from "./rollback.ts";

export const examples: Readonly<Record<string, Example>> = {
  create,
  load,
  list,
  "last-successful": lastSuccessful,
  retry,
  resume,
  rollback,
};
