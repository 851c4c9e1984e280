import { z } from "zod";
import { ERROR_CODES } from "./errors";

export interface WorkerStart {
  isBackground: boolean;
}

export const WorkerAnswer = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), output: z.unknown() }),
  /** A user-facing error has its code; `internal` messages are only logged. */
  z.object({ ok: z.literal(false), code: z.enum(ERROR_CODES), message: z.string() }),
]);
export type WorkerAnswer = z.infer<typeof WorkerAnswer>;

export const ChildAnswer = z.object({
  answer: z.unknown(),
  /** Memory held after the task without mapped files, in MB. */
  memoryMb: z.number(),
  /** Whether an allocation failed during the task, even if a library continued. */
  outOfMemory: z.boolean(),
});
export type ChildAnswer = z.infer<typeof ChildAnswer>;
