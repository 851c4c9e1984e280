import { parentPort } from "node:worker_threads";
import { z } from "zod";
import { readerOf } from "./search-connection.thread";
import { SearchTask } from "./search-task";
import { searchVectors } from "./vector-search";

/** See vector-thread.ts; a failure returns nothing. */
const Message = z.object({ task: SearchTask, limit: z.number() });

export function serveVectors(): void {
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
}
