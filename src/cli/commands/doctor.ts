import type { Check, Finding } from "../../app/doctor/check.ts";
import { runDoctor } from "../../app/doctor/doctor.ts";
import { oneLine } from "../../record/visible-text.ts";
import { settingsText, settledText } from "../../show/notice-text.ts";
import { shownAddress } from "../../stores/store-address.ts";
import { remarkText, wordingIn } from "../../strings/wording.ts";
import { version } from "../../version.ts";
import { defineCommand, flag } from "../command.ts";
import { shellWording } from "../command-again.ts";
import type { Frame } from "../frame.ts";
import { openProgress } from "../output.ts";

export const doctor = defineCommand({
  help: (help) => help.doctor,
  options: {
    fix: flag(),
  },
  run: async ({ options, frame }) => {
    const progress = openProgress(frame);
    const found = await runDoctor(frame, {
      version,
      mode: options.fix ? "fix" : "check",
      onSession: (session) => {
        if (session === "done") progress.clear();
        else progress.show(frame.strings.doctor.examining(session.done, session.of));
      },
    });
    const checks = found.map((check) => shownCheck(check, frame));
    const errors = count(checks, "error");
    const document = {
      version,
      node: process.versions.node,
      home: frame.home,
      store: shownAddress(frame.common.store),
    };
    frame.output.answer({ ...document, healthy: errors === 0, checks }, () =>
      textOf(checks, frame).join("\n"),
    );
    return errors === 0 ? 0 : 1;
  },
});

/** A check in the user's language. */
interface ShownCheck extends Pick<Check, "about" | "status" | "fixable"> {
  readonly message: string;
  readonly hint?: string;
}

function shownCheck({ about, status, finding, of, hint, fixable }: Check, frame: Frame): ShownCheck {
  const { doctor } = frame.strings;
  const message = findingText(finding, frame);
  const advice =
    hint !== undefined
      ? findingText(hint, frame, "with-hint")
      : finding.code === "problem"
        ? wordingOf(frame).hint(finding.problem)
        : "";
  return {
    about,
    status,
    message: of === undefined ? message : doctor.about(of.session, of.where, message),
    ...(advice === "" ? {} : { hint: advice }),
    ...(fixable === undefined ? {} : { fixable }),
  };
}

function wordingOf({ common, strings }: Frame) {
  return wordingIn(strings.reasons, shellWording(common));
}

function findingText(
  finding: Finding,
  frame: Frame,
  hint: "with-hint" | "without-hint" = "without-hint",
): string {
  const { doctor, hosts, sessionsHere } = frame.strings;
  switch (finding.code) {
    case "stated":
      return remarkText(frame.strings, { why: finding.text, reason: finding.reason, params: finding.params });
    case "problem": {
      const { message, hint: hintOf } = wordingOf(frame);
      const { problem } = finding;
      return hint === "with-hint" ? `${message(problem)} ${hintOf(problem)}`.trim() : message(problem);
    }
    case "setting":
      return settingsText(finding.warning, frame.strings);
    case "restore":
      return settledText(finding.restore, frame.strings);
    case "metadata":
      return doctor.metadata[finding.why];
    case "lock": {
      const { name, pid, host } = finding.owner;
      return doctor[finding.lock](sessionsHere.owner(name, pid, host));
    }
    case "sdkReady":
    case "sdkUnknown":
      return hosts[finding.code](...finding.given);
    default: {
      const words: string | ((...given: never[]) => string) = doctor[finding.code];
      // A finding is made with the parameters of its own text, which the union of all of them cannot say.
      return typeof words === "string" ? words : words(...(finding.given as readonly unknown[] as never[]));
    }
  }
}

const STATUS_COLUMNS = 7;

function textOf(checks: readonly ShownCheck[], { output, strings }: Frame): string[] {
  const { doctor: words } = strings;
  const paints = {
    ok: output.style.dim,
    note: output.style.dim,
    warning: output.style.yellow,
    error: output.style.red,
    fixed: output.style.bold,
  };
  const lines = checks.flatMap(({ status, message, hint }) => [
    `${paints[status](words.statuses[status].padEnd(STATUS_COLUMNS))}  ${oneLine(message)}`,
    ...(hint === undefined ? [] : [`${" ".repeat(STATUS_COLUMNS)}  ${output.style.dim(oneLine(hint))}`]),
  ]);
  const [errors, warnings] = [count(checks, "error"), count(checks, "warning")];
  const fixable = checks.filter((check) => check.fixable === true).length;
  return [
    ...lines,
    "",
    errors + warnings === 0 ? words.fine : words.summary(errors, warnings),
    ...(fixable === 0 ? [] : [words.canFix(fixable)]),
  ];
}

function count(checks: readonly ShownCheck[], status: Check["status"]): number {
  return checks.filter((check) => check.status === status).length;
}
