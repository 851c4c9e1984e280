import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { BatchForm } from "~/features/knowledge/batches.schema";
import { createBatch, findReadableBatch } from "~/features/knowledge/batches.service.server";
import { listCategoryNames } from "~/features/knowledge/categories.service.server";
import { RagScreen } from "~/features/knowledge/components/rag-screen";
import { collectionStats, groupDocuments } from "~/features/knowledge/documents.service.server";
import { readEmbeddingOffer } from "~/features/knowledge/embedding-offer.service.server";
import { TextForm, UrlForm } from "~/features/knowledge/ingest.schema";
import { type IngestOutcome, ingest } from "~/features/knowledge/ingest.service.server";
import { processedSentence } from "~/features/knowledge/ingest-words.schema";
import { DialogView, ListView, RagSettingsForm, SearchView } from "~/features/knowledge/rag-screen.schema";
import { saveSettingsForm } from "~/features/knowledge/rag-settings.service.server";
import { embeddingChoices, ragStatus } from "~/features/knowledge/rag-status.service.server";
import { searchForScreen } from "~/features/knowledge/screen-search.service.server";
import { listUnsettledBatches } from "~/features/knowledge/unsettled-batches.service.server";
import { may, refusal } from "~/features/members/authorisation.server";
import { listColleagues } from "~/features/members/member.service.server";
import { listModels } from "~/features/models/models.service.server";
import { readUserSettings } from "~/features/settings/settings.service.server";
import { requireScreenActor } from "~/http/authentication.server";
import type { EdgeContext } from "~/http/context";
import { redirectToFilled } from "~/http/filled-address.server";
import { onScreen, submitForm } from "~/http/form.server";
import { refuseIntent, takeField } from "~/http/intents.server";
import { readForm } from "~/http/read-body.server";
import { redirectWithToast } from "~/http/toast.server";
import { titled } from "~/ui/titled";

/** Documents of each category at once, and of one category on each of its pages. */
const FIRST = 10;
const PAGE = 100;

export const meta = titled("RAG & Memory");

export function loader({ request, context }: LoaderFunctionArgs) {
  return onScreen(context, async () => {
    const actor = requireScreenActor(request, context);
    // An empty query was asked, and is answered.
    const filled = redirectToFilled(request, ["q"]);
    if (filled) throw filled;
    const search = Object.fromEntries(new URL(request.url).searchParams);
    const categories = listCategoryNames(actor);
    const wanted = ListView.parse(search);
    // A category that was renamed since is no reason to show nothing.
    const view = categories.includes(wanted.group) ? wanted : { ...wanted, group: "", cursor: "" };
    const [open, asked] = [DialogView.parse(search), SearchView.parse(search)];
    const { find, status, group, cursor } = view;
    const lacks = (permission: "documents.write" | "settings.manage") =>
      may(actor, permission) ? undefined : refusal(permission);
    return {
      view,
      open,
      asked,
      found: open.dialog === "search" ? await searchForScreen(actor, asked, context.closed) : undefined,
      groups: await groupDocuments(actor, {
        limit: group ? PAGE : FIRST,
        ...(find ? { search: find } : {}),
        ...(status ? { status } : {}),
        ...(group ? { category: group } : {}),
        ...(group && cursor ? { cursor } : {}),
      }),
      categories,
      stats: await collectionStats(actor),
      batch: findReadableBatch(actor, view.batch, Number(view.part) || 1),
      unsettled: may(actor, "documents.write") ? await listUnsettledBatches(actor) : [],
      colleagues:
        open.dialog === "ingest" ? listColleagues(actor).filter(({ id }) => id !== actor.userId) : [],
      settings: readUserSettings(actor),
      status: ragStatus(actor),
      offer: may(actor, "settings.manage") ? readEmbeddingOffer(actor).offer : null,
      choices: {
        embedding: embeddingChoices(actor),
        rerankModels: listModels(actor).flatMap(({ id, providerId }) => (providerId ? [id] : [])),
      },
      refusals: { write: lacks("documents.write"), manage: lacks("settings.manage") },
    };
  });
}

/** What a document that was taken on came to, on the page that shows it. */
function saysOutcome(outcome: IngestOutcome, context: EdgeContext): Response {
  const { title, duplicate } = outcome.document;
  if (duplicate)
    return redirectWithToast("/rag", { kind: "info", title: `"${title}" is there already` }, context);
  if (!outcome.done)
    return redirectWithToast("/rag", { kind: "info", title: `"${title}" is being processed` }, context);
  const { chunks, hasEmbeddings } = outcome.document;
  const said = processedSentence(title, chunks, hasEmbeddings);
  return redirectWithToast("/rag", { kind: "success", title: said }, context);
}

export function action({ request, context }: ActionFunctionArgs) {
  return onScreen(context, async () => {
    const actor = requireScreenActor(request, context);
    const form = await readForm(request);
    const { closed: signal } = context;
    switch (takeField(form, "intent")) {
      case "ingest-text": {
        const sent = await submitForm(form, TextForm, context, (input) => ingest(actor, input, { signal }), {
          long: ["text"],
        });
        return sent.done ? saysOutcome(sent.value, context) : sent.answer;
      }
      case "ingest-url": {
        const kind = form.get("kind");
        if (kind === "list" || kind === "sitemap") {
          // What was typed for the other kind isn't meant.
          form.delete(kind === "list" ? "sitemap" : "addresses");
          const sent = await submitForm(form, BatchForm, context, (input) => createBatch(actor, input), {
            long: ["addresses"],
            others: ["kind", "url", "title"],
          });
          return sent.done ? redirect(`/rag?batch=${sent.value.id}`, 303) : sent.answer;
        }
        const sent = await submitForm(form, UrlForm, context, (input) => ingest(actor, input, { signal }), {
          others: ["kind", "sitemap", "addresses"],
        });
        return sent.done ? saysOutcome(sent.value, context) : sent.answer;
      }
      case "save-settings": {
        const sent = await submitForm(form, RagSettingsForm, context, (input) =>
          saveSettingsForm(actor, input),
        );
        if (!sent.done) return sent.answer;
        const title = "RAG & Embedding settings updated.";
        return redirectWithToast(
          new URL(request.url).pathname + new URL(request.url).search,
          { kind: "success", title },
          context,
        );
      }
      default:
        return refuseIntent();
    }
  });
}

export default function RagAndMemory() {
  return <RagScreen {...useLoaderData<typeof loader>()} result={useActionData<typeof action>()?.result} />;
}
