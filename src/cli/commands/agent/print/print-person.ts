import type { PermissionRequest, Person } from "../../../../ports/person.ts";

/** A call that nobody was there to allow, and the rule that would. */
export interface Denial {
  readonly tool: string;
  readonly about: string;
  readonly why: string;
  readonly rule: string;
}

/**
 * Stands for the person in print mode, where nobody can be asked: every answer is no. The reasons are read by the model,
 * which hands them on, and by whoever reads the log; so they say how to allow it.
 */
export function printPerson(onDenied: (denial: Denial) => void): Person {
  return {
    async allow({ tool, about, why, rule }: PermissionRequest) {
      onDenied({ tool, about, why, rule });
      return { answer: "no", reason: denialReason(rule) };
    },
    answer: async () => undefined,
    approve: async () => ({
      answer: "no",
      reason:
        "Nobody can approve a plan in print mode, so nothing was changed. Give the plan as the answer. To carry it " +
        "out, the person goes on with --permission-mode accept-edits or auto.",
    }),
  };
}

function denialReason(rule: string): string {
  return (
    `Nobody can be asked in print mode. The person can allow it with --allow ${quoted(rule)}, or everything inside ` +
    "the workspace with --permission-mode auto."
  );
}

/** As a shell reads it as one word. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
