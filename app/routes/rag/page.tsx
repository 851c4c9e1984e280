import { useActionData, useLoaderData } from "@remix-run/react";
import { useLiveTopics } from "~/features/events/components/use-live-topics";
import { AddressForm } from "~/features/knowledge/batches.schema";
import { createBatch, findReadableBatch } from "~/features/knowledge/batches.service.server";
import { listCategoryNames } from "~/features/knowledge/categories.service.server";
import { RagScreen } from "~/features/knowledge/components/rag-screen";
import { listPossibleReaders } from "~/features/knowledge/document-readers.service.server";
import {
  collectionStats,
  findWithoutVectors,
  groupDocuments,
} from "~/features/knowledge/documents.service.server";
import { readEmbeddingOffer } from "~/features/knowledge/embedding-offer.service.server";
import { TextForm } from "~/features/knowledge/ingest.schema";
import { type IngestOutcome, ingest } from "~/features/knowledge/ingest.service.server";
import { processedSentence } from "~/features/knowledge/ingest-words.schema";
import { DialogView, ListView, RagSettingsForm, SearchView } from "~/features/knowledge/rag-screen.schema";
import { saveSettingsForm } from "~/features/knowledge/rag-settings.service.server";
import { embeddingChoices, ragStatus } from "~/features/knowledge/rag-status.service.server";
import { searchForScreen } from "~/features/knowledge/screen-search.service.server";
import { TEXT_BODY_BYTES } from "~/features/knowledge/text-length.schema";
import { listUnsettledBatches } from "~/features/knowledge/unsettled-batches.service.server";
import { may, refusal } from "~/features/members/authorisation.server";
import { listModels } from "~/features/models/models.service.server";
import { readGroupState } from "~/features/settings/read-settings.service.server";
import { readUserSettings } from "~/features/settings/settings.service.server";
import { redirectToFilled } from "~/http/filled-address.server";
import { intent, screen } from "~/http/screen.server";
import { revalidateOnConflict } from "~/ui/revalidate-on-conflict";
import { titled } from "~/ui/titled";

/** Documents of each category at once, and of one category on each of its pages. */
const FIRST = 10;
const PAGE = 100;

export const meta = titled("RAG & Memory");

const { loader, action } = screen({
  access: "signed-in",
  load: async ({ actor, url, request, context }) => {
    // An empty query was asked, and is answered.
    const filled = redirectToFilled(request, ["q"]);
    if (filled) throw filled;
    const search = Object.fromEntries(url.searchParams);
    const categories = listCategoryNames(actor);
    const wanted = ListView.parse(search);
    // A category that was renamed since is no reason to show nothing.
    const view = categories.includes(wanted.group) ? wanted : { ...wanted, group: "", cursor: "" };
    const [open, asked] = [DialogView.parse(search), SearchView.parse(search)];
    const { find, status, group, cursor } = view;
    const lacks = (permission: "documents.write" | "settings.manage") =>
      may(actor, permission) ? undefined : refusal(permission);
    const groups = await groupDocuments(actor, {
      limit: group ? PAGE : FIRST,
      ...(find ? { search: find } : {}),
      ...(status ? { status } : {}),
      ...(group ? { category: group } : {}),
      ...(group && cursor ? { cursor } : {}),
    });
    return {
      view,
      open,
      asked,
      found: open.dialog === "search" ? await searchForScreen(actor, asked, context.closed) : undefined,
      groups,
      withoutVectors: findWithoutVectors(actor, groups),
      categories,
      stats: await collectionStats(actor),
      batch: findReadableBatch(actor, view.batch, Number(view.part) || 1),
      unsettled: may(actor, "documents.write") ? await listUnsettledBatches(actor) : [],
      colleagues:
        open.dialog === "ingest" ? listPossibleReaders(actor).filter(({ id }) => id !== actor.userId) : [],
      settings: readUserSettings(actor),
      version: readGroupState(actor.orgId, "rag").version,
      status: ragStatus(actor),
      offer: may(actor, "settings.manage") ? readEmbeddingOffer(actor).offer : null,
      choices: {
        embedding: embeddingChoices(actor),
        rerankModels: listModels(actor).flatMap(({ id, providerId }) => (providerId ? [id] : [])),
      },
      refusals: { write: lacks("documents.write"), manage: lacks("settings.manage") },
    };
  },
  actions: {
    "ingest-text": intent({
      access: "documents.write",
      input: TextForm,
      long: ["text"],
      maxBytes: TEXT_BODY_BYTES,
      run: ({ actor, input, context }) => ingest(actor, input, { signal: context.closed }),
      done: describeOutcome,
    }),
    "ingest-url": intent({
      access: "documents.write",
      input: AddressForm,
      long: ["addresses"],
      run: async ({ actor, input, context }) =>
        "batch" in input
          ? { batchId: (await createBatch(actor, input.batch)).id }
          : { outcome: await ingest(actor, input.page, { signal: context.closed }) },
      done: ({ batchId, outcome }) => (outcome ? describeOutcome(outcome) : { to: `/rag?batch=${batchId}` }),
    }),
    "save-settings": intent({
      access: "settings.manage",
      input: RagSettingsForm,
      run: ({ actor, input: { version, ...values } }) => saveSettingsForm(actor, values, version),
      done: (_, { url }) => ({
        to: url.pathname + url.search,
        toast: "RAG & Embedding settings updated.",
      }),
    }),
  },
});

/** What a document that was added came to, for the page that shows it. */
function describeOutcome({ done, document }: IngestOutcome) {
  const { title, duplicate } = document;
  const info = (text: string) => ({ toast: { kind: "info" as const, title: text } });
  if (duplicate) return info(`"${title}" is there already`);
  if (!done) return info(`"${title}" is being processed`);
  return processedSentence(title, document.chunks, document.hasEmbeddings);
}

export { action, loader, revalidateOnConflict as shouldRevalidate };

export default function RagAndMemory() {
  const loaded = useLoaderData<typeof loader>();
  // Revalidating would ask an open search again.
  useLiveTopics(["documents"], { isPaused: loaded.open.dialog === "search" });
  return <RagScreen {...loaded} result={useActionData<typeof action>()?.result} />;
}
