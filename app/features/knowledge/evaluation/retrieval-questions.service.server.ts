import { type Actor, atLeast } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { inSlices } from "~/core/time-slices.server";
import { append } from "~/features/audit/audit.service.server";
import { authorise } from "~/features/members/authorisation.server";
import { IMPORT_TOO_LONG, MAX_IMPORT } from "../ingestion/text-length.shared";
import type { QuestionForm } from "./check-form.shared";
import { HIDDEN_QUESTION } from "./check-labels.shared";
import { readExport } from "./read-export";
import {
  countQuestionRows,
  deletePassageRows,
  deleteQuestionRow,
  findQuestionRow,
  findSeenDocument,
  insertPassage,
  insertQuestion,
  listPassageRows,
  listQuestionRows,
  type PassageRow,
  type QuestionRow,
  updateQuestionRow,
} from "./retrieval-check.repo.server";
import {
  type CheckExport,
  type CheckQuestion,
  CheckQuestionInput,
  type CheckQuestionPatch,
  MOST_QUESTIONS,
} from "./retrieval-check.schema";
import { mayReadQuestion } from "./visible-results.server";

type Passage = CheckQuestionInput["passages"][number];

function toQuestion(actor: Actor, row: QuestionRow, passages: readonly PassageRow[]): CheckQuestion {
  const seen = passages.filter((passage) => passage.seen);
  return {
    id: row.id,
    question: mayReadQuestion(actor, row, passages) ? row.question : HIDDEN_QUESTION,
    passages: seen.map(({ documentId, document, quote }) => ({ documentId, document, quote })),
    unseen: passages.length - seen.length,
    createdAt: new Date(row.createdAt).toISOString(),
  };
}

/** Every saved question, oldest first, with the passages of documents one sees. */
export function listQuestions(actor: Actor): CheckQuestion[] {
  authorise(actor, "documents.search");
  const passages = new Map<string, PassageRow[]>();
  for (const passage of listPassageRows(db(), actor))
    passages.set(passage.questionId, [...(passages.get(passage.questionId) ?? []), passage]);
  return listQuestionRows(db(), actor.orgId).map((row) => toQuestion(actor, row, passages.get(row.id) ?? []));
}

/** @throws AppError `not_found` also for another organisation's question */
export function readQuestion(actor: Actor, id: string): CheckQuestion {
  authorise(actor, "documents.search");
  return readRow(db(), actor, id);
}

function readRow(tx: Db, actor: Actor, id: string): CheckQuestion {
  return toQuestion(actor, requireRow(tx, actor, id), listPassageRows(tx, actor, [id]));
}

function requireRow(tx: Db, actor: Actor, id: string): QuestionRow {
  const row = findQuestionRow(tx, actor.orgId, id);
  if (!row) throw new AppError("not_found", "Question not found. It may have been deleted.");
  return row;
}

function assertRoom(tx: Db, actor: Actor, more: number): void {
  if (countQuestionRows(tx, actor.orgId) + more <= MOST_QUESTIONS) return;
  throw new AppError("conflict", `You can have at most ${MOST_QUESTIONS} questions. Delete some first.`);
}

function storePassages(tx: Db, actor: Actor, questionId: string, passages: readonly Passage[]): void {
  for (const { documentId, quote } of passages) {
    if (!findSeenDocument(tx, actor, { id: documentId })) {
      throw new AppError("invalid", "Document not found. It may have been deleted.", {
        fields: { passages: ["One of the documents was deleted. Remove its passages"] },
      });
    }
    insertPassage(tx, { id: newId("rps"), questionId, documentId, quote });
  }
}

function storeQuestion(tx: Db, actor: Actor, { question, passages }: CheckQuestionInput): string {
  const id = newId("rqu");
  const at = now();
  insertQuestion(tx, {
    id,
    orgId: actor.orgId,
    question,
    createdBy: actor.userId,
    createdAt: at,
    updatedAt: at,
  });
  storePassages(tx, actor, id, passages);
  return id;
}

export function addQuestion(actor: Actor, input: CheckQuestionInput): CheckQuestion {
  authorise(actor, "documents.write");
  return transaction((tx) => {
    assertRoom(tx, actor, 1);
    const id = storeQuestion(tx, actor, input);
    append(tx, actor, {
      action: "retrieval_question.created",
      resource: `retrieval-question:${id}`,
      details: { passages: input.passages.length },
    });
    return readRow(tx, actor, id);
  });
}

const hiddenQuestion = () => new AppError("forbidden", "You don't have access to this question's documents.");

