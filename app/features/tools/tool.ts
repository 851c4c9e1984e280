import type { ZodType, z } from "zod";
import type { Actor } from "~/core/actor";
import type { Effect } from "./effects.schema";
import type { ResultFile } from "./files/result-files.shared";
import type { ToolProgress } from "./progress.schema";

export interface ToolContext {
  /** On whose behalf; the tool checks their rights. */
  actor: Actor;
  /** Fires when the caller gives up or the tool's time is over. */
  signal: AbortSignal;
  /** Whether the model that calls may be writing from passages that not everybody may see. */
  isRestricted(): boolean;
  /** Shows how far the call is, where someone watches it. */
  report(progress: ToolProgress): void;
  /**
   * Keeps a file of the result with its conversation or run, to be shown there once the result names it in `files`;
   * undefined where it can't be kept.
   */
  keepFile(file: { name: string; bytes: Buffer }): Promise<ResultFile | undefined>;
}

/** JSON Schema of an input (draft 2020-12 or 7), as plugins bring it. Its root describes an object. */
export type JsonSchema = Readonly<Record<string, unknown>>;

type InputOf<S> = S extends ZodType ? z.output<S> : Record<string, unknown>;

export interface Tool<Input extends ZodType | JsonSchema = ZodType | JsonSchema> {
  /** Unique; dotted, with the name of its group or plugin first: `web.fetch`. */
  name: string;
  title: string;
  /** For the model: what it does, when to use it, its limits. */
  description: string;
  /** What a call does to the world; the approval policy defaults by it. */
  effect: Effect;
  /**
   * The effect of one call in a restricted conversation, where it depends on the input. A `private` call keeps what it is
   * given to the person who asks.
   */
  effectOf?(input: InputOf<Input>): Effect | "private";
  /**
   * Whether a result holds text that people outside of the organization may have written, which can mislead a model. By
   * default it does where the effect is `outside`.
   */
  hasOutsideContent?(output: unknown): boolean;
  input: Input;
  /** Time limit of one call, in ms. */
  timeoutMs: number;
  /** Longest result, in characters of its JSON; a longer one is cut. */
  outputLimit: number;
  /** The plugin that brings it. */
  pluginId?: string;
  /**
   * Does the work.
   *
   * @param input validated by `input`
   * @returns JSON
   * @throws AppError with a message that the model and the person can use
   */
  run(input: InputOf<Input>, context: ToolContext): Promise<unknown>;
}
