import { redirect } from "@remix-run/node";
import { intent, screen } from "~/http/screen.server";
import type { ToastMessage as Toast } from "~/http/toast.server";
import { countOf } from "~/ui/format";
import {
  type BulkOutcome,
  changeDocuments,
  restoreDeletion,
  restoreDocuments,
  retryFailed,
  undoMoves,
} from "~/work/documents/bulk-documents.service.server";
import { moveDocument } from "~/work/documents/document-changes.service.server";
import {
  CategoryChoice,
  MoveInput,
  MoveSelectionForm,
  SelectionForm,
} from "~/work/documents/document-input.schema";
import { cancelBatch } from "~/work/documents/ingestion/batches.service.server";
import { decideSameNames, type SameNamesDecided } from "~/work/documents/ingestion/same-name.service.server";
import { cancelDocument, retryDocument } from "~/work/documents/jobs/work.service.server";
import { OfferDecision } from "~/work/index/consent/consent.schema";
import { decideOnOffer } from "~/work/index/embedding-offer.service.server";
import { cancelIndex, rebuildIndex } from "~/work/index/indexes.service.server";

type ToastMessage = Omit<Toast, "id">;

/** Undo posts to the current view. */
function undoOf(url: URL, intent: string, values: [string, string][]) {
  const returnTo = url.searchParams.get("returnTo") ?? "/rag";
  return { action: `/rag/changes?${new URLSearchParams([["returnTo", returnTo], ...values])}`, intent };
}

/** Limited by the toast's cookie. */
const MAX_UNDO = 40;

function movedToast(outcome: BulkOutcome, category: string, url: URL): ToastMessage {
  const { documents, name, before } = outcome;
  const title = `${name ? `"${name}"` : countOf(documents, "document")} moved to ${category}`;
  const moves = before.map((one): [string, string] => ["from", [one.category, ...one.ids].join("\n")]);
  const undo = documents > 0 && documents <= MAX_UNDO ? { undo: undoOf(url, "undo-moves", moves) } : {};
  return { kind: "success", title, ...undo };
}

/** What became of files with the names of older documents. @param what of the title, after the name or number */
function decided({ documents, skipped, name, problem }: SameNamesDecided, what: string): ToastMessage {
  if (documents === 0) return { kind: "error", title: "Nothing changed", description: problem ?? "" };
  const title = `${documents === 1 ? `"${name}"` : countOf(documents, "document")} ${what}`;
  if (skipped === 0) return { kind: "success", title };
  const description = `${countOf(skipped, "other")} can't be decided now. ${problem}`;
  return { kind: "success", title, description };
}

const OFFER_TOASTS: Record<OfferDecision["decision"], string> = {
  rebuild: "A new index is being built",
  postpone: "Offer postponed. No documents are sent.",
};

