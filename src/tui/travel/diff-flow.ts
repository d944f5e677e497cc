import type { DiffRequest } from "../../app/queries/query-types.ts";
import type { Desk } from "../commands/desk.ts";
import { sayingErrors } from "./saying-errors.ts";

/** `/diff`, `/diff 12`, `/diff 12 15`: since before the last prompt or `!` command, since a checkpoint, between two. */
export async function diffFlow(desk: Desk, words: string): Promise<void> {
  await sayingErrors(desk, async () => {
    const { diff } = desk.strings.terminal.dialogs;
    const request = await requestOf(desk, words);
    if (request === "unreadable") return desk.say({ tone: "error", line: diff.usage });
    if (request === undefined) return desk.say({ tone: "quiet", line: desk.strings.checkpoints.none });
    const title =
      request.to === undefined ? diff.since(request.from) : diff.between(request.from, request.to);
    const text = await desk.wait(diff.looking, () => desk.station.queries.diff(request));
    if (text.trim() === "") return desk.say({ tone: "quiet", line: diff.same(title) });
    await desk.show({ title, text, form: "diff" });
  });
}

async function requestOf(desk: Desk, words: string): Promise<DiffRequest | "unreadable" | undefined> {
  const numbers = words
    .split(/\s+/u)
    .filter((word) => word !== "")
    .map((word) => word.replace(/^#/u, ""));
  if (numbers.length > 2 || numbers.some((word) => !/^\d+$/u.test(word))) return "unreadable";
  const [from, to] = numbers.map(Number);
  if (from !== undefined) return { from, ...(to === undefined ? {} : { to }) };
  const rows = await desk.station.journeys.rowsHere();
  const here = rows.filter(({ branch }) => branch === "here");
  const last = here.find(({ on }) => on === "prompt" || on === "command") ?? here[0];
  return last === undefined ? undefined : { from: last.number };
}
