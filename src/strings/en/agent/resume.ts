/** How a session can go on. */
export const resume = {
  session: (name: string) => `Session ${name}`,
  choices: "To go on:",
  choice: {
    continue: "go on from the last good step",
    retry: "do the cut step again",
    rewindFiles: "take the files back to before the cut step",
    prompt: "say what to do next",
  },
  question: "[c]ontinue, [r]etry the step, rewind the [f]iles, or leave it (default: leave it)? ",
  notUnderstood: (typed: string) => `"${typed}" is none of c, r and f.`,
};
