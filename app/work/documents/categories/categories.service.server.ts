import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { append } from "~/platform/audit/audit.service.server";
import { DEFAULT_CATEGORIES, isSameCategory } from "~/platform/catalogue/documents";
import { authorise } from "~/platform/rights/authorization.server";
import { knowledgeChanged } from "~/work/index/knowledge-changes.server";
import { countByCategory } from "../document-lists.server";
import {
  type CategoryRow,
  deleteCategoryRow,
  insertCategories,
  listCategoryRows,
  moveToCategory,
  updateCategoryRow,
} from "../document-rows.repo.server";
import { countInCategory } from "../documents.repo.server";
import type { DocumentCategory } from "../documents.schema";

const MAX_CATEGORIES = 200;

export function ensureCategories(orgId: string): CategoryRow[] {
  const rows = listCategoryRows(db(), orgId);
  if (rows.length > 0) return rows;
  return transaction((tx) => {
    if (listCategoryRows(tx, orgId).length === 0) {
      insertCategories(
        tx,
        DEFAULT_CATEGORIES.map((name, position) => newRow(orgId, name, position)),
      );
    }
    return listCategoryRows(tx, orgId);
  });
}

const newRow = (orgId: string, name: string, position: number): CategoryRow => ({
  id: newId("cat"),
  orgId,
  name,
  position,
  fixed: position === 0,
  createdAt: now(),
});

/** Finds a category, ignoring case; defaults to Uncategorized. @throws AppError `invalid` */
export function categoryNamed(orgId: string, name?: string): CategoryRow {
  const rows = ensureCategories(orgId);
  const category = name === undefined ? rows.find(({ fixed }) => fixed) : findByName(rows, name);
  if (category) return category;
  const message = `Category "${name ?? DEFAULT_CATEGORIES[0]}" not found`;
  throw new AppError("invalid", `${message}.`, { fields: { category: [message] } });
}

export async function listCategories(actor: Actor): Promise<DocumentCategory[]> {
  authorise(actor, "screens.read");
  const counts = await countByCategory(actor);
  return ensureCategories(actor.orgId).map((row) => toCategory(row, counts.get(row.id)));
}

export function listCategoryNames(actor: Actor): string[] {
  authorise(actor, "screens.read");
  return ensureCategories(actor.orgId).map(({ name }) => name);
}

export function createCategory(actor: Actor, name: string): DocumentCategory {
  authorise(actor, "documents.write");
  const created = transaction((tx) => {
    const rows = ensureCategories(actor.orgId);
    assertNameIsFree(rows, name);
    if (rows.length >= MAX_CATEGORIES)
      throw new AppError("conflict", `You can have at most ${MAX_CATEGORIES} categories. Delete one first.`);
    const row = newRow(actor.orgId, name, Math.max(...rows.map(({ position }) => position)) + 1);
    insertCategories(tx, [row]);
    append(tx, actor, { action: "category.created", resource: `category:${row.id}`, details: { name } });
    return toCategory(row, 0);
  });
  knowledgeChanged({ orgId: actor.orgId });
  return created;
}

/** @throws AppError `not_found`; `conflict` for Uncategorized and duplicate names */
export function renameCategory(actor: Actor, id: string, name: string): DocumentCategory {
  authorise(actor, "documents.write");
  const renamed = transaction((tx) => {
    const rows = ensureCategories(actor.orgId);
    const row = requireChangeable(rows, id);
    if (name !== row.name) {
      assertNameIsFree(
        rows.filter((other) => other !== row),
        name,
      );
      updateCategoryRow(tx, id, { name });
      append(tx, actor, {
        action: "category.updated",
        resource: `category:${id}`,
        details: { name, from: row.name },
      });
    }
    return toCategory({ ...row, name }, countInCategory(tx, actor, id));
  });
  knowledgeChanged({ orgId: actor.orgId });
  return renamed;
}

/** Deletes a category; its documents move to the end of Uncategorized. */
export function deleteCategory(actor: Actor, id: string): DocumentCategory {
  authorise(actor, "documents.write");
  const { orgId } = actor;
  const deleted = transaction((tx) => {
    const row = requireChangeable(ensureCategories(orgId), id);
    const documents = countInCategory(tx, actor, id);
    const moved = moveToCategory(tx, orgId, id, categoryNamed(orgId).id);
    deleteCategoryRow(tx, id);
    append(tx, actor, {
      action: "category.deleted",
      resource: `category:${id}`,
      details: { name: row.name, documents: moved },
    });
    return toCategory(row, documents);
  });
  knowledgeChanged({ orgId });
  return deleted;
}

function toCategory({ id, name, fixed }: CategoryRow, documents = 0): DocumentCategory {
  return { id, name, fixed, documents };
}

function findByName(rows: readonly CategoryRow[], name: string): CategoryRow | undefined {
  return rows.find((row) => isSameCategory(row.name, name));
}

function requireChangeable(rows: CategoryRow[], id: string): CategoryRow {
  const row = rows.find((candidate) => candidate.id === id);
  if (!row) throw new AppError("not_found", "Category not found. It may have been deleted.");
  if (row.fixed)
    throw new AppError("conflict", `${row.name} is the default category and can't be renamed or deleted.`);
  return row;
}

function assertNameIsFree(rows: CategoryRow[], name: string): void {
  const taken = findByName(rows, name);
  if (!taken) return;
  const message = `A category named "${taken.name}" already exists`;
  throw new AppError("conflict", `${message}.`, { fields: { name: [message] } });
}
