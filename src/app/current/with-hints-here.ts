import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import { hintOnScreen } from "../../strings/hint-on-screen.ts";

/** The same object, whose methods reject with hints for the screen. */
export function withHintsHere<Part extends object>(part: Part): Part {
  return new Proxy(part, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? saying(value.bind(target) as Method) : value;
    },
  });
}

type Method = (...given: readonly unknown[]) => unknown;

function saying(method: Method): Method {
  return (...given) => {
    const answer = method(...given);
    if (!(answer instanceof Promise)) return answer;
    return answer.catch((error: unknown) => {
      throw saidHere(error);
    });
  };
}

function saidHere(error: unknown): unknown {
  if (!isWorldlineError(error) || error.hint === undefined) return error;
  const hint = hintOnScreen(error.hint);
  return hint === error.hint ? error : new WorldlineError(error.code, error.message, { hint, cause: error });
}
