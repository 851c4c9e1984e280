import { useActionData, useLoaderData } from "@remix-run/react";
import { intent, screen } from "~/http/screen.server";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import { FAILURES } from "~/ui/failures";
import { pageTitle } from "~/ui/page-header";
import { uploadToast } from "~/work/documents/components/ingestion/upload-labels";
import { RagScreen } from "~/work/documents/components/rag-screen";
import { UPLOAD_LIMITS } from "~/work/documents/ingestion/ingest.schema";
import { submitUpload } from "~/work/documents/ingestion/upload.service.server";
import { readRagScreen } from "~/work/documents/screens/rag-screen.service.server";

export const meta = pageTitle("RAG & Memory");

/** Without JavaScript: to the batch, or back with an error. */
const { loader, action } = screen({
  access: "signed-in",
  load: ({ actor, context }) => readRagScreen(actor, { dialog: "ingest", tab: "file" }, context.closed),
  actions: {
    submit: intent({
      access: "documents.write",
      upload: UPLOAD_LIMITS,
      run: ({ actor, parts, context }) => submitUpload(actor, parts, context.closed),
      done: (outcome) =>
        "problem" in outcome
          ? { show: outcome, status: 400 }
          : { to: `/rag?batch=${outcome.batchId}`, toast: uploadToast(outcome.files) },
      failed: { toast: FAILURES.ingest.title },
    }),
  },
  back: () => "/rag?dialog=ingest&tab=file",
});

export { action, loader };

export default function RagUpload() {
  const loaded = useLoaderData<typeof loader>();
  const refused = useActionData<typeof action>()?.shown;
  useLiveTopics(["documents"]);
  return <RagScreen {...loaded} result={undefined} refusedUpload={refused} />;
}
