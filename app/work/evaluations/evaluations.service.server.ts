import { checkJsonInput } from "~/ai/tools/tool-input.service.server";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { isoTime } from "~/core/durations";
import { laterThan } from "~/core/edits.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { clip } from "~/core/well-formed";
import { append } from "~/platform/audit/audit.service.server";
import type { Ownership } from "~/platform/catalogue/ownership";
import { publish } from "~/platform/events/events.service.server";
import { atLeast, authorise, may } from "~/platform/rights/authorization.server";
import { nameOf } from "~/team/members/member-names.service.server";
import {
  findPublicDocumentId,
  namePublicDocuments,
} from "~/work/search/evaluation/retrieval-questions.service.server";
import {
  changeSetAuthor,
  countQuestions,
  countSets,
  countSetsOf,
  deleteQuestionRow,
  deleteSetRow,
  findQuestionRow,
  findSetRow,
  insertQuestion,
  insertSet,
  listQuestionRows,
  listRunIds,
  listSetIdsOf,
  listSetRows,
  type QuestionRow,
  type SetRow,
  updateQuestionRow,
  updateSetRow,
} from "./evaluations.repo.server";
import {
  type EvaluationSet,
  Expects,
  MAX_QUESTIONS,
  type Question,
  type QuestionForm,
  type QuestionInput,
  type SetInput,
  type SetPatch,
} from "./evaluations.schema";
import { discardRuns } from "./run-states.server";

/** Per organization. */
const MAX_SETS = 200;

export const publishEvaluations = (orgId: string) => publish({ topic: "evaluations", orgId });

/** Authors, and admins for shared ones. */
export const mayEdit = (actor: Actor, { createdBy, shared }: SetRow): boolean =>
  may(actor, "evaluations.write") && (createdBy === actor.userId || (shared && atLeast(actor.role, "admin")));

function toSet(actor: Actor, row: SetRow, questions: number): EvaluationSet {
  const { id, name, shared, createdBy } = row;
  return {
    id,
    name,
    shared,
    questions,
    author: { id: createdBy, name: nameOf(actor.orgId, createdBy) },
    canEdit: mayEdit(actor, row),
    createdAt: isoTime(row.createdAt),
  };
}

/** Own and shared sets, by name. */
export function listSets(actor: Actor): EvaluationSet[] {
  authorise(actor, "screens.read");
  return listSetRows(db(), actor).map(({ questions, ...row }) => toSet(actor, row, questions));
}

/** @throws AppError `not_found` */
export function requireSet(tx: Db, actor: Actor, id: string): SetRow {
  const row = findSetRow(tx, actor, id);
  if (!row) throw new AppError("not_found", "Evaluation not found. It may have been deleted.");
  return row;
}

function requireEditable(tx: Db, actor: Actor, id: string): SetRow {
  const row = requireSet(tx, actor, id);
  if (mayEdit(actor, row)) return row;
  throw new AppError("forbidden", "Only the evaluation's author, or an admin, can change it.");
}

/** @throws AppError `not_found` */
export function readSet(actor: Actor, id: string): EvaluationSet {
  authorise(actor, "screens.read");
  return toSet(actor, requireSet(db(), actor, id), countQuestions(db(), id));
}

/** @throws AppError `conflict` at the maximum */
export function createSet(actor: Actor, { name, shared }: SetInput): EvaluationSet {
  authorise(actor, "evaluations.write");
  return transaction((tx) => {
    const { orgId, userId } = actor;
    if (countSets(tx, orgId) >= MAX_SETS)
      throw new AppError("conflict", `The organization has ${MAX_SETS} evaluations. Delete one first.`);
    const at = now();
    const row = { id: newId("evl"), orgId, name, shared, createdBy: userId, createdAt: at, updatedAt: at };
    insertSet(tx, row);
    append(tx, actor, { action: "evaluation.created", resource: `evaluation:${row.id}`, details: { name } });
    publishEvaluations(orgId);
    return toSet(actor, row, 0);
  });
}

