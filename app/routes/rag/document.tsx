import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { listCategoryNames } from "~/features/knowledge/categories.service.server";
import { DeletedDocument } from "~/features/knowledge/components/document/deleted-document";
import { DocumentScreen } from "~/features/knowledge/components/document/document-screen";
import { patchDocument } from "~/features/knowledge/document-changes.service.server";
import {
  AccessForm,
  RenameForm,
  ScheduleForm,
  VersionText,
} from "~/features/knowledge/document-input.schema";
import {
  deleteDocument,
  findDeleted,
  restoreDocument,
} from "~/features/knowledge/document-removal.service.server";
import { readDocumentScreen } from "~/features/knowledge/document-screen.service.server";
import {
  addDocumentVersion,
  keepPresentVersion,
  restoreVersion,
} from "~/features/knowledge/document-versions.service.server";
import { type DocumentDetail, DocumentScreenQuery } from "~/features/knowledge/document-view.schema";
import { getDocument } from "~/features/knowledge/documents.service.server";
import { readNow } from "~/features/knowledge/reading.service.server";
import { retryDocument } from "~/features/knowledge/work.service.server";
import { authorise, may } from "~/features/members/authorisation.server";
import { requireScreenActor } from "~/http/authentication.server";
import { onScreen, submitForm } from "~/http/form.server";
import { orDialog, orToast, refuseIntent, takeField } from "~/http/intents.server";
import { parseWith } from "~/http/parse.server";
import { readForm } from "~/http/read-body.server";
import { redirectWithToast, type ToastMessage } from "~/http/toast.server";
import { countOf } from "~/ui/format";
import { titled } from "~/ui/titled";

export const meta = titled("Document");

export function loader({ request, params, context }: LoaderFunctionArgs) {
  return onScreen(context, async () => {
    const actor = requireScreenActor(request, context);
    const id = params.documentId ?? "";
    const deleted = findDeleted(actor, id);
    if (deleted) return data({ deleted, screen: null }, { status: 404 });
    const search = new URL(request.url).searchParams;
    const query = parseWith(DocumentScreenQuery, Object.fromEntries(search), "address");
    const mayWrite = may(actor, "documents.write");
    return data({
      deleted: null,
      screen: {
        ...(await readDocumentScreen(actor, id, query, context.closed)),
        categories: mayWrite ? listCategoryNames(actor) : [],
        mayWrite,
      },
    });
  });
}

export function action({ request, params, context }: ActionFunctionArgs) {
  return onScreen(context, async () => {
    const actor = requireScreenActor(request, context);
    authorise(actor, "documents.write");
    const id = params.documentId ?? "";
    const here = `/rag/${encodeURIComponent(id)}`;
    const form = await readForm(request);
    const intent = takeField(form, "intent");
    const done = (title: string, to = here) => redirectWithToast(to, { kind: "success", title }, context);
    const orSay = (title: string, work: () => Response | Promise<Response>) =>
      orToast(here, title, context, work);
    switch (intent) {
      case "restore":
        return orToast("/rag", "Not brought back", context, () =>
          done(`"${restoreDocument(actor, id).name}" is back`),
        );
      case "delete":
        return orDialog("/rag", "The document was not deleted", context, () => {
          const title = `"${deleteDocument(actor, id).name}" deleted`;
          const undo = { action: here, intent: "restore" };
          return redirectWithToast("/rag", { kind: "success", title, undo }, context);
        });
      case "retry":
        return orSay("Not tried again", () => done(`"${retryDocument(actor, id).title}" is being worked on`));
      case "read-now":
        return orSay("Not read", async () => {
          const document = await readNow(actor, id, { signal: context.closed });
          return redirectWithToast(here + new URL(request.url).search, readingWords(document), context);
        });
      case "restore-version":
        return orSay("Not changed", () => {
          const number = Number(takeField(form, "version"));
          restoreVersion(actor, id, number);
          return done(`Version ${number} is being made searchable again`, `${here}?tab=versions`);
        });
      case "keep-version":
        return orSay("Not changed", () => done(`"${keepPresentVersion(actor, id).name}" stays as it is`));
      case "rename": {
        const out = await submitForm(form, RenameForm, context, (input) => patchDocument(actor, id, input));
        return out.done ? done(`Renamed to "${out.value.name}"`) : out.answer;
      }
      case "access": {
        const out = await submitForm(form, AccessForm, context, (input) => patchDocument(actor, id, input));
        if (!out.done) return out.answer;
        const { name, visibility } = out.value;
        const title = `"${name}" is seen by ${visibility === "named" ? "named members" : "everyone"}`;
        return done(title, seesIt(() => getDocument(actor, id)) ? here : "/rag");
      }
      case "schedule": {
        const out = await submitForm(form, ScheduleForm, context, (input) => patchDocument(actor, id, input));
        return out.done ? done("Schedule saved", `${here}?tab=details`) : out.answer;
      }
      case "version-text": {
        const out = await submitForm(
          form,
          VersionText,
          context,
          (input) => addDocumentVersion(actor, id, input),
          { long: ["text"] },
        );
        return out.done ? done(`The new version of "${out.value.name}" is being read`) : out.answer;
      }
      default:
        return refuseIntent();
    }
  });
}

/** What came of reading the address. */
function readingWords(document: DocumentDetail | undefined): Omit<ToastMessage, "id"> {
  if (!document) return { kind: "info", title: "It is still being read" };
  const { name, chunks, version, lastReading } = document;
  switch (lastReading?.outcome) {
    case "failed":
    case "cancelled": {
      const kept = chunks > 0 ? " What it said before is still searched." : "";
      const reason = lastReading.error ?? "It was cancelled.";
      return { kind: "error", title: `"${name}" could not be read`, description: reason + kept };
    }
    case "added":
    case "changed": {
      const description = `Version ${version?.number ?? 1} is searched now, with ${countOf(chunks, "chunk")}.`;
      return { kind: "success", title: `"${name}" has changed`, description };
    }
    default:
      return { kind: "info", title: `"${name}" is unchanged` };
  }
}

/** An admin may have hidden it from themselves. */
function seesIt(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

export default function DocumentPage() {
  const { deleted, screen } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>()?.result;
  if (deleted) return <DeletedDocument deleted={deleted} />;
  return <DocumentScreen {...screen} result={result} />;
}
