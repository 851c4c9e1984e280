import type { z } from "zod";
import type { EffortChoice } from "~/ai/models/model-picker.shared";
import type { ResultFile } from "~/ai/tools/files/result-files.shared";
import type { Actor } from "~/core/actor";
import type { Control, FieldSpec } from "~/core/field.schema";
import type { WorkflowStep } from "../workflows.schema";

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

export type LogLevel = "debug" | "info" | "warn" | "error";

/** Of a model's calls; null if unknown. */
export interface StepUsage {
  inputTokens: number | null;
  outputTokens: number | null;
  costMicros: number | null;
}

/** Asynchronous with JSON values, so that steps could run remotely. Calls are authorized, bounded and recorded. */
export interface StepServices {
  generate(call: {
    model: string;
    system?: string;
    /** Id of the one whose instructions are in `system`: its budgets count the call. */
    persona?: string;
    prompt: string;
    temperature?: number;
    maxTokens?: number;
    effort?: EffortChoice;
    /** A JSON Schema that the answer is to match, if the model can be held to one; the prompt says its fields too. */
    schema?: Record<string, unknown>;
    /** Ids: images as they are, and the text of others. */
    files?: string[];
  }): Promise<
    StepUsage & {
      text: string;
      model: string;
      provider: string;
      /** Images that the model made, kept with the run: as `ResultFile`. */
      files?: Json[];
    }
  >;
  defaultModel(): Promise<string>;
  /** Model only if available. */
  readPersona(id: string): Promise<{ system: string; model: string | null }>;
  searchDocuments(query: { query: string; topK: number; category?: string }): Promise<Json>;
  ingestDocument(input: {
    text?: string;
    url?: string;
    /** Its id, in place of text and URL. */
    file?: string;
    title?: string;
    category?: string;
  }): Promise<Json>;
  callTool(name: string, input: Json): Promise<Json>;
  request(call: {
    method: string;
    url: string;
    headers: Record<string, string>;
    body?: string;
    /** Its id, in place of a body. */
    bodyFile?: string;
    /** Sent in a header, only to the key's origins. */
    key?: { id: string; header: string; prefix: string };
    maxBytes: number;
    /** Whether what isn't text is kept with the run. */
    keepsFile?: boolean;
  }): Promise<{
    status: number;
    headers: Record<string, string>;
    body: string;
    /** What isn't text, if it could be kept with the run. */
    file?: ResultFile;
  }>;
  sendEmail(message: {
    to: string[];
    subject: string;
    body: string;
    messageId: string;
    /** Ids. */
    files?: string[];
  }): Promise<Json>;
  queryDatabase(query: {
    /** Empty for the workspace, else a `database` key's id. */
    connection: string;
    sql: string;
    parameters: Json[];
    write: boolean;
    maxRows: number;
  }): Promise<Json>;
  /** JavaScript, as the body of a function of `input`; null and an error with its line if it threw. */
  runCode(
    code: string,
    input: Json,
  ): Promise<{ output: Json; error: string | null; log: { level: LogLevel; message: string }[] }>;
}

interface StepContext<C> {
  /** Resolved and parsed. */
  config: C;
  actor: Actor;
  runId: string;
  stepId: string;
  /** The same for each attempt. */
  idempotencyKey: string;
  attempt: number;
  signal: AbortSignal;
  services: StepServices;
  log(level: LogLevel, message: string): void;
}

/** Output and next branch. */
export interface StepResult {
  output: Json;
  branch?: string;
  /** Ends the run with this output. */
  returns?: true;
}

/** A method, for bivariance: lists hold types of different configurations. */
type Predicate<C> = { test(config: C): boolean }["test"];

/** Handled by the interpreter, without `run`. */
type ControlKind = "delay" | "approval" | "each" | "while" | "parallel" | "call";

/** A select with options from the loader. */
export type ChoiceKind = "tool" | "workflow" | "database" | "category" | "key" | "persona";

/** A control that only the builder draws: `next` is continue, stop or a later step; `effort` is that of the step's model. */
type OwnKind =
  | "expression"
  | "condition"
  | "next"
  | "model"
  | "effort"
  | "schedule"
  | "timeZone"
  | "toolInput";

/** A step's place in a run: within a loop, rounds have their own keys. */
export interface StepAt {
  key: string;
  step: WorkflowStep;
}

/** In the form's order. */
export interface StepField extends Omit<FieldSpec, "control"> {
  name: string;
  control: Control | { kind: OwnKind } | { kind: ChoiceKind /** Of the empty option. */; blank?: string };
  /**
   * `text` has `{{ … }}`, `expression` is one expression, `none` is literal; `lines` resolves line by line into a list,
   * so that values can't add lines; `values` is a map whose texts have `{{ … }}`, or one expression for the whole map. By
   * default it follows from the control.
   */
  language?: "text" | "lines" | "expression" | "values" | "none";
  /** Whether only those who may change the workflow read it: people type keys into it. */
  isPrivate?: true;
}

/** The choice of a step's model. */
export const MODEL_FIELD: StepField = {
  name: "model",
  label: "Model",
  hint: "Leave blank to use the organization's default.",
  control: { kind: "model" },
};

export const EFFORT_FIELD: StepField = {
  name: "reasoningEffort",
  label: "Effort",
  hint: "Choose how much a model that reasons thinks before it answers.",
  control: { kind: "effort" },
};

/** Of a step's files; `hint` says what becomes of them. */
export const filesField = (name: string, label: string, hint: string): StepField => ({
  name,
  label,
  hint: `${hint} Write an expression, such as steps.request.files.`,
  control: { kind: "expression" },
});

/** A type of step: one file and its line in the registry. */
export interface StepType<S extends z.ZodType = z.ZodType> {
  /** Stored with each step, such as `ai_completion`. */
  type: string;
  label: string;
  description: string;
  category: "AI" | "Data" | "Actions" | "Logic" | "Output";
  node: "action" | "condition" | "output";
  /** In `components/builder/part-icon`. */
  icon: string;
  /** As in the contract's palette. */
  defaults: Readonly<Record<string, Json>>;
  /** After resolving expressions: strict, with defaults. */
  config: S;
  fields: readonly StepField[];
  /** Completion: descriptions by name. */
  outputs?: Readonly<Record<string, string>>;
  /** Branch names; empty for a single unnamed one. */
  branches?: readonly string[];
  /** Whether it may repeat after a crash during the first attempt. */
  repeatable: boolean | Predicate<z.infer<S>>;
  /** Per attempt, in ms. */
  timeoutMs: number;
  control?: ControlKind;
  run?(context: StepContext<z.infer<S>>): Promise<StepResult>;
}

const LANGUAGES: Partial<Record<StepField["control"]["kind"], StepField["language"]>> = {
  text: "text",
  textarea: "text",
  number: "text",
  expression: "expression",
  condition: "expression",
  toolInput: "values",
};

export const defineStep = <S extends z.ZodType>(type: StepType<S>): StepType<S> => ({
  ...type,
  fields: type.fields.map((field) => ({ language: LANGUAGES[field.control.kind] ?? "none", ...field })),
});
