import { z } from "zod";
import { created, endpoint, endpoints, nothing, reply } from "~/platform/endpoint/endpoint.shared";
import { UPLOAD_LIMITS, UploadedFile } from "~/work/documents/ingestion/ingest.schema";
import {
  ConversationFolder,
  DeletionInput,
  FolderInput,
  Project,
  ProjectPatch,
  RoleInput,
} from "./projects.schema";
import {
  addFiles,
  createFolder,
  deleteFile,
  deleteFolder,
  listFolders,
  putMember,
  readProject,
  removeMember,
  updateFolder,
} from "./projects.service.server";

const FolderId = z.object({ folder: z.string().max(100) });
const MemberId = FolderId.extend({ user: z.string().max(100) });
const FileId = FolderId.extend({ document: z.string().max(100) });

export const projectsApi = endpoints("Chat", [
  endpoint({
    method: "GET",
    path: "/api/ai/folders",
    summary: "List your conversation folders, and projects that you are a member of",
    access: "chat.use",
    response: z.array(ConversationFolder),
    handle: ({ actor }) => listFolders(actor),
  }),
  endpoint({
    method: "POST",
    path: "/api/ai/folders",
    summary: "Create a conversation folder",
    access: "chat.use",
    body: FolderInput,
    response: ConversationFolder,
    status: 201,
    handle: ({ actor, body }) => {
      const folder = createFolder(actor, body);
      return created(folder, `/api/ai/folders/${folder.id}`);
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/ai/folders/{folder}",
    summary: "Get a folder with what makes it a project: instructions, persona, members and files",
    access: "chat.use",
    params: FolderId,
    response: Project,
    handle: ({ actor, params }) => readProject(actor, params.folder),
  }),
  endpoint({
    method: "PATCH",
    path: "/api/ai/folders/{folder}",
    summary: "Rename a folder, or change its instructions or persona",
    description: "Only its owner renames it; editors change the rest.",
    access: "chat.use",
    params: FolderId,
    body: ProjectPatch,
    response: ConversationFolder,
    handle: ({ actor, params, body }) => updateFolder(actor, params.folder, body),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/ai/folders/{folder}",
    summary: "Delete a conversation folder with its files; conversations stay with those who began them",
    access: "chat.use",
    params: FolderId,
    query: DeletionInput,
    status: 204,
    handle: ({ actor, params, query }) => {
      deleteFolder(actor, params.folder, query);
      return nothing();
    },
  }),
  endpoint({
    method: "PUT",
    path: "/api/ai/folders/{folder}/members/{user}",
    summary: "Add a member to your folder, or change what they may do",
    description:
      "Members use its instructions, persona and files in conversations of their own; they don't see each other's.",
    access: "chat.use",
    params: MemberId,
    body: RoleInput,
    status: 204,
    handle: ({ actor, params, body }) => {
      putMember(actor, params.folder, { userId: params.user, role: body.role });
      return nothing();
    },
  }),
  endpoint({
    method: "DELETE",
    path: "/api/ai/folders/{folder}/members/{user}",
    summary: "Remove a member from your folder, or leave one with your own ID",
    description: "Their conversations stay with them, without the folder.",
    access: "chat.use",
    params: MemberId,
    status: 204,
    handle: ({ actor, params }) => {
      removeMember(actor, params.folder, params.user);
      return nothing();
    },
  }),
  endpoint({
    method: "POST",
    path: "/api/ai/folders/{folder}/files",
    summary: "Add files that only the folder's conversations find",
    description:
      "A multipart form of up to 100 files, as `POST /api/rag/upload`. Each becomes a document that the folder's people " +
      "can open.",
    access: "documents.write",
    params: FolderId,
    form: z.object({ files: z.array(z.string().describe("A file")) }),
    upload: UPLOAD_LIMITS,
    response: z.array(UploadedFile),
    status: 202,
    handle: async ({ actor, params, parts, signal }) => {
      const { files } = await addFiles(actor, params.folder, parts(), signal);
      return reply(files, { status: 202 });
    },
  }),
  endpoint({
    method: "DELETE",
    path: "/api/ai/folders/{folder}/files/{document}",
    summary: "Delete a file of a folder",
    description: "Its owner can restore it as a document for ten minutes.",
    access: "documents.write",
    params: FileId,
    status: 204,
    handle: ({ actor, params }) => {
      deleteFile(actor, params.folder, params.document);
      return nothing();
    },
  }),
]);