/** Single-purpose forms that return to the list. */
const { loader, action } = screen({
  access: "public",
  load: () => redirect("/rag"),
  actions: {
    "set-category": intent({
      access: "documents.write",
      target: "id",
      input: CategoryChoice,
      run: ({ actor, target, input }) => changeDocuments(actor, { action: "move", ids: [target], ...input }),
      done: (outcome, { input, url }) => ({ toast: movedToast(outcome, input.category, url) }),
      failed: { toast: "Couldn't change the category" },
    }),
    "move-selected": intent({
      access: "documents.write",
      input: MoveSelectionForm,
      run: ({ actor, input }) => changeDocuments(actor, { action: "move", ...input }),
      done: (outcome, { input, url }) => ({ toast: movedToast(outcome, input.category, url) }),
      failed: { toast: "Couldn't move the documents" },
    }),
    "undo-moves": intent({
      access: "documents.write",
      run: ({ actor, url }) => undoMoves(actor, url.searchParams.getAll("from")),
      done: "Moved back",
      failed: { toast: "Couldn't move the documents back" },
    }),
    "retry-selected": intent({
      access: "documents.write",
      input: SelectionForm,
      run: ({ actor, input }) => changeDocuments(actor, { action: "retry", ...input }),
      done: ({ documents, skipped }) =>
        documents === 0
          ? { toast: { kind: "info", title: "These documents can't be retried" } }
          : {
              toast: {
                kind: "success",
                title: `${countOf(documents, "document is", "documents are")} being processed again`,
                ...(skipped > 0 ? { description: `${countOf(skipped, "other")} can't be retried.` } : {}),
              },
            },
      failed: { toast: "Couldn't retry" },
    }),
    "delete-selected": intent({
      access: "documents.write",
      input: SelectionForm,
      run: ({ actor, input }) => changeDocuments(actor, { action: "delete", ...input }),
      done: ({ documents, skipped, name, deletedAt }, { url }) => ({
        toast: {
          kind: "success",
          title: `${name ? `"${name}"` : countOf(documents, "document")} deleted`,
          ...(skipped > 0 ? { description: `You can't delete ${countOf(skipped, "other")}.` } : {}),
          undo: undoOf(url, "restore-deletion", [["at", String(deletedAt)]]),
        },
      }),
      failed: { toast: "Couldn't delete the documents" },
    }),
    "new-versions": intent({
      access: "documents.write",
      input: SelectionForm,
      run: ({ actor, input }) => decideSameNames(actor, input.ids, "version"),
      done: (outcome, { input, url }) => ({
        toast: decided(outcome, outcome.documents === 1 ? "gets a new version" : "get new versions"),
        // The page of what became a version is gone.
        ...(outcome.id !== undefined && url.searchParams.get("returnTo")?.startsWith(`/rag/${input.ids[0]}`)
          ? { to: `/rag/${outcome.id}` }
          : {}),
      }),
      failed: { toast: "Couldn't make them new versions" },
    }),
    "keep-both": intent({
      access: "documents.write",
      input: SelectionForm,
      run: ({ actor, input }) => decideSameNames(actor, input.ids, "separate"),
      done: (outcome) => ({ toast: decided(outcome, "kept as well") }),
      failed: { toast: "Couldn't keep them" },
    }),
    "restore-deletion": intent({
      access: "documents.write",
      run: ({ actor, url }) => restoreDeletion(actor, Number(url.searchParams.get("at"))),
      done: ({ documents }) => `${countOf(documents, "document")} restored`,
      failed: { toast: "Couldn't restore the documents" },
    }),
    "restore-selected": intent({
      access: "documents.write",
      input: SelectionForm,
      run: ({ actor, input }) => restoreDocuments(actor, input.ids),
      done: ({ documents, skipped }) => ({
        toast: {
          kind: "success",
          title: `${countOf(documents, "document")} restored`,
          ...(skipped > 0 ? { description: `${countOf(skipped, "other")} can no longer be restored.` } : {}),
        },
      }),
      failed: { toast: "Couldn't restore the documents" },
    }),
    move: intent({
      access: "documents.write",
      target: "id",
      input: MoveInput,
      run: ({ actor, target, input }) => moveDocument(actor, target, input),
      done: ({ name }, { input }) => `"${name}" moved ${input.direction}`,
      failed: { toast: "Couldn't move the document" },
    }),
    retry: intent({
      access: "documents.write",
      target: "id",
      run: ({ actor, target }) => retryDocument(actor, target),
      done: ({ title }) => `"${title}" is being processed again`,
      failed: { toast: "Couldn't retry" },
    }),
    cancel: intent({
      access: "documents.write",
      target: "id",
      run: ({ actor, target }) => cancelDocument(actor, target),
      done: ({ title }) => `Processing of "${title}" was canceled`,
      failed: { toast: "Couldn't cancel" },
    }),
    "retry-failed": intent({
      access: "documents.write",
      run: ({ actor }) => retryFailed(actor),
      done: ({ documents, more }) => {
        const title = `${countOf(documents, "document is", "documents are")} being processed again`;
        const description = "More have failed. Retry those once these are done.";
        return { toast: { kind: "success", title, ...(more ? { description } : {}) } };
      },
      failed: { toast: "Couldn't retry" },
    }),
    "cancel-batch": intent({
      access: "documents.write",
      target: "batch",
      run: ({ actor, target }) => cancelBatch(actor, target),
      done: ({ documents }) => `${countOf(documents, "document")} canceled`,
      failed: { toast: "Couldn't cancel" },
    }),
    "cancel-index": intent({
      access: "settings.manage",
      target: "id",
      run: ({ actor, target }) => cancelIndex(actor, target),
      done: "New index canceled",
      failed: { toast: "Couldn't cancel" },
    }),
    "rebuild-index": intent({
      access: "settings.manage",
      run: ({ actor }) => rebuildIndex(actor),
      done: "A new index is being built",
      failed: { toast: "Couldn't start" },
    }),
    "embedding-offer": intent({
      access: "settings.manage",
      input: OfferDecision,
      run: ({ actor, input }) => decideOnOffer(actor, input),
      done: (_, { input }) => OFFER_TOASTS[input.decision],
      failed: { toast: "Couldn't save the change" },
    }),
  },
  back: ({ returnTo = "/rag" }) => returnTo,
});

export { action, loader };
