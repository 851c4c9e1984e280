import { EventEmitter } from "node:events";
import { publish } from "../events/events.service.server";
import type { JobRow } from "./jobs.repo.server";

/** Says that a job started, got further or ended; what it is now is read from its row. */
export type JobChange = Pick<JobRow, "id" | "kind" | "orgId" | "subject">;

const emitter = new EventEmitter<{ change: [JobChange] }>();
emitter.setMaxListeners(0);

export function jobChanged({ id, kind, orgId, subject }: JobChange): void {
  emitter.emit("change", { id, kind, orgId, subject });
  publish({ topic: "jobs", orgId });
}

/** @returns the way to stop listening */
export function onJobChanged(listener: (change: JobChange) => void): () => void {
  emitter.on("change", listener);
  return () => void emitter.off("change", listener);
}
