import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { cancelBatch } from "~/features/knowledge/batches.service.server";
import { OfferDecision } from "~/features/knowledge/consent/consent.schema";
import { moveDocument, patchDocument } from "~/features/knowledge/document-changes.service.server";
import { MoveInput } from "~/features/knowledge/document-input.schema";
import { decideOnOffer } from "~/features/knowledge/embedding-offer.service.server";
import { cancelIndex, rebuildIndex, switchToIndex } from "~/features/knowledge/indexes.service.server";
import { retryBatch, retryFailed } from "~/features/knowledge/retries.service.server";
import { dismissBatch } from "~/features/knowledge/unsettled-batches.service.server";
import { cancelDocument, retryDocument } from "~/features/knowledge/work.service.server";
import { requireScreenActor } from "~/http/authentication.server";
import { onScreen } from "~/http/form.server";
import { orToast, refuseIntent, takeField } from "~/http/intents.server";
import { parseWith } from "~/http/parse.server";
import { readForm } from "~/http/read-body.server";
import { safeReturnTo } from "~/http/return-to.server";
import { redirectWithToast } from "~/http/toast.server";
import { countOf } from "~/ui/format";

export const loader = () => redirect("/rag");

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

/** The screen's small forms: each does one thing and leads back to what was shown. */
export function action({ request, context }: ActionFunctionArgs) {
  return onScreen(context, async () => {
    const actor = requireScreenActor(request, context);
    const back = safeReturnTo(new URL(request.url).searchParams.get("returnTo") ?? "/rag");
    const form = await readForm(request);
    const [intent, id, batch] = ["intent", "id", "batch"].map((name) => takeField(form, name)) as [
      string,
      string,
      string,
    ];
    const done = (title: string) => redirectWithToast(back, { kind: "success", title }, context);
    const orSay = (title: string, work: () => Response | Promise<Response>) =>
      orToast(back, title, context, work);
    switch (intent) {
      case "set-category":
        return orSay("Category not changed", () => {
          const { name, metadata } = patchDocument(actor, id, { category: String(form.get("category")) });
          return done(`"${name}" is in ${metadata.category}`);
        });
      case "move":
        return orSay("Not moved", () => {
          const { direction } = parseWith(MoveInput, Object.fromEntries(form), "form");
          const { name } = moveDocument(actor, id, { direction });
          return done(`"${name}" moved ${direction}`);
        });
      case "retry":
        return orSay("Not retried", () => {
          const { title } = retryDocument(actor, id);
          return done(`"${title}" is being processed again`);
        });
      case "cancel":
        return orSay("Not cancelled", () =>
          done(`The work on "${cancelDocument(actor, id).title}" was cancelled`),
        );
      case "retry-failed":
        return orSay("Not retried", async () => {
          const { documents, more } = await retryFailed(actor);
          const title = `${countOf(documents, "document")} being processed again`;
          const description = "More have failed. Retry those once these are done.";
          return redirectWithToast(
            back,
            { kind: "success", title, ...(more ? { description } : {}) },
            context,
          );
        });
      case "retry-batch":
        return orSay("Not retried", async () => done(retriedWords(await retryBatch(actor, batch))));
      case "cancel-batch":
        return orSay("Not cancelled", async () => {
          const { cancelled } = (await cancelBatch(actor, batch)).counts;
          return done(`${countOf(cancelled, "document")} cancelled`);
        });
      case "dismiss-batch":
        return orSay("Not dismissed", () => {
          dismissBatch(actor, batch);
          return done("Dismissed. Its documents stay as they are.");
        });
      case "switch-index":
        return orSay("Not switched", async () => {
          await switchToIndex(actor, id);
          return done("The new index serves now");
        });
      case "cancel-index":
        return orSay("Not cancelled", () => {
          cancelIndex(actor, id);
          return done("The new index was cancelled");
        });
      case "rebuild-index":
        return orSay("Not begun", () => {
          rebuildIndex(actor);
          return done("A new index is being built");
        });
      case "embedding-offer":
        return orSay("Not changed", () => {
          const decided = parseWith(OfferDecision, Object.fromEntries(form), "form");
          decideOnOffer(actor, decided);
          return done(DECIDED[decided.decision]);
        });
      default:
        return refuseIntent();
    }
  });
}
