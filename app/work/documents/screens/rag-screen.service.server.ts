import { listModels } from "~/ai/models/models.service.server";
import { listRerankers } from "~/ai/models/rerank.service.server";
import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { drawnFields, type FieldSpec } from "~/core/field.schema";
import { may, refusal } from "~/platform/rights/authorization.server";
import { rag } from "~/platform/settings/groups/rag.schema";
import { readGroupState } from "~/platform/settings/settings.service.server";
import { readUserSettings } from "~/team/members/preferences.service.server";
import { readRecognitionForm } from "~/work/extraction/recognition/reading-server.service.server";
import { readEmbeddingOffer } from "~/work/index/embedding-offer.service.server";
import { readRebuild } from "~/work/index/indexes.service.server";
import { embeddingChoices, ragStatus } from "~/work/index/rag-status.service.server";
import { SearchInput } from "~/work/search/search.schema";
import { searchDocuments } from "~/work/search/search.service.server";
import { listPossibleReaders } from "../access/document-readers.service.server";
import { listCategoryNames } from "../categories/categories.service.server";
import { collectionStats, findWithoutVectors, groupDocuments } from "../documents.service.server";
import { findBatch } from "../ingestion/batches.service.server";
import { listDeleted } from "../removal/document-removal.service.server";
import { DialogView, ListView, type SearchOutcome, SearchView } from "./rag-screen.schema";

async function searchForScreen(
  actor: Actor,
  { q, in: category, ...rest }: SearchView,
  signal: AbortSignal,
): Promise<SearchOutcome | undefined> {
  if (q === undefined) return undefined;
  const set = Object.entries({ category, ...rest }).filter(([, value]) => value !== "");
  const input = SearchInput.safeParse({ query: q, filters: Object.fromEntries(set) });
  if (!input.success) return { missing: input.error.issues[0]?.message ?? "" };
  try {
    return { answer: await searchDocuments(actor, input.data, signal) };
  } catch (error) {
    if (error instanceof AppError) return { problem: error.message };
    throw error;
  }
}

const PREVIEW_SIZE = 10;
const PAGE_SIZE = 100;

export async function readRagScreen(actor: Actor, search: Record<string, string>, signal: AbortSignal) {
  const categories = listCategoryNames(actor);
  const view = viewOf(actor, search, categories);
  const [open, query] = [DialogView.parse(search), SearchView.parse(search)];
  const { find, status, group, batch, sort, cursor } = view;
  const lacks = (permission: "documents.write" | "settings.manage") =>
    may(actor, permission) ? undefined : refusal(permission);
  const paged = cursor ? { cursor } : {};
  const isDeleted = status === "deleted";
  const groups = isDeleted
    ? []
    : await groupDocuments(actor, {
        limit: group ? PAGE_SIZE : PREVIEW_SIZE,
        ...(find ? { search: find } : {}),
        ...(status ? { status } : {}),
        ...(batch ? { batch } : {}),
        ...(sort ? { sort } : {}),
        ...(group ? { category: group, ...paged } : {}),
      });
  return {
    view,
    open,
    searchView: query,
    found: open.dialog === "search" ? await searchForScreen(actor, query, signal) : undefined,
    groups,
    deleted: isDeleted ? listDeleted(actor, { limit: PAGE_SIZE, ...paged }) : undefined,
    withoutVectors: findWithoutVectors(actor, groups),
    categories,
    stats: await collectionStats(actor),
    batch: await findBatch(actor, batch),
    // Loaded up front, since opening the dialog sends no request.
    colleagues: may(actor, "documents.write")
      ? listPossibleReaders(actor).filter(({ id }) => id !== actor.userId)
      : [],
    settings: readUserSettings(actor),
    version: readGroupState(actor.orgId, "rag").version,
    status: ragStatus(actor),
    offer: may(actor, "settings.manage") ? readEmbeddingOffer(actor).offer : null,
    rebuild: view.panel === "settings" && may(actor, "settings.manage") ? readRebuild(actor) : undefined,
    fields: settingsFields(actor),
    recognition:
      view.panel === "settings" && may(actor, "settings.manage") ? readRecognitionForm(actor) : undefined,
    refusals: { write: lacks("documents.write"), manage: lacks("settings.manage") },
  };
}

/**
 * The group's fields, with what a store needs, the models to choose from and, since saving means consent, the
 * provider's location.
 */
function settingsFields(actor: Actor): Record<string, FieldSpec> {
  const { models, hosts, hasQdrant } = embeddingChoices(actor);
  const options = models.map(({ id, isCallable }) => ({
    value: id,
    label: isCallable ? id : `${id} (not available)`,
  }));
  const rerankers = listRerankers(actor).map((id) => ({ value: id, label: id, group: "Rerankers" }));
  const chatModels = listModels(actor).flatMap(({ id, providerId }) =>
    providerId ? [{ value: id, label: id, group: "Chat models" }] : [],
  );
  const { ragVectorMode, embeddingProvider, embeddingModel, rerankModel } = rag.fields;
  const stores = ragVectorMode.control.options.map(({ value, label }) => ({
    value,
    label: value.startsWith("qdrant") && !hasQdrant ? `${label} (once QDRANT_URL is set)` : label,
  }));
  const automatic = "Automatic uses the built-in embedder until an admin agrees to a provider.";
  const consent = `Saving a provider sends it every document and every search: ${hosts.join(", ")}`;
  return drawnFields({
    ...rag.fields,
    ragVectorMode: { ...ragVectorMode, control: { kind: "select", options: stores } },
    embeddingProvider: {
      ...embeddingProvider,
      hint: hosts.length === 0 ? automatic : `${automatic} ${consent}`,
    },
    embeddingModel: { ...embeddingModel, control: { kind: "select", options } },
    rerankModel: {
      ...rerankModel,
      hint: "Reorder the best passages of each search. Improves results but adds time and the model's cost; a reranker takes less of both than a chat model.",
      control: { kind: "select", options: [{ value: "", label: "None" }, ...rerankers, ...chatModels] },
    },
  });
}

/** Without filters that no longer apply: a category that was renamed, or deleted documents if none may be restored. */
function viewOf(actor: Actor, search: Record<string, string>, categories: readonly string[]): ListView {
  const view = ListView.parse(search);
  const isDeleted = view.status === "deleted";
  if (isDeleted && may(actor, "documents.write")) return { ...view, find: "", group: "", batch: "" };
  const status = isDeleted ? "" : view.status;
  return categories.includes(view.group) ? { ...view, status } : { ...view, status, group: "", cursor: "" };
}
