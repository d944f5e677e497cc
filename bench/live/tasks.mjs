import { task as cache } from "./tasks/cache.mjs";
import { task as layers } from "./tasks/layers.mjs";
import { task as options } from "./tasks/options.mjs";
import { task as orders } from "./tasks/orders.mjs";
import { task as paging } from "./tasks/paging.mjs";
import { task as renamed } from "./tasks/renamed.mjs";
import { task as saving } from "./tasks/saving.mjs";
import { task as stock } from "./tasks/stock.mjs";
import { task as table } from "./tasks/table.mjs";
import { task as versions } from "./tasks/versions.mjs";

/**
 * @typedef {object} Task
 * @property {string} name
 * @property {string} kind
 * @property {Readonly<Record<string, string>>} files by path; test.mjs decides
 * @property {readonly (readonly [path: string, old: string, now: string])[]} repair a working repair; models never see
 * it
 */

/** @type {readonly Task[]} */
export const tasks = [paging, saving, options, versions, table, layers, renamed, stock, cache, orders];

/**
 * The prompt for the model. It contains the name of the task, so that the rehearsal's scripted model knows what to do.
 */
export const promptOf = ({ name }) =>
  `The project in this folder is called ${name}. \`node test.mjs\` fails. Find out why and repair the project, so that it passes. ` +
  "Do not change test.mjs.";
