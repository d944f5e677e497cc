import { onTestFinished } from "vitest";
import type { AgentRequest } from "../../../src/app/agent/agent-request.ts";
import { type App, type AppEvent, openApp } from "../../../src/app/app.ts";
import type { Notice } from "../../../src/app/notices.ts";
import { printPerson } from "../../../src/cli/commands/agent/print-person.ts";
import { noticeTexts } from "../../../src/show/notice-text.ts";
import { en } from "../../../src/strings/en.ts";
import { openModelServer, type ScriptedReply, scripted } from "../../../src/testing/testing.ts";
import type { playground } from "../../cli/support/command-line.ts";
import { frameOf } from "../../cli/support/frame-of.ts";

const newRequest: AgentRequest = {
  allow: [],
  deny: [],
  resume: { how: "new" },
  fork: "no",
  host: "native",
  keepSession: "yes",
  withoutModel: "open",
};

type Place = Pick<ReturnType<typeof playground>, "root" | "home" | "workspace">;

/** The minimal environment: only what is needed to start programs. */
function bareEnvironment({ root }: Place): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", HOME: root };
}

/** The text of a notice as an English-speaking user reads it on screen. */
export function said(notice: Notice): { readonly message: string; readonly hint?: string } {
  const [first] = noticeTexts(notice, {
    strings: en,
    message: (problem) => (problem instanceof Error ? problem.message : String(problem)),
    hint: (problem) => (problem as { readonly hint?: string }).hint ?? "",
    command: (line) => `worldline ${line}`,
  });
  return { message: first?.text ?? "", ...(first?.hint === undefined ? {} : { hint: first.hint }) };
}

/** Opens an app that is closed after the test, and records every event that it emits. */
export async function openAppAt(
  place: Place,
  {
    environment = {},
    request = {},
    settings = {},
  }: {
    environment?: Record<string, string>;
    request?: Partial<AgentRequest>;
    settings?: Record<string, string>;
  } = {},
) {
  const frame = frameOf(place, { environment: { ...bareEnvironment(place), ...environment }, settings });
  const app = await openApp(frame, {
    request: { ...newRequest, ...request },
    person: printPerson(() => undefined),
  });
  const told: AppEvent[] = [];
  const warnings = app.warnings.map(said);
  app.on((event) => told.push(event));
  const close = once(() => app.close());
  onTestFinished(async () => {
    await close();
  });
  return { app, told, warnings, close };
}

/** Like `openAppAt`, with a model that gives these replies. */
export async function talkingApp(place: Place, ...replies: readonly ScriptedReply[]) {
  const server = await openModelServer(scripted(...replies));
  onTestFinished(() => server.close());
  const environment = server.environment("anthropic");
  return { ...(await openAppAt(place, { environment })), environment };
}

function once(make: () => ReturnType<App["close"]>): () => ReturnType<App["close"]> {
  let made: ReturnType<App["close"]> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
