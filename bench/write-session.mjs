const BATCH = 1000;

/**
 * Creates a session in the empty folder `dir`.
 * A checkpoint is created before message number `marks.placeAt`. Before message number `marks.compactAt`, a
 * summary replaces all messages except the last `marks.keep`.
 * @returns {Promise<{ place: unknown }>} The checkpoint, in the contender's own format.
 */
export async function writeSession(driver, { dir, messages, marks = {} }) {
  const ready = await driver.create(dir);
  const appendAll = ready.appendAll ?? ((batch) => oneByOne(ready, batch));
  let place = null;
  let batch = [];
  const flush = async () => {
    await appendAll(batch);
    batch = [];
  };
  let index = 0;
  for (const message of messages) {
    if (index === marks.compactAt || index === marks.placeAt || batch.length === BATCH) await flush();
    if (index === marks.compactAt) await ready.compact(marks.summary, marks.keep);
    if (index === marks.placeAt) place = await ready.checkpoint();
    batch.push(message);
    index += 1;
  }
  await flush();
  await ready.close();
  return { place };
}

async function oneByOne(ready, batch) {
  for (const message of batch) await ready.append(message);
}
