// biome-ignore-all lint/suspicious/noTemplateCurlyInString: an exception contains a template.
/** @import ts from "typescript" */
import { sourceFiles } from "./source-files.mjs";
import { faultsIn, parsed } from "./syntax-faults.mjs";
import { ownTexts, textFaults } from "./text-matches.mjs";

// Programs act on codes and reasons; text is only for users. So no code may depend on the text of an error's message,
// hint or explanation.

/**
 * The exceptions, each with the program that writes the text. Some programs report certain facts only as text.
 * @type {readonly { readonly file: string, readonly code: string, readonly words: string }[]}
 */
const allowed = [
  {
    file: "src/agent/models/wire/failure.ts",
    code: "BAD_HEADER.test(message)",
    words: "Node's, of a header that cannot be sent",
  },
  {
    file: "src/agent/models/wire/failure.ts",
    code: "/^(read|write) /.test(message)",
    words: "Node's, of a socket: the code is the same for a connection that was never made",
  },
  {
    file: "src/agent/tools/bash/run-shell.ts",
    code: 'why.includes("E2BIG")',
    words: "Node's, of a process that could not be started",
  },
  {
    file: "src/cli/usage-errors.ts",
    code: 'message.replace(/^error: /u, "")',
    words: "commander's, without its prefix",
  },
  {
    file: "src/disk/held-folder.ts",
    code: "error.message.replaceAll(`${this.#prefix}/`, `${shownPath(this.path)}/`)",
    words: "the system's, with the path that the user knows",
  },
  {
    file: "src/executions/values/values.ts",
    code: 'error.message === "Invalid string length"',
    words: "the engine's, which has no code for it",
  },
  {
    file: "src/hosts/claude-agent-sdk/conversation/position.ts",
    code: "NAME.test(message)",
    words: "none: the id of a message of the SDK",
  },
  {
    file: "src/hosts/claude-agent-sdk/file-rewinder.ts",
    code: "pattern.test(said)",
    words: "the SDK's, which has no codes",
  },
  {
    file: "src/stores/postgres/postgres-error.ts",
    code: "/hot standby/u.test(message)",
    words: "the server's: its code says only that a feature is not there",
  },
  {
    file: "src/stores/postgres/connections.ts",
    code: "/package 'pg'|module 'pg'/u.test(error.message)",
    words: "Node's: which package it is that is not there",
  },
  {
    file: "src/stores/sqlite/sqlite-error.ts",
    code: "CONNECTION_FAILED.exec(error.message)",
    words: "libsql's: opening a file fails without a code",
  },
  {
    file: "src/agent/compaction/material.ts",
    code: "lines.indexOf(STANDING_LINE)",
    words: "our heading in summaries, which the log keeps as the model saw them",
  },
  {
    file: "src/agent/compaction/summarise.ts",
    code: "PREAMBLE.test(plain)",
    words: "the model's",
  },
  {
    file: "src/agent/models/wire/failure.ts",
    code: "TOO_LONG.test(words)",
    words: "the providers', which have no common code for it",
  },
  {
    file: "src/agent/models/wire/failure.ts",
    code: "BUSY.test(words)",
    words: "the providers'",
  },
  {
    file: "src/agent/models/wire/failure.ts",
    code: "OUT_OF_MONEY.test(words)",
    words: "the providers'",
  },
  {
    file: "src/agent/models/wire/failure.ts",
    code: "UNKNOWN_MODEL.test(words)",
    words: "the providers'",
  },
  {
    file: "src/cli/output.ts",
    code: "this.#options.strings.output.unwritable(error.message)",
    words: "Node's, of a stream that cannot be written",
  },
  {
    file: "src/cli/usage-errors.ts",
    code: "/^\\(Did you mean (?:one of )?(.*)\\?\\)$/u.exec(suggestion)",
    words: "commander's",
  },
  {
    file: "src/disk/open-files-limit.ts",
    code: "/^Max open files +(\\d+) /m.exec(limits)",
    words: "the kernel's, in /proc",
  },
  {
    file: "src/finder/worker/decide.ts",
    code: "line.endsWith(FLAKY)",
    words: "the worker's own notes, which are all that it remembers",
  },
  {
    file: "src/hosts/claude-agent-sdk/sdk/failures.ts",
    code: 'words.startsWith("Claude Code returned an error result: ")',
    words: "the SDK's",
  },
  {
    file: "src/hosts/claude-agent-sdk/sdk/failures.ts",
    code: "TOO_LONG_WORDS.test(words)",
    words: "the API's",
  },
  {
    file: "src/hosts/claude-agent-sdk/sdk/failures.ts",
    code: "MONEY_WORDS.test(words)",
    words: "the API's",
  },
  {
    file: "src/hosts/claude-agent-sdk/sdk/failures.ts",
    code: "NO_KEY.test(words)",
    words: "the SDK's",
  },
  {
    file: "src/hosts/claude-agent-sdk/sdk/failures.ts",
    code: "NO_SERVER.test(words)",
    words: "the SDK's",
  },
  {
    file: "src/hosts/claude-agent-sdk/sdk/failures.ts",
    code: "/exited with code (\\d+)/u.exec(words)",
    words: "the SDK's",
  },
  {
    file: "src/hosts/claude-agent-sdk/sdk/failures.ts",
    code: "BAD_HEADER.test(words)",
    words: "Node's, of a header that cannot be sent",
  },
  {
    file: "src/hosts/claude-agent-sdk/sdk/failures.ts",
    code: "CUT.test(words)",
    words: "the SDK's",
  },
  {
    file: "src/hosts/claude-agent-sdk/sdk/failures.ts",
    code: "TIMED_OUT.test(words)",
    words: "the SDK's",
  },
  {
    file: "src/hosts/claude-agent-sdk/sdk/failures.ts",
    code: "NOTES.test(line)",
    words: "what the SDK's process prints",
  },
  {
    file: "src/machine/exchange/kimi/kimi-record.ts",
    code: 'status.startsWith("<system>ERROR: The tool call is rejected by the user")',
    words: "kimi-cli's",
  },
  {
    file: "src/stores/postgres/postgres-database.ts",
    code: 'status === "in progress"',
    words: "Postgres'",
  },
  {
    file: "src/hosts/claude-agent-sdk/conversation/position.ts",
    code: "live.at === message",
    words: "none: the id of a message of the SDK",
  },
  {
    file: "src/hosts/claude-agent-sdk/conversation/position.ts",
    code: "uuid === message",
    words: "none: the id of a message of the SDK",
  },
  {
    file: "src/hosts/claude-agent-sdk/conversation/position.ts",
    code: "last?.uuid !== message",
    words: "none: the id of a message of the SDK",
  },
  {
    file: "src/stores/postgres/postgres-error.ts",
    code: "LOST_WORDS.test(message)",
    words: "those of pg, where neither it nor the system has a code",
  },
  {
    file: "src/stores/postgres/postgres-error.ts",
    code: "POOL_WORDS.test(message)",
    words: "those of pg, where neither it nor the system has a code",
  },
  {
    file: "src/stores/postgres/postgres-error.ts",
    code: "REFUSED_WORDS.test(message)",
    words: "those of pg, where neither it nor the system has a code",
  },
  {
    file: "src/stores/postgres/postgres-error.ts",
    code: "/SSL/u.test(why)",
    words: "those of the server and of TLS, for the hint",
  },
  {
    file: "src/stores/postgres/postgres-error.ts",
    code: "/certificate|altnames/u.test(why)",
    words: "those of TLS, for the hint",
  },
  {
    file: "src/agent/compaction/summarise.ts",
    code: "line.trim() !== STANDING_LINE",
    words: "our heading in summaries, which the log keeps as the model saw them",
  },
  {
    file: "src/hosts/claude-agent-sdk/sdk/failures.ts",
    code: "pattern.exec(words)",
    words: "the SDK's",
  },
  {
    file: "src/hosts/claude-agent-sdk/sdk/failures.ts",
    code: "/terminated by signal (\\w+)/u.exec(words)",
    words: "the SDK's",
  },
  {
    file: "src/timeline/calls.ts",
    code: "SHELL_END.exec(text)",
    words: "ours, of what the model gets: read only here, next to the code that writes them",
  },
  {
    file: "src/executions/values/plain-copy.ts",
    code: 'new Proxy( {}, { getPrototypeOf: () => { throw new TypeError("The value cannot be read."); }, }, )',
    words: "none: a value that cannot be read",
  },
];

/** @type {Set<(typeof allowed)[number]>} */
const used = new Set();

const files = sourceFiles("src").map(parsed);
const texts = ownTexts(files);

/** @param {ts.SourceFile} file */
function faultsOf(file) {
  const faultOf = textFaults(file, texts);
  return faultsIn(file, (node) => {
    const fault = faultOf(node);
    if (fault === undefined) return undefined;
    const code = node.getText(file).replace(/\s+/gu, " ");
    const known = allowed.find((each) => each.file === file.fileName && code === each.code);
    if (known !== undefined) used.add(known);
    return known === undefined ? `${fault}: ${code}` : undefined;
  });
}

// The published contract suites are exempt because they are tests, which check the text of a hint. The catalogues are
// exempt because they consist of text.
const faults = files
  .filter(({ fileName }) => !/^src\/(?:testing|strings\/(?:en|zh-cn))\//u.test(fileName))
  .flatMap(faultsOf);
for (const each of allowed) {
  if (!used.has(each))
    faults.push(
      `${each.file} no longer has ${each.code}: take it off the list of scripts/check-error-texts.mjs`,
    );
}
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
