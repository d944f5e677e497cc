// A stand-in that does to a terminal what the real program does, for testing the harness itself.
const write = (/** @type {string} */ text) => process.stdout.write(text);
const rows = () => process.stdout.rows;
let said = "";
let interrupts = 0;

function draw() {
  const lines = [
    "\x1b[1;36mWorldline\x1b[0m stand-in",
    `session a1b2c3d4e5 since 12:34:56, 3.2s`,
    "中文 and 👩‍👩‍👧 and 🇩🇪 and ❤️ end",
    `said: ${JSON.stringify(said)}`,
    `\x1b[48;2;40;42;54m\x1b[2m${process.stdout.columns}x${rows()}\x1b[0m`,
  ];
  write(`\x1b[?2026h\x1b[2J\x1b[H${lines.join("\r\n")}\x1b[${rows()};1H> ${said}\x1b[?2026l`);
}

/** @param {number} code */
function leave(code) {
  write("\x1b[0m\x1b[?25h\x1b[?2004l\x1b[<u\x1b[?1049l");
  process.stdin.setRawMode(false);
  write("worldline --resume a1b2c3d4e5\r\n");
  process.exit(code);
}

process.stdin.setRawMode(true);
process.stdin.setEncoding("utf8").on("data", (/** @type {string | Buffer} */ data) => {
  const text = String(data);
  interrupts += text.split("\x03").length - 1;
  if (interrupts === 2) leave(0);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what terminals answer begins with one.
  said += text.replaceAll(/\x1b\[\?[\d;]*[uc]/gu, "");
  draw();
});
process.stdout.on("resize", draw);
write("\x1b[?1049h\x1b[?2004h\x1b[?25l\x1b[>7u\x1b[?u\x1b[c");
draw();
