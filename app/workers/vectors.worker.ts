import { parentPort } from "node:worker_threads";
import { z } from "zod";
import { SearchTask } from "~/work/search/retrieval/search-task";
import { searchVectors } from "~/work/search/retrieval/vector-search";
import { readerOf } from "./search-connection";

/** See vector-thread.ts; a failure returns nothing. */
const Message = z.object({ task: SearchTask, limit: z.number() });

parentPort?.on("message", (message) => {
  let hits: unknown;
  try {
    const { task, limit } = Message.parse(message);
    if (task.vector) hits = searchVectors(readerOf(task.database), task, task.vector, limit);
  } catch {
    // The search process retries and reports the error.
  }
  parentPort?.postMessage(hits);
});
