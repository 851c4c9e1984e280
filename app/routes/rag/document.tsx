import { data } from "@remix-run/node";
import { type MetaFunction, useActionData, useLoaderData, useParams } from "@remix-run/react";
import { withoutBase } from "~/core/base-path";
import { findOrExplain, intent, screen } from "~/http/screen.server";
import type { ToastMessage } from "~/http/toast.server";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import { may } from "~/platform/rights/authorization.server";
import { countOf } from "~/ui/format";
import { ignoreDialogParams } from "~/ui/ignore-dialog-params";
import { appNameOf } from "~/ui/page-header";
import { listCategoryNames } from "~/work/documents/categories/categories.service.server";
import { DeletedDocumentScreen } from "~/work/documents/components/document/deleted-document";
import { DocumentScreen } from "~/work/documents/components/document/document-screen";
import { patchDocument } from "~/work/documents/document-changes.service.server";
import { AccessForm, EncodingInput, RenameForm, ScheduleForm } from "~/work/documents/document-input.schema";
import type { DocumentDetail } from "~/work/documents/documents.schema";
import { getDocument } from "~/work/documents/documents.service.server";
import {
  addDocumentVersion,
  changeEncoding,
  recognizeText,
  restoreVersion,
} from "~/work/documents/ingestion/document-versions.service.server";
import { VersionText } from "~/work/documents/ingestion/ingest.schema";
import { refreshNow } from "~/work/documents/ingestion/ingest.service.server";
import { TEXT_BODY_BYTES } from "~/work/documents/ingestion/ingest.shared";
import {
  deleteDocument,
  findDeleted,
  restoreDocument,
} from "~/work/documents/removal/document-removal.service.server";
import { DocumentScreenQuery } from "~/work/documents/screens/document-screen.schema";
import { readDocumentScreen } from "~/work/documents/screens/document-screen.service.server";

export const meta: MetaFunction<typeof loader> = ({ data, matches }) => [
  { title: `${data?.screen?.document.name ?? data?.deleted?.name ?? "Document"} · ${appNameOf(matches)}` },
];

/** Undefined for another origin. */
function pathOf(address: string | null, here: URL): string | undefined {
  if (!address || !URL.canParse(address)) return undefined;
  const { host, pathname } = new URL(address);
  return host === here.host ? withoutBase(pathname) : undefined;
}

