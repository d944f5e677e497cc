import { openStore } from "../../../../app/sessions/store.ts";
import { resolveSession } from "../../../../machine/queries/sessions.ts";
import { oneLine } from "../../../../record/visible-text.ts";
import { shownAddress } from "../../../../stores/store-address.ts";
import { version } from "../../../../version.ts";
import { defineCommand, flag } from "../../../command.ts";
import type { Frame } from "../../../frame.ts";
import { type Check, type Mode, orError, type SessionsExam } from "./check.ts";
import { homeChecks } from "./home-checks.ts";
import { sessionChecks } from "./session-checks.ts";
import { settingsChecks } from "./settings-checks.ts";
import { snapshotChecks } from "./snapshot-checks.ts";
import { storeChecks } from "./store-checks.ts";
import { trashChecks } from "./trash-checks.ts";
import { claudeChecks, versionChecks } from "./version-checks.ts";

export const doctor = defineCommand({
  description:
    "Looks whether everything is in order: the home folder, the settings, the trash, every line and every long text " +
    "of every session (or of the one that --session names), and whether every snapshot of files can be walked (worldline " +
    "store verify also reads their contents). Changes nothing without --fix. Exit code 1 when an error remains.",
  options: {
    fix: flag(
      "mend what can be mended: permissions, locks, torn bytes and unfinished restores that a crash left behind, what is in " +
        "the trash for too long",
    ),
  },
  examples: [
    { command: "worldline doctor", meaning: "look, and change nothing" },
    { command: "worldline doctor --fix", meaning: "mend what can be mended, and say what was done" },
    { command: "worldline doctor --session k3f9 --json", meaning: "one session, as data" },
  ],
  run: async ({ options, frame }) => {
    const mode: Mode = options.fix ? "fix" : "look";
    const store = openStore(frame);
    const { session } = frame.common;
    const kept = await storeChecks(frame, store, mode);
    const asksStore = kept.answers === "yes";
    const wanted = session === undefined || !asksStore ? undefined : [await resolveSession(store, session)];
    const settings = await settingsChecks(frame);
    const checks: readonly Check[] = [
      ...versionChecks(frame),
      ...(settings.values === undefined ? [] : await claudeChecks(frame, settings.values)),
      ...kept.checks,
      ...(await homeChecks(frame, mode)),
      ...settings.checks,
      ...(await orError("settings", async () => keyChecks(frame))),
      ...(asksStore ? await keptChecks({ frame, store, mode, wanted }, settings.values?.["trash.days"]) : []),
    ];
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

/** Of what is in the store, and of the files that are kept for it. */
async function keptChecks(exam: SessionsExam, days: number | undefined): Promise<readonly Check[]> {
  const { frame, store, mode } = exam;
  return [
    ...(await orError("sessions", async () => sessionChecks(exam))),
    ...(await orError("files", async () => snapshotChecks(frame, mode))),
    ...(await orError("trash", async () => trashChecks({ frame, store, mode, days }))),
  ];
}

/** Only what is wrong with the file of keys: most people keep none. */
async function keyChecks({ home }: Frame): Promise<readonly Check[]> {
  const { checkKeys } = await import("../../../../agent/models/access.ts");
  checkKeys(home);
  return [];
}

const STATUS_COLUMNS = 7;

function textOf(checks: readonly Check[], { output, strings }: Frame): string[] {
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

function count(checks: readonly Check[], status: Check["status"]): number {
  return checks.filter((check) => check.status === status).length;
}
