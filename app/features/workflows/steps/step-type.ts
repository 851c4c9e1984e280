import type { z } from "zod";
import type { Actor } from "~/core/actor";

/** A step's output: what JSON can hold. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

export type LogLevel = "debug" | "info" | "warn" | "error";

interface ModelAnswer {
  text: string;
  model: string;
  provider: string;
  inputTokens: number | null;
  outputTokens: number | null;
  costMicros: number | null;
}

/**
 * What a step may reach. Asynchronous, and JSON on both sides, so that a step could run on another machine. Each call
 * is authorised by the actor, bounded, and recorded with the run and the step.
 */
export interface StepServices {
  /** One answer of a model, without tools. */
  generate(call: {
    model: string;
    system?: string;
    prompt: string;
    temperature?: number;
    maxTokens?: number;
  }): Promise<ModelAnswer>;
  /** The model that is used where a step names none. */
  defaultModel(): Promise<string>;
  /** A persona's instructions, and its model where it is available. */
  readPersona(id: string): Promise<{ system: string; model: string | null }>;
  searchDocuments(query: { query: string; topK: number; category?: string }): Promise<Json>;
  ingestDocument(input: { text?: string; url?: string; title?: string; category?: string }): Promise<Json>;
  callTool(name: string, input: Json): Promise<Json>;
  /** An HTTP request through the egress guard. */
  request(call: {
    method: string;
    url: string;
    headers: Record<string, string>;
    body?: string;
    /** A key reference whose value is sent in a header, to the key's own addresses alone. */
    key?: { id: string; header: string; prefix: string };
    maxBytes: number;
  }): Promise<{ status: number; headers: Record<string, string>; body: string }>;
  sendEmail(message: { to: string[]; subject: string; body: string; messageId: string }): Promise<Json>;
  queryDatabase(query: {
    /** Empty for the workspace database, else the id of a key reference of kind `database`. */
    connection: string;
    sql: string;
    parameters: Json[];
    write: boolean;
    maxRows: number;
  }): Promise<Json>;
}

interface StepContext<C> {
  /** With its expressions resolved and parsed by the type's schema. */
  config: C;
  actor: Actor;
  runId: string;
  stepId: string;
  /** The same for each attempt at this step of this run. */
  idempotencyKey: string;
  attempt: number;
  signal: AbortSignal;
  services: StepServices;
  log(level: LogLevel, message: string): void;
}

/** What a step leaves behind: its output, and where the run continues. */
export interface StepResult {
  output: Json;
  branch?: string;
  /** Ends the run as succeeded with this output. */
  returns?: true;
}

/** Written as a method, so that a list can hold step types of different configurations. */
type Judge<C> = { judge(config: C): boolean }["judge"];

/** What the interpreter does itself, since it needs the run: a step type with one of these has no `run`. */
type ControlKind = "delay" | "approval" | "each" | "call";

/** One field of the form, in the order of the form. */
export interface StepField {
  name: string;
  label: string;
  hint?: string;
  control:
    | { kind: "text" | "textarea" | "code" | "expression" | "condition" }
    | { kind: "number"; min: number; max: number; step?: number }
    | { kind: "select"; options: readonly { value: string; label: string }[] }
    | { kind: "switch" }
    /** Choices that the screen's loader knows; `next` is continue, stop, or a later step. */
    | { kind: "model" | "tool" | "workflow" | "database" | "category" | "next" | "key" | "persona" };
  /**
   * `text` holds literal text and `{{ … }}`, `expression` is one expression without braces, `none` is taken as it is.
   * `lines` is a text whose lines are filled in one by one and arrive as a list, so that a value can't add a line.
   */
  language?: "text" | "lines" | "expression" | "none";
}

/** A type of step: a file and a line in the registry. */
export interface StepType<S extends z.ZodType = z.ZodType> {
  /** Stored with each step, such as `ai_completion`. */
  type: string;
  label: string;
  description: string;
  category: "AI" | "Data" | "Actions" | "Logic" | "Output";
  /** How the canvas draws it. */
  node: "action" | "condition" | "output";
  /** A name of `components/builder/part-icons`. */
  icon: string;
  /** What a new step begins with; as the contract's palette has it. */
  defaults: Readonly<Record<string, Json>>;
  /** The configuration with its expressions resolved. Unknown keys are kept out, defaults filled in. */
  config: S;
  fields: readonly StepField[];
  /** What its output holds, for the completion: a description by name. */
  outputs?: Readonly<Record<string, string>>;
  /** Names of the ways on; one unnamed way without them. */
  branches?: readonly string[];
  /** Whether repeating the step is harmless after the process died during the first attempt. */
  repeatable: boolean | Judge<z.infer<S>>;
  /** Time of one attempt, in ms. */
  timeoutMs: number;
  control?: ControlKind;
  run?(context: StepContext<z.infer<S>>): Promise<StepResult>;
}

export const defineStep = <S extends z.ZodType>(type: StepType<S>): StepType<S> => type;
