import type { ActionFunctionArgs } from "@remix-run/node";
import { z } from "zod";
import { DocumentId, PartQuery, VersionForm, VersionText } from "~/features/knowledge/document-input.schema";
import { listVersions } from "~/features/knowledge/document-parts.service.server";
import {
  addDocumentVersion,
  receiveDocumentVersion,
} from "~/features/knowledge/document-versions.service.server";
import { DocumentDetail, DocumentVersion } from "~/features/knowledge/document-view.schema";
import { MAX_FILE_BYTES } from "~/features/knowledge/ingest.schema";
import { requireScreenActor } from "~/http/authentication.server";
import { onScreen } from "~/http/form.server";
import { orToast } from "~/http/intents.server";
import { readMultipart } from "~/http/multipart.server";
import { parseWith } from "~/http/parse.server";
import { readJson } from "~/http/read-body.server";
import { endpoint, paged, reply, resource } from "~/http/resource.server";
import { redirectWithToast } from "~/http/toast.server";

/** One byte more than allowed, so that it can be told that it was too much. */
const partsOf = (request: Request) => readMultipart(request, { fileBytes: MAX_FILE_BYTES + 1, files: 1 });

const isJson = (request: Request) => (request.headers.get("content-type") ?? "").includes("json");

const route = resource({
  path: "/api/rag/documents/{id}/versions",
  tag: "Documents",
  GET: endpoint({
    summary: "The versions of a document that are kept, newest first",
    access: "screens.read",
    params: DocumentId,
    query: PartQuery,
    response: z.array(DocumentVersion),
    handle: ({ actor, params, query, request }) => {
      const { versions, next } = listVersions(actor, params.id, query);
      return paged(request, versions, next);
    },
  }),
  POST: endpoint({
    summary: "Gives a document another content",
    description:
      "A multipart form with one file of up to 50 MB, or for a document that is a text a JSON body with `text`. What " +
      "it says now is searched until the new version is ready. A browser's form (`Accept: text/html`) is sent on to " +
      "the screen.",
    access: "documents.write",
    params: DocumentId,
    form: VersionForm,
    response: DocumentDetail,
    status: 202,
    handle: async ({ actor, params, request, context }) => {
      const detail = isJson(request)
        ? await addDocumentVersion(actor, params.id, parseWith(VersionText, await readJson(request), "body"))
        : await receiveDocumentVersion(actor, params.id, partsOf(request), context.closed);
      return reply(detail, { status: 202 });
    },
  }),
});

/** The document page's form: back to the page, with the reason where it was refused. */
function receiveFromScreen({ request, params, context }: ActionFunctionArgs): Promise<Response> {
  return onScreen(context, () => {
    const actor = requireScreenActor(request, context);
    const id = params.id ?? "";
    const here = `/rag/${encodeURIComponent(id)}`;
    return orToast(`${here}?dialog=version`, "No new version", context, async () => {
      const { name } = await receiveDocumentVersion(actor, id, partsOf(request), context.closed);
      const title = `The new version of "${name}" is being read`;
      return redirectWithToast(here, { kind: "success", title }, context);
    });
  });
}

const prefersPage = (request: Request) => (request.headers.get("accept") ?? "").includes("text/html");

const loader = route.loader;
const action = (args: ActionFunctionArgs) =>
  prefersPage(args.request) && args.request.method === "POST" ? receiveFromScreen(args) : route.action(args);

export { action, loader };