/** @throws AppError `not_found`, `forbidden` for others' sets */
export function updateSet(actor: Actor, id: string, patch: SetPatch): EvaluationSet {
  authorise(actor, "evaluations.write");
  return transaction((tx) => {
    const row = requireEditable(tx, actor, id);
    const changed = { ...row, ...patch, updatedAt: laterThan(row.updatedAt, now()) };
    const { name, shared, updatedAt } = changed;
    updateSetRow(tx, id, { name, shared, updatedAt });
    append(tx, actor, {
      action: "evaluation.updated",
      resource: `evaluation:${id}`,
      details: { name, shared },
    });
    publishEvaluations(actor.orgId);
    return toSet(actor, changed, countQuestions(tx, id));
  });
}

/** With its runs, of which one that goes on ends. @throws AppError `not_found`, `forbidden` for others' sets */
export function deleteSet(actor: Actor, id: string): EvaluationSet {
  authorise(actor, "evaluations.write");
  const { set, stop } = transaction((tx) => {
    const row = requireEditable(tx, actor, id);
    const set = toSet(actor, row, countQuestions(tx, id));
    const stop = discardRuns(tx, actor.orgId, listRunIds(tx, id));
    deleteSetRow(tx, id);
    append(tx, actor, {
      action: "evaluation.deleted",
      resource: `evaluation:${id}`,
      details: { name: row.name },
    });
    return { set, stop };
  });
  stop();
  publishEvaluations(actor.orgId);
  return set;
}

const toQuestion = ({ id, question, expects, createdAt }: QuestionRow): Question => ({
  id,
  question,
  expects: Expects.parse(expects),
  createdAt: isoTime(createdAt),
});

/** Oldest first. @throws AppError `not_found` */
export function listQuestions(actor: Actor, setId: string): Question[] {
  authorise(actor, "screens.read");
  requireSet(db(), actor, setId);
  return listQuestionRows(db(), setId).map(toQuestion);
}

function invalid(field: string, message: string): never {
  throw new AppError("invalid", `${message}.`, { fields: { [field]: [message] } });
}

