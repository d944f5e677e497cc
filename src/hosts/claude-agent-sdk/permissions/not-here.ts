const MODE =
  "here the person chooses the mode. Where a plan is wanted first, write it as your answer and end the turn";
const FOLDER = "here the work stays in its folder";
const TURNS = "here no turn begins that nobody asked for";

/**
 * Tools of the SDK that this host does without, and why. The SDK is told to leave them out; one that comes all the same,
 * from a version that offers it otherwise, is refused by the same table.
 */
export const NOT_HERE: ReadonlyMap<string, string> = new Map([
  ["EnterPlanMode", MODE],
  ["EnterWorktree", FOLDER],
  ["ExitWorktree", FOLDER],
  ["CronCreate", TURNS],
  ["CronDelete", TURNS],
  ["CronList", TURNS],
  ["ScheduleWakeup", TURNS],
]);
