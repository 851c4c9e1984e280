import type { ZodType, z } from "zod";
import type { Actor } from "~/core/actor";
import type { ToolProgress } from "./answer-stream.schema";
import type { Effect } from "./effects.shared";
import type { NewFile, ResultFile } from "./files/result-files.shared";
import type { AskedQuestion, QuestionEnd } from "./question.schema";

/** Whose tools and policies apply. */
export type ToolOwner = Pick<Actor, "orgId">;

/** The personas that an answer's model may ask, and what that may cost. */
export interface Delegation {
  personas: readonly { id: string; name: string }[];
  /** Model calls per question. */
  maxSteps: number;
  /** In millionths of a dollar, of the whole answer. */
  limitMicros: number;
  spentMicros: number;
  /** Of the answer that asked for this one. */
  parent?: Delegation | undefined;
  /** The question that is being answered: the next waits for it, so that both can't spend the same rest. */
  last: Promise<unknown>;
}

export interface ToolContext {
  actor: Actor;
  /** On cancellation or timeout. */
  signal: AbortSignal;
  /** The stored conversation that calls it, if one does. */
  conversationId?: string | undefined;
  messageId?: string | undefined;
  delegation?: Delegation | undefined;
  /** Context of the model that reads the result, in tokens, infinite if unknown; undefined where none reads it. */
  modelContext?: number | undefined;
  /** The project of the conversation, whose files a search finds too. */
  folderId?: string | undefined;
  /** The only category that a search may find documents of, whatever its input says. */
  category?: string | undefined;
  /** Names of the skills that the answer's persona has. */
  skills?: readonly string[] | undefined;
  /** Whether the model has seen restricted passages. */
  isRestricted(): boolean;
  /** Shows how far the call is, where someone watches it. */
  report(progress: ToolProgress): void;
  /**
   * Asks the person who is before the answer, while the tool's time limit stands still; undefined where nobody is.
   * @param withdrawn aborts if the question is taken back
   */
  ask?: ((question: AskedQuestion, withdrawn?: AbortSignal) => Promise<QuestionEnd>) | undefined;
  /** Await it right before the call leaves, if the tool has `announcesSending`. */
  sending(): Promise<void>;
  /** Stores a file that the result may name in `files`; undefined if it can't be stored. */
  keepFile(file: NewFile): Promise<ResultFile | undefined>;
}

/** Draft 2020-12 or 7; the root is an object. */
export type JsonSchema = Readonly<Record<string, unknown>>;

type InputOf<S> = S extends ZodType ? z.output<S> : Record<string, unknown>;

export interface Tool<Input extends ZodType | JsonSchema = ZodType | JsonSchema> {
  /** It calls `sending` itself, after a connection was made. */
  announcesSending?: true;
  name: string;
  title: string;
  /** Purpose, use and limits, for the model. */
  description: string;
  /** Decides the default policy. */
  effect: Effect;
  /** Effect by input in a restricted conversation; `private` stays with the user. */
  effectOf?(input: InputOf<Input>): Effect | "private";
  /** Whether a call of effect `outside` only fetches; without an input, whether each does. */
  onlyFetches?(input?: InputOf<Input>): boolean;
  /** Whether a result may contain untrusted text; defaults to effect `outside`. */
  hasOutsideContent?(output: unknown): boolean;
  input: Input;
  /** Inputs go out unchecked if the schema can't be used here, since whoever runs the tool checks them. */
  isCheckedByServer?: true;
  /** In ms. */
  timeoutMs: number;
  /** In characters of JSON; truncated beyond. */
  outputLimit: number;
  /** Chats hand it to their models by themselves; it is in no list, and nobody selects it. */
  chatOnly?: true;
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
