import { useActionData, useLoaderData } from "@remix-run/react";
import { intent, screen } from "~/http/screen.server";
import { pageTitle } from "~/ui/page-header";
import { listCategoryNames } from "~/work/documents/categories/categories.service.server";
import { DocumentScreen } from "~/work/documents/components/document/document-screen";
import { receiveDocumentVersion } from "~/work/documents/ingestion/document-versions.service.server";
import { UPLOAD_LIMITS } from "~/work/documents/ingestion/ingest.schema";
import { DocumentScreenQuery } from "~/work/documents/screens/document-screen.schema";
import { readDocumentScreen } from "~/work/documents/screens/document-screen.service.server";

export const meta = pageTitle("New Version");

const addressOf = (id = "") => `/rag/${encodeURIComponent(id)}`;

/** Without JavaScript: to the document, or back with an error. */
const { loader, action } = screen({
  access: "documents.write",
  query: DocumentScreenQuery,
  load: async ({ actor, params: { documentId = "" }, query, context }) => ({
    ...(await readDocumentScreen(actor, documentId, { ...query, dialog: "version" }, context.closed)),
    categories: listCategoryNames(actor),
    mayWrite: true,
    referrer: undefined,
  }),
  actions: {
    submit: intent({
      access: "documents.write",
      upload: { ...UPLOAD_LIMITS, files: 1 },
      run: ({ actor, params: { documentId = "" }, parts, context }) =>
        receiveDocumentVersion(actor, documentId, parts, context.closed),
      done: ({ name }, { params }) => ({
        to: addressOf(params.documentId),
        toast: `The new version of "${name}" is being processed`,
      }),
      failed: { dialog: "Couldn't upload the new version" },
    }),
  },
  back: ({ params }) => `${addressOf(params.documentId)}?dialog=version`,
});

export { action, loader };

export default function DocumentVersion() {
  const loaded = useLoaderData<typeof loader>();
  const refused = useActionData<typeof action>()?.failed;
  return <DocumentScreen {...loaded} result={undefined} refusedVersion={refused?.description} />;
}
