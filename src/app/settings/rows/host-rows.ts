import { oneOf, text } from "../kinds.ts";
import type { Setting } from "../setting.ts";

/** The settings about whose agent works on the timeline. */
export const hostRows = {
  host: {
    kind: oneOf("native", "claude"),
    default: "native",
    description:
      "Whose agent works on the timeline: native, which is Worldline's own, or claude, which is the Claude Agent SDK. A " +
      "session goes on with the one that it had.",
    untrusted: "nothing",
  },
  "claude.sdk": {
    kind: text,
    default: "",
    description:
      "The folder in which the Claude Agent SDK is installed; where it is empty, it is looked for beside Worldline.",
    // A workspace that is trusted may name programs to start, but not whose code gets the keys.
    untrusted: "never",
  },
  "claude.model": {
    kind: text,
    default: "",
    description:
      "The model of the host claude, as the Claude Agent SDK calls it; where it is empty, the SDK chooses.",
    untrusted: "nothing",
  },
  "snapshots.engine": {
    kind: oneOf("worldline", "sdk"),
    default: "worldline",
    description:
      "What brings files back when a session of the host claude is rewound: worldline, or sdk, the Claude Agent SDK's own " +
      "checkpoints, which know only what its editing tools did.",
    // The SDK's own bring less back.
    untrusted: "nothing",
  },
} as const satisfies Readonly<Record<string, Setting>>;
