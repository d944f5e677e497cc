import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stageFolder } from "../../../scripts/fixture-homes/stage.mjs";
import { machine } from "../binary.ts";
import { clearAway, fixture, home, layOut, workspace } from "./lay-out.ts";

const LAY_OUT_MS = 240_000;
/** Guards against hangs; some of these tests start a hundred processes. */
const MANY_PROCESSES_MS = 240_000;

/** What the version that wrote the home printed about it; see scripts/fixture-homes/pack.mjs. */
interface Printed {
  readonly contexts: readonly PrintedContext[];
  readonly journeys: readonly PrintedJourney[];
}

interface PrintedContext {
  readonly session: string;
  readonly mode: string;
  readonly entries: number;
  readonly context: string;
  /** Contexts by checkpoint number. */
  readonly contextAt: Readonly<Record<string, string>>;
}

interface PrintedJourney {
  readonly session: string;
  readonly to: string;
  readonly rewound: Present;
  readonly redone: Present;
}

interface Present {
  readonly context: string;
  readonly files: Readonly<Record<string, string>>;
}

interface LogLine {
  readonly kind: string;
  readonly outcome?: string;
  readonly paths?: string;
  readonly hint?: string;
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** Restores the old wording of the line below the context, which is not part of what the model sees. */
function asPrintedThen(context: string): string {
  const then = "(what the provider counted, the rest estimated)";
  return context.replace(/\(partly counted by the provider, partly estimated\)\n*$/u, (now) =>
    now.replace(/\(.*\)/u, then),
  );
}

/** The wording of the notices that journeys write now, and their wording in the version that wrote the home. */
const REWORDED: readonly (readonly [now: RegExp, then: string])[] = [
  [
    /The user rewound files to checkpoint (\d+)\./gu,
    "The person took files back to how they were at checkpoint $1.",
  ],
  [
    /The user undid an earlier rewind or backtrack, which also changed files\./gu,
    "The person undid an earlier journey, and files changed with it.",
  ],
  [
    /What you know about these files may be out of date;/gu,
    "What you know of these files may no longer be true;",
  ],
  [/Left as they are, although they differ:/gu, "Left as they were, although they differ from then:"],
  [
    /Missing, and cannot be restored because they were never captured:/gu,
    "Gone, and cannot be restored because it was never captured:",
  ],
  [
    /and has (.+) checked out now\. The git checkout was not changed\./gu,
    "and has $1 now: git itself was not touched.",
  ],
];

/** The last line below the context, which is not part of what the model sees. */
const COUNT = /(?<=, )([\d,]+)(?= tokens \([^()]*\)\n*$)/u;
/** The greatest difference that the new wording of the notices makes to the number of tokens. */
const MAX_DIFFERENCE = 40;

/**
 * Returns the digest of a context with the old wording of the notices about journeys that this test makes. The wording
 * also changes the number of tokens below the context, so a number nearby that gives the digest of then is accepted.
 */
function digestWithNoticesOfThen(context: string, then: string): string {
  const reworded = REWORDED.reduce((text, [now, old]) => text.replace(now, old), asPrintedThen(context));
  const count = Number(COUNT.exec(reworded)?.[0].replaceAll(",", ""));
  for (let difference = -MAX_DIFFERENCE; difference <= MAX_DIFFERENCE; difference += 1) {
    const counted = reworded.replace(COUNT, (count + difference).toLocaleString("en"));
    if (digest(counted) === then) return then;
  }
  return digest(reworded);
}

function printedOf(folder: string): Printed {
  return JSON.parse(readFileSync(join(folder, "printed.json"), "utf8")) as Printed;
}

/** The command line in the fixture home. */
function program(store: "files" | "sqlite") {
  const { worldline } = machine({
    HOME: stageFolder,
    WORLDLINE_HOME: home,
    WORLDLINE_STORE: store === "files" ? "files" : `sqlite:${join(home, "sessions.db")}`,
    WORLDLINE_SNAPSHOTS_MAX_FILE_BYTES: "20000",
    TMPDIR: join(stageFolder, "tmp"),
    LANG: "en_US.UTF-8",
    TZ: "UTC",
  });
  const say = async (...words: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await worldline(words, workspace);
    if (code !== 0) throw new Error(`worldline ${words.join(" ")} ended with ${code}:\n${stdout}${stderr}`);
    return stdout;
  };
  const data = async (...words: readonly string[]) => JSON.parse(await say(...words, "--json"));
  return { say, data };
}

function filesNow(): Readonly<Record<string, string>> {
  const files = readdirSync(workspace, { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))
    .sort();
  return Object.fromEntries(
    files.map((file) => [relative(workspace, file), digest(readFileSync(file, "utf8"))]),
  );
}

describe.each(["files", "sqlite"] as const)(
  "a home from before codes, in %s",
  { timeout: MANY_PROCESSES_MS },
  (store) => {
    const folder = fixture(`before-codes/${store}`);
    const printed = printedOf(folder);
    beforeAll(() => layOut(folder), LAY_OUT_MS);
    afterAll(clearAway);

    it("opens without damage, with all the entries that it had", async () => {
      const { data } = program(store);
      const { sessions } = await data("sessions");
      expect(
        sessions.map(({ id, mode, entries, damage, unconfirmed }: Readonly<Record<string, unknown>>) => [
          id,
          mode,
          entries,
          damage,
          unconfirmed,
        ]),
      ).toEqual(printed.contexts.map(({ session, mode, entries }) => [session, mode, entries, 0, undefined]));
      for (const { session, entries, contextAt } of printed.contexts) {
        const log = await data("log", "--session", session);
        expect([log.entries.length, log.damage]).toEqual([entries, []]);
        const { checkpoints } = await data("checkpoints", "--session", session);
        expect(new Set(checkpoints.map(({ number }: { number: number }) => String(number)))).toEqual(
          new Set(Object.keys(contextAt)),
        );
        expect((await data("tree", "--session", session)).session).toBe(session);
      }
    });

    it("has every kind of text that becomes a code", async () => {
      const { data } = program(store);
      const logs = await Promise.all(
        printed.contexts.map(({ session }) => data("log", "--session", session)),
      );
      const lines: readonly LogLine[] = logs.flatMap(({ entries }) => entries);
      const kinds = new Set(lines.map(({ kind }) => kind));
      for (const kind of ["error", "backtrack", "rewind", "redo", "restored", "compaction", "notice"])
        expect(kinds).toContain(kind);
      for (const kind of ["interrupt", "interval", "label"]) expect(kinds).toContain(kind);
      expect(lines.filter(({ outcome }) => outcome === "denied").length).toBeGreaterThan(3);
      expect(lines.some(({ kind, hint }) => kind === "error" && hint !== undefined)).toBe(true);
      const reasons = lines
        .flatMap(({ paths }) => paths?.split("\n") ?? [])
        .filter((line) => line !== "")
        .flatMap((line) => (JSON.parse(line) as { readonly why?: string }).why ?? []);
      expect([...new Set(reasons)].sort()).toEqual([
        "changed by somebody else since",
        "changed by somebody else since, and the changes do not fit together",
        "has no place beside what is kept",
        "holds what is kept",
        "ignored, and not only the work of this timeline",
        "never captured",
        "not captured, then or now",
        "permission denied (EACCES)",
        "you chose to keep it",
      ]);
    });

    it("gives each context to the byte as it was printed then, now and at every checkpoint", async () => {
      const { say } = program(store);
      for (const { session, context, contextAt } of printed.contexts) {
        expect(asPrintedThen(await say("context", "--session", session))).toBe(context);
        const now = await Promise.all(
          Object.keys(contextAt).map(async (number) => [
            number,
            digest(asPrintedThen(await say("context", "--session", session, "--at", number))),
          ]),
        );
        expect(Object.fromEntries(now)).toEqual(contextAt);
      }
    });

    it("has the steps of its execution", async () => {
      const { data } = program(store);
      const { executions } = await data("executions");
      expect(executions.find(({ id }: { id: string }) => id === "orders")).toMatchObject({
        kind: "program",
        status: "done",
        steps: 4,
      });
      const shown = JSON.stringify(await data("executions", "show", "orders"));
      for (const part of ["The shop is closed.", "apple", "output.close"]) expect(shown).toContain(part);
    });

    it("goes back and forward again, and files and contexts become what they became then", async () => {
      const { say } = program(store);
      const present = async (session: string, then: Present): Promise<Present> => ({
        context: digestWithNoticesOfThen(await say("context", "--session", session), then.context),
        files: filesNow(),
      });
      expect(printed.journeys.length).toBeGreaterThan(5);
      for (const { session, to, rewound, redone } of printed.journeys) {
        await say("rewind", to, "--take", "--yes", "--session", session);
        expect({ session, ...(await present(session, rewound)) }).toEqual({ session, ...rewound });
        await say("redo", "--take", "--yes", "--session", session);
        expect({ session, ...(await present(session, redone)) }).toEqual({ session, ...redone });
      }
    });
  },
);
