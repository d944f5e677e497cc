interface Retried {
  readonly attempt: number;
  readonly of: number;
  readonly waitMs: number;
  readonly message: string;
}

/** How a session can go on. */
export const resume = {
  session: (name: string) => `Session ${name}`,
  workedOn: (owner: string) =>
    `${owner} is at work on it right now. Wait until that has ended, or interrupt it there.`,
  lease: (until: string) =>
    `Its lease runs until ${until} and is renewed while it lives: if it died, the session is free after that.`,
  copy: (command: string) => `Or go on in a copy: ${command}`,
  ended: (commands: readonly string[]) =>
    `Ended what the killed run had left running: ${commands.join("; ")}`,
  choices: "To go on:",
  choice: {
    continue: "go on from the last good step",
    retry: "do the cut step again",
    rewindFiles: "take the files back to before the cut step",
    prompt: "say what to do next",
  },
  question: "[c]ontinue, [r]etry the step, rewind the [f]iles, or leave it (default: leave it)? ",
  retrying: ({ attempt, of, waitMs, message }: Retried) =>
    `The step is done again, ${attempt} of ${of}, in ${waitMs / 1_000} s: ${message}`,
  notUnderstood: (typed: string) => `"${typed}" is none of c, r and f.`,
};
