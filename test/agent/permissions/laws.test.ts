import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRule } from "../../../src/agent/permissions/rules.ts";
import { inTempFolder } from "../../../src/testing/temp-folder.ts";
import { decideCommand, decidePath } from "./asking.ts";

/** Pieces that a shell can combine into something other than their sum. */
const pieces =
  "evil@evil x@npm test@a@'@\"@\\@`@$(@)@(@$@\u0024{@}@{@,@;@&@&&@|@||@|&@ @\t@\n@#@>@<@>&@<<@<<<@<(@2>&1@$'@$\"@!@~@*@=@A=1@if@then@fi@x".split(
    "@",
  );
const piece = fc.constantFrom(...pieces, "evil", "; evil", "\nevil");
const some = fc.array(piece, { maxLength: 4 }).map((all) => all.join(""));
const quoted = fc
  .tuple(fc.constantFrom("'", '"', "\\", " "), some)
  .map(([quote, text]) => quote + text + quote);
const syntax = fc
  .array(fc.oneof(piece, quoted, quoted), { maxLength: 5 })
  .map((all) => `npm test ${all.join("")}`);

const paths = fc.constantFrom("src/a", "src/b/c", ".env", ".git/config", "/etc/hosts", "/home/me/notes/x");
const commands = fc.oneof(
  syntax,
  fc.constantFrom("ls", "cat .env", "rm x", "npm test && rm x", "cat /etc/hosts", "git push", "cp a .envrc"),
);
const rules = fc.uniqueArray(
  fc.constantFrom(
    "Bash",
    "Bash(npm test:*)",
    "Bash(rm:*)",
    "Bash(*evil*)",
    "Bash(cat /etc/hosts)",
    "Read",
    "Read(.env)",
    "Read(//etc/**)",
    "Edit(src/**)",
    "Edit(.git/**)",
    "Write",
  ),
  { maxLength: 4 },
);
const modes = ["plan", "manual", "accept-edits", "auto"] as const;
const mode = fc.constantFrom(...modes);

const questions = fc.oneof(
  commands.map(
    (command) => (given: Parameters<typeof decideCommand>[1]) => decideCommand(command, given).decision,
  ),
  fc.tuple(fc.constantFrom("Read", "Write", "Edit", "Grep"), paths).map(
    ([tool, path]) =>
      (given: Parameters<typeof decideCommand>[1]) =>
        decidePath(tool, path, given).decision,
  ),
);

describe("permissions", () => {
  it("law: what is denied stays denied, whatever else is allowed, granted or set", () => {
    fc.assert(
      fc.property(
        questions,
        rules,
        fc.record({ allow: rules, ask: rules, granted: rules, mode }),
        (ask, deny, rest) => {
          const byDenyAlone = ask({ deny, mode: "auto" });
          if (byDenyAlone === "deny") expect(ask({ ...rest, deny })).toBe("deny");
        },
      ),
    );
  });

  it("law: one more rule that denies or asks never allows more", () => {
    fc.assert(
      fc.property(
        questions,
        fc.record({ allow: rules, ask: rules, deny: rules, granted: rules, mode }),
        fc.tuple(rules, rules),
        (ask, given, [moreAsk, moreDeny]) => {
          if (ask(given) === "allow") return;
          const narrowed = { ...given, ask: [...given.ask, ...moreAsk], deny: [...given.deny, ...moreDeny] };
          expect(ask(narrowed)).not.toBe("allow");
        },
      ),
    );
  });

  it("law: what a mode allows, a wider one allows too", () => {
    fc.assert(
      fc.property(questions, fc.record({ allow: rules, ask: rules, deny: rules }), (ask, given) => {
        const allowed = modes.map((each) => ask({ ...given, mode: each }) === "allow");
        expect(allowed).toEqual([...allowed].sort((a, b) => Number(a) - Number(b)));
      }),
    );
  });

  it("law: what was granted always is a rule, and with it the same call is not asked about again", () => {
    const name = fc.stringMatching(/^[ -~]{1,12}$/u).filter((each) => !/^\.{1,2}$|\//u.test(each));
    const anyPath = fc
      .tuple(fc.constantFrom("/etc/", "src/", ""), name)
      .map(([folder, own]) => folder + own)
      .filter((path) => path !== "/etc/");
    fc.assert(
      fc.property(
        fc.oneof(
          fc
            .oneof(
              commands,
              fc.string().filter((text) => text.trim() !== ""),
            )
            .map((command) => (given: object) => decideCommand(command, given)),
          fc.tuple(fc.constantFrom("Read", "Write"), anyPath).map(
            ([tool, path]) =>
              (given: object) =>
                decidePath(tool, path, given),
          ),
        ),
        fc.record({ ask: rules, deny: rules }),
        (ask, narrowing) => {
          const decision = ask(narrowing);
          if (decision.decision !== "ask") return;
          expect(parseRule(decision.rule)).toHaveProperty("rule");
          expect(ask({ ...narrowing, granted: [decision.rule] }), decision.rule).toMatchObject({
            decision: "allow",
          });
        },
      ),
      { numRuns: 300 },
    );
  });

  it("law: no shell syntax makes a rule for one command run a second one, as a real shell sees it", async () => {
    const allowed = [...new Set(fc.sample(syntax, 3_000))].filter(
      (command) =>
        command.includes("evil") &&
        decideCommand(command, { allow: ["Bash(npm test:*)"] }).decision === "allow",
    );
    expect(allowed.length).toBeGreaterThan(50);
    await inTempFolder((folder) => {
      mkdirSync(join(folder, "bin"));
      mkdirSync(join(folder, "here"));
      writeFileSync(join(folder, "bin", "npm"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
      writeFileSync(join(folder, "bin", "evil"), `#!/bin/sh\necho "$@" > "${folder}/ran"\n`, { mode: 0o755 });
      const script = allowed.map((command) => `bash -c '${command.replaceAll("'", "'\\''")}'`).join("\n");
      const bash = {
        cwd: join(folder, "here"),
        stdio: "ignore",
        env: { PATH: `${join(folder, "bin")}:/bin:/usr/bin`, HOME: folder },
      } as const;
      execFileSync("bash", ["-c", `${script}\ntrue`], bash);
      expect(existsSync(join(folder, "ran"))).toBe(false);
      // Prove that the check works: `evil`, when it does run, leaves its trace.
      execFileSync("bash", ["-c", "evil"], bash);
      expect(existsSync(join(folder, "ran"))).toBe(true);
    });
  });
});
