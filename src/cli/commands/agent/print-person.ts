import { type AskedDenial, headlessUser } from "../../../app/agent/headless-user.ts";
import type { PermissionRequest, Person } from "../../../ports/person.ts";
import { replaceUnseen, unseenIn } from "../../../record/visible-text.ts";

/**
 * Takes the place of the user in print mode, where no user can be asked: every answer is no. The model passes the
 * reasons on to the user, and the log contains them, so they say how to allow the call.
 */
export function printPerson(
  onDenied: (denial: AskedDenial) => void,
  onPlan: (plan: string) => void = () => undefined,
): Person {
  return headlessUser({
    onDenied,
    refuseCall: (request) => ({ reason: denialReason(request), because: { code: "nobody-to-ask" } }),
    refusePlan: (plan) => {
      onPlan(plan);
      return {
        reason:
          "Nobody can approve a plan in print mode, so nothing was changed. The person is given the plan with your " +
          "answer; do not repeat it. To have it carried out, they go on with --permission-mode accept-edits or auto.",
        because: { code: "nobody-to-approve" },
      };
    },
  });
}

function denialReason({ why, rule, help }: PermissionRequest): string {
  const nobody = "Nobody can be asked in print mode";
  if (help === "none") {
    return (
      `${nobody}, and it is asked about ${why}. The person can change that rule; ` +
      "`worldline config --explain` says where it stands."
    );
  }
  const allow = `The person can allow it with --allow ${quoted(rule)}`;
  return help === "rule"
    ? `${nobody}, and this is asked about in every mode (${why}). ${allow}.`
    : `${nobody}. ${allow}, or everything inside the workspace with --permission-mode auto.`;
}

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\t": "\\t" };

/**
 * Quotes a text so that a shell reads it as one word, on one line. Line breaks and invisible characters are escaped as
 * in bash, zsh and ksh.
 */
export function quoted(text: string): string {
  if (unseenIn(text) === undefined) return `'${text.replaceAll("'", `'\\''`)}'`;
  const escaped = replaceUnseen(text.replace(/[\\']/gu, "\\$&"), (each) => SHORT[each] ?? codeOf(each));
  return `$'${escaped}'`;
}

function codeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff
    ? `\\U${code.toString(16).padStart(8, "0")}`
    : `\\u${code.toString(16).padStart(4, "0")}`;
}
