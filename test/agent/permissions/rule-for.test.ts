import { describe, expect, it } from "vitest";
import { type RuleRequest, ruleFor } from "../../../src/agent/permissions/rule-for.ts";
import type { Subject } from "../../../src/agent/permissions/rules.ts";
import { decideCommand, planned, WORKSPACE } from "./asking.ts";

const pathContext = { workspace: WORKSPACE, home: "/home/me" };
const suggested = (tool: string, subject: Subject, extent: RuleRequest["extent"] = "usual") =>
  ruleFor({ tool, subject, pathContext, extent });
const forPath = (tool: string, path: string, extent?: RuleRequest["extent"]) =>
  suggested(
    tool,
    { kind: "path", path, access: tool === "Edit" || tool === "Write" ? "write" : "read" },
    extent,
  );
const forCommand = (command: string, extent?: RuleRequest["extent"]) =>
  suggested("Bash", { kind: "command", command, ...planned(command) }, extent);
const forUrl = (url: string) => suggested("WebFetch", { kind: "url", url });

describe("the rule that is suggested for a path", () => {
  it("covers its folder, except for the workspace itself and for what is protected or outside", () => {
    expect(forPath("Write", `${WORKSPACE}/src/a.ts`)).toBe("Edit(src/**)");
    expect(forPath("Grep", `${WORKSPACE}/src/sub/a.ts`)).toBe("Read(src/sub/**)");
    expect(forPath("Write", `${WORKSPACE}/a.ts`)).toBe("Edit(a.ts)");
    expect(forPath("Write", `${WORKSPACE}/.git/hooks/x`)).toBe("Edit(.git/hooks/x)");
    expect(forPath("Write", `${WORKSPACE}/src/.envrc`)).toBe("Edit(src/.envrc)");
    expect(forPath("Read", "/etc/hosts")).toBe("Read(//etc/hosts)");
    expect(forPath("Edit", "/etc/a,(b)*")).toBe("Edit(//etc/a\\,\\(b\\)\\*)");
  });

  it("covers only the path if the rule must be exact", () => {
    expect(forPath("Edit", `${WORKSPACE}/src/a.ts`, "exact")).toBe("Edit(src/a.ts)");
    expect(forPath("Read", `${WORKSPACE}/ `, "exact")).toBe("Read(./ )");
  });

  it("names only the tool for the whole workspace, and for tools whose rules have no paths", () => {
    expect(forPath("Glob", WORKSPACE)).toBe("Glob");
    expect(forPath("mcp__a__b", `${WORKSPACE}/src/a`)).toBe("mcp__a__b");
  });
});

describe("the rule that is suggested for a command", () => {
  it.each([
    ["npm test -- x", "Bash(npm test:*)"],
    ["npm run lint x", "Bash(npm run lint:*)"],
    ["npm run-script a:b/c@d.e-f x", "Bash(npm run-script a:b/c@d.e-f:*)"],
    ["pnpm run lint x", "Bash(pnpm run lint:*)"],
    ["yarn run lint x", "Bash(yarn run lint:*)"],
    ["git add a b", "Bash(git add:*)"],
    ["cargo clippy", "Bash(cargo clippy:*)"],
  ])("covers other arguments of the project's own scripts and git's commands: %s", (command, rule) => {
    expect(forCommand(command)).toBe(rule);
    expect(forCommand(command, "exact")).toBe(`Bash(${command})`);
  });

  it.each([
    "npm",
    "npm run",
    "git",
    "make",
    "npm run --workspaces",
    "npm run ./lint",
    "npm run 'a b'",
    "npm run 'a;b'",
    "deno run lint",
    "npm test | tail -5",
    "npm test && npm test",
    "npm test /etc/x",
    "npm test ../x",
    "git add .envrc",
    "git add src/link",
    "cd src && npm test",
  ])("covers exactly this command otherwise: %s", (command) => {
    expect(forCommand(command)).toBe(`Bash(${command})`);
  });

  it("is never wide for a line that only a shell understands", () => {
    expect(forCommand("npm test $X")).toBe("Bash(npm test $X)");
    expect(forCommand("npm test > x")).toBe("Bash(npm test > x)");
    expect(forCommand("cd src")).toBe("Bash(cd src)");
    expect(forCommand("cd .")).toBe("Bash(cd .)");
  });

  it("covers exactly this command if it names an outside path that leads back into the workspace", () => {
    const command = {
      kind: "command",
      command: "npm test /other/way/in",
      ...planned("npm test in"),
    } as const;
    expect(suggested("Bash", command)).toBe("Bash(npm test /other/way/in)");
  });

  it("is a rule even for an empty command", () => {
    expect(forCommand("  ")).toBe("Bash(:)");
    expect(decideCommand("x", { granted: ["Bash(:)"] })).toMatchObject({ decision: "ask" });
  });

  it("names only the tool if it is not Bash", () => {
    expect(suggested("mcp__a__b", { kind: "command", command: "npm test" })).toBe("mcp__a__b");
  });
});

describe("the rule that is suggested for a URL", () => {
  it.each([
    ["https://example.com/x", "example.com"],
    ["http://A-1.Example.COM:81/", "a-1.example.com"],
    ["http://localhost/", "localhost"],
    ["http://[::1]:80/", "[::1]"],
    ["http://[fe80::a1]/", "[fe80::a1]"],
  ])("covers its host: %s", (url, domain) => {
    expect(forUrl(url)).toBe(`WebFetch(domain:${domain})`);
  });

  it.each([
    "example.com",
    "",
    "https://*.example.com/",
    "https://example.com*/",
    "https://a(b)/",
    "file:///etc",
  ])("covers nothing if the host could mean something else in a rule: %s", (url) => {
    expect(forUrl(url)).toBe("WebFetch(domain:invalid)");
  });

  it("names only the tool if it is not WebFetch", () => {
    expect(suggested("mcp__a__b", { kind: "url", url: "https://example.com/" })).toBe("mcp__a__b");
  });
});
