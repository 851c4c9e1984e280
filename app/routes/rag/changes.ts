import { redirect } from "@remix-run/node";
import { cancelBatch } from "~/features/knowledge/batches.service.server";
import { OfferDecision } from "~/features/knowledge/consent/consent.schema";
import { moveDocument, patchDocument } from "~/features/knowledge/document-changes.service.server";
import { CategoryChoice, MoveInput } from "~/features/knowledge/document-input.schema";
import { decideOnOffer } from "~/features/knowledge/embedding-offer.service.server";
import { cancelIndex, rebuildIndex, switchToIndex } from "~/features/knowledge/indexes.service.server";
import { retryBatch, retryFailed } from "~/features/knowledge/retries.service.server";
import { dismissBatch } from "~/features/knowledge/unsettled-batches.service.server";
import { cancelDocument, retryDocument } from "~/features/knowledge/work.service.server";
import { intent, screen } from "~/http/screen.server";
import { countOf } from "~/ui/format";

function retriedWords({ documents, sitemap }: { documents: number; sitemap: boolean }): string {
  if (documents === 0) return "The sitemap is being read again";
  return `${countOf(documents, "document")}${sitemap ? " and the sitemap" : ""} being processed again`;
}

const DECIDED: Record<OfferDecision["decision"], string> = {
  rebuild: "A new index is being built",
  compare: "A new index is being built. Compare both before you switch.",
  postpone: "Nothing is sent. The offer can be shown again.",
  resume: "The offer is shown again",
};

/** The small forms of RAG & Memory: each does one thing and leads back to what was shown. */
const { loader, action } = screen({
  access: "public",
  load: () => redirect("/rag"),
  actions: {
    "set-category": intent({
      access: "documents.write",
      target: "id",
      input: CategoryChoice,
      run: ({ actor, target, input }) => patchDocument(actor, target, input),
      done: ({ name, metadata }) => `"${name}" is in ${metadata.category}`,
      failed: { toast: "Category not changed" },
    }),
    move: intent({
      access: "documents.write",
      target: "id",
      input: MoveInput,
      run: ({ actor, target, input }) => moveDocument(actor, target, input),
      done: ({ name }, { input }) => `"${name}" moved ${input.direction}`,
      failed: { toast: "Not moved" },
    }),
    retry: intent({
      access: "documents.write",
      target: "id",
      run: ({ actor, target }) => retryDocument(actor, target),
      done: ({ title }) => `"${title}" is being processed again`,
      failed: { toast: "Not retried" },
    }),
    cancel: intent({
      access: "documents.write",
      target: "id",
      run: ({ actor, target }) => cancelDocument(actor, target),
      done: ({ title }) => `The work on "${title}" was cancelled`,
      failed: { toast: "Not cancelled" },
    }),
    "retry-failed": intent({
      access: "documents.write",
      run: ({ actor }) => retryFailed(actor),
      done: ({ documents, more }) => {
        const title = `${countOf(documents, "document")} being processed again`;
        const description = "More have failed. Retry those once these are done.";
        return { toast: { kind: "success", title, ...(more ? { description } : {}) } };
      },
      failed: { toast: "Not retried" },
    }),
    "retry-batch": intent({
      access: "documents.write",
      target: "batch",
      run: ({ actor, target }) => retryBatch(actor, target),
      done: retriedWords,
      failed: { toast: "Not retried" },
    }),
    "cancel-batch": intent({
      access: "documents.write",
      target: "batch",
      run: ({ actor, target }) => cancelBatch(actor, target),
      done: ({ counts }) => `${countOf(counts.cancelled, "document")} cancelled`,
      failed: { toast: "Not cancelled" },
    }),
    "dismiss-batch": intent({
      access: "documents.write",
      target: "batch",
      run: ({ actor, target }) => dismissBatch(actor, target),
      done: "Dismissed. Its documents stay as they are.",
      failed: { toast: "Not dismissed" },
    }),
    "switch-index": intent({
      access: "settings.manage",
      target: "id",
      run: ({ actor, target }) => switchToIndex(actor, target),
      done: "The new index serves now",
      failed: { toast: "Not switched" },
    }),
    "cancel-index": intent({
      access: "settings.manage",
      target: "id",
      run: ({ actor, target }) => cancelIndex(actor, target),
      done: "The new index was cancelled",
      failed: { toast: "Not cancelled" },
    }),
    "rebuild-index": intent({
      access: "settings.manage",
      run: ({ actor }) => rebuildIndex(actor),
      done: "A new index is being built",
      failed: { toast: "Not begun" },
    }),
    "embedding-offer": intent({
      access: "settings.manage",
      input: OfferDecision,
      run: ({ actor, input }) => decideOnOffer(actor, input),
      done: (_, { input }) => DECIDED[input.decision],
      failed: { toast: "Not changed" },
    }),
  },
  back: ({ returnTo = "/rag" }) => returnTo,
});

export { action, loader };
