import type { ZodType, z } from "zod";
import type { Actor } from "~/core/actor";

interface ToolContext {
  /** On whose behalf; the tool checks what they may. */
  actor: Actor;
  /** Fires when the answer is stopped or the tool's time is up. */
  signal: AbortSignal;
  toolCallId: string;
  /** Whether the conversation, which the model may be writing from, holds passages that not everybody may see. */
  isRestricted(): boolean;
}

/** What a model can call: one file each, listed in index.server.ts. */
export interface Tool<Input extends ZodType = ZodType> {
  /** Dotted; what may stand on the wire to a model API is made from it. */
  name: string;
  title: string;
  /** For the model: what it does, when to use it, its limits. */
  description: string;
  /** What a call does to the world: reads here, writes here, or goes outside. */
  effect: "reads" | "writes" | "outside";
  /**
   * The effect of one call in a restricted conversation, where it depends on the input. A `private` call keeps what it is
   * given to the person who asks.
   */
  effectOf?(input: z.output<Input>): "reads" | "writes" | "outside" | "private";
  input: Input;
  /** Of one call, in milliseconds. */
  timeoutMs: number;
  /**
   * Does it. The answer is JSON and bounded.
   *
   * @param input parsed by `input`
   * @throws AppError with a message that the model and the person can use
   */
  run(input: z.output<Input>, context: ToolContext): Promise<unknown>;
}
