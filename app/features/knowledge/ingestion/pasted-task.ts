import { createHash } from "node:crypto";
import { z } from "zod";
import { AppError } from "~/core/errors";
import { parseWellFormed } from "~/core/well-formed";
import { CheckExport } from "../evaluation/retrieval-check.schema";
import { looksLikeMarkdown } from "../extraction/markdown/looks-like-markdown";

/** A text ready to be stored. */
export interface PreparedText {
  bytes: Uint8Array;
  /** In hex. */
  sha256: string;
  contentType: string;
}

/** Work on a long text that someone pasted, done in a thread. */
export const PastedTask = z.discriminatedUnion("work", [
  z.object({ work: z.literal("text"), text: z.string() }),
  z.object({ work: z.literal("questions"), json: z.string() }),
]);
export type PastedTask = z.infer<typeof PastedTask>;

/** The thread is ours: what it has parsed isn't parsed again. */
export const PastedOutput = z.discriminatedUnion("work", [
  z.object({ work: z.literal("text"), prepared: z.custom<PreparedText>() }),
  z.object({ work: z.literal("questions"), content: z.custom<CheckExport>() }),
]);
export type PastedOutput = z.infer<typeof PastedOutput>;

/**
 * What a text is that comes without a file, and its bytes. Its type decides how it is read; a file's name and type decide
 * for a file.
 */
export function prepare(text: string): PreparedText {
  const bytes = Buffer.from(text, "utf8");
  return {
    bytes,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    contentType: `${looksLikeMarkdown(text) ? "text/markdown" : "text/plain"}; charset=utf-8`,
  };
}

/** @throws AppError `invalid` for what are no exported questions */
function readQuestions(json: string): CheckExport {
  let content: unknown;
  try {
    content = parseWellFormed(json);
  } catch (error) {
    throw new AppError("invalid", "This is not valid JSON.", { cause: error });
  }
  const parsed = CheckExport.safeParse(content);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.length ? ` (${issue.path.map(String).join(".")})` : "";
  throw new AppError(
    "invalid",
    `This isn't a question export: ${issue?.message ?? "unknown reason"}${place}`,
  );
}

/** The work of the thread. @throws AppError `invalid` */
export function workOnPasted(task: PastedTask): PastedOutput {
  if (task.work === "text") return { work: "text", prepared: prepare(task.text) };
  return { work: "questions", content: readQuestions(task.json) };
}