/** Changes what the patch names. Passages of documents that the actor doesn't see stay as they are. */
export function changeQuestion(actor: Actor, id: string, patch: CheckQuestionPatch): CheckQuestion {
  authorise(actor, "documents.write");
  return transaction((tx) => {
    const row = requireRow(tx, actor, id);
    const passages = listPassageRows(tx, actor, [id]);
    if (!mayReadQuestion(actor, row, passages)) throw hiddenQuestion();
    if (patch.passages) {
      const own = passages.filter((passage) => passage.seen);
      deletePassageRows(
        tx,
        own.map((passage) => passage.id),
      );
      storePassages(tx, actor, id, patch.passages);
    }
    updateQuestionRow(tx, id, {
      ...(patch.question === undefined ? {} : { question: patch.question }),
      updatedAt: now(),
    });
    append(tx, actor, {
      action: "retrieval_question.updated",
      resource: `retrieval-question:${id}`,
      details: { fields: Object.keys(patch) },
    });
    return readRow(tx, actor, id);
  });
}

/** An admin may delete also what they can't read: of someone who left, or about documents that are gone. */
export function deleteQuestion(actor: Actor, id: string): void {
  authorise(actor, "documents.write");
  transaction((tx) => {
    const row = requireRow(tx, actor, id);
    const mayRead = mayReadQuestion(actor, row, listPassageRows(tx, actor, [id]));
    if (!mayRead && !atLeast(actor.role, "admin")) throw hiddenQuestion();
    deleteQuestionRow(tx, id);
    append(tx, actor, { action: "retrieval_question.deleted", resource: `retrieval-question:${id}` });
  });
}

/** The document that a person named: by its page's address, its id or its exact name. */
function findNamed(actor: Actor, words: string): string {
  const id = /\/rag\/([^/?#]+)/.exec(words)?.[1] ?? words.trim();
  const found =
    findSeenDocument(db(), actor, { id }) ?? findSeenDocument(db(), actor, { name: words.trim() });
  if (!found) throw new AppError("invalid", `Document "${words.trim()}" not found.`);
  return found.id;
}

/** Saves what the screen's form says: a new question, or the changes of one. */
export function saveQuestion(actor: Actor, { id, question, choices, other }: QuestionForm): CheckQuestion {
  authorise(actor, "documents.write");
  const passages = choices
    .filter(({ ticked }) => ticked)
    .map(({ documentId, quote }) => ({ documentId, quote }));
  if (other.document.trim() || other.quote.trim()) {
    passages.push({ documentId: findNamed(actor, other.document), quote: other.quote });
  }
  const parsed = CheckQuestionInput.safeParse({ question, passages });
  if (!parsed.success)
    throw new AppError(
      "invalid",
      parsed.error.issues[0]?.message ?? "These passages can't be saved. Check the quotes and try again.",
    );
  return id ? changeQuestion(actor, id, parsed.data) : addQuestion(actor, parsed.data);
}

/** Adds the questions of an exported file. @throws AppError `invalid` when it is none */
export async function importFile(actor: Actor, json: string): Promise<{ added: number; skipped: number }> {
  authorise(actor, "documents.write");
  if (json.length > MAX_IMPORT) throw new AppError("too_large", IMPORT_TOO_LONG);
  return importQuestions(actor, readExport(json));
}

/** The questions as a file that another installation can take; those without a passage one sees are left out. */
export function exportQuestions(actor: Actor): CheckExport {
  const questions = listQuestions(actor).filter(({ passages }) => passages.length > 0);
  return { questions: questions.map(({ question, passages }) => ({ question, passages })) };
}

/** The passages of an imported question whose documents are here; found by id, or by the exact name. */
function locate(tx: Db, actor: Actor, passages: CheckExport["questions"][number]["passages"]): Passage[] {
  return passages.flatMap(({ documentId, document, quote }) => {
    const found =
      (documentId && findSeenDocument(tx, actor, { id: documentId })) ||
      (document && findSeenDocument(tx, actor, { name: document }));
    return found ? [{ documentId: found.id, quote }] : [];
  });
}

/** The existing questions whose words the actor may read: a count must not disclose any other. */
function listReadableQuestions(actor: Actor): Set<string> {
  const readable = listQuestions(actor).map(({ question }) => question);
  return new Set(readable.filter((question) => question !== HIDDEN_QUESTION));
}

/**
 * Adds exported questions, except existing ones and those without matching documents. In short transactions: questions
 * added before a failure are kept and skipped by a retry.
 */
export async function importQuestions(
  actor: Actor,
  { questions }: CheckExport,
): Promise<{ added: number; skipped: number }> {
  authorise(actor, "documents.write");
  const known = listReadableQuestions(actor);
  const fresh = questions.filter(({ question }) => !known.has(question) && known.add(question));
  assertRoom(db(), actor, fresh.length);
  let added = 0;
  await inSlices(fresh, (tx, { question, passages }) => {
    const located = locate(tx, actor, passages);
    if (located.length === 0) return;
    storeQuestion(tx, actor, { question, passages: located });
    added += 1;
  });
  const outcome = { added, skipped: questions.length - added };
  transaction((tx) =>
    append(tx, actor, {
      action: "retrieval_question.imported",
      resource: "retrieval-question:several",
      details: outcome,
    }),
  );
  return outcome;
}
