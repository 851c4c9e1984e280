import { EventEmitter } from "node:events";
import { log } from "~/core/log.server";
import { publish } from "~/platform/events/events.service.server";
import type { JobRow } from "./jobs.repo.server";

/** Reports that a job started, progressed or ended; its state is read from its row. */
export type JobChange = Pick<JobRow, "id" | "kind" | "orgId" | "subject">;

const emitter = new EventEmitter<{ change: [JobChange] }>();
emitter.setMaxListeners(0);

export function emitJobChange({ id, kind, orgId, subject }: JobChange): void {
  try {
    emitter.emit("change", { id, kind, orgId, subject });
    publish({ topic: "jobs", orgId });
  } catch (error) {
    // A failing listener doesn't stop the queue.
    log.error("a job change listener failed", { job: id, error });
  }
}

/** @returns a function to unsubscribe */
export function onJobChanged(listener: (change: JobChange) => void): () => void {
  emitter.on("change", listener);
  return () => void emitter.off("change", listener);
}
