import { counted } from "../measures/counted.ts";

/** Where a session stands when it is opened again. */
export const recap = {
  fields: { asked: "asked", done: "done", open: "open", next: "next", elsewhere: "elsewhere" },
  answered: (text: string) => `answered: ${text}`,
  todosDone: (todos: string) => `todos: ${todos}`,
  filesChanged: (paths: string) => `changed: ${paths}`,
  commandsRun: (commands: string) => `ran: ${commands}`,
  outcomes: {
    ok: "",
    error: " (failed)",
    denied: " (not allowed)",
    interrupted: " (interrupted)",
  },
  more: (count: number) => `${count.toLocaleString("en")} more`,
  nothingDone: "nothing yet",
  nothingOpen: "nothing",
  todo: { open: (text: string) => text, doing: (text: string) => `${text} (begun)` },
  cut: {
    "before-first-step": "the last prompt was not answered: the model had not been asked yet",
    replying: (step: number) => `the turn was cut at step #${step}, while the model replied`,
    tools: (step: number) => `the turn was cut at step #${step}, while its tools ran`,
  },
  failed: (step: number) =>
    step === 0 ? "the last prompt was not answered: the turn failed" : `the turn failed at step #${step}`,
  commandCut: (command: string) =>
    `${command} was running when the program ended: it is not known how far it came`,
  by: {
    person: "by you",
    crash: "because the program ended",
    limit: "at the limit of steps",
    unknown: "",
  },
  leftBy: (name: string, pid: number, host: string) =>
    `at work on it was ${name} (pid ${pid} on ${host}), which has not given the session back`,
  because: (why: string) => `what went wrong: ${why}`,
  openCall: (name: string, about: string) =>
    `${[name, about].filter((text) => text !== "").join(" ")} was started and did not end: it is not known whether it took effect`,
  unstarted: (count: number) => `${counted(count, "call was", "calls were")} asked for and not started`,
  finished: (count: number) => `${counted(count, "call of this step has", "calls of this step have")} ended`,
  answer: (prompt: string) => `answer the prompt "${prompt}"`,
  nothingNext: "your next prompt",
  elsewhere: (machine: string, checkpoints: string) =>
    `the files of ${checkpoints} are on ${machine} only: from here, going back there takes the conversation alone`,
};
