import { useActionData, useLoaderData } from "@remix-run/react";
import { intent, screen } from "~/http/screen.server";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import { FAILURES } from "~/ui/failures";
import { countOf } from "~/ui/format";
import { pageTitle } from "~/ui/page-header";
import { RagScreen } from "~/work/documents/components/rag-screen";
import { UPLOAD_LIMITS, type UploadedFile } from "~/work/documents/ingestion/ingest.schema";
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

interface UploadToast {
  kind: "success" | "info" | "error";
  title: string;
  description?: string;
}

function uploadToast(files: readonly UploadedFile[]): UploadToast {
  const failed = files.filter(({ error }) => error !== null);
  const existing = files.filter((file) => file.duplicateOf !== null);
  const added = files.length - failed.length - existing.length;
  const undecided = files.filter(({ sameNameAs }) => sameNameAs !== null).length;
  const details = [
    ...(undecided > 0
      ? [`${countOf(undecided, "file")} may be new versions of older documents: see the list.`]
      : []),
    ...failed.slice(0, 3).map(({ name, error }) => `${name}: ${error}`),
    ...existing
      .slice(0, 3)
      .map(({ name, duplicateOf }) => `${name} is already in the library as "${duplicateOf}".`),
  ].join(" ");
  const kind = failed.length > 0 ? "error" : existing.length > 0 ? "info" : "success";
  return {
    kind,
    title: uploadTitle(added, failed.length),
    ...(details ? { description: details } : {}),
  };
}

function uploadTitle(added: number, failed: number): string {
  if (added > 0) return `${countOf(added, "file")} added`;
  return failed > 0 ? FAILURES.ingest.title : "No new files";
}