/** @throws AppError `invalid` for a schema that answers can't be checked by, or a document that not everyone can see */
async function assertCheckable(actor: Actor, { jsonSchema, documentId }: Expects): Promise<void> {
  if (jsonSchema) {
    try {
      await checkJsonInput(jsonSchema, null);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      invalid(
        "jsonSchema",
        error.message.replace(/^The tool's input schema/, "The schema").replace(/\.$/, ""),
      );
    }
  }
  if (documentId !== undefined && findPublicDocumentId(actor, documentId) !== documentId)
    invalid("documentId", "Choose a document that everyone can see");
}

/** @throws AppError `invalid`, `not_found`, `forbidden`; `conflict` at the maximum */
export async function addQuestion(actor: Actor, setId: string, input: QuestionInput): Promise<Question> {
  authorise(actor, "evaluations.write");
  await assertCheckable(actor, input.expects);
  return transaction((tx) => {
    const { name } = requireEditable(tx, actor, setId);
    if (countQuestions(tx, setId) >= MAX_QUESTIONS)
      throw new AppError(
        "conflict",
        `An evaluation has at most ${MAX_QUESTIONS} questions. Delete one first.`,
      );
    const at = now();
    const row = { id: newId("evq"), setId, ...input, createdAt: at, updatedAt: at };
    insertQuestion(tx, row);
    append(tx, actor, {
      action: "evaluation_question.created",
      resource: `evaluation:${setId}`,
      details: { name },
    });
    publishEvaluations(actor.orgId);
    return toQuestion(row);
  });
}

/** Runs keep the question as it was. @throws AppError `invalid`, `not_found`, `forbidden` */
export async function changeQuestion(
  actor: Actor,
  setId: string,
  id: string,
  input: QuestionInput,
): Promise<Question> {
  authorise(actor, "evaluations.write");
  await assertCheckable(actor, input.expects);
  return transaction((tx) => {
    const { name } = requireEditable(tx, actor, setId);
    const row = requireQuestion(tx, setId, id);
    updateQuestionRow(tx, id, { ...input, updatedAt: laterThan(row.updatedAt, now()) });
    append(tx, actor, {
      action: "evaluation_question.updated",
      resource: `evaluation:${setId}`,
      details: { name },
    });
    publishEvaluations(actor.orgId);
    return toQuestion({ ...row, ...input });
  });
}

/** @throws AppError `not_found`, `forbidden` */
export function deleteQuestion(actor: Actor, setId: string, id: string): void {
  authorise(actor, "evaluations.write");
  transaction((tx) => {
    const { name } = requireEditable(tx, actor, setId);
    requireQuestion(tx, setId, id);
    deleteQuestionRow(tx, id);
    append(tx, actor, {
      action: "evaluation_question.deleted",
      resource: `evaluation:${setId}`,
      details: { name },
    });
    publishEvaluations(actor.orgId);
  });
}

function requireQuestion(tx: Db, setId: string, id: string): QuestionRow {
  const row = findQuestionRow(tx, setId, id);
  if (!row) throw new AppError("not_found", "Question not found. It may have been deleted.");
  return row;
}

/** Adds or changes a question by its form. @throws AppError as `addQuestion` */
export function saveQuestion(actor: Actor, setId: string, id: string | undefined, form: QuestionForm) {
  const { question, document, ...traits } = form;
  const documentId = document === undefined ? undefined : findPublicDocumentId(actor, document);
  if (document !== undefined && !documentId)
    invalid("document", `"${document}" not found among the documents that everyone can see`);
  const expects = Expects.safeParse({ ...traits, documentId });
  if (!expects.success)
    invalid("contains", expects.error.issues[0]?.message ?? "Say a trait of a good answer");
  const input = { question, expects: expects.data };
  return id ? changeQuestion(actor, setId, id, input) : addQuestion(actor, setId, input);
}

/** A question as its form shows it. */
export function toForm({ question, expects }: Question, documents: Readonly<Record<string, string>>) {
  const { contains, lacks, pattern, jsonSchema, documentId, rubric } = expects;
  return {
    question,
    contains: contains.join("\n"),
    lacks: lacks.join("\n"),
    pattern,
    jsonSchema: jsonSchema && JSON.stringify(jsonSchema, null, 2),
    document: documentId && (documents[documentId] ?? documentId),
    rubric,
  };
}

/** As a list shows it. */
export function describeQuestion({ question, expects }: Question): { question: string; expects: string } {
  const { contains, lacks, pattern, jsonSchema, documentId, rubric } = expects;
  const quote = (texts: readonly string[]) => texts.map((text) => `"${clip(text, 50)}"`).join(", ");
  const parts = [
    contains.length > 0 && `contains ${quote(contains)}`,
    lacks.length > 0 && `doesn't contain ${quote(lacks)}`,
    pattern !== undefined && `matches ${clip(pattern, 50)}`,
    jsonSchema && "fits a JSON Schema",
    documentId !== undefined && "cites a document",
    rubric !== undefined && `judged: ${clip(rubric, 100)}`,
  ];
  return { question: clip(question, 300), expects: parts.filter(Boolean).join(" · ") };
}

/** Names of the documents that questions expect, by id. */
export const nameDocuments = (actor: Actor, questions: readonly Question[]): Record<string, string> =>
  namePublicDocuments(
    actor,
    questions.flatMap(({ expects: { documentId } }) => documentId ?? []),
  );

/** Per transaction. */
const DELETED_AT_ONCE = 10;

export const ownedEvaluations: Ownership = {
  kind: "evaluations",
  noun: "evaluations",
  label: "Evaluations",
  hint: "Transfer to a member other than yourself, or delete with their runs.",
  permission: "evaluations.write",
  isPrivate: true,
  count: countSetsOf,
  apply: (tx, owner, { recipient }, _limit, after) => {
    if (recipient !== undefined) return changeSetAuthor(tx, owner, recipient);
    const ids = listSetIdsOf(tx, owner, DELETED_AT_ONCE);
    for (const id of ids) {
      after.push(discardRuns(tx, owner.orgId, listRunIds(tx, id)));
      deleteSetRow(tx, id);
    }
    return ids.length;
  },
};
