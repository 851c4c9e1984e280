import { z } from "zod";
import { EFFORT_CHOICES } from "~/ai/models/model-picker.shared";
import { parseJson } from "~/core/parse";
import { sensitive } from "~/platform/audit/audit.schema";
import { CursorParam, listOrLines, nameField } from "~/platform/catalogue/fields.schema";

export const MAX_QUESTIONS = 200;
const MAX_SUBJECTS = 8;
const MAX_TEXTS = 20;
const SCHEMA_MAX = 5000;

const texts = listOrLines(
  z
    .array(z.string().trim().min(1))
    .max(MAX_TEXTS, `Use at most ${MAX_TEXTS} lines`)
    .refine((lines) => lines.every(({ length }) => length <= 500), "Use at most 500 characters a line"),
).default([]);

const isPattern = (pattern: string) =>
  ["u", ""].some((flags) => {
    try {
      return Boolean(new RegExp(pattern, flags));
    } catch {
      return false;
    }
  });

/** A text of a form that isn't JSON becomes null, which the schema refuses. */
function readJson(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return parseJson(value);
  } catch {
    return null;
  }
}

/** Traits of a good answer, by the API and by the form: it passes with all of them. */
export const Expects = z
  .object({
    contains: texts.describe("Texts that the answer contains, in upper or lower case"),
    lacks: texts.describe("Texts that it doesn't contain"),
    pattern: z
      .string()
      .max(500, "Use at most 500 characters in the pattern")
      .refine(isPattern, "This isn't a regular expression")
      .optional()
      .describe("Regular expression that a part of the answer matches"),
    jsonSchema: z
      .preprocess(
        readJson,
        z
          .record(z.string(), z.unknown(), "Enter a JSON Schema, an object in JSON")
          .refine((schema) => JSON.stringify(schema).length <= SCHEMA_MAX, "Use a shorter JSON Schema"),
      )
      .optional()
      .describe("JSON Schema that the answer fits, which is JSON then"),
    documentId: z
      .string()
      .trim()
      .min(1)
      .max(300, "Use at most 300 characters")
      .optional()
      .describe(
        "ID or name of a document of which a passage is cited; the question is asked with passages then",
      ),
    rubric: z
      .string()
      .trim()
      .min(1)
      .max(4000, "Use at most 4,000 characters in the rubric")
      .optional()
      .describe("What a model judges the answer by"),
  })
  .refine(
    ({ contains, lacks, ...others }) =>
      contains.length + lacks.length > 0 || Object.values(others).some((value) => value !== undefined),
    "Say at least one trait of a good answer",
  );
export type Expects = z.infer<typeof Expects>;

export const QuestionInput = z.object({
  question: z
    .string({ error: "Enter a question" })
    .trim()
    .min(1, "Enter a question")
    .max(4000, "Use at most 4,000 characters in a question")
    .register(sensitive, { kind: "personal" }),
  expects: Expects,
});
export type QuestionInput = z.infer<typeof QuestionInput>;

export const SetInput = z.object({
  name: nameField("Enter a name"),
  shared: z.boolean().default(false).describe("Whether everyone in the organization sees it and its runs"),
});
export type SetInput = z.infer<typeof SetInput>;

export const SetPatch = z.object({ name: SetInput.shape.name, shared: z.boolean() }).partial();
export type SetPatch = z.infer<typeof SetPatch>;

const id = z.string().min(1).max(200);

const SubjectInput = z.object({
  model: id.optional().describe("By default the persona's, else that of new chats"),
  personaId: id.optional().describe("Whose instructions are the system prompt; its tools aren't used"),
  promptId: id.optional().describe("Prompt whose variable the question fills, or that stands before it"),
});

/** Untouched selects are sent empty, and a row of them is no subject. */
function chosen(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.flatMap((row: unknown) => {
    if (typeof row !== "object" || row === null) return row === undefined ? [] : [row];
    const filled = Object.entries(row).filter(([, field]) => field !== undefined && field !== "");
    return filled.length > 0 ? [Object.fromEntries(filled)] : [];
  });
}

const limit = z.coerce
  .number({ error: "Enter an amount" })
  .positive("Enter an amount above 0")
  .max(10_000, "Enter an amount up to 10,000");

