/** What stands in hints for a shell, and what does the same here. The first that fits is taken, at each place. */
const SAME_HERE: readonly (readonly [RegExp, string])[] = [
  [/worldline redo (?:--list|\S+ --scope files)/gu, "/redo list"],
  [/worldline resume --continue, or allow more: --max-steps/gu, "another prompt, or allow more: /config"],
  [/worldline rewind \S+:(\d+) --scope conversation/gu, "/rewind $1, and the conversation alone"],
  [/worldline (?:checkpoints|rewind)(?: --all| <number>)?/gu, "/rewind"],
  [/worldline checkpoint (?:<label>|"[^"]*")/gu, "/checkpoint save <label>"],
  [/worldline sessions list(?: --all)?(?: --workspace \S+)?/gu, "/resume"],
  [/worldline sessions delete (\S+)/gu, "/delete $1"],
  [/worldline (?:--resume|-r) (\S+)(?! --)(?=\s|$)/gu, "/resume $1"],
  [/worldline config set (\S+)/gu, "/config $1"],
  [/worldline diff(?: <cp>)?/gu, "/diff"],
  [/worldline compact/gu, "/compact"],
  [/worldline doctor(?! --)/gu, "/doctor"],
  [/worldline setup(?! \S+ --)/gu, "/setup"],
  [/worldline models(?: --json)?/gu, "/model"],
  [/(?<!setup \S+ )(?:worldline )?--model (\S+)/gu, "/model $1"],
  [/, or leave --output out/gu, ", or leave it out"],
  [/: --(?:workspace <folder>|scope conversation)$/gu, "."],
];

/** A hint as somebody who sits at the screen can follow it. */
export function hintOnScreen(hint: string): string {
  return SAME_HERE.reduce((told, [there, here]) => told.replace(there, here), hint);
}
