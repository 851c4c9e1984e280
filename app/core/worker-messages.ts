import { z } from "zod";

/** What a worker thread answers to a task; the task itself is the bare input. */
export const WorkerAnswer = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), output: z.unknown() }),
  z.object({ ok: z.literal(false), message: z.string() }),
]);
export type WorkerAnswer = z.infer<typeof WorkerAnswer>;
