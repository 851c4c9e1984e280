import { z } from "zod";
import { created, endpoint, endpoints, nothing, page } from "~/platform/endpoint/endpoint.shared";
import { DocumentId } from "../document-input.schema";
import {
  Source,
  SourceDeletion,
  SourceFile,
  SourceFilesQuery,
  SourceInput,
  SourcePatch,
} from "./source.schema";
import {
  cancelSync,
  changeSource,
  createSource,
  deleteSource,
  getSource,
  listSourceFiles,
  listSources,
  startSync,
} from "./sources.service.server";

export const sourcesApi = endpoints("Documents", [
  endpoint({
    method: "GET",
    path: "/api/rag/sources",
    summary: "List document sources visible to you",
    access: "sources.manage",
    response: z.array(Source),
    handle: ({ actor }) => listSources(actor),
  }),
  endpoint({
    method: "POST",
    path: "/api/rag/sources",
    summary: "Add a document source and sync it",
    description:
      "`folder` takes `folder`; `s3` takes `address`, `bucket`, `prefix`, `region`, `accessKeyId`; `git` takes `address`, `branch`, `prefix`, `username`; `webdav` takes `address`, `username`. Their secrets are key references of the kind `source`.",
    access: "sources.manage",
    body: SourceInput,
    response: Source,
    status: 201,
    handle: async ({ actor, body }) => {
      const source = await createSource(actor, body);
      return created(source, `/api/rag/sources/${source.id}`);
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/rag/sources/{id}",
    summary: "Get a document source with the progress and result of its sync",
    access: "sources.manage",
    params: DocumentId,
    response: Source,
    handle: ({ actor, params }) => getSource(actor, params.id),
  }),
  endpoint({
    method: "PATCH",
    path: "/api/rag/sources/{id}",
    summary: "Change a document source and sync it",
    description: "Its documents follow its visibility, not its category.",
    access: "sources.manage",
    params: DocumentId,
    body: SourcePatch,
    response: Source,
    handle: ({ actor, params, body }) => changeSource(actor, params.id, body),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/rag/sources/{id}",
    summary: "Delete a document source, and its documents with `documents=delete`",
    access: "sources.manage",
    params: DocumentId,
    query: SourceDeletion,
    status: 204,
    handle: async ({ actor, params, query }) => {
      await deleteSource(actor, params.id, query);
      return nothing();
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/rag/sources/{id}/files",
    summary: "List the files of a document source, last changed first",
    access: "sources.manage",
    params: DocumentId,
    query: SourceFilesQuery,
    response: z.array(SourceFile),
    handle: ({ actor, params, query }) => {
      const { files, next } = listSourceFiles(actor, params.id, query);
      return page(files, next);
    },
  }),
  endpoint({
    method: "POST",
    path: "/api/rag/sources/{id}/sync",
    summary: "Sync a document source now",
    access: "sources.manage",
    params: DocumentId,
    response: Source,
    handle: ({ actor, params }) => startSync(actor, params.id),
  }),
  endpoint({
    method: "POST",
    path: "/api/rag/sources/{id}/cancel",
    summary: "Cancel the sync of a document source",
    access: "sources.manage",
    params: DocumentId,
    response: Source,
    handle: ({ actor, params }) => cancelSync(actor, params.id),
  }),
]);
