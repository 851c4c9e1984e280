import { useActionData, useLoaderData, useSearchParams } from "@remix-run/react";
import { redirectToFilled } from "~/http/return-to.server";
import { intent, screen } from "~/http/screen.server";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import { ignoreDialogParams } from "~/ui/ignore-dialog-params";
import { pageTitle } from "~/ui/page-header";
import { RagScreen } from "~/work/documents/components/rag-screen";
import { createBatch } from "~/work/documents/ingestion/batches.service.server";
import { AddressForm, TextForm } from "~/work/documents/ingestion/ingest.schema";
import { type IngestOutcome, ingest } from "~/work/documents/ingestion/ingest.service.server";
import { processedSentence, TEXT_BODY_BYTES } from "~/work/documents/ingestion/ingest.shared";
import { type DialogView, RagSettingsForm } from "~/work/documents/screens/rag-screen.schema";
import { readRagScreen } from "~/work/documents/screens/rag-screen.service.server";
import { RecognitionSettings } from "~/work/extraction/recognition/reading-server.schema";
import {
  saveRecognitionForm,
  testReadingServer,
} from "~/work/extraction/recognition/reading-server.service.server";
import { saveSettingsForm } from "~/work/index/rag-settings.service.server";

export const meta = pageTitle("RAG & Memory");

const SETTINGS = "/rag?panel=settings";

const { loader, action } = screen({
  access: "signed-in",
  load: async ({ actor, url, request, context }) => {
    // An empty query still counts as sent.
    const filled = redirectToFilled(request, ["q"]);
    if (filled) throw filled;
    return readRagScreen(actor, Object.fromEntries(url.searchParams), context.closed);
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
          ? { batchId: await createBatch(actor, input.batch) }
          : { outcome: await ingest(actor, { ...input.page, format: "text" }, { signal: context.closed }) },
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
    "save-recognition": intent({
      access: "settings.manage",
      input: RecognitionSettings,
      run: ({ actor, input }) => saveRecognitionForm(actor, input),
      done: { to: SETTINGS, toast: "Settings of scanned pages saved" },
    }),
    "test-recognition": intent({
      access: "settings.manage",
      run: ({ actor, context }) => testReadingServer(actor, context.closed),
      done: (test) => ({ show: test }),
      failed: { toast: "Couldn't test the server" },
      back: () => SETTINGS,
    }),
  },
  // A filter could hide what was just added.
  back: ({ url }) => url.pathname,
});

function describeOutcome({ done, document }: IngestOutcome) {
  const { title, duplicate } = document;
  const info = (text: string) => ({ toast: { kind: "info" as const, title: text } });
  if (duplicate) return info(`"${title}" is already in the library`);
  if (!done) return info(`"${title}" is being processed`);
  return processedSentence(title, document.chunks, document.hasEmbeddings);
}

const DIALOGS = ["search", "ingest", "rebuild", "scanned-pages"] as const satisfies DialogView["dialog"][];

/** Dialogs use the page's data, except a search. */
const shouldRevalidate = ignoreDialogParams({
  names: ["dialog", "tab", "q", "in", "type", "from", "to"],
  loads: ({ searchParams }) => searchParams.get("dialog") === "search" && searchParams.has("q"),
});

export { action, loader, shouldRevalidate };

export default function RagAndMemory() {
  const loaded = useLoaderData<typeof loader>();
  const { result, shown: tested } = useActionData<typeof action>() ?? {};
  const [search] = useSearchParams();
  const [dialog, tab] = [search.get("dialog"), search.get("tab")];
  const open: DialogView = {
    dialog: DIALOGS.find((name) => name === dialog),
    tab: tab === "url" || tab === "file" ? tab : "text",
  };
  // Revalidating would repeat the search.
  useLiveTopics(["documents"], { isPaused: open.dialog === "search" });
  // Results disappear with the dialog.
  const isAsked = search.has("q");
  const searchView = isAsked ? loaded.searchView : { ...loaded.searchView, q: undefined };
  const found = isAsked ? loaded.found : undefined;
  return <RagScreen {...loaded} {...{ open, searchView, found, tested }} result={result} />;
}
