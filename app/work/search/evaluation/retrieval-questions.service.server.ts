import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { isoTime } from "~/core/durations";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { describeIssue } from "~/core/parse";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import type { QuestionForm } from "./check-form.shared";
import {
  countQuestionRows,
  deletePassageRows,
  deleteQuestionRow,
  findPublicDocument,
  findQuestionRow,
  insertPassage,
  insertQuestion,
  listPassageRows,
  listQuestionsWithPassages,
  type PassageRow,
  type QuestionRow,
  updateQuestionRow,
} from "./retrieval-check.repo.server";
import {
  type CheckQuestion,
  CheckQuestionInput,
  type CheckQuestionPatch,
  MAX_QUESTIONS,
} from "./retrieval-check.schema";

type Passage = CheckQuestionInput["passages"][number];

function toQuestion(row: QuestionRow, passages: readonly PassageRow[]): CheckQuestion {
  return {
    id: row.id,
    question: row.question,
    passages: passages.map(({ documentId, document, quote }) => ({ documentId, document, quote })),
    createdAt: isoTime(row.createdAt),
  };
}

export function listQuestions(actor: Actor): CheckQuestion[] {
  authorise(actor, "documents.search");
  return listQuestionsWithPassages(db(), actor.orgId).map(({ question, passages }) =>
    toQuestion(question, passages),
  );
}

/** @throws AppError `not_found`, also for another organization's question */
export function readQuestion(actor: Actor, id: string): CheckQuestion {
  authorise(actor, "documents.search");
  return readRow(db(), actor, id);
}

function readRow(tx: Db, actor: Actor, id: string): CheckQuestion {
  return toQuestion(requireRow(tx, actor, id), listPassageRows(tx, actor.orgId, [id]));
}

function requireRow(tx: Db, actor: Actor, id: string): QuestionRow {
  const row = findQuestionRow(tx, actor.orgId, id);
  if (!row) throw new AppError("not_found", "Question not found. It may have been deleted.");
  return row;
}

function assertBelowLimit(tx: Db, actor: Actor): void {
  if (countQuestionRows(tx, actor.orgId) < MAX_QUESTIONS) return;
  throw new AppError("conflict", `You can have at most ${MAX_QUESTIONS} questions. Delete some first.`);
}

function storePassages(tx: Db, actor: Actor, questionId: string, passages: readonly Passage[]): void {
  for (const { documentId, quote } of passages) {
    if (!findPublicDocument(tx, actor.orgId, { id: documentId })) {
      throw new AppError("invalid", "Questions can only use documents that everyone can see.", {
        fields: { passages: ["Remove passages of deleted or restricted documents"] },
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
    assertBelowLimit(tx, actor);
    const id = storeQuestion(tx, actor, input);
    append(tx, actor, {
      action: "retrieval_question.created",
      resource: `retrieval-question:${id}`,
      details: { passages: input.passages.length },
    });
    return readRow(tx, actor, id);
  });
}

export function changeQuestion(actor: Actor, id: string, patch: CheckQuestionPatch): CheckQuestion {
  authorise(actor, "documents.write");
  return transaction((tx) => {
    requireRow(tx, actor, id);
    if (patch.passages) {
      deletePassageRows(tx, id);
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

export function deleteQuestion(actor: Actor, id: string): void {
  authorise(actor, "documents.write");
  transaction((tx) => {
    requireRow(tx, actor, id);
    deleteQuestionRow(tx, id);
    append(tx, actor, { action: "retrieval_question.deleted", resource: `retrieval-question:${id}` });
  });
}

/** Of a document that everyone can see. @param reference its name, id or address */
export function findPublicDocumentId({ orgId }: Pick<Actor, "orgId">, reference: string): string | undefined {
  const name = reference.trim();
  const id = /\/rag\/([^/?#]+)/.exec(reference)?.[1] ?? name;
  return (findPublicDocument(db(), orgId, { id }) ?? findPublicDocument(db(), orgId, { name }))?.id;
}

/** Names by id of those documents that everyone can see. */
export const namePublicDocuments = (
  { orgId }: Pick<Actor, "orgId">,
  ids: readonly string[],
): Record<string, string> =>
  Object.fromEntries(
    [...new Set(ids)].flatMap((id) => {
      const document = findPublicDocument(db(), orgId, { id });
      return document ? [[id, document.name]] : [];
    }),
  );

function requireDocumentId(actor: Actor, reference: string): string {
  const id = findPublicDocumentId(actor, reference);
  if (id !== undefined) return id;
  throw new AppError("invalid", `"${reference.trim()}" not found among the documents that everyone can see.`);
}

export function saveQuestion(actor: Actor, { id, question, choices, other }: QuestionForm): CheckQuestion {
  authorise(actor, "documents.write");
  const passages = choices
    .filter(({ ticked }) => ticked)
    .map(({ documentId, quote }) => ({ documentId, quote }));
  if (other.document.trim() || other.quote.trim()) {
    passages.push({ documentId: requireDocumentId(actor, other.document), quote: other.quote });
  }
  const parsed = CheckQuestionInput.safeParse({ question, passages }, { error: describeIssue });
  if (!parsed.success)
    throw new AppError(
      "invalid",
      parsed.error.issues[0]?.message ?? "These passages can't be saved. Check the quotes and try again.",
    );
  return id ? changeQuestion(actor, id, parsed.data) : addQuestion(actor, parsed.data);
}
