import { z } from "zod";
import { created, endpoint, endpoints } from "~/platform/endpoint/endpoint.shared";
import { Memory, MemoryId, MemoryInput, MemoryPatch } from "./memories.schema";
import {
  addMemory,
  changeMemory,
  forgetAllMemories,
  forgetMemory,
  listMemories,
  listProjectMemories,
} from "./memories.service.server";

const Folder = z.object({ folder: z.string().max(100) });

export const memoriesApi = endpoints("Memories", [
  endpoint({
    method: "PATCH",
    path: "/api/memories/{id}",
    summary: "Change a memory, or keep a proposed one",
    access: "memories.use",
    params: MemoryId,
    body: MemoryPatch,
    response: Memory,
    handle: ({ actor, params, body }) => changeMemory(actor, params.id, body),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/memories/{id}",
    summary: "Delete a memory",
    access: "memories.use",
    params: MemoryId,
    status: 204,
    handle: ({ actor, params }) => forgetMemory(actor, params.id),
  }),
  endpoint({
    method: "GET",
    path: "/api/memories",
    summary: "List all that chats remember about you, newest first",
    description:
      "Nobody else sees it, admins included. Proposals of models are among them, with `kept: false`.",
    access: "memories.use",
    response: z.array(Memory),
    handle: ({ actor }) => listMemories(actor),
  }),
  endpoint({
    method: "POST",
    path: "/api/memories",
    summary: "Add a memory",
    access: "memories.use",
    body: MemoryInput,
    response: Memory,
    status: 201,
    handle: ({ actor, body }) => {
      const memory = addMemory(actor, body);
      return created(memory, `/api/memories/${memory.id}`);
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/ai/folders/{folder}/memories",
    summary: "List what is remembered about a project, newest first",
    description: "Its owner and members see it.",
    access: "memories.use",
    params: Folder,
    response: z.array(Memory),
    handle: ({ actor, params }) => listProjectMemories(actor, params.folder),
  }),
  endpoint({
    method: "POST",
    path: "/api/ai/folders/{folder}/memories",
    summary: "Add a memory about a project, as its owner or an editor",
    access: "memories.use",
    params: Folder,
    body: MemoryInput,
    response: Memory,
    status: 201,
    handle: ({ actor, params, body }) => {
      const memory = addMemory(actor, body, params.folder);
      return created(memory, `/api/memories/${memory.id}`);
    },
  }),
  endpoint({
    method: "DELETE",
    path: "/api/memories",
    summary: "Delete all that chats remember about you",
    access: "memories.use",
    status: 204,
    handle: ({ actor }) => void forgetAllMemories(actor),
  }),
]);
