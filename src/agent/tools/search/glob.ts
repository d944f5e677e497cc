import { basename, dirname, join, resolve } from "node:path";
import picomatch from "picomatch";
import { z } from "zod";
import { hiddenFrom } from "../../permissions/hidden.ts";
import { lookAt, whileInPlace } from "../files/look.ts";
import { allowedPlace, pathSubject, shownPath } from "../files/places.ts";
import { didYouMean } from "../files/similar-names.ts";
import { descriptions } from "../generated/descriptions.ts";
import { oneLine, plural, visibleName } from "../text.ts";
import { defineTool, done, failed, interrupted, systemText, type Tool } from "../tool.ts";
import {
  complaintsText,
  newestFirst,
  type RipgrepAnswer,
  ripgrep,
  type SearchOptions,
  Sieve,
  WALKING,
} from "./ripgrep.ts";

const MOST_SHOWN = 100;
/** Beyond that, finding out which ones are the newest would take too long. */
const MOST_FOUND = 50_000;

const input = z.strictObject({
  pattern: systemText("Such as **/*.ts or src/**/*.{js,jsx}. Without a slash it matches names at any depth."),
  path: systemText("The folder to look in, by default the workspace.").optional(),
});
type Input = z.infer<typeof input>;

export function globTool({ workspace, environment, denied = [] }: SearchOptions): Tool {
  const hides = hiddenFrom({ tool: "Glob", deny: denied, workspace });
  return defineTool<Input>({
    name: "Glob",
    description: descriptions.glob,
    input,
    reach: "reads",
    subjects: async (wanted) => pathSubject(workspace, whereOf(workspace, wanted).folder, "read"),
    about: ({ pattern, path }) => oneLine(path === undefined ? pattern : `${pattern} in ${path}`),
    run: async (wanted, call) => {
      const { signal } = call;
      const where = whereOf(workspace, wanted);
      const place = await allowedPlace(workspace, where.folder, call);
      const shown = shownPath(workspace, place);
      const look = await lookAt(place);
      if (look.kind === "unusable") return failed(`${shown} cannot be searched: ${look.why}.`);
      if (look.kind !== "folder") {
        return failed(`There is no folder ${shown}.${await didYouMean(workspace, place)}`);
      }
      const matches = matcherOf(where);
      if (typeof matches === "string") return failed(`The pattern cannot be used: ${matches}`);
      const sieve = new Sieve({ folder: place, hides });
      let count = 0;
      const found = await whileInPlace(place, async () =>
        ripgrep({
          args: ["--files", "--null", ...WALKING],
          cwd: place,
          environment,
          signal,
          separator: "\0",
          onRecord: (path) => {
            if (!matches(path) || !sieve.keepsPath(path)) return "skip";
            count += 1;
            return count > MOST_FOUND ? "enough" : "more";
          },
        }),
      );
      if (found.end === "interrupted") return interrupted();
      if (found.fault !== undefined) return failed(found.fault);
      const paths = await newestFirst(place, found.records);
      const shownPaths = paths
        .slice(0, MOST_SHOWN)
        .map((path) => visibleName(shownPath(workspace, join(place, path))));
      return done([...shownPaths, ...notesOn(found, wanted.pattern), ...sieve.notes].join("\n"));
    },
  });
}

interface Where {
  readonly folder: string;
  /** What a path below the folder must match. */
  readonly glob: string;
  readonly depth: "any" | "given";
}

/** The folder that the fixed beginning of a pattern names, and what is left of it: "/tmp/x/*.c" looks in /tmp/x. */
function whereOf(workspace: string, { pattern, path = "." }: Input): Where {
  const start = resolve(workspace, path);
  if (!pattern.includes("/")) return { folder: start, glob: pattern, depth: "any" };
  if (pattern.endsWith("/")) return { folder: resolve(start, pattern), glob: "**", depth: "given" };
  const { base, glob } = picomatch.scan(pattern);
  if (glob !== "") return { folder: resolve(start, base), glob, depth: "given" };
  const literal = resolve(start, pattern);
  return { folder: dirname(literal), glob: basename(literal), depth: "given" };
}

/** Says whether a path below the folder matches; a text where the pattern is none. */
function matcherOf({ glob, depth }: Where): ((path: string) => boolean) | string {
  try {
    const matches = picomatch(glob, { dot: true, nonegate: true, basename: depth === "any" });
    // A folder may really be called [id].
    return (path) => path === glob || matches(path);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function notesOn(found: RipgrepAnswer, pattern: string): string[] {
  const complaints = complaintsText(found);
  if (found.records.length === 0) {
    return [`No file matches ${pattern}. Ignored files (.gitignore) are not looked at.`, ...complaints];
  }
  const more = found.records.length - MOST_SHOWN;
  if (more <= 0) return complaints;
  const atLeast = found.end === "cut" ? "at least " : "";
  return [`[... and ${atLeast}${plural(more, "more file")}; narrow the pattern to see them]`, ...complaints];
}
