import type { ActionFunctionArgs } from "@remix-run/node";
import { z } from "zod";
import { UPLOAD_LIMITS, UploadedFile, UploadForm } from "~/features/knowledge/ingest.schema";
import { receiveUpload, type UploadPart } from "~/features/knowledge/upload.service.server";
import type { MultipartPart } from "~/http/multipart.server";
import { endpoint, reply, resource } from "~/http/resource.server";
import { intent, screen } from "~/http/screen.server";

/** A browser sends a nameless, empty part for a file field that nobody filled in: it isn't a file. */
async function* filledIn(parts: AsyncIterable<MultipartPart>): AsyncGenerator<UploadPart> {
  for await (const part of parts) if (part.kind === "field" || part.fileName !== "") yield part;
}

const route = resource({
  path: "/api/rag/upload",
  tag: "Documents",
  POST: endpoint({
    summary: "Upload files",
    description:
      "A multipart form: the fields first, then up to 100 files of up to 50 MB each. Answers for each file with its " +
      "document, or with what is wrong with it; the others are taken all the same. `X-Batch-Id` names their batch. A " +
      "browser's form (`Accept: text/html`) is sent on to the screen.",
    access: "documents.write",
    form: UploadForm,
    upload: UPLOAD_LIMITS,
    response: z.array(UploadedFile),
    status: 202,
    handle: async ({ actor, parts, context }) => {
      const { batchId, files } = await receiveUpload(actor, filledIn(parts()), context.closed);
      return reply(files, { status: 202, headers: { "X-Batch-Id": batchId } });
    },
  }),
});

function describe(files: UploadedFile[]): {
  kind: "success" | "info" | "error";
  title: string;
  description?: string;
} {
  const failed = files.filter(({ error }) => error !== null);
  const known = files.filter(({ duplicateOf }) => duplicateOf !== null);
  const added = files.length - failed.length - known.length;
  const words = [
    ...failed.slice(0, 3).map(({ name, error }) => `${name}: ${error}`),
    ...known.slice(0, 3).map(({ name, duplicateOf }) => `${name}: Already there as "${duplicateOf}".`),
  ].join(" ");
  const count = (n: number) => `${n} ${n === 1 ? "file" : "files"}`;
  const title = added > 0 ? `${count(added)} added` : failed.length > 0 ? "Ingestion Failed" : "Nothing new";
  const kind = failed.length > 0 ? "error" : known.length > 0 ? "info" : "success";
  return { kind, title, ...(words ? { description: words } : {}) };
}

/** The ingest dialog's form without JavaScript: on to the batch, or back with the reason. */
const dialog = screen({
  access: "documents.write",
  actions: {
    submit: intent({
      access: "documents.write",
      upload: UPLOAD_LIMITS,
      run: ({ actor, parts, context }) => receiveUpload(actor, filledIn(parts), context.closed),
      done: ({ batchId, files }) => ({ to: `/rag?batch=${batchId}`, toast: describe(files) }),
      failed: { toast: "Ingestion Failed" },
    }),
  },
  back: () => "/rag?dialog=ingest&tab=file",
});

const prefersPage = (request: Request) => (request.headers.get("accept") ?? "").includes("text/html");

const loader = route.loader;
const action = (args: ActionFunctionArgs) =>
  prefersPage(args.request) && args.request.method === "POST" ? dialog.action(args) : route.action(args);

export { action, loader };