const { loader, action } = screen({
  access: "signed-in",
  query: DocumentScreenQuery,
  load: async ({ actor, params: { documentId = "" }, query, url, request, context }) => {
    const deleted = findDeleted(actor, documentId);
    if (deleted) return data({ deleted, screen: null }, { status: 404 });
    const mayWrite = may(actor, "documents.write");
    return data({
      deleted: null,
      screen: {
        ...(await readDocumentScreen(actor, documentId, query, context.closed)),
        categories: mayWrite ? listCategoryNames(actor) : [],
        mayWrite,
        referrer: pathOf(request.headers.get("referer"), url),
      },
    });
  },
  actions: {
    restore: intent({
      access: "documents.write",
      run: ({ actor, params: { documentId = "" } }) => restoreDocument(actor, documentId),
      done: ({ name }, { url }) => ({ to: url.pathname, toast: `"${name}" restored` }),
      failed: { toast: "Couldn't restore the document" },
      back: () => "/rag",
    }),
    delete: intent({
      access: "documents.write",
      run: ({ actor, params: { documentId = "" } }) => deleteDocument(actor, documentId),
      done: ({ name }, { url }) => {
        const undo = { action: url.pathname, intent: "restore" };
        return { toast: { kind: "success", title: `"${name}" deleted`, undo } };
      },
      failed: { dialog: "Couldn't delete the document" },
      back: () => "/rag",
    }),
    "refresh-now": intent({
      access: "documents.write",
      run: ({ actor, params: { documentId = "" }, context }) =>
        refreshNow(actor, documentId, { signal: context.closed }),
      done: (document, { url }) => ({ to: url.pathname + url.search, toast: refreshToast(document) }),
      failed: { toast: "Couldn't refresh" },
    }),
    "restore-version": intent({
      access: "documents.write",
      target: "version",
      run: ({ actor, target, params: { documentId = "" } }) =>
        restoreVersion(actor, documentId, Number(target)),
      done: (_, { target, url }) => ({
        to: `${url.pathname}?tab=versions`,
        toast: `Version ${Number(target)} is being restored`,
      }),
      failed: { toast: "Couldn't save the change" },
    }),
    rename: intent({
      access: "documents.write",
      input: RenameForm,
      run: ({ actor, input, params: { documentId = "" } }) => patchDocument(actor, documentId, input),
      done: ({ name }) => `Renamed to "${name}"`,
    }),
    access: intent({
      access: "documents.write",
      input: AccessForm,
      run: ({ actor, input, params: { documentId = "" } }) => patchDocument(actor, documentId, input),
      done: ({ id, name, visibility }, { actor, url }) => ({
        // Admins may have hidden it from themselves.
        to: findOrExplain(() => getDocument(actor, id)).missing === undefined ? url.pathname : "/rag",
        toast: `"${name}" is visible to ${visibility === "named" ? "specific people" : "everyone"}`,
      }),
    }),
    encoding: intent({
      access: "documents.write",
      input: EncodingInput,
      run: ({ actor, input, params: { documentId = "" }, context }) =>
        changeEncoding(actor, documentId, input, context.closed),
      done: ({ name }, { url }) => ({
        to: `${url.pathname}?tab=details`,
        toast: `"${name}" is being read again`,
      }),
    }),
    recognize: intent({
      access: "documents.write",
      run: ({ actor, params: { documentId = "" }, context }) =>
        recognizeText(actor, documentId, context.closed),
      done: ({ name }, { url }) => ({ to: url.pathname, toast: `The text of "${name}" is being recognized` }),
      failed: { toast: "Couldn't recognize the text" },
    }),
    schedule: intent({
      access: "documents.write",
      input: ScheduleForm,
      run: ({ actor, input, params: { documentId = "" } }) => patchDocument(actor, documentId, input),
      done: (_, { url }) => ({ to: `${url.pathname}?tab=details`, toast: "Schedule saved" }),
    }),
    "version-text": intent({
      access: "documents.write",
      input: VersionText,
      long: ["text"],
      maxBytes: TEXT_BODY_BYTES,
      run: ({ actor, input, params: { documentId = "" } }) => addDocumentVersion(actor, documentId, input),
      done: ({ name }) => `The new version of "${name}" is being processed`,
    }),
  },
});

const shouldRevalidate = ignoreDialogParams();

export { action, loader, shouldRevalidate };

function refreshToast(document: DocumentDetail | undefined): Omit<ToastMessage, "id"> {
  if (!document) return { kind: "info", title: "Refresh in progress" };
  const { name, chunks, version, lastRefresh } = document;
  switch (lastRefresh?.outcome) {
    case "failed":
    case "cancelled": {
      const previous = chunks > 0 ? " The previous content is still searched." : "";
      const reason = lastRefresh.error ?? "It was canceled.";
      return { kind: "error", title: `"${name}" couldn't be refreshed`, description: reason + previous };
    }
    case "added":
    case "changed": {
      const description = `Version ${version?.number ?? 1} is current, with ${countOf(chunks, "chunk")}.`;
      return { kind: "success", title: `"${name}" has changed`, description };
    }
    default:
      return { kind: "info", title: `"${name}" is unchanged` };
  }
}

export default function DocumentPage() {
  const { deleted, screen } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>()?.result;
  const { documentId } = useParams();
  // Revalidating would repeat the search.
  useLiveTopics(["documents"], { id: documentId, isPaused: screen?.finding !== undefined });
  if (deleted) return <DeletedDocumentScreen deleted={deleted} />;
  return <DocumentScreen {...screen} result={result} />;
}
