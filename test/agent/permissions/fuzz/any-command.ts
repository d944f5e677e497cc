import fc from "fast-check";

/** Attacks once found by hand, which must keep failing. */
export const KNOWN_ATTACKS: readonly string[] = [
  "test -v 'a[$(evil)]'",
  "[ -v 'a[$(evil)]' ]",
  "npm test $['`evil`']",
  "npm test $\\\n{a[$(evil)]}",
  "cd bare && git status",
  "git -C bare status",
  "git status",
  "git diff",
  "git log -p",
  "git log --format=%G?",
  "git show",
  "git blame a.txt",
  "git diff --outpu{t..t}=.git/config",
  "git diff --output=x",
  "git grep -Oevil text",
  "cd -P && cat .worldline/keys.json",
  "cd -- && cat .worldline/keys.json",
  "cd && cat secret",
  "cd up && cat secret",
  "cat {.,}./secret",
  "cat x://../../secret",
  `cat ${"a.txt ".repeat(250)}link`,
  "cat link",
  "cat up/secret",
  "cat src/../up/secret",
  "grep -r canary up",
  "grep -R canary .",
  "ls -RL .",
  "find -L . -name canary",
  "find . -exec evil {} +",
  "diff -r up src",
  "diff up src",
  "sort -o../f a.txt",
  "sort --compress-program=evil a.txt",
  "echo x > hooks/pre-commit",
  "cat /proc/self/environ",
  "cat /proc/$PPID/environ",
  "sed -n '1e evil' a.txt",
  "sed -n '1w ../f' a.txt",
  "uniq a.txt ../f",
  "PATH=. ls",
  "ls\nevil",
  "ls \\\n&& evil",
  "npm test && cat <(evil)",
  'npm test "$(evil)"',
  "wc --files0-from=../secret",
  "date -s 2020-01-01",
  "printf -v 'a[$(evil)]' x",
  "echo \u0024{x:=$(evil)}",
  "echo ~+/../secret",
  "cat pipe",
  "tail -f a.txt",
  "git ls-files --others --exclude-from=../secret",
  "git diff --no-index a.txt ../secret",
  "git diff a.txt ../secret",
  "git show HEAD:a.txt --ext-diff",
  "git log --show-signature",
  "git -c core.pager=evil log",
  "git --exec-path=. status",
  "git --git-dir=bare status",
];

const specials = [
  ..."' \" \\ ` $ ( ) { } [ ] < > | & ; ! ~ * ? # = , : @ % ^ + - . / 0 1".split(" "),
  ..."$( $(( \u0024{ $[ $' $\" <( >( << <<- <<< >> >& <& &> && || |& ;; 2>&1 >/dev/null".split(" "),
  ..."\\\n \n \t \r \u00a0 \u3000 \u200b \u2028 \ufeff \u0000 \u001b \ud800".split(" "),
  " ",
  "$(evil)",
  "`evil`",
  "<(evil)",
  "\u0024{a[$(evil)]}",
  "$((a[$(evil)]))",
  "$[a[$(evil)]]",
  "; evil",
  "\nevil",
  "| evil",
  "&& evil",
  "& evil ",
  "<<X\n$(evil)\nX",
  "<<<$(evil)",
  "$'\\x24(evil)'",
  "\u0024{x:-$(evil)}",
  "\u0024{!a*}",
  "\u0024{a@P}",
  "!evil",
  "!!",
  "{a,b}",
  "{a..c}",
  "[s]*",
  "../",
  "../secret",
  "/etc/passwd",
  "link",
  "up/",
  "hooks/x",
  "pipe",
  "~",
  "~root",
  "$HOME/",
  "--output=../f",
  "-o../f",
  "--ext-diff",
  "-exec",
  "-v",
];
const special = fc.constantFrom(...specials);

const paths = fc.constantFrom(
  ..."a.txt src src/b.ts . .. x: bare link up up/secret hooks -n pipe deep/er ./a.txt .git .git/config /dev/null /".split(
    " ",
  ),
  "sp ace",
  "x://../../secret",
  "../secret",
  "src/../../secret",
);
const programs =
  "ls cat head tail wc pwd echo stat basename dirname realpath grep du df diff cmp sort uniq cut tr nl tac rev date uname find sed test which git npm evil bash cd true printf [ eval env xargs".split(
    " ",
  );
const options =
  "-a -l -la -R -r -n -5 -c -f -F -L -P -H -e -o -O -v -u -s -t -x -z -S -G -p -i --help --version --output --files0-from --color=auto --include=*.ts -- - +x -name *.ts -type f -exec -print -delete 1,2p $p 1e --stat --oneline --graph --textconv --ext-diff --no-index --all --format=%G? --format=%H -C --git-dir=bare -U1".split(
    " ",
  );
const subcommands =
  "status diff log show blame rev-parse ls-files describe shortlog branch remote tag stash grep config commit x".split(
    " ",
  );

