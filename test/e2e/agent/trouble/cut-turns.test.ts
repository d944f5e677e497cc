import { describe, expect, it } from "vitest";
import { type ScriptedReply, scripted } from "../../../../src/testing/testing.ts";
import {
  agentMachine,
  listen,
  OUTPUT,
  ofKind,
  overEveryWire,
  refusedOf,
  resultsIn,
  textOf,
} from "../support.ts";

const STREAM = ["--output-format", "stream-json"];
const forever = new Promise<void>(() => undefined);
const sleeping: ScriptedReply = {
  calls: [{ name: "Bash", input: { command: "echo x >> ran; echo up; sleep 60" } }],
};

describe("a turn that was cut over every wire", () => {
  overEveryWire(
    "by a kill in the middle of a reply goes on from its last checkpoint, with the same request",
    async (wire) => {
      const here = await agentMachine(
        scripted({ text: "The first words and more", hold: forever }, { text: "Whole." }),
        { wire },
      );
      const child = here.start(["-p", "say it", ...STREAM]);
      const { ended, until } = listen(child);
      await until("stdout", '\n{"type":"text","text":"T');
      child.kill("SIGKILL");
      await ended;
      expect(await here.worldline(["resume", "--continue"])).toMatchObject({ code: 0, stdout: "Whole.\n" });
      expect(refusedOf(here)).toEqual([]);
      const [first, second] = here.server.requests;
      expect(second?.messages[0]?.text.startsWith(first?.messages[0]?.text ?? "?")).toBe(true);
      expect(ofKind(await here.log(), "prompt").length).toBe(1);
    },
  );

  overEveryWire("in a tool is done again with --retry, as if the step had not been made", async (wire) => {
    const here = await agentMachine(scripted(sleeping, { text: "Another way." }), { wire });
    const child = here.start(["-p", "do it", ...STREAM]);
    const { ended, until } = listen(child);
    await until("stdout", OUTPUT);
    child.kill("SIGINT");
    expect(await ended).toBe(130);
    const retried = await here.worldline(["resume", "--retry"]);
    expect(retried).toMatchObject({ code: 0, stdout: "Another way.\n" });
    expect(refusedOf(here)).toEqual([]);
    expect(resultsIn(here.server.requests[1])).toEqual([]);
    expect(here.read("ran")).toBe("x\n");
  });

  overEveryWire(
    "off at the model's limit in the middle of a call gets an error for it, and goes on",
    async (wire) => {
      const here = await agentMachine(
        scripted(
          {
            text: "I write",
            calls: [{ name: "Write", rawArguments: '{"file_path": "a.txt", "content": "half of' }],
            stop: "length",
          },
          { text: "Shorter.", stop: "length" },
        ),
        { wire },
      );
      expect(await here.ask("write it")).toMatchObject({ code: 0, outcome: "done", answer: "Shorter." });
      expect(refusedOf(here)).toEqual([]);
      expect(here.read("a.txt")).toBe(undefined);
      expect(ofKind(await here.log(), "reply")).toMatchObject([{ end: "length" }, { end: "length" }]);
    },
  );

  overEveryWire("by the provider's filter fails with what to do, and the session goes on", async (wire) => {
    const here = await agentMachine(
      scripted({ text: "I can", stop: "content-filter" }, { text: "Gladly." }),
      { wire },
    );
    const answer = await here.ask("something bad");
    expect(answer).toMatchObject({
      code: 1,
      outcome: "failed",
      error: { code: "MODEL_REFUSED", hint: expect.any(String) },
    });
    expect(await here.ask("something good", "-c")).toMatchObject({ code: 0, answer: "Gladly." });
    expect(refusedOf(here)).toEqual([]);
    expect(textOf(here.server.requests[1])).toContain("something good");
  });

  overEveryWire(
    "by failures that pass is tried three times again, then fails, and goes on later",
    async (wire) => {
      const busy: ScriptedReply = {
        misbehave: { do: "status", status: 429, headers: { "retry-after-ms": "1" }, times: 4 },
      };
      const here = await agentMachine(scripted(busy, { text: "Now I have time." }), { wire });
      expect(await here.ask("hello")).toMatchObject({
        code: 1,
        outcome: "failed",
        error: { code: "MODEL_BUSY" },
      });
      expect(here.server.requests.length).toBe(4);
      expect(await here.worldline(["resume", "--continue"])).toMatchObject({
        code: 0,
        stdout: "Now I have time.\n",
      });
      expect(ofKind(await here.log(), "prompt").length).toBe(1);
    },
  );
});

describe("--retry", () => {
  it("says that the step is done again while the provider fails, and waits no longer than Ctrl-C", async () => {
    const busy: ScriptedReply = {
      misbehave: { do: "status", status: 429, headers: { "retry-after-ms": "1" }, times: 9 },
    };
    const here = await agentMachine(scripted(busy, { text: "Never." }), {
      environment: { WORLDLINE_RECOVERY_MAX_RETRIES: "1" },
    });
    expect(await here.ask("hello")).toMatchObject({ code: 1, error: { code: "MODEL_BUSY" } });
    const child = here.start(["resume", "--retry"]);
    const { said, ended, until } = listen(child);
    await until("stderr", "Retrying the step in 5 s (1 of 1): ");
    child.kill("SIGINT");
    expect([await ended, said.stdout]).toEqual([130, ""]);
    expect(here.server.requests.length).toBe(4);
    expect(await here.data("resume")).toMatchObject({ open: { turn: { state: "cut" } } });
  });
});
