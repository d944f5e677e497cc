/** `checkpoint`, `checkpoints` and `label`. */
export const checkpoints = {
  none: "No checkpoints found.",
  atTime: (time: string) => `Checkpoint at ${time}`,
  kinds: { prompt: "prompt", manual: "manual", step: "step", command: "command" },
  left: "(on a branch that was left)",
  made: (number: number, session: string) => `Checkpoint #${number} in session ${session}`,
  madeWithLabel: (number: number, label: string, session: string) =>
    `Checkpoint #${number} "${label}" in session ${session}`,
  labelled: (reference: string, label: string) => `Checkpoint ${reference} is now called "${label}".`,
  unlabelled: (reference: string, label: string) =>
    `Checkpoint ${reference} is not called "${label}" any more.`,
  alreadyLabelled: (reference: string, label: string) =>
    `Checkpoint ${reference} is called "${label}" already.`,
  lookalike: (label: string, other: string) =>
    `"${label}" looks like "${other}", the label of another checkpoint.`,
  hadNoLabel: (reference: string) => `Checkpoint ${reference} has no label.`,
};