/** Spells a word in one of the many ways that a shell reads as the same word, or as a different one. */
const spelled = (word: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(word, fc.nat(19), special, fc.nat(30)).map(([text, how, extra, at]) => {
    const cut = at % (text.length + 1);
    const [head, tail] = [text.slice(0, cut), text.slice(cut)];
    const hex = [...text].map((each) => `\\x${each.charCodeAt(0).toString(16).padStart(2, "0")}`).join("");
    const ways: Readonly<Record<number, string>> = {
      0: `'${text}'`,
      1: `"\u0024{text}"`,
      2: [...text].map((each) => `\\${each}`).join(""),
      3: `$'${hex}'`,
      4: `${head}''${tail}`,
      5: `${head}\\\n${tail}`,
      6: `${head}${extra}${tail}`,
      7: `{${text},${text}}`,
      8: `"${head}${extra}\u0024{tail}"`,
      9: `'${head}'"\u0024{tail}"`,
      10: `${head}{${tail},}`,
      11: `$"\u0024{text}"`,
      12: `\${x:-${text}}`,
    };
    return ways[how] ?? text;
  });

const argument = fc.oneof(spelled(paths), spelled(fc.constantFrom(...options)), spelled(paths), special);
const gap = fc.constantFrom(" ", " ", " ", "  ", "\t", " \\\n", "\u00a0", "\r");
const words = fc
  .tuple(
    fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...programs) },
      { weight: 4, arbitrary: fc.constantFrom(...subcommands).map((each) => `git ${each}`) },
      { weight: 3, arbitrary: fc.constant("npm test") },
      { weight: 1, arbitrary: spelled(fc.constantFrom(...programs)) },
    ),
    fc.array(fc.tuple(gap, argument), { maxLength: 4 }),
  )
  .map(([first, rest]) => first + rest.map(([blank, each]) => blank + each).join(""));
const joint = fc.constantFrom(
  " && ",
  " || ",
  "; ",
  " | ",
  "\n",
  " & ",
  " |& ",
  " ;; ",
  "&&",
  "|",
  "; cd up; ",
);
const suffix = fc.oneof(
  { weight: 6, arbitrary: fc.constant("") },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      " 2>&1",
      " >/dev/null",
      " 2>/dev/null",
      " </dev/null",
      " &>/dev/null",
      " > out",
      " >> link",
      " < ../secret",
      " >&2",
    ),
  },
  { weight: 1, arbitrary: special },
);
const prefix = fc.oneof(
  { weight: 6, arbitrary: fc.constant("") },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "cd src && ",
      "cd bare && ",
      "cd up && ",
      "cd -P && ",
      "cd x: && ",
      "cd deep/er; ",
      "cd .. && ",
      "cd link || ",
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "A=1 ",
      "PATH=. ",
      "GIT_EXTERNAL_DIFF=evil ",
      "! ",
      "time ",
      "alias ls=evil; ",
      "ls() { evil; }; ",
      "shopt -s extglob; ",
      "set -o history; ",
      "coproc ",
      "exec ",
      "command ",
      "( ",
      "{ ",
    ),
  },
);
const built = fc
  .tuple(prefix, words, fc.array(fc.tuple(joint, words), { maxLength: 2 }), suffix)
  .map(
    ([before, first, rest, after]) => before + first + rest.map(([by, next]) => by + next).join("") + after,
  );

/** A known attack with something inserted, removed or repeated. */
const mutated = fc
  .tuple(
    fc.constantFrom(...KNOWN_ATTACKS),
    fc.array(fc.tuple(fc.nat(200), fc.nat(2), special), { minLength: 1, maxLength: 3 }),
  )
  .map(([attack, changes]) =>
    changes.reduce((text, [at, how, extra]) => {
      const cut = at % (text.length + 1);
      if (how === 0) return text.slice(0, cut) + extra + text.slice(cut);
      return how === 1
        ? text.slice(0, cut) + text.slice(cut + 1)
        : text.slice(0, cut) + text.slice(Math.max(0, cut - 3));
    }, attack),
  );

/** Words that need little from the shell itself; these exercise options and paths. */
const plainWord = fc.oneof(
  { weight: 3, arbitrary: paths.map((path) => (path.includes(" ") ? `'${path}'` : path)) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(...options).map((option) => (/[*$?%]/u.test(option) ? `'${option}'` : option)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("text", "HEAD", "HEAD~1", "main..x", "HEAD:a.txt", "''", "5", "+5", "a"),
  },
);
const plain = fc
  .array(
    fc
      .tuple(
        fc.oneof(
          fc.constantFrom(...programs),
          fc.constantFrom(...subcommands).map((each) => `git ${each}`),
        ),
        fc.array(plainWord, { maxLength: 3 }),
      )
      .map(([first, rest]) => [first, ...rest].join(" ")),
    { minLength: 1, maxLength: 2 },
  )
  .chain((commands) =>
    fc
      .tuple(prefix, fc.constantFrom(" && ", " | ", "; ", " || "))
      .map(([before, by]) => before + commands.join(by)),
  );

/** Command lines with every kind of expansion, quoting and syntax that bash has. */
export const anyCommand: fc.Arbitrary<string> = fc
  .oneof({ weight: 3, arbitrary: built }, { weight: 1, arbitrary: mutated }, { weight: 3, arbitrary: plain })
  .filter((command) => !command.includes("\0"));
