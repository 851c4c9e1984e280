import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { isoTime } from "~/core/durations";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { clip } from "~/core/well-formed";
import { append, changesOf } from "~/platform/audit/audit.service.server";
import type { Ownership } from "~/platform/catalogue/ownership";
import { publish } from "~/platform/events/events.service.server";
import { atLeast, authorise, may } from "~/platform/rights/authorization.server";
import { nameOf } from "~/team/members/member-names.service.server";
import {
  findPublicDocumentId,
  namePublicDocuments,
} from "~/work/search/evaluation/retrieval-questions.service.server";
import { discardRuns } from "./evaluations.jobs.server";
import {
  changeSetAuthor,
  countQuestions,
  countSets,
  deleteQuestionRow,
  deleteSetRow,
  findQuestionRow,
  findSetRow,
  insertQuestion,
  insertSet,
  listQuestionRows,
  listRunRows,
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
  type QuestionInput,
  SetInput,
  type SetPatch,
} from "./evaluations.schema";
import { checkInThread } from "./judge.server";

/** Per organization. */
const MAX_SETS = 200;

export function refuse(field: string, message: string): never {
  throw new AppError("invalid", `${message}.`, { fields: { [field]: [message] } });
}

/** Changes evaluations in one transaction and tells the open pages. */
export function change<T>(actor: Actor, work: (tx: Db) => T): T {
  authorise(actor, "evaluations.write");
  const result = transaction(work);
  publish({ topic: "evaluations", orgId: actor.orgId });
  return result;
}

/** Authors, and admins for shared ones. */
export const mayEdit = (actor: Actor, { createdBy, shared }: SetRow): boolean =>
  may(actor, "evaluations.write") && (createdBy === actor.userId || (shared && atLeast(actor.role, "admin")));

function toSet(actor: Actor, row: SetRow, questions = countQuestions(db(), row.id)): EvaluationSet {
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
  return toSet(actor, requireSet(db(), actor, id));
}

/** @throws AppError `conflict` at the maximum */
export const createSet = (actor: Actor, { name, shared }: SetInput): EvaluationSet =>
  change(actor, (tx) => {
    const { orgId, userId } = actor;
    if (countSets(tx, orgId) >= MAX_SETS)
      throw new AppError("conflict", `The organization has ${MAX_SETS} evaluations. Delete one first.`);
    const at = now();
    const row = { id: newId("evl"), orgId, name, shared, createdBy: userId, createdAt: at, updatedAt: at };
    insertSet(tx, row);
    append(tx, actor, { action: "evaluation.created", resource: `evaluation:${row.id}`, details: { name } });
    return toSet(actor, row);
  });

/** @throws AppError `not_found`, `forbidden` for others' sets */
export const updateSet = (actor: Actor, id: string, patch: SetPatch): EvaluationSet =>
  change(actor, (tx) => {
    const row = requireEditable(tx, actor, id);
    const changed = { ...row, ...patch };
    updateSetRow(tx, id, { ...patch, updatedAt: now() });
    append(tx, actor, {
      action: "evaluation.updated",
      resource: `evaluation:${id}`,
      details: { name: changed.name },
      ...changesOf(SetInput.shape, row, patch),
    });
    return toSet(actor, changed);
  });

