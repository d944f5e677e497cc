import { cpSync, lstatSync, mkdirSync, readFileSync, truncateSync } from "node:fs";
import { join, relative } from "node:path";
import { contenders, driverAt } from "./contenders.mjs";
import { inChild } from "./in-child.mjs";
import { evenMessages } from "./messages.mjs";
import { report } from "./report.mjs";
import { figure, table } from "./table.mjs";
import { withTempDir } from "./temp-dir.mjs";
import { writeSession } from "./write-session.mjs";

const lines = 3;
const messages = [...evenMessages({ count: 10, bytesEach: 300 })];
const prompt = { role: "user", text: "This prompt was acknowledged after the crash." };

/** The offsets at which the last `lines` lines begin; the last offset is the end of the file. */
function lineStarts(bytes) {
  const starts = [bytes.length];
  for (let at = bytes.length - 2; starts.length <= lines && at >= 0; at -= 1) {
    if (bytes[at] === 10) starts.unshift(at + 1);
  }
  return starts;
}

/**
 * Simulates a crash that left only `length` bytes, appends a prompt, and returns the state of the reopened
 * session.
 */
async function afterCut(driver, { whole, dir, log, length }) {
  cpSync(whole, dir, { recursive: true, filter: (path) => !lstatSync(path).isSocket() });
  truncateSync(join(dir, log), length);
  try {
    const ready = await driver.resume(dir);
    await ready.append(prompt);
    await ready.close();
    const reopened = await driver.resume(dir);
    const texts = (await reopened.context()).map(driver.textOf);
    await reopened.close();
    return { opens: true, texts };
  } catch {
    // A session that can no longer be opened counts as a result like any other.
    return { opens: false, texts: [] };
  }
}

/** The acknowledged messages: those whose complete line, including the line break, was kept. */
function acknowledged(bytes, length) {
  const kept = bytes.subarray(0, bytes.lastIndexOf(10, length - 1) + 1).toString("utf8");
  return messages.map((each) => each.text).filter((text) => kept.includes(JSON.stringify(text).slice(1, -1)));
}

async function cutEverywhere(driver, root) {
  const whole = join(root, "whole");
  mkdirSync(whole);
  await writeSession(driver, { dir: whole, messages });
  const log = relative(whole, driver.logFile(whole));
  const bytes = readFileSync(join(whole, log));
  const starts = lineStarts(bytes);
  const outcomes = [];
  for (let length = starts[0] + 1; length < bytes.length; length += 1) {
    // A cut between two lines tears nothing, so it is skipped.
    if (starts.includes(length)) continue;
    const { opens, texts } = await afterCut(driver, { whole, dir: join(root, String(length)), log, length });
    outcomes.push({
      lastLine: length > starts.at(-2),
      promptLost: !texts.includes(prompt.text),
      othersLost: acknowledged(bytes, length).some((text) => !texts.includes(text)),
      unopened: !opens,
    });
  }
  return outcomes;
}

function counted(outcomes) {
  const count = (holds) => outcomes.filter(holds).length;
  return {
    cuts: outcomes.length,
    promptLost: count((each) => each.promptLost),
    lastLineCuts: count((each) => each.lastLine),
    lastLinePromptLost: count((each) => each.lastLine && each.promptLost),
    othersLost: count((each) => each.othersLost),
    unopened: count((each) => each.unopened),
  };
}

/** Whether an unanswered prompt is still there after a crash. */
async function firstPrompt({ driver, url }, dir) {
  await inChild("first-prompt", { url, dir, prompt }, "kills itself");
  try {
    const reopened = await driver.resume(dir);
    const texts = (await reopened.context()).map(driver.textOf);
    await reopened.close();
    return texts.includes(prompt.text) ? "yes" : "no";
  } catch {
    // If the session cannot be opened, its prompt is lost too.
    return "no";
  }
}

const rows = [];
for (const { name, url } of await contenders()) {
  const driver = await driverAt(url);
  const outcomes = await withTempDir((root) => cutEverywhere(driver, root));
  const first = await withTempDir((dir) => firstPrompt({ driver, url }, dir));
  rows.push({ name, ...counted(outcomes), first });
}
const printed = table(rows, {
  "": (row) => row.name,
  "cuts in the last line": (row) => figure(row.lastLineCuts),
  "next prompt lost": (row) => figure(row.lastLinePromptLost),
  "cuts in the last three lines": (row) => figure(row.cuts),
  "next prompt lost ": (row) => figure(row.promptLost),
  "an acknowledged message lost": (row) => figure(row.othersLost),
  "does not open": (row) => figure(row.unopened),
  "first prompt kept after kill -9": (row) => row.first,
});
report("torn-tail", {
  title: "Truncating the log at every byte of its last lines, then adding one more prompt",
  tables: [printed],
  figures: rows,
});
