import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type ErrorReason, errorsInEnglish } from "../../src/strings/en/errors/errors.ts";
import type { ErrorText, Wording } from "../../src/strings/errors/texts.ts";
import { atAShell } from "../../src/strings/wording.ts";
import { errorsInChinese } from "../../src/strings/zh-cn/errors/errors.ts";
import { isHalfWidth, leavesOf, namesIn } from "./leaves.ts";

const english: Readonly<Record<string, ErrorText<unknown>>> = errorsInEnglish as never;
const chinese: Readonly<Record<string, ErrorText<unknown>>> = errorsInChinese as never;

const MISSING = /undefined|NaN|\[object/u;

/**
 * Texts that only pass on the words of another program, a stored entry or the command-line parser. There is
 * nothing to translate, and they may be empty.
 */
const PASSED_ON: ReadonlySet<string> = new Set([
  "choice-invalid.message",
  "command-misread.message",
  "stated.hint",
  "stated.message",
  "stored-error.message",
]);

/** Texts that quote the command line as the user typed it. */
const QUOTES_COMMAND: ReadonlySet<string> = new Set([
  "command-or-prompt-unknown.message",
  "help-unknown.message",
]);

const nameOf = ({ reason, part }: Sample) => `${reason}.${part}`;

/**
 * One text of an error, with parameters that its type allows: every choice, with and without the optional parameters.
 */
interface Sample {
  readonly reason: string;
  readonly part: "message" | "hint";
  readonly params: unknown;
}

const samples: readonly Sample[] = leavesOf(
  fileURLToPath(new URL("../../src/strings/en/errors/errors.ts", import.meta.url)),
  "errorsInEnglish",
).flatMap(({ path, calls }) => {
  const [reason = "", part] = path.split(".");
  if (part !== "message" && part !== "hint") return [];
  return calls.map(([params]) => ({ reason, part, params }));
});

interface Said {
  readonly text: string;
  /** The commands that the text names. */
  readonly commands: readonly string[];
}

function said(catalogue: typeof english, sample: Sample, place: Wording["place"] = "shell"): Said {
  const commands: string[] = [];
  const text = catalogue[sample.reason]?.[sample.part]?.(sample.params, {
    place,
    command: (command) => {
      commands.push(JSON.stringify(command));
      return place === "shell" ? atAShell.command(command) : `/${command.do}`;
    },
    // The nested error's texts are in the reader's language.
    message: () => "问题 problem.",
    hint: () => "请 do this.",
  });
  return { text: text ?? "undefined", commands };
}

function reasonsWhere(holds: (sample: Sample) => boolean): string[] {
  return [...new Set(samples.filter(holds).map(({ reason, part }) => `${reason}.${part}`))];
}

describe("the errors of both catalogues", () => {
  it("have samples for every reason", () => {
    const sampled = new Set(samples.map(({ reason }) => reason));
    expect([...sampled].toSorted()).toEqual(Object.keys(english).toSorted());
    expect(sampled.size).toBeGreaterThan(100);
  });

  it("are those of all areas, and no reason is in two of them", async () => {
    const folder = new URL("../../src/strings/en/errors/", import.meta.url);
    const files = readdirSync(folder).filter((name) => name !== "errors.ts");
    const areas = await Promise.all(files.map(async (name) => import(new URL(name, folder).href)));
    const reasons = areas.flatMap((area: object) =>
      Object.values(area).flatMap((each: object) =>
        Object.entries(each).flatMap(([reason, text]) => (text?.code === undefined ? [] : [reason])),
      ),
    );
    expect(reasons.toSorted()).toEqual(Object.keys(english).toSorted());
  });

  it("have an answer for all possible parameters, at a shell and on the screen", () => {
    const broken = reasonsWhere((sample) =>
      [english, chinese].some((catalogue) =>
        (["shell", "screen"] as const).some((place) => {
          const { text } = said(catalogue, sample, place);
          return (text.trim() === "" && !PASSED_ON.has(nameOf(sample))) || MISSING.test(text);
        }),
      ),
    );
    expect(broken).toEqual([]);
  });

  it("have a hint in both languages or in none", () => {
    const reasons = Object.keys(english) as ErrorReason[];
    const uneven = reasons.filter(
      (reason) => (english[reason]?.hint === undefined) !== (chinese[reason]?.hint === undefined),
    );
    expect(uneven).toEqual([]);
  });

  it("name the same commands, through the wording", () => {
    const differing = reasonsWhere((sample) => {
      const [en, zh] = [said(english, sample), said(chinese, sample)];
      return en.commands.toSorted().join("\n") !== zh.commands.toSorted().join("\n");
    });
    expect(differing).toEqual([]);
    const literal = reasonsWhere(
      (sample) =>
        !QUOTES_COMMAND.has(nameOf(sample)) &&
        [english, chinese].some((catalogue) =>
          /\bworldline [a-z]/u.test(said(catalogue, sample, "screen").text),
        ),
    );
    expect(literal).toEqual([]);
  });
});

describe("the errors in Chinese", () => {
  it("are not those in English", () => {
    const untranslated = reasonsWhere(
      (sample) => !PASSED_ON.has(nameOf(sample)) && !/[\u4e00-\u9fff]/u.test(said(chinese, sample).text),
    );
    expect(untranslated).toEqual([]);
  });

  it("are written in full-width punctuation", () => {
    expect(reasonsWhere((sample) => isHalfWidth(said(chinese, sample).text))).toEqual([]);
  });

  it("name the commands, options and settings that English names", () => {
    const missing = reasonsWhere((sample) => {
      const zh = said(chinese, sample).text;
      return namesIn(said(english, sample).text).some((name) => !zh.includes(name));
    });
    expect(missing).toEqual([]);
  });
});