/** With its runs, of which one that goes on ends. @throws AppError `not_found`, `forbidden` for others' sets */
export function deleteSet(actor: Actor, id: string): EvaluationSet {
  const { set, stop } = change(actor, (tx) => {
    const row = requireEditable(tx, actor, id);
    const set = toSet(actor, row);
    const stop = discardRuns(tx, actor.orgId, listRunRows(tx, id));
    deleteSetRow(tx, id);
    const { name } = row;
    append(tx, actor, { action: "evaluation.deleted", resource: `evaluation:${id}`, details: { name } });
    return { set, stop };
  });
  stop();
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

function requireQuestion(tx: Db, setId: string, id: string): QuestionRow {
  const row = findQuestionRow(tx, setId, id);
  if (!row) throw new AppError("not_found", "Question not found. It may have been deleted.");
  return row;
}

async function assertUsable(jsonSchema: Record<string, unknown>): Promise<void> {
  try {
    await checkInThread({ jsonSchema, answer: null });
  } catch (error) {
    if (error instanceof AppError) refuse("expects.jsonSchema", error.message.replace(/\.$/, ""));
    throw error;
  }
}

/**
 * Adds a question, or changes the one with the id; runs keep it as it was.
 * @throws AppError `invalid`, also for a schema that answers can't be checked by or a document that not everyone can
 * see, `not_found`, `forbidden`; `conflict` at the maximum
 */
export async function saveQuestion(
  actor: Actor,
  setId: string,
  id: string | undefined,
  { question, expects: { documentId: document, ...traits } }: QuestionInput,
): Promise<Question> {
  authorise(actor, "evaluations.write");
  const documentId = document === undefined ? undefined : findPublicDocumentId(actor, document);
  if (document !== undefined && documentId === undefined)
    refuse("expects.documentId", `"${document}" not found among the documents that everyone can see`);
  const expects = { ...traits, ...(documentId !== undefined && { documentId }) };
  if (expects.jsonSchema) await assertUsable(expects.jsonSchema);
  return change(actor, (tx) => {
    const { name } = requireEditable(tx, actor, setId);
    const saved = id === undefined ? undefined : requireQuestion(tx, setId, id);
    if (!saved && countQuestions(tx, setId) >= MAX_QUESTIONS)
      throw new AppError(
        "conflict",
        `An evaluation has at most ${MAX_QUESTIONS} questions. Delete one first.`,
      );
    const at = now();
    const row = { id: newId("evq"), setId, createdAt: at, ...saved, question, expects, updatedAt: at };
    if (saved) updateQuestionRow(tx, row.id, { question, expects, updatedAt: at });
    else insertQuestion(tx, row);
    append(tx, actor, {
      action: saved ? "evaluation_question.updated" : "evaluation_question.created",
      resource: `evaluation:${setId}`,
      details: { name },
    });
    return toQuestion(row);
  });
}

/** @throws AppError `not_found`, `forbidden` */
export const deleteQuestion = (actor: Actor, setId: string, id: string): void =>
  change(actor, (tx) => {
    const { name } = requireEditable(tx, actor, setId);
    requireQuestion(tx, setId, id);
    deleteQuestionRow(tx, id);
    append(tx, actor, {
      action: "evaluation_question.deleted",
      resource: `evaluation:${setId}`,
      details: { name },
    });
  });

/** Traits as the form shows them. */
export function formTraits(actor: Actor, { jsonSchema, documentId = "", ...others }: Expects) {
  const name = namePublicDocuments(actor, [documentId])[documentId];
  return {
    ...others,
    jsonSchema: jsonSchema && JSON.stringify(jsonSchema, null, 2),
    // Another document may have its name.
    documentId: name !== undefined && findPublicDocumentId(actor, name) === documentId ? name : documentId,
  };
}

const quote = (texts: readonly string[]) => texts.map((text) => `"${clip(text, 50)}"`).join(", ");

/** Traits as a list shows them. */
export const describeTraits = (traits: Expects): string =>
  [
    traits.contains.length > 0 && `contains ${quote(traits.contains)}`,
    traits.lacks.length > 0 && `doesn't contain ${quote(traits.lacks)}`,
    traits.pattern !== undefined && `matches ${clip(traits.pattern, 50)}`,
    traits.jsonSchema && "fits a JSON Schema",
    traits.documentId !== undefined && "cites a document",
    traits.rubric !== undefined && `judged: ${clip(traits.rubric, 100)}`,
  ]
    .filter(Boolean)
    .join(" · ");

/** Per transaction. */
const DELETED_AT_ONCE = 10;

const listOwnSets = (tx: Db, owner: Pick<Actor, "orgId" | "userId">) =>
  listSetRows(tx, owner).filter(({ createdBy }) => createdBy === owner.userId);

export const ownedEvaluations: Ownership = {
  kind: "evaluations",
  noun: "evaluations",
  label: "Evaluations",
  hint: "Transfer to a member other than yourself, or delete with their runs.",
  permission: "evaluations.write",
  isPrivate: true,
  count: (tx, owner) => listOwnSets(tx, owner).length,
  apply: (tx, owner, { recipient }, _limit, after) => {
    if (recipient !== undefined) return changeSetAuthor(tx, owner, recipient);
    const sets = listOwnSets(tx, owner).slice(0, DELETED_AT_ONCE);
    for (const { id } of sets) {
      after.push(discardRuns(tx, owner.orgId, listRunRows(tx, id)));
      deleteSetRow(tx, id);
    }
    return sets.length;
  },
};
