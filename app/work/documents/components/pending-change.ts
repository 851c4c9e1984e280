import type { Document, DocumentCategory } from "../documents.schema";

export interface Group {
  category: DocumentCategory;
  documents: Document[];
  after?: string | undefined;
  next?: string | undefined;
}

export function applyPending(groups: readonly Group[], form: FormData | undefined): readonly Group[] {
  const change = form && changeOf(form);
  if (!change) return groups;
  const { ids, category: target } = change;
  const moving = groups.flatMap(({ category, documents }) =>
    documents.filter(({ id }) => category.name !== target && ids.has(id)),
  );
  if (moving.length === 0) return groups;
  return groups.map((group) => {
    const { category, documents } = group;
    const isTarget = category.name === target;
    const preview = isTarget
      ? [...documents, ...moving.map((one) => inCategory(one, target))]
      : documents.filter(({ id }) => !ids.has(id));
    const count = category.documents + preview.length - documents.length;
    return { ...group, category: { ...category, documents: count }, documents: preview };
  });
}

const inCategory = (document: Document, category: string): Document => ({
  ...document,
  metadata: { ...document.metadata, category },
});

function changeOf(form: FormData): { ids: ReadonlySet<string>; category: string | undefined } | undefined {
  const ids = (name: string) => new Set(form.getAll(name).map(String));
  switch (form.get("intent")) {
    case "set-category":
      return { ids: ids("id"), category: String(form.get("category")) };
    case "move-selected":
      return form.get("category") ? { ids: ids("ids"), category: String(form.get("category")) } : undefined;
    case "delete-selected":
      return { ids: ids("ids"), category: undefined };
    default:
      return undefined;
  }
}
