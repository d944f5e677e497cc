import { figure, table } from "../table.mjs";

export const thousands = (value) => `${figure(Math.round(value / 100) / 10)}k`;

export function strategyTable(rows) {
  return table(rows, {
    "": (row) => row.strategy,
    requests: (row) => figure(row.requests),
    "context at the end": (row) => figure(row.context),
    "largest context": (row) => figure(row.largest),
    "sent in total": (row) => thousands(row.sent),
    "sent again": (row) => figure(row.sentAgain),
    "at best": (row) => figure(row.sentAgainAtBest),
    "sent for a summary": (row) => figure(row.toSummarise),
    read: (row) => thousands(row.read),
    written: (row) => thousands(row.written),
    output: (row) => thousands(row.output),
    cost: (row) => thousands(row.cost),
  });
}

export function finderTable(rows) {
  return table(rows, {
    "what broke the test": (row) => row.way,
    answer: (row) => row.answer,
    backtracks: (row) => figure(row.backtracks),
    "context at the end": (row) => figure(row.context),
    "left behind": (row) => figure(row.left),
    "if everything had stayed": (row) => figure(row.context + row.left),
  });
}

export function summariesTable(counts) {
  return table([counts], {
    sessions: (row) => figure(row.sessions),
    tried: (row) => figure(row.tried),
    done: (row) => figure(row.done),
    "model calls": (row) => figure(row.calls),
    "stopped until the next prompt": (row) => figure(row.stopped),
    "more than two in a row without progress": (row) => figure(row.withoutProgress),
    "too many calls": (row) => figure(row.tooManyCalls),
    "context changed by a failure": (row) => figure(row.touchedOnFailure),
    "context broken": (row) => figure(row.broken),
  });
}

export function killsTable(counts) {
  return table([counts], {
    kills: (row) => figure(row.kills),
    "run again automatically": (row) => figure(row.ranAgain),
    "reported to the user": (row) => figure(row.toldPerson),
    "reported to the model": (row) => figure(row.toldModel),
    "turn finished afterwards": (row) => figure(row.finished),
  });
}
