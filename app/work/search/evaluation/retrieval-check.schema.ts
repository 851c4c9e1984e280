import { z } from "zod";
import { SearchMode } from "../retrieval/search-task";

export const MAX_QUESTIONS = 500;
const MAX_PASSAGES = 20;
const QUOTE_LENGTH = 1000;

const Question = z
  .string({ error: "Please enter a question" })
  .trim()
  .min(1, "Please enter a question")
  .max(500, "Use at most 500 characters in a question");

const Quote = z
  .string()
  .trim()
  .max(QUOTE_LENGTH, "Use at most 1000 characters in a quote")
  .regex(/[\p{L}\p{N}]/u, "Enter at least one word in a quote")
  .describe("Exact words from the document");

const PassageInput = z.object({ documentId: z.string().min(1).max(100), quote: Quote });

const passages = z
  .array(PassageInput)
  .min(1, "Select at least one passage that answers the question")
  .max(MAX_PASSAGES, `Select at most ${MAX_PASSAGES} passages for a question`);

export const CheckQuestionInput = z.object({ question: Question, passages });
export type CheckQuestionInput = z.infer<typeof CheckQuestionInput>;

export const CheckQuestionPatch = z.object({ question: Question, passages }).partial();
export type CheckQuestionPatch = z.infer<typeof CheckQuestionPatch>;

export const CheckQuestion = z.object({
  id: z.string(),
  question: z.string(),
  passages: z.array(z.object({ documentId: z.string(), document: z.string(), quote: z.string() })),
  createdAt: z.iso.datetime(),
});
export type CheckQuestion = z.infer<typeof CheckQuestion>;

export const CheckQuestionId = z.object({ id: z.string().min(1).max(64) });

/** The measured configuration. Stored with the run, so that it outlives the index. */
export const CheckSetting = z.object({
  run: z.string(),
  mode: SearchMode,
  embedder: z.string().nullable(),
  chunking: z.string(),
  store: z.string(),
  questions: z.number().int(),
  judged: z.number().int(),
  error: z.string().nullable(),
});
export type CheckSetting = z.infer<typeof CheckSetting>;

export const CheckedQuestion = z.object({
  questionId: z.string(),
  question: z.string(),
  judged: z.boolean().describe("Whether everyone can see an expected document"),
  firstRank: z
    .number()
    .int()
    .nullable()
    .describe("Rank of the first expected passage; null if not among ten"),
  ndcg: z.number(),
});
export type CheckedQuestion = z.infer<typeof CheckedQuestion>;

export const CheckedSetting = CheckSetting.omit({
  run: true,
  questions: true,
  judged: true,
}).extend({
  id: z.string(),
  hitRate: z.number().nullable().describe("Share of questions with an expected passage among ten results"),
  mrr: z.number().nullable(),
  ndcg: z.number().nullable().describe("nDCG@10"),
});
export type CheckedSetting = z.infer<typeof CheckedSetting>;

export const CheckRun = z.object({
  id: z.string(),
  state: z.enum(["running", "done"]),
  questions: z.number().int(),
  judged: z.number().int().describe("Questions about documents everyone can see"),
  done: z.number().int().describe("Completed searches"),
  total: z.number().int().describe("Total searches"),
  settings: z.array(CheckedSetting),
  createdAt: z.iso.datetime(),
});
export type CheckRun = z.infer<typeof CheckRun>;

export const CheckRunDetail = CheckRun.extend({
  results: z.record(z.string(), z.array(CheckedQuestion)).describe("By the setting's id"),
});
export type CheckRunDetail = z.infer<typeof CheckRunDetail>;

export const CheckRunsQuery = z.object({ limit: z.coerce.number().int().min(1).max(50).default(20) });

const page = z.coerce.number().int().min(1).max(1000).default(1).catch(1);
const text = (limit: number) => z.string().max(limit).optional().catch(undefined);

export const CheckScreenQuery = z.object({
  dialog: z.enum(["add", "edit", "delete"]).optional().catch(undefined),
  id: text(64),
  q: text(500),
  run: text(64),
  sort: z.enum(["change", "question", "before", "after"]).default("change").catch("change"),
  order: z.enum(["asc", "desc"]).default("asc").catch("asc"),
  page,
  list: page,
});
export type QuestionOrder = Pick<CheckScreenQuery, "sort" | "order">;
export type CheckScreenQuery = z.infer<typeof CheckScreenQuery>;
