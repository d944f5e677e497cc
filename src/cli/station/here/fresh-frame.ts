import type { Strings } from "../../../strings/strings.ts";
import { type Frame, openFrame } from "../../command/frame.ts";

export interface FreshFrame {
  /** The real path of the workspace. */
  readonly folder: string;
  readonly strings?: Strings;
}

/**
 * The same frame with its settings to be read again, in that folder. `--trust` and `--workspace` were about the folder that
 * the person came from, and have been heard.
 */
export function freshFrame({ common, output, strings, surroundings }: Frame, fresh: FreshFrame): Frame {
  return openFrame(
    {
      output,
      surroundings,
      strings: fresh.strings ?? strings,
      common: { ...common, trust: false, workspace: undefined, session: undefined },
    },
    fresh.folder,
  );
}
