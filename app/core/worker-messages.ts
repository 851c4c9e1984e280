import { z } from "zod";
import { ERROR_CODES } from "./errors";

/** What a worker thread is started with. */
export interface WorkerStart {
  isBackground: boolean;
}

/** What a worker thread answers to a task; the task itself is the bare input. */
export const WorkerAnswer = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), output: z.unknown() }),
  /** A refusal in words for a person has its code; anything else is `internal`, and its message for the log alone. */
  z.object({ ok: z.literal(false), code: z.enum(ERROR_CODES), message: z.string() }),
]);
export type WorkerAnswer = z.infer<typeof WorkerAnswer>;

/** How a child process wraps its answer. */
export const ChildAnswer = z.object({
  answer: z.unknown(),
  /** Memory that it holds after the task, mapped files left out, in MB. */
  memoryMb: z.number(),
  /** Whether an allocation was refused during the task, even if a library went on without it. */
  outOfMemory: z.boolean(),
});
export type ChildAnswer = z.infer<typeof ChildAnswer>;
