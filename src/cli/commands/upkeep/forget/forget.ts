import { type ForgetReport, performForget } from "../../../../machine/forget/perform-forget.ts";
import { type Finding, type ForgetPlan, planForget } from "../../../../machine/forget/plan-forget.ts";
import type { ForgetWish } from "../../../../machine/forget/wish.ts";
import type { LogStore } from "../../../../ports/log-store.ts";
import { defineCommand } from "../../../command/command.ts";
import type { Frame } from "../../../command/frame.ts";
import { flag, optional, text } from "../../../command/parameters.ts";
import { requireConsent } from "../../../confirm.ts";
import type { ExitCode } from "../../../exit.ts";
import { heard } from "../../../heard.ts";
import { openProgress } from "../../../output/progress.ts";
import { openGround } from "../../../timeline/ground.ts";
import { wishOf } from "./wish-of.ts";

export const forget = defineCommand({
  description:
    "Removes a leaked secret from all sessions, branches that were left and the trash included, and leaves [forgotten] " +
    "in its place. The one command that changes what was written; it cannot be undone. A text is forgotten exactly as " +
    "it is given; of a file (--path), what tools were told and have told about it.",
  input: "secret",
  arguments: {
    text: optional("the text to forget; - reads it from a pipe, so that it is in no shell's history"),
  },
  options: {
    text: text("<text>", "the text to forget, also when it looks like a file"),
    path: text("<file>", "the file to forget"),
    dryRun: flag("show where it is, and change nothing"),
    yes: flag("do not ask for agreement"),
  },
  examples: [
    { command: "worldline forget --path .env --dry-run", meaning: "which sessions have it from a tool" },
    { command: 'worldline forget "hunter2, my password"', meaning: "a text; asks before it does it" },
    {
      command: 'read -rs S; printf %s "$S" | worldline forget - --yes',
      meaning: "a secret, typed without showing it",
    },
  ],
  run: async ({ arguments: { text: argument }, options, frame }): Promise<ExitCode> => {
    const ground = await openGround(frame);
    const progress = openProgress(frame);
    progress.show(frame.strings.forget.searching);
    const { text: asText, path } = options;
    const plan = await planOf(frame, ground.store, { argument, text: asText, path }).finally(() =>
      progress.clear(),
    );
    if (options.dryRun) {
      answerPlan(frame, plan);
      return 0;
    }
    await agree(frame, plan, options.yes ? "given" : "absent");
    const report = await heard(frame, async () =>
      performForget(ground, plan.wish, {
        name: "worldline forget",
        waitMs: 0,
        takeOver: frame.common.takeOver,
      }),
    );
    return answerReport(frame, plan.wish, report);
  },
});

async function planOf(
  frame: Frame,
  store: LogStore,
  given: Parameters<typeof wishOf>[2],
): Promise<ForgetPlan> {
  return planForget(store, await wishOf(frame, store, given));
}

/** Where there is nothing to forget nobody is asked: carrying it out says so. */
async function agree(frame: Frame, plan: ForgetPlan, yes: "given" | "absent"): Promise<void> {
  const { output, strings } = frame;
  const { findings, inTrash } = plan;
  if (findings.length === 0 && inTrash.length === 0) return;
  if (yes === "absent" && output.mode === "text")
    for (const line of planLines(frame, plan)) output.notice(line);
  const question = strings.forget.question(findings.length, timesOf(findings), inTrash.length);
  await requireConsent({ question, yes }, frame);
}

function answerPlan(frame: Frame, plan: ForgetPlan): void {
  const { findings, inTrash, unseen } = plan;
  const document = { ...wishDocument(plan.wish), sessions: findings, inTrash, unseen, changed: false };
  frame.output.answer(document, () => [...planLines(frame, plan), frame.strings.forget.dryRun].join("\n"));
}

function planLines(
  { strings: { forget: words } }: Frame,
  { findings, inTrash, unseen }: ForgetPlan,
): string[] {
  return [
    ...(findings.length === 0 ? [words.foundNowhere] : findings.map(findingLine(words))),
    ...(inTrash.length === 0 ? [] : [words.trashToo(inTrash.length)]),
    ...(unseen.length === 0 ? [] : [words.unseen(unseen.join(", "))]),
  ];
}

function answerReport(frame: Frame, wish: ForgetWish, report: ForgetReport): ExitCode {
  const { output, strings } = frame;
  const { forget: words } = strings;
  const { sessions, inTrash, left, unseen } = report;
  const all = [...sessions, ...inTrash];
  if (unseen.length > 0) output.warn(words.unseen(unseen.join(", ")));
  if (left.length > 0) output.warn(words.left(left.map(({ session }) => session).join(", ")));
  const document = { ...wishDocument(wish), sessions, inTrash, left, unseen, changed: true };
  output.answer({ ...document, outOfReach: words.outOfReach }, () =>
    [
      words.forgotten(timesOf(all), all.length),
      ...sessions.map(findingLine(words)),
      ...inTrash.map((finding) => words.inTrash(findingLine(words)(finding))),
      words.outOfReach,
    ].join("\n"),
  );
  return left.length === 0 ? 0 : 1;
}

function findingLine(words: Frame["strings"]["forget"]): (finding: Finding) => string {
  return ({ session, entries, times }) => words.found(session, entries, times);
}

function wishDocument(wish: ForgetWish) {
  return wish.what === "path" ? wish : { what: wish.what };
}

function timesOf(findings: readonly Finding[]): number {
  return findings.reduce((sum, { times }) => sum + times, 0);
}
