import { type AskedDenial, headlessUser } from "../../../app/agent/headless-user.ts";
import type { PermissionRequest, Person } from "../../../ports/person.ts";
import { replaceUnseen, unseenIn } from "../../../record/visible-text.ts";

/**
 * Answers in place of the user in print mode, where the user cannot be asked. Every answer is "no". The reasons explain
 * how to allow the call, because the model passes them on to the user and they appear in the log.
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
          "A plan cannot be approved in print mode, so nothing was changed. The user sees the plan with your answer; do " +
          "not repeat it. To carry it out, the user can continue with --permission-mode accept-edits or auto.",
        because: { code: "nobody-to-approve" },
      };
    },
  });
}

function denialReason({ why, rule, help }: PermissionRequest): string {
  const unasked = "Print mode cannot ask for permission";
  if (help === "none") {
    return (
      `${unasked}, which this call needs (${why}). The user can change that rule; ` +
      "`worldline config --explain` shows where it is set."
    );
  }
  const allow = `The user can allow it with --allow ${quoted(rule)}`;
  return help === "rule"
    ? `${unasked}, which this call needs in every mode (${why}). ${allow}.`
    : `${unasked}. ${allow}, or everything inside the workspace with --permission-mode auto.`;
}

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\t": "\\t" };

/**
 * Quotes text as a single shell word on one line. Line breaks and invisible characters are escaped in the same way as
 * in bash, zsh, and ksh.
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
