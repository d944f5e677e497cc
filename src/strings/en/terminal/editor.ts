/** Where the person writes. */
export const editor = {
  modes: {
    shell: "command: the model gets its output",
    "shell-untold": "command: the model is not told",
  },
  linesAbove: (count: number) => `${count} more above`,
  linesBelow: (count: number) => `${count} more below`,
  search: {
    title: "history:",
    found: (chosen: number, of: number) => `${chosen} of ${of}, Ctrl+R older, Enter takes it`,
    none: "nothing like that was typed",
  },
};