export const RunInput = z.object({
  subjects: z
    .preprocess(
      chosen,
      z
        .array(SubjectInput, { error: "Choose what answers the questions" })
        .min(1, "Choose what answers the questions")
        .max(MAX_SUBJECTS, `Choose at most ${MAX_SUBJECTS}`),
    )
    .describe("What answers each question"),
  judge: id.optional().describe("Model that judges by rubrics"),
  limit: limit
    .optional()
    .describe(
      "In US dollars: the run ends before a call once it has cost so much, and after one of unknown cost",
    ),
});
export type RunInput = z.infer<typeof RunInput>;

export const ResumeInput = z.object({
  limit: limit
    .nullable()
    .optional()
    .describe("Replaces the run's, in US dollars, and is above what it has cost; null takes it away"),
});
export type ResumeInput = z.infer<typeof ResumeInput>;

export const Subject = z.object({
  label: z.string(),
  model: z.string(),
  personaId: z.string().optional(),
  promptId: z.string().optional(),
});
export type Subject = z.infer<typeof Subject>;

/** How a subject is asked. */
export const Instructions = z.object({
  system: z.string().optional(),
  template: z.string().optional(),
  effort: z.enum(EFFORT_CHOICES).optional(),
});
export type Instructions = z.infer<typeof Instructions>;

export const Figures = z.object({
  passed: z.number().int(),
  failed: z.number().int(),
  errors: z.number().int(),
  costMicros: z
    .number()
    .int()
    .nullable()
    .describe("Millionths of a US dollar; null if the cost of a call is unknown"),
  meanMs: z.number().int().nullable().describe("Mean time to an answer"),
});
export type Figures = z.infer<typeof Figures>;

export const EvaluationSet = z.object({
  id: z.string(),
  name: z.string(),
  shared: z.boolean(),
  questions: z.number().int(),
  author: z.object({ id: z.string(), name: z.string() }),
  canEdit: z.boolean(),
  createdAt: z.iso.datetime(),
});
export type EvaluationSet = z.infer<typeof EvaluationSet>;

export const Question = QuestionInput.extend({ id: z.string(), createdAt: z.iso.datetime() });
export type Question = z.infer<typeof Question>;

export const Run = z.object({
  id: z.string(),
  setId: z.string(),
  state: z.enum(["queued", "running", "done", "stopped", "failed"]),
  error: z.string().nullable(),
  subjects: z.array(Subject),
  figures: z.array(Figures).describe("Of each subject"),
  done: z.number().int().describe("Judged answers"),
  total: z.number().int(),
  judge: z.string().nullable(),
  limitMicros: z.number().int().nullable(),
  canChange: z.boolean(),
  createdAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
});
export type Run = z.infer<typeof Run>;

const Result = z.object({
  outcome: z.enum(["passed", "failed", "error"]).nullable().describe("Null while it is judged"),
  answer: z.string().nullable(),
  reasons: z.array(z.string()).describe("Traits that it lacks, or what went wrong"),
  costMicros: z.number().int().nullable(),
  durationMs: z.number().int(),
});
export type Result = z.infer<typeof Result>;

export const ResultRow = z.object({
  position: z.number().int(),
  question: z.string(),
  results: z.array(Result.nullable()).describe("By subject; null where there is none yet"),
});
export type ResultRow = z.infer<typeof ResultRow>;

export const SetId = z.object({ id });
export const QuestionId = z.object({ id, question: id });

export const ResultsQuery = z.object({
  limit: z.coerce.number().int().min(1).max(20).default(10),
  after: z.coerce
    .number()
    .int()
    .min(-1)
    .default(-1)
    .describe("Position of the last question of the previous page"),
});

const param = z.string().max(100).optional().catch(undefined);

export const EvaluationQuery = z.object({
  dialog: z.enum(["new", "edit", "delete", "question", "remove", "run"]).optional().catch(undefined),
  id: param,
});

export const RunQuery = z.object({
  dialog: z.enum(["delete", "resume"]).optional().catch(undefined),
  page: z.coerce.number().int().min(1).max(1000).default(1).catch(1),
});

export const RatingsScreenQuery = z.object({
  rating: z.enum(["up", "down"]).optional().catch(undefined),
  model: param,
  person: param,
  cursor: CursorParam,
  dialog: z.enum(["add"]).optional().catch(undefined),
  id: param,
  by: param,
});

/** A question for the set that its author chooses. */
export const RatedQuestion = QuestionInput.extend({
  set: z.string({ error: "Choose an evaluation" }).min(1, "Choose an evaluation").max(200),
});
