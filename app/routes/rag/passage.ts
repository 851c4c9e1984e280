import { screen } from "~/http/screen.server";
import { DocumentScreenQuery } from "~/work/documents/screens/document-screen.schema";
import { readDocumentScreen } from "~/work/documents/screens/document-screen.service.server";

/** A passage with the text around it, for the panel beside a conversation. */
const { loader } = screen({
  access: "signed-in",
  query: DocumentScreenQuery,
  load: async ({ actor, params: { documentId = "" }, query, context }) => {
    const text = { ...query, tab: "text" as const, dialog: undefined };
    const shown = await readDocumentScreen(actor, documentId, text, context.closed);
    return Response.json(shown, { headers: { "Cache-Control": "no-store" } });
  },
});

export { loader };
