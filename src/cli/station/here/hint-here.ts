import { isWorldlineError, WorldlineError } from "../../../record/error.ts";

/** What stands in hints for a shell, and what does the same here. The first that fits is taken, at each place. */
const SAME_HERE: readonly (readonly [RegExp, string])[] = [
  [/worldline redo --list/gu, "/redo list"],
  [/worldline resume --continue, or allow more: --max-steps/gu, "another prompt, or allow more: /config"],
  [/worldline rewind \S+:(\d+) --scope conversation/gu, "/rewind $1, and the conversation alone"],
  [/worldline (?:checkpoints|rewind)(?: --all| <number>)?/gu, "/rewind"],
  [/worldline checkpoint (?:<label>|"[^"]*")/gu, "/checkpoint save <label>"],
  [/worldline sessions list(?: --all)?(?: --workspace \S+)?/gu, "/resume"],
  [/worldline sessions delete (\S+)/gu, "/delete $1"],
  [/worldline (?:--resume|-r) (\S+)/gu, "/resume $1"],
  [/worldline config set (\S+)/gu, "/config $1"],
  [/worldline diff(?: <cp>)?/gu, "/diff"],
  [/worldline compact/gu, "/compact"],
  [/worldline doctor(?! --)/gu, "/doctor"],
  [/worldline setup(?! \S+ --)/gu, "/setup"],
  [/worldline models(?: --json)?/gu, "/model"],
  [/(?<!setup \S+ )(?:worldline )?--model (\S+)/gu, "/model $1"],
  [/, or leave --output out/gu, ", or leave it out"],
  [/: --(?:workspace <folder>|scope conversation)$/gu, "."],
];

/** A hint as somebody who sits at the screen can follow it. */
export function hintHere(hint: string): string {
  return SAME_HERE.reduce((told, [there, here]) => told.replace(there, here), hint);
}

/** The same object, whose methods reject with hints for the screen. All of them must return promises. */
export function withHintsHere<Part extends object>(part: Part): Part {
  return new Proxy(part, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? saying(value.bind(target) as Method) : value;
    },
  });
}

type Method = (...given: readonly unknown[]) => Promise<unknown>;

function saying(method: Method): Method {
  return async (...given) => {
    try {
      return await method(...given);
    } catch (error) {
      throw saidHere(error);
    }
  };
}

function saidHere(error: unknown): unknown {
  if (!isWorldlineError(error) || error.hint === undefined) return error;
  const hint = hintHere(error.hint);
  return hint === error.hint ? error : new WorldlineError(error.code, error.message, { hint, cause: error });
}
