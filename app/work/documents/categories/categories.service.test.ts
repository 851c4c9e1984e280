import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "~/core/actor";
import { transaction } from "~/core/db.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { organisations } from "~db/schema";
import { ORG_ID, openTestDatabase } from "../../../../tests/support/database";
import { addDocument } from "../../../../tests/support/documents";
import { listDocuments } from "../documents.service.server";
import {
  categoryNamed,
  createCategory,
  deleteCategory,
  ensureCategories,
  listCategories,
  listCategoryNames,
  renameCategory,
} from "./categories.service.server";

describe("categories", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
  });
  afterEach(() => test.close());

  const names = (actor: Actor = test.actors.viewer) => listCategoryNames(actor);
  const idOf = (name: string) => categoryNamed(ORG_ID, name).id;

  it("start with the eight defaults, created once", async () => {
    const eight = [
      "Uncategorized",
      "Inventory",
      "Products",
      "Customers",
      "Vendors",
      "Service",
      "Finance",
      "Management",
    ];
    expect(names()).toEqual(eight);
    ensureCategories(ORG_ID);
    expect(names()).toEqual(eight);
  });

  it("are separate for each organisation", async () => {
    transaction((tx) =>
      tx.insert(organisations).values({ id: "org_other", name: "Other", createdAt: 1 }).run(),
    );
    const stranger: Actor = { ...test.actors.owner, orgId: "org_other" };
    createCategory(test.actors.member, "Recipes");
    expect(names(stranger)).not.toContain("Recipes");
    expect(() => renameCategory(stranger, idOf("Recipes"), "Mine")).toThrow(/Category not found/);
    expect(() => deleteCategory(stranger, idOf("Recipes"))).toThrow(/Category not found/);
  });

  it("are found regardless of case and spacing", async () => {
    createCategory(test.actors.member, "Übersicht");
    expect(categoryNamed(ORG_ID, "üBERSICHT").name).toBe("Übersicht");
    expect(categoryNamed(ORG_ID).name).toBe("Uncategorized");
    expect(() => categoryNamed(ORG_ID, "Nowhere")).toThrow('Category "Nowhere" not found.');
  });

  it("are unique by name, ignoring case", async () => {
    expect(createCategory(test.actors.member, "Recipes")).toMatchObject({ name: "Recipes", documents: 0 });
    expect(() => createCategory(test.actors.member, "RECIPES")).toThrow(
      'A category named "Recipes" already exists.',
    );
    expect(() => renameCategory(test.actors.member, idOf("Recipes"), "finance")).toThrow(/already/);
    expect(renameCategory(test.actors.member, idOf("Recipes"), "recipes").name).toBe("recipes");
  });

  it("move their documents, visible or not, to the end of Uncategorized when deleted", async () => {
    const first = addDocument("First", { orderIndex: 4 });
    const second = addDocument("Second", { category: "Finance", orderIndex: 1 });
    const third = addDocument("Third", { category: "Finance", orderIndex: 2, visibility: "named" });
    expect(deleteCategory(test.actors.admin, idOf("Finance"))).toMatchObject({ documents: 1 });
    expect(names()).not.toContain("Finance");
    const { documents } = await listDocuments(test.actors.member, { category: "Uncategorized", limit: 10 });
    expect(documents.map(({ id }) => id)).toEqual([first, second, third]);
  });

  it("don't allow changing Uncategorized", async () => {
    const id = idOf("Uncategorized");
    expect(() => renameCategory(test.actors.owner, id, "Rest")).toThrow(/default category/);
    expect(() => deleteCategory(test.actors.owner, id)).toThrow(/default category/);
  });

  it("count the documents visible to the actor", async () => {
    addDocument("Open", { category: "Finance" });
    addDocument("Secret", { category: "Finance", visibility: "named" });
    const count = async (actor: Actor) =>
      (await listCategories(actor)).find(({ name }) => name === "Finance")?.documents;
    expect(await count(test.actors.member)).toBe(2);
    expect(await count(test.actors.owner)).toBe(1);
  });

  it("can be changed by members, and every change is audited", async () => {
    expect(() => createCategory(test.actors.viewer, "Recipes")).toThrow(
      /Only members, admins and owners can/,
    );
    const { id } = createCategory(test.actors.member, "Recipes");
    expect(() => renameCategory(test.actors.viewer, id, "Food")).toThrow(
      /Only members, admins and owners can/,
    );
    expect(() => deleteCategory(test.actors.viewer, id)).toThrow(/Only members, admins and owners can/);
    renameCategory(test.actors.member, id, "Food");
    deleteCategory(test.actors.member, id);
    const { entries } = listAudit(test.actors.owner, { limit: 10 });
    expect(entries.map(({ action, details }) => [action, details.name])).toEqual([
      ["category.deleted", "Food"],
      ["category.updated", "Food"],
      ["category.created", "Recipes"],
    ]);
  });

  it("are limited in number", async () => {
    for (let n = ensureCategories(ORG_ID).length; n < 200; n++) createCategory(test.actors.member, `C${n}`);
    expect(() => createCategory(test.actors.member, "One more")).toThrow(
      "You can have at most 200 categories",
    );
  });
});
