// Imported first by each thread and process of walk.mjs's build: counts its function calls between two marks.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector";
import { join } from "node:path";
import { threadId } from "node:worker_threads";

/** How often the mark is read, in ms. */
const INTERVAL = 20;

const folder = decodeURIComponent(new URL(import.meta.url).search.slice(1));
const name = `${process.pid}-${threadId}`;
const readMark = () => readFileSync(join(folder, "mark"), "utf8");

const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

function report(mark) {
  session.post("Profiler.takePreciseCoverage", (error, taken) => {
    if (error) throw error;
    const ran = taken.result.flatMap(({ url, functions }) =>
      functions
        .filter(({ ranges: [{ count }] }) => count > 0)
        .map(({ functionName, ranges: [{ startOffset, endOffset, count }] }) => ({
          url,
          functionName,
          startOffset,
          endOffset,
          count,
        })),
    );
    const unfinished = join(folder, `${name}.unfinished`);
    writeFileSync(unfinished, JSON.stringify(ran));
    renameSync(unfinished, join(folder, `${name}.${mark}.json`));
  });
}

let last = readMark();
setInterval(() => {
  const mark = readMark();
  if (mark === last) return;
  last = mark;
  report(mark);
}, INTERVAL).unref();
writeFileSync(join(folder, `${name}.thread`), "");
